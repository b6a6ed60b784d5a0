package ptx

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// The arithmetic is tested against the mathematics of the PTX ISA: operands are read
// as integers of a type, results are taken modulo 2ⁿ. Everything goes through the
// text of instructions.

// operands are constants at and around the limits of the types.
var operands = []string{
	"0", "1", "2", "7", "-1", "-2", "0x7fffffff", "0x80000000", "0x80000001", "0xffffffff", "0x100000000",
	"0x17fffffff", "0x7fffffffffffffff", "-0x7fffffffffffffff", "0x8000000000000000", "0xfffffffffffffffe",
}

// intTypes are the types that the operations are tested with.
var intTypes = []string{"s32", "u32", "b32", "s64", "u64", "b64"}

func width(typ string) uint {
	if strings.HasSuffix(typ, "64") {
		return 64
	}
	return 32
}

func parseBig(text string) *big.Int {
	i, ok := new(big.Int).SetString(text, 0)
	if !ok {
		panic(text)
	}
	return i
}

// modulus is 2ⁿ for a type of n bits.
func modulus(typ string) *big.Int { return new(big.Int).Lsh(big.NewInt(1), width(typ)) }

// as reads the low bits of i as an integer of a type.
func as(typ string, i *big.Int) *big.Int {
	m := modulus(typ)
	i = new(big.Int).Mod(i, m)
	if typ[0] == 's' && i.Bit(int(width(typ))-1) == 1 {
		i.Sub(i, m)
	}
	return i
}

// held returns how a register of n bits holds i: sign-extended.
func held(typ string, i *big.Int) int64 {
	return as("s"+typ[1:], i).Int64()
}

// mathematics is what the operations do to integers.
var mathematics = map[string]func(a, b *big.Int) *big.Int{
	"add": func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
	"sub": func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
	"and": func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) },
	"or":  func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) },
	"xor": func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) },
	"min": func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	},
	"max": func(a, b *big.Int) *big.Int {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	},
	// Of atomics only, on unsigned integers.
	"inc": func(a, b *big.Int) *big.Int {
		if a.Cmp(b) >= 0 {
			return new(big.Int)
		}
		return new(big.Int).Add(a, big.NewInt(1))
	},
	"dec": func(a, b *big.Int) *big.Int {
		if a.Sign() == 0 || a.Cmp(b) > 0 {
			return b
		}
		return new(big.Int).Sub(a, big.NewInt(1))
	},
	"exch": func(_, b *big.Int) *big.Int { return b },
}

// compute returns the result of an operation as a register holds it.
func compute(op, typ, a, b string) int64 {
	if op == "inc" || op == "dec" {
		typ = "u" + typ[1:]
	}
	return held(typ, mathematics[op](as(typ, parseBig(a)), as(typ, parseBig(b))))
}

// results runs straight-line code, one instruction for each pair of operands, and
// returns what r0, r1, … hold at the end. Registers are as wide as typ.
func results(t *testing.T, typ, format string) func(a, b string) event.Value {
	t.Helper()
	var code, init strings.Builder
	index := map[[2]string]string{}
	for _, a := range operands {
		for _, b := range operands {
			name := fmt.Sprintf("r%d", len(index))
			index[[2]string{a, b}] = name
			fmt.Fprintf(&init, "0:.reg .b%d %s;", width(typ), name)
			code.WriteString(strings.NewReplacer("DST", name, "A", a, "B", b).Replace(format) + "\n")
		}
	}
	p := program(t, init.String(), code.String(), frontend.Options{})
	return func(a, b string) event.Value {
		c, ok := p.Paths[0][0].Finals[index[[2]string{a, b}]].(event.Const)
		if !ok {
			t.Fatalf("%s of %s and %s is no constant", format, a, b)
		}
		return event.Value(c)
	}
}

// eachPair calls f for all pairs of operands.
func eachPair(f func(a, b string)) {
	for _, a := range operands {
		for _, b := range operands {
			f(a, b)
		}
	}
}

func TestArithmetic(t *testing.T) {
	for _, op := range []string{"add", "sub", "and", "or", "xor", "min", "max"} {
		for _, typ := range intTypes {
			got := results(t, typ, op+"."+typ+" DST,A,B")
			eachPair(func(a, b string) {
				if want := compute(op, typ, a, b); got(a, b) != event.Int(want) {
					t.Errorf("%s.%s %s,%s = %v, want %d", op, typ, a, b, got(a, b).Int, want)
				}
			})
		}
	}
}

func TestComparisons(t *testing.T) {
	holds := map[string]func(order int) bool{
		"eq": func(o int) bool { return o == 0 }, "ne": func(o int) bool { return o != 0 },
		"lt": func(o int) bool { return o < 0 }, "le": func(o int) bool { return o <= 0 },
		"gt": func(o int) bool { return o > 0 }, "ge": func(o int) bool { return o >= 0 },
	}
	for cmp, holds := range holds {
		for _, typ := range intTypes {
			got := results(t, "b32", "setp."+cmp+"."+typ+" DST,A,B")
			eachPair(func(a, b string) {
				want := holds(as(typ, parseBig(a)).Cmp(as(typ, parseBig(b))))
				if v := got(a, b); v.True() != want || v.Int != 0 && v.Int != 1 {
					t.Errorf("setp.%s.%s %s,%s = %v, want %v", cmp, typ, a, b, v.Int, want)
				}
			})
		}
	}
}

func TestConversions(t *testing.T) {
	for _, to := range intTypes {
		for _, from := range intTypes {
			got := results(t, to, "cvt."+to+"."+from+" DST,A")
			eachPair(func(a, b string) {
				if want := held(to, as(from, parseBig(a))); got(a, b) != event.Int(want) {
					t.Errorf("cvt.%s.%s %s = %v, want %d", to, from, a, got(a, b).Int, want)
				}
			})
		}
	}
}

func TestSelectionsAndMoves(t *testing.T) {
	for _, typ := range intTypes {
		first := results(t, typ, "selp."+typ+" DST,A,B,1")
		second := results(t, typ, "selp."+typ+" DST,A,B,0")
		moved := results(t, typ, "mov."+typ+" DST,A")
		chosen := results(t, typ, "selp."+typ+" DST,5,6,B")
		eachPair(func(a, b string) {
			if want := held(typ, parseBig(a)); first(a, b) != event.Int(want) || moved(a, b) != event.Int(want) {
				t.Errorf("%s: selp %s,%s,1 = %v and mov %s = %v, want %d", typ, a, b, first(a, b).Int, a, moved(a, b).Int, want)
			}
			if want := held(typ, parseBig(b)); second(a, b) != event.Int(want) {
				t.Errorf("%s: selp %s,%s,0 = %v, want %d", typ, a, b, second(a, b).Int, want)
			}
			want := int64(5)
			if parseBig(b).Sign() == 0 {
				want = 6
			}
			if chosen(a, b) != event.Int(want) {
				t.Errorf("selp 5,6,%s = %v, want %d", b, chosen(a, b).Int, want)
			}
		})
	}
}

// atomicWrites has one atomic for each operand b; it returns what each writes when
// its location holds a.
func atomicWrites(t *testing.T, format string) func(a int64, b string) event.Value {
	t.Helper()
	var code strings.Builder
	for _, b := range operands {
		code.WriteString(strings.ReplaceAll(format, "B", b) + "\n")
	}
	path := program(t, "", code.String(), frontend.Options{}).Paths[0][0]
	return func(a int64, b string) event.Value {
		for i, operand := range operands {
			if operand != b {
				continue
			}
			v, err := path.Events[2*i+1].Data.Eval(func(int) (event.Value, bool) { return event.Int(a), true })
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		panic(b)
	}
}

func TestAtomicArithmetic(t *testing.T) {
	for _, op := range []string{"add", "and", "or", "xor", "min", "max", "inc", "dec", "exch"} {
		for _, typ := range intTypes {
			got := atomicWrites(t, "atom."+op+"."+typ+" r0,[x],B")
			eachPair(func(a, b string) {
				old := held(typ, parseBig(a))
				if want := compute(op, typ, a, b); got(old, b) != event.Int(want) {
					t.Errorf("atom.%s.%s of %s and %s writes %v, want %d", op, typ, a, b, got(old, b).Int, want)
				}
			})
		}
	}
}

// TestUnboundedAtomics: without a bound, inc and dec wrap round at 2ⁿ.
func TestUnboundedAtomics(t *testing.T) {
	for op, inverse := range map[string]string{"inc": "add", "dec": "sub"} {
		for _, typ := range intTypes {
			got := atomicWrites(t, "red."+op+"."+typ+" [x]")
			for _, a := range operands {
				if want := compute(inverse, typ, a, "1"); got(held(typ, parseBig(a)), "0") != event.Int(want) {
					t.Errorf("red.%s.%s of %s writes %v, want %d", op, typ, a, got(held(typ, parseBig(a)), "0").Int, want)
				}
			}
		}
	}
}

// TestCASComparesTheLowBits: a comparison of 32 bits does not see the others.
func TestCASComparesTheLowBits(t *testing.T) {
	for _, typ := range intTypes {
		for _, expected := range operands {
			path := program(t, "", fmt.Sprintf("atom.cas.%s r0,[x],%s,%s", typ, expected, "0x1fffffffe"), frontend.Options{}).Paths[0][0]
			for _, a := range operands {
				old := event.Int(held(typ, parseBig(a)))
				v, err := path.Conds[0].X.Eval(func(int) (event.Value, bool) { return old, true })
				want := as(typ, parseBig(a)).Cmp(as(typ, parseBig(expected))) == 0
				if err != nil || v.True() != want {
					t.Errorf("atom.cas.%s: %s and %s are equal: %v, %v", typ, a, expected, v.True(), err)
				}
			}
			want := event.Int(held(typ, parseBig("0x1fffffffe")))
			if v := path.Events[1].Data; v != event.Const(want) {
				t.Errorf("atom.cas.%s writes %v, want %v", typ, v, want)
			}
		}
	}
}

// TestAddresses: addresses can be moved, compared and have integers added.
func TestAddresses(t *testing.T) {
	const init = "0:.reg .b64 p=x, q=y, n=8"
	for code, want := range map[string]string{
		"mov.u64 r0,p":       "x",
		"mov.u32 r0,p":       "x",
		"add.u64 r0,p,n":     "x+8",
		"add.u64 r0,n,q":     "y+8",
		"add.s32 r0,p,-4":    "x-4",
		"sub.u64 r0,p,n":     "x-8",
		"sub.u64 r0,p,p":     "0",
		"cvt.u64.u32 r0,q":   "y",
		"selp.b64 r0,p,q,n":  "x",
		"selp.b64 r0,p,q,0":  "y",
		"selp.b64 r0,1,2,p":  "1",
		"setp.eq.u64 r0,p,p": "1",
		"setp.eq.u64 r0,p,q": "0",
		"setp.ne.u64 r0,p,q": "1",
		"setp.eq.u64 r0,p,0": "0",
		"setp.ne.u64 r0,0,p": "1",
		"setp.lt.u64 r0,p,p": "0",
		"setp.ge.u64 r0,p,p": "1",
		"min.u64 r0,p,q":     "error",
		"add.u64 r0,p,q":     "error",
		"sub.u64 r0,p,q":     "error",
		"sub.u64 r0,n,p":     "error",
		"and.b64 r0,p,0":     "error",
		"or.b64 r0,0,p":      "error",
		"xor.b64 r0,p,p":     "error",
		"setp.lt.u64 r0,p,q": "error",
		"setp.ge.u64 r0,p,0": "error",
	} {
		got := "error"
		if p, err := tryProgram(init, code, frontend.Options{}); err == nil {
			got = printer{p.Locs}.expr(p.Paths[0][0].Finals["r0"])
		}
		if got != want {
			t.Errorf("%s gives %s, want %s", code, got, want)
		}
	}
}
