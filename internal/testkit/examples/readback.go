package examples

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/muster-gpu/muster/kernel/launch"
)

// readBack draws a kernel whose threads repeatedly read the same memory in loops.
type readBack struct {
	*rand.Rand
	out    strings.Builder
	labels int
}

// RandomReadBack draws a kernel random(A, B, n) of one block whose threads write to cells of their
// own or of all threads, in some or all iterations of a loop, and whose behaviour depends on values
// read before, in and after it. It asserts that the loop leaves a cell unchanged.
func RandomReadBack(seed uint64) Random {
	r := &readBack{Rand: rand.New(rand.NewPCG(seed, 13))}
	r.block(1 + r.IntN(3))
	r.out.WriteString("bar.sync 0;\n")
	space, at := r.cell()
	fmt.Fprintf(&r.out, "ld.%s.u32 %%r8, [%s];\n", space, at)
	r.loop(1)
	fmt.Fprintf(&r.out, "ld.%s.u32 %%r9, [%s];\nsetp.eq.u32 %%p7, %%r8, %%r9;\nselp.u32 %%r9, 1, 0, %%p7;\n", space, at)
	r.out.WriteString("{ .param .b32 holds; st.param.b32 [holds], %r9; call.uni __assert, (holds); }\n")
	r.block(r.IntN(3))
	text := `.version 8.0
.target sm_70
.address_size 64
.extern .func __assert(.param .b32 holds);
.visible .entry random(.param .u64 A, .param .u64 B, .param .u32 n) {
.shared .align 8 .b8 s[128];
.shared .align 8 .b8 m[8];
.reg .pred %p<8>; .reg .b32 %r<12>; .reg .b64 %rd<12>;
ld.param.u64 %rd1, [A];
ld.param.u64 %rd2, [B];
ld.param.u32 %r3, [n];
mov.u64 %rd3, s;
mov.u64 %rd4, m;
mov.u32 %r1, %tid.x;
mov.u32 %r2, 0;
mov.u32 %r4, 3;
mul.wide.u32 %rd8, %r1, 4;
add.s64 %rd5, %rd1, %rd8;
add.s64 %rd6, %rd2, %rd8;
add.s64 %rd7, %rd3, %rd8;
setp.eq.u32 %p1, %r1, 0;
setp.lt.u32 %p2, %r1, 2;
setp.eq.u32 %p3, %r1, 1;
` + r.out.String() + "ret;\n}\n"
	return Random{
		Text:    text,
		Grid:    launch.Dim{X: 1},
		Block:   launch.Dim{X: 1 + r.IntN(4)},
		Numbers: Kind{Loops: true}.numbers(),
	}
}

func (r *readBack) block(n int) {
	for range n {
		r.statement()
	}
}

// guard returns a guard for one thread, for some threads, or for all in one iteration.
func (r *readBack) guard() string {
	return []string{"", "", "@%p1 ", "@%p2 ", "@%p3 ", "@!%p3 "}[r.IntN(6)]
}

// cell returns a cell of the thread, or of all threads, and its space.
func (r *readBack) cell() (space, at string) {
	i := r.IntN(4)
	if i == 3 || r.IntN(4) == 0 {
		return []string{"global", "global", "shared", "shared"}[i], fmt.Sprintf("%%rd%d", 1+i)
	}
	return []string{"global", "global", "shared"}[i], fmt.Sprintf("%%rd%d", 5+i)
}

func (r *readBack) statement() {
	r.labels++
	switch space, at := r.cell(); r.IntN(10) {
	case 0, 1, 2, 3:
		guard := r.guard()
		if at < "%rd5" && r.IntN(4) > 0 {
			guard = "@%p1 "
		}
		fmt.Fprintf(&r.out, "%sst.%s.u32 [%s], %s;\n", guard, space, at, []string{"%r1", "%r2", "%r4", "9"}[r.IntN(4)])
	case 4:
		fmt.Fprintf(&r.out, "%sld.%s.u8 %%r4, [%s];\n", r.guard(), space, at)
	case 5, 6:
		r.out.WriteString("bar.sync 0;\n")
	case 7, 8:
		fmt.Fprintf(&r.out, "ld.%s.u8 %%r5, [%s];\nsetp.gt.u32 %%p4, %%r5, %d;\n@%%p4 bra L%d;\nbar.sync 0;\nL%d:\n",
			space, at, r.IntN(10), r.labels, r.labels)
	case 9:
		fmt.Fprintf(&r.out, "setp.gt.u32 %%p5, %%r4, %d;\n@%%p5 st.%s.u32 [%s+4], %%r4;\n", r.IntN(10), space, at)
	}
}

// loop writes a loop with the number of iterations in the last argument, or in memory.
func (r *readBack) loop(depth int) {
	r.labels++
	label := r.labels
	limit := ""
	if r.IntN(3) == 0 {
		limit = fmt.Sprintf("ld.shared.u8 %%r3, [%%rd%d];\nmin.u32 %%r3, %%r3, 4;\n", 3+r.IntN(2))
	}
	fmt.Fprintf(&r.out,
		"mov.u32 %%r2, 0;\nH%d:\n%ssetp.ge.u32 %%p6, %%r2, %%r3;\n@%%p6 bra X%d;\nsetp.eq.u32 %%p3, %%r2, 1;\n", label,
		limit, label)
	r.block(1 + r.IntN(4))
	if depth > 0 && r.IntN(3) == 0 {
		r.out.WriteString("mov.u32 %r6, %r2;\n")
		r.loop(depth - 1)
		r.out.WriteString("mov.u32 %r2, %r6;\n")
	}
	fmt.Fprintf(&r.out, "add.u32 %%r2, %%r2, 1;\nbra H%d;\nX%d:\n", label, label)
}
