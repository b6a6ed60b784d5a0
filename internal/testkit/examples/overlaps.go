package examples

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/muster-gpu/muster/kernel/launch"
)

// kernelHead begins kernels random(A, B, n) with a shared array s and a condition to assert. $ is
// the number of the thread, in its block or in the grid.
const kernelHead = `.version 8.0
.target sm_70
.address_size 64
.extern .func __assert(.param .b32 holds);
.extern .func bugle_grid_barrier();
.visible .entry random(.param .u64 A, .param .u64 B, .param .u32 n) {
.shared .align 16 .b8 s[600];
.local .align 16 .b8 own[16];
.reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<12>;
ld.param.u64 %rd1, [A];
ld.param.u64 %rd2, [B];
ld.param.u32 %r3, [n];
mov.u64 %rd3, s;
mov.u32 %r1, %tid.x;
mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %ntid.x;
mad.lo.u32 %r2, %r4, %r5, %r1;
`

// pattern returns a number of the given size whose bytes are all n.
func pattern(n, size int) uint64 { return uint64(n) * (^uint64(0) >> (64 - 8*size) / 0xff) }

// RandomOverlaps draws a kernel random(A, B, n) without branches whose threads make few accesses,
// of all sizes, at addresses that are linear in the number of the thread, and close to each other,
// so that accesses of different sizes overlap partially or just not. It depends on no memory and no
// argument.
func RandomOverlaps(seed uint64) Random {
	r := rand.New(rand.NewPCG(seed, 17))
	var out strings.Builder
	for range 2 + r.IntN(2) {
		out.WriteString(overlapping(r))
		if r.IntN(5) == 0 {
			out.WriteString("bar.sync 0;\n")
		}
	}
	return Random{
		Text:    kernelHead + out.String() + "ret;\n}\n",
		Grid:    launch.Dim{X: 1 + r.IntN(2)},
		Block:   launch.Dim{X: 1 + r.IntN(4)},
		Numbers: [][]uint64{{0}},
		Bytes:   600,
	}
}

// overlapping returns an access by all threads, each at its own address, or by one thread.
func overlapping(r *rand.Rand) string {
	var out strings.Builder
	size, vector := 1<<r.IntN(4), 1
	if size >= 2 && r.IntN(4) == 0 {
		vector = 2
	}
	bytes := size * vector
	who, guard := []string{"%r1", "%r2"}[r.IntN(2)], ""
	if r.IntN(2) == 0 {
		fmt.Fprintf(&out, "setp.eq.u32 %%p1, %s, %d;\n", who, r.IntN(4))
		guard = "@%p1 "
	}
	stride := bytes * []int{1, 1, 1, 2, 3, 0}[r.IntN(6)]
	if stride < 8 && r.IntN(2) == 0 {
		stride = 8 * (1 + r.IntN(2)) / bytes * bytes
	}
	at := bytes * r.IntN(24/bytes+1)
	base, space := "%rd1", "global"
	if r.IntN(2) == 0 {
		base, space = "%rd3", "shared"
	}
	fmt.Fprintf(&out, "mul.wide.u32 %%rd4, %s, %d;\nadd.s64 %%rd4, %%rd4, %s;\n", who, stride, base)
	width, into, number := "", "%r6", "%r1"
	if size == 8 {
		into, number = "%rd5", "%rd1"
	}
	if vector == 2 {
		width, into, number = ".v2", "{"+into+", "+map[string]string{"%r6": "%r7", "%rd5": "%rd6"}[into]+"}", "{"+
			number+", "+number+"}"
	}
	name := fmt.Sprintf(".%s%s.u%d", space, width, 8*size)
	strength := []string{"", "", ".volatile", ".relaxed.gpu", ".relaxed.cta"}[r.IntN(5)]
	switch c := r.IntN(5); {
	case c == 0 && vector == 1 && size >= 4:
		fmt.Fprintf(&out, "%sred.relaxed.gpu%s.add.u%d [%%rd4+%d], 1;\n", guard, "."+space, 8*size, at)
	case c < 2:
		fmt.Fprintf(&out, "%sld%s%s %s, [%%rd4+%d];\n", guard, strength, name, into, at)
	default:
		fmt.Fprintf(&out, "%sst%s%s [%%rd4+%d], %s;\n", guard, strength, name, at, number)
	}
	return out.String()
}

// RandomParts draws a kernel random(A, B, n) whose threads write bytes, words and pairs of words to
// 16 bytes of their own, at constant indices or indices that depend on n, read some of them, and
// assert their values. All bytes of a written number are equal, so that a part of it is
// predictable, too.
func RandomParts(seed uint64) Random {
	r := rand.New(rand.NewPCG(seed, 19))
	base, space := "own", "local"
	switch r.IntN(8) {
	case 0:
		base, space = "%rd3", "shared"
	case 1:
		base, space = "%rd1", "global"
	}
	mostly := 1 << r.IntN(4)
	size := func() int {
		if r.IntN(4) > 0 {
			return mostly
		}
		return 1 << r.IntN(4)
	}
	var out strings.Builder
	if base == "own" {
		out.WriteString("mov.u64 %rd6, own;\n")
	} else {
		fmt.Fprintf(&out, "mul.wide.u32 %%rd6, %%r2, 16;\nadd.s64 %%rd6, %%rd6, %s;\n", base)
	}
	fmt.Fprintf(&out, "setp.eq.u32 %%p1, %%r3, %d;\nsetp.eq.u32 %%p2, %%r1, 0;\n", r.IntN(4))
	place := func(size int) string { // an address, as a multiple of the size
		index := []string{"0", "0", "%r3", "%r3", "%r1"}[r.IntN(5)]
		n := 16 / size
		fmt.Fprintf(&out, "and.b32 %%r6, %s, %d;\nmul.wide.u32 %%rd7, %%r6, %d;\nadd.s64 %%rd7, %%rd7, %%rd6;\n", index,
			min(n/2, 1+2*r.IntN(2)), size)
		return fmt.Sprintf("[%%rd7+%d]", size*r.IntN(n/2))
	}
	for at := 0; at < 16; at += mostly {
		fmt.Fprintf(&out, "st.%s.u%d [%%rd6+%d], %d;\n", space, 8*mostly, at, pattern(1+r.IntN(2), mostly))
	}
	for range 1 + r.IntN(3) {
		size := size()
		at := place(size)
		guard := []string{"", "", "@%p1 ", "@!%p2 "}[r.IntN(4)]
		fmt.Fprintf(&out, "%sst.%s.u%d %s, %d;\n", guard, space, 8*size, at, pattern(1+r.IntN(3), size))
	}
	last := size()
	fmt.Fprintf(&out, "ld.%s.u%d %%rd8, %s;\n", space, 8*last, place(last))
	fmt.Fprintf(&out, "setp.%s.u64 %%p3, %%rd8, %d;\n", []string{"eq", "ne", "ne", "ne"}[r.IntN(4)],
		pattern(1+r.IntN(3), last))
	out.WriteString(
		"selp.u32 %r7, 1, 0, %p3;\n{ .param .b32 holds; st.param.b32 [holds], %r7; call.uni __assert, (holds); }\n")
	return Random{
		Text: kernelHead + out.String() + "ret;\n}\n", Grid: launch.Dim{X: 1}, Block: launch.Dim{X: 1 + r.IntN(2)},
		Numbers: Kind{}.numbers(), Bytes: 600,
	}
}

// RandomUneven draws a kernel random(A, B, n) of few threads with a loop of n iterations that has
// barriers in some iterations, or several in one. Between barriers, threads access A at indices
// that depend on the thread and the iteration. All threads reach all barriers. The grid has one or
// two blocks. The second kernel has a block for each thread of the first, and grid barriers.
func RandomUneven(seed uint64) (block, grid Random) {
	r := rand.New(rand.NewPCG(seed, 23))
	var out strings.Builder
	labels := 0
	access := func() {
		does := []string{
			"st.global.u32 [%rd4], %r1;", "st.global.u32 [%rd4], %r1;",
			"ld.global.u32 %r7, [%rd4];",
		}[r.IntN(3)]
		index := []string{
			"add.u32 %r6, %r2, @;", "add.u32 %r6, %r2, %r8;", "xor.b32 %r6, %r2, @;",
			"mad.lo.u32 %r6, %r8, 4, %r2;", "and.b32 %r6, %r8, 1; mad.lo.u32 %r6, %r6, 4, %r2;",
			"xor.b32 %r6, %r2, 1; mad.lo.u32 %r6, %r8, 4, %r6;",
		}[r.IntN(6)]
		index = strings.ReplaceAll(index, "@", fmt.Sprint(r.IntN(4)))
		guard := []string{"", "", "@%p1 "}[r.IntN(3)]
		fmt.Fprintf(&out,
			"%s\nand.b32 %%r6, %%r6, 15;\nmul.wide.u32 %%rd4, %%r6, 4;\nadd.s64 %%rd4, %%rd4, %%rd1;\n%s%s\n", index,
			guard, does)
	}
	barrier := func() {
		labels++
		switch r.IntN(4) {
		case 0, 1:
			out.WriteString("BARRIER\n")
		case 2: // in some iterations
			fmt.Fprintf(&out, "and.b32 %%r7, %%r8, 1;\nsetp.eq.u32 %%p2, %%r7, %d;\n@%%p2 bra L%d;\nBARRIER\nL%d:\n",
				r.IntN(2), labels, labels)
		case 3: // as often as the iteration number says
			fmt.Fprintf(&out,
				"mov.u32 %%r9, 0;\nL%d: setp.ge.u32 %%p3, %%r9, %%r8;\n@%%p3 bra E%[1]d;\nBARRIER\n"+
					"add.u32 %%r9, %%r9, 1;\nbra L%[1]d;\nE%[1]d:\n", labels)
		}
	}
	out.WriteString("setp.eq.u32 %p1, %r2, 0;\nmov.u32 %r8, 0;\nH: setp.ge.u32 %p4, %r8, %r3;\n@%p4 bra X;\n")
	for range 1 + r.IntN(3) {
		if access(); r.IntN(4) > 0 {
			barrier()
		}
	}
	out.WriteString("add.u32 %r8, %r8, 1;\nbra H;\nX:\n")
	if r.IntN(3) == 0 {
		access()
	}
	blocks, threads := 1+r.IntN(5)/4, 2+r.IntN(3)
	kernel := func(barrier string, blocks, threads int) Random {
		return Random{
			Text: kernelHead + strings.ReplaceAll(out.String(), "BARRIER", barrier) + "ret;\n}\n",
			Grid: launch.Dim{X: blocks}, Block: launch.Dim{X: threads}, Numbers: Kind{Loops: true}.numbers(),
		}
	}
	return kernel("bar.sync 0;", blocks, threads), kernel("call.uni bugle_grid_barrier, ();", threads, 1)
}
