package isa_test

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// One meaning, over numbers and over terms.
func Example() {
	in, err := isa.Decode("mad.wide.u32")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Code, in.Class(), in.Type(0))
	f, err := in.Formula()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f)

	numbers, err := isa.Apply(isa.Integers{}, f, 3, 4, 100)
	fmt.Println(numbers[0], err)

	b := term.NewBuilder()
	tid, base := b.ZExt(b.Var("tid", 10), 32), b.Var("base", 64)
	address, err := isa.Apply(terms{b}, f, tid, b.Const(4, 32), base)
	fmt.Println(address[0], err)
	// Output:
	// mad arithmetic u32
	// mad.wide.u32 x0:u32 x1:u32 x2:u64
	//   x3 = extend.u32 x0
	//   x4 = extend.u32 x1
	//   x5 = mul.s64 x3 x4
	//   x6 = add.u64 x5 x2
	//   gives x6:u64
	// 112 <nil>
	// (base + 4*zext64(tid)) <nil>
}
