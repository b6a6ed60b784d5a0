package examples

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel/launch"
)

// Random is a random kernel, with launches that show all its behaviours, if it has no loops.
type Random struct {
	Text        string
	Grid, Block launch.Dim
	Numbers     [][]uint64 // arguments after A and B, in each launch
	Bytes       int        // of A and of B; 0 for 128
}

// Kind selects features of a random kernel.
type Kind struct {
	Reads bool // indices and conditions may depend on reads
	Loops bool // loops with the number of iterations in the second argument
	Open  bool // indices and conditions are computed from two unconstrained arguments
	Local bool // threads have local memory
}

// random draws a kernel.
type random struct {
	*rand.Rand
	Kind
	out    strings.Builder
	values []string // registers with numbers that do not depend on memory
	loaded []string // registers with values that were read
	own    string   // a number unique to the thread
	params []string // numbers that all threads share, in an open kernel
	leaves []string // operands of open numbers at this point
	guard  string   // guard of accesses to the last drawn address
	sizes  [3]int   // usual size of accesses to each array, in bytes
	used   int      // number of registers
	labels int
	depth  int    // number of ifs and loops around this point
	limit  string // register with the second argument
}

// The arrays of a random kernel: two in global memory, one in shared memory. An index has four
// bits.
var arrays = []struct{ register, space string }{{"%rd1", "global"}, {"%rd2", "global"}, {"%rd3", "shared"}}

// RandomKernel draws a kernel random(A, B, n), or random(A, B, n, m) if it is open.
func RandomKernel(seed uint64, k Kind) Random {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 7)), Kind: k}
	for _, special := range []string{"%tid.x", "%tid.y", "%ctaid.x"} {
		r.values = append(r.values, r.emit("mov.u32 $, %s;", special))
	}
	line := r.emit("mad.lo.s32 $, %s, %s, %s;", r.values[1], r.emit("mov.u32 $, %s;", "%ntid.x"), r.values[0])
	r.own = r.emit("mad.lo.s32 $, %s, 8, %s;", r.values[2], line)
	for i := range r.sizes {
		r.sizes[i] = 1 << r.IntN(3)
	}
	n := r.emit("ld.param.u32 $, [n];")
	r.values, r.limit = append(r.values, r.emit("and.b32 $, %s, 3;", n)), n
	more, statements := "", 3+r.IntN(6)
	if k.Open {
		// in a long kernel, one error hides opinions about others
		more, statements = ", .param .u32 m", 1+r.IntN(3)
		r.params = []string{n, r.emit("ld.param.u32 $, [m];")}
		r.leaves = append(append(slices.Clone(r.values), r.params...), r.own, r.own)
		r.limit = r.values[3] // few iterations
	}
	bytes := 0
	if k.Local {
		r.beginLocal()
		bytes = 1024 // pointers advance
	}
	r.block(statements)
	blocks := []launch.Dim{{X: 2}, {X: 3}, {X: 4}, {X: 8}, {X: 2, Y: 2}, {X: 4, Y: 2}}
	var text strings.Builder
	text.WriteString(".version 8.0\n.target sm_70\n.address_size 64\n.extern .func __assert(.param .b32 holds);\n")
	text.WriteString(".visible .entry random(.param .u64 A, .param .u64 B, .param .u32 n" + more +
		") {\n.shared .align 8 .b8 s[128];\n")
	fmt.Fprintf(&text, ".reg .pred %%p<%d>; .reg .b32 %%r<%d>; .reg .b64 %%rd<%d>;\n", r.used+4, r.used+4, r.used+4)
	body := "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\nmov.u64 %rd3, s;\n" + r.out.String()
	if k.Local {
		fmt.Fprintf(&text, ".local .align 8 .b8 own[%d];\n", ownPointers+2*ownRegisters)
		body = r.spill(body)
	}
	text.WriteString(body + "ret;\n}\n")
	return Random{text.String(), launch.Dim{X: 1 + r.IntN(2)}, blocks[r.IntN(len(blocks))], k.numbers(), bytes}
}

// numbers returns the arguments of the launches. Without loops, n matters only modulo 4.
func (k Kind) numbers() (all [][]uint64) {
	if k.Open {
		for _, n := range extremes {
			for _, m := range extremes {
				all = append(all, []uint64{n, m})
			}
		}
		return all
	}
	most := uint64(3)
	if k.Loops {
		most = 5
	}
	for n := range most + 1 {
		all = append(all, []uint64{n})
	}
	return all
}

// fresh returns an unused register.
func (r *random) fresh(prefix string) string {
	r.used++
	return fmt.Sprintf("%s%d", prefix, r.used+3)
}

// emit writes an instruction whose result, $, is a fresh register.
func (r *random) emit(format string, args ...any) string {
	to := r.fresh("%r")
	r.out.WriteString(strings.Replace(fmt.Sprintf(format, args...), "$", to, 1) + "\n")
	return to
}

// value returns a number that an index or a condition may depend on.
func (r *random) value() string {
	if r.Local && r.IntN(4) == 0 {
		return r.recall()
	}
	if r.Reads && len(r.loaded) > 0 && r.IntN(2) == 0 {
		return r.loaded[r.IntN(len(r.loaded))]
	}
	switch r.IntN(6) {
	case 0:
		return fmt.Sprint(r.IntN(20) - 2)
	case 1, 2:
		return r.values[r.IntN(len(r.values))]
	}
	ops := []string{"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32"}
	if r.IntN(3) == 0 {
		by := []string{
			"shl.b32 $, %s, %d;", "shr.u32 $, %s, %d;", "shr.s32 $, %s, %d;", "rem.u32 $, %s, %d;",
			"div.u32 $, %s, %d;",
		}[r.IntN(5)]
		v := r.emit(by, r.values[r.IntN(len(r.values))], 1+r.IntN(5))
		r.keep(v)
		return v
	}
	v := r.emit(ops[r.IntN(len(ops))]+" $, %s, %s;", r.values[r.IntN(len(r.values))], r.value())
	r.keep(v)
	return v
}

// keep makes a register available to later statements, if it is set on all paths.
func (r *random) keep(v string) {
	if r.depth == 0 && !r.Reads {
		r.values = append(r.values, v)
	}
}

// address returns the address of the given number of elements in an array, their size and the
// space.
func (r *random) address(elements int, sizes ...int) (space, place string, size int) {
	i := r.IntN(len(arrays))
	size = r.sizes[i]
	if len(sizes) > 0 {
		size = sizes[r.IntN(len(sizes))]
	}
	if r.guard = ""; r.Open && r.IntN(4) > 0 {
		place = r.within(i, elements, size)
		return arrays[i].space, place, size
	}
	index := r.own
	switch r.IntN(8) {
	case 0, 1:
		index = r.value()
	case 2:
		index = r.emit("add.s32 $, %s, %d;", r.own, r.IntN(3))
	case 3:
		index = r.emit("xor.b32 $, %s, %d;", r.own, r.IntN(16))
	}
	index = r.emit("and.b32 $, %s, %d;", index, 16-elements)
	wide := r.fresh("%rd")
	fmt.Fprintf(&r.out, "mul.wide.u32 %s, %s, %d;\nadd.s64 %s, %s, %s;\n", wide, index, size, wide, arrays[i].register,
		wide)
	return arrays[i].space, wide, size
}

// block writes statements.
func (r *random) block(n int) {
	for range n {
		r.statement()
	}
}

func (r *random) statement() {
	if r.Local && r.IntN(3) == 0 {
		r.local()
		return
	}
	switch c := r.IntN(20); {
	case c < 6:
		r.load()
	case c < 12:
		r.store()
	case c < 14:
		space, at, _ := r.address(1, 4)
		scope := []string{"", ".relaxed.gpu", ".relaxed.cta"}[r.IntN(3)]
		fmt.Fprintf(&r.out, "%sred%s.%s.add.u32 [%s], %d;\n", r.guard, scope, space, at, r.IntN(3))
	case c < 17 && r.depth == 0 || c >= 14 && c < 17:
		r.out.WriteString("bar.sync 0;\n")
	case c == 17:
		p := r.condition()
		holds := r.emit("selp.u32 $, 1, 0, %s;", p)
		fmt.Fprintf(&r.out, "{ .param .b32 holds; st.param.b32 [holds], %s; call.uni __assert, (holds); }\n", holds)
	case r.depth < 2 && r.Loops && r.IntN(3) > 0:
		r.loop()
	case r.depth < 2:
		r.branch()
	}
}

func (r *random) load() {
	space, at, size := r.address(1, r.odd()...)
	strength := []string{"", "", ".volatile", ".relaxed.gpu"}[r.IntN(4)]
	v := r.emit("%sld%s.%s.u%d $, [%s];", r.guard, strength, space, 8*size, at)
	if r.depth == 0 && r.guard == "" {
		r.loaded = append(r.loaded, v)
	}
}

// odd returns a size of accesses other than the array's usual one, or nil.
func (r *random) odd() []int {
	if r.IntN(8) > 0 {
		return nil
	}
	return []int{1, 2, 4}
}

func (r *random) store() {
	v := r.values[r.IntN(len(r.values))]
	if len(r.loaded) > 0 && r.IntN(2) == 0 {
		v = r.loaded[r.IntN(len(r.loaded))]
	}
	if r.IntN(8) == 0 {
		space, at, size := r.address(2, 4)
		fmt.Fprintf(&r.out, "%sst.%s.v2.u%d [%s], {%s, %s};\n", r.guard, space, 8*size, at, v, v)
		return
	}
	space, at, size := r.address(1, r.odd()...)
	strength := []string{"", "", "", ".volatile", ".relaxed.cta"}[r.IntN(5)]
	fmt.Fprintf(&r.out, "%sst%s.%s.u%d [%s], %s;\n", r.guard, strength, space, 8*size, at, v)
}

// condition returns a predicate.
func (r *random) condition() string {
	if r.Open && r.IntN(3) > 0 {
		return r.test()
	}
	x, y := r.value(), r.value()
	if x[0] != '%' {
		x = r.values[0]
	}
	p := r.fresh("%p")
	fmt.Fprintf(&r.out, "setp.%s.s32 %s, %s, %s;\n", []string{"eq", "ne", "lt", "ge"}[r.IntN(4)], p, x, y)
	return p
}

// branch writes an if, perhaps with an else.
func (r *random) branch() {
	p := r.condition()
	r.labels++
	label := r.labels
	fmt.Fprintf(&r.out, "@%s bra L%d;\n", p, label)
	r.depth++
	r.block(1 + r.IntN(3))
	other := r.IntN(2) == 0
	if other {
		fmt.Fprintf(&r.out, "bra E%d;\n", label)
	}
	fmt.Fprintf(&r.out, "L%d:\n", label)
	if other {
		r.block(1 + r.IntN(3))
		fmt.Fprintf(&r.out, "E%d:\n", label)
	}
	r.depth--
}

// loop writes a loop with the number of iterations in the second argument, with a register that
// changes in it.
func (r *random) loop() {
	r.labels++
	label, before := r.labels, len(r.values)
	limit := r.limit
	if r.IntN(5) == 0 {
		limit = r.emit("add.s32 $, %s, %s;", limit, r.emit("and.b32 $, %s, 1;", r.values[0]))
	}
	at, step := r.progress()
	count := r.emit("mov.u32 $, 0;")
	p := r.fresh("%p")
	fmt.Fprintf(&r.out, "H%d:\nsetp.ge.s32 %s, %s, %s;\n@%s bra X%d;\n", label, p, count, limit, p, label)
	r.depth++
	r.values = append(r.values, at, at, count)
	leaves := r.leaves
	r.leaves = append(slices.Clone(leaves), at, at, count)
	r.block(1 + r.IntN(3))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&r.out, "@%s ", r.condition())
	}
	if step == "" {
		steps := []string{
			"add.s32 $, $, 16;", "add.s32 $, $, 4;", "shr.u32 $, $, 1;", "shl.b32 $, $, 1;",
			"xor.b32 $, $, 3;", "sub.s32 $, $, 1;",
		}
		step = steps[r.IntN(len(steps))]
	}
	r.out.WriteString(strings.ReplaceAll(step, "$", at))
	fmt.Fprintf(&r.out, "\nadd.s32 %s, %s, 1;\nbra H%d;\nX%d:\n", count, count, label, label)
	r.depth--
	r.values, r.leaves = r.values[:before], leaves
}

// progress returns a register that changes in a loop and the instruction that changes it, $, or
// none if it changes by a constant.
func (r *random) progress() (at, step string) {
	if r.Open && r.IntN(3) > 0 {
		by := r.alike(32, 1)
		at = r.emit("mov.u32 $, %s;", r.open(32, 1))
		return at, []string{"add.s32", "add.s32", "sub.s32", "mul.lo.s32", "shl.b32"}[r.IntN(5)] + " $, $, " + by + ";"
	}
	return r.emit("mov.u32 $, %s;", r.value()), ""
}

// Launches returns launches that show the kernel's behaviours, with memory drawn from a seed.
func (k *Random) Launches(seed uint64) (all []launch.Launch) {
	random := rand.New(rand.NewPCG(seed, 8))
	for _, numbers := range k.Numbers {
		l := launch.Launch{Grid: k.Grid, Block: k.Block}
		for _, name := range []string{"A", "B"} {
			b := &launch.Buffer{Name: name}
			for range cmp.Or(k.Bytes, 128) {
				b.Bytes = append(b.Bytes, byte(random.IntN(20)))
			}
			l.Args = append(l.Args, launch.Arg{Buffer: b})
		}
		for _, n := range numbers {
			l.Args = append(l.Args, launch.Arg{Value: n})
		}
		all = append(all, l)
	}
	return all
}
