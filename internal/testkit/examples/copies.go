package examples

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/muster-gpu/muster/kernel/launch"
)

// copying draws a kernel whose threads copy asynchronously, and whose warps move matrices.
type copying struct {
	*rand.Rand
	out   strings.Builder
	loops bool
}

// RandomCopies draws a kernel random(A, B, n) in which threads copy from A to shared memory by
// cp.async, and lanes of a warp read and write it by ldmatrix and stmatrix, and by wmma.load and
// wmma.store. The last argument is the number of iterations of a loop.
func RandomCopies(seed uint64, loops bool) Random {
	r := &copying{Rand: rand.New(rand.NewPCG(seed, 11)), loops: loops}
	r.block(4+r.IntN(6), 0)
	text := `.version 8.0
.target sm_90
.address_size 64
.visible .entry random(.param .u64 A, .param .u64 B, .param .u32 n) {
.shared .align 32 .b8 s[8192];
.reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<12>;
ld.param.u64 %rd1, [A];
ld.param.u32 %r20, [n];
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
setp.lt.u32 %p1, %r1, 5;
setp.lt.u32 %p2, %r20, 2;
and.b32 %r22, %r1, 31;
and.b32 %r23, %r22, 30;
shl.b32 %r22, 1, %r22;
shl.b32 %r23, 3, %r23;
` + places() + r.out.String() + "ret;\n}\n"
	k := Random{
		Text:    text,
		Grid:    launch.Dim{X: 1},
		Block:   launch.Dim{X: []int{32, 64}[r.IntN(2)]},
		Numbers: [][]uint64{{0}, {2}},
		Bytes:   4096,
	}
	if loops {
		k.Numbers = [][]uint64{{0}, {1}, {2}, {5}}
	}
	return k
}

// indices compute the part of 16 bytes of an array that a thread accesses from its number; a warp
// has a part of 512 bytes.
var indices = []string{
	"mov.b32 $, %r1;", "xor.b32 $, %r1, 1;", "xor.b32 $, %r1, 32;", "add.u32 $, %r1, 64;", "add.u32 $, %r1, 65;",
	"and.b32 $, %r1, 32;",
}

// places writes the addresses of parts: %r10 and following in shared memory, %rd3 and following in
// A.
func places() string {
	var b strings.Builder
	for i, index := range indices {
		at := fmt.Sprintf("%%r%d", 10+i)
		b.WriteString(strings.ReplaceAll(index, "$", at) + "\n")
		fmt.Fprintf(&b,
			"mul.wide.u32 %%rd%d, %s, 16;\nadd.s64 %%rd%d, %%rd1, %%rd%d;\nshl.b32 %s, %s, 4;\nadd.u32 %s, %s, %%r2;\n",
			3+i, at, 3+i, 3+i, at, at, at, at)
	}
	return b.String()
}

// index returns the index of a part, usually the thread's own.
func (r *copying) index() int { return []int{0, 0, 0, 0, 1, 2, 3, 3, 4}[r.IntN(9)] }

// shared returns the register with the address of a part.
func (r *copying) shared() string { return fmt.Sprintf("%%r%d", 10+r.index()) }

// guard returns a guard for some threads, or, depending on an argument, for all or none.
func (r *copying) guard() string { return []string{"", "", "", "@%p1 ", "@!%p1 ", "@%p2 "}[r.IntN(6)] }

func (r *copying) block(n, depth int) {
	for range n {
		r.out.WriteString(r.statement(depth))
	}
}

func (r *copying) statement(depth int) string {
	word := 4 * r.IntN(4)
	if r.loops && depth == 0 && r.IntN(4) == 0 {
		r.loop()
		return ""
	}
	switch r.IntN(17) {
	case 0, 1, 2:
		return r.copies()
	case 3:
		return r.guard() + "cp.async.commit_group;\n"
	case 4, 5:
		return fmt.Sprintf("%scp.async.wait_group %d;\n", r.guard(), r.IntN(2))
	case 6:
		return "cp.async.wait_all;\n"
	case 7, 8:
		return fmt.Sprintf("%sld.shared.u32 %%r30, [%s+%d];\n", r.guard(), r.shared(), word)
	case 9:
		return fmt.Sprintf("%sst.shared.u32 [%s+%d], %%r1;\n", r.guard(), r.shared(), word)
	case 10:
		return fmt.Sprintf("%sst.global.u32 [%%rd%d+%d], %%r1;\n", r.guard(), 3+r.index(), word)
	case 11, 12:
		return "bar.sync 0;\n"
	case 13:
		return fmt.Sprintf("bar.warp.sync %s;\n", []string{"-1", "-1", "%r22", "%r23"}[r.IntN(4)])
	case 14, 15:
		return r.rows()
	}
	return r.matrix()
}

// copies returns a cp.async, which may fill some bytes with zeros.
func (r *copying) copies() string {
	size := 4 << r.IntN(3)
	how := "ca"
	if size == 16 {
		how = "cg"
	}
	more := []string{"", "", "", fmt.Sprintf(", %d", r.IntN(size+1)), ", %p1", ", %p2"}[r.IntN(6)]
	return fmt.Sprintf("%scp.async.%s.shared.global [%s], [%%rd%d], %d%s;\ncp.async.commit_group;\n", r.guard(), how,
		r.shared(), 3+r.index(), size, more)
}

// rows returns instructions that move rows at addresses given by lanes.
func (r *copying) rows() string {
	n := 1 << r.IntN(3)
	trans := []string{"", "", ".trans"}[r.IntN(3)]
	registers := strings.Join([]string{"%r31", "%r32", "%r33", "%r34"}[:n], ", ")
	if r.IntN(3) == 0 {
		return fmt.Sprintf("stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%s], {%s};\n", n, trans, r.shared(), registers)
	}
	return fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%s];\n", n, trans, registers, r.shared())
}

// matrix returns an instruction that moves a matrix of the warp, with or without a stride.
func (r *copying) matrix() string {
	stride := []string{"", ", 16", ", 24"}[r.IntN(3)]
	if r.IntN(3) == 0 {
		return fmt.Sprintf(
			"wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%%r15], {%%r31, %%r32, %%r33, %%r34}%s;\n", stride)
	}
	return fmt.Sprintf(
		"wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 {%%r31, %%r32, %%r33, %%r34, %%r35, %%r36, %%r37, %%r38}, "+
			"[%%r15]%s;\n", stride)
}

// loop writes a loop with the number of iterations in the last argument.
func (r *copying) loop() {
	label := r.out.Len()
	fmt.Fprintf(&r.out, "mov.u32 %%r21, 0;\nH%d:\nsetp.ge.u32 %%p3, %%r21, %%r20;\n@%%p3 bra X%d;\n", label, label)
	r.block(2+r.IntN(4), 1)
	fmt.Fprintf(&r.out, "add.u32 %%r21, %%r21, 1;\nbra H%d;\nX%d:\n", label, label)
}
