package rules_test

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// lanes returns a kernel k(A) whose threads have their number in %r1, their lane in %r2, the
// address of a part of s of 16 bytes in %r3, one of its warp of 512 bytes in %r4, such a part of a
// neighbour in %r15, one of the other warp in %r16, and one of A of 16 bytes in %rd2.
func lanes(body string) string {
	return `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 A) { .reg .pred %p<4>; .reg .f32 %f<9>; .reg .b32 %r<18>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[4096];
	ld.param.u64 %rd1, [A]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;
	mov.u32 %r5, s; shl.b32 %r6, %r1, 4; add.u32 %r3, %r5, %r6; and.b32 %r6, %r6, 0xfffffe00; add.u32 %r4, %r5, %r6;
	shl.b32 %r6, %r1, 4; xor.b32 %r15, %r6, 16; add.u32 %r15, %r15, %r5; xor.b32 %r16, %r6, 512; add.u32 %r16, %r16, %r5;
	mul.wide.u32 %rd2, %r1, 16; add.s64 %rd2, %rd1, %rd2;
	` + body + "\nret;\n}\n"
}

// judged returns what Verify says of a kernel in one block, and what launches of it show.
func judged(t *testing.T, text string, block int) (r *verify.Result, shown launch.Verdict) {
	t.Helper()
	m := kerneltest.Parse(t, text)
	r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{block, 1, 1}}})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	for seed := range uint64(4) {
		l := launch.Launch{Block: launch.Dim{X: block}, Args: []launch.Arg{{Buffer: &launch.Buffer{Name: "A", Size: 4096}}}, Schedule: launch.Random(seed)}
		report, err := launch.New(m).Run(t.Context(), l)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		shown = shown.Or(report.Verdict())
	}
	return r, shown
}

// TestTiles: a row of a matrix is touched by lanes that need not be the one which gives its
// address; a matrix with one address by any. Meeting there orders nothing.
func TestTiles(t *testing.T) {
	const (
		store = "st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1}; "
		load  = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r3]; "
		trans = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r7, %r8, %r9, %r10}, [%r3]; "
		put   = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r1, %r1, %r1, %r1}; "
		next  = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r15]; "
		warp  = "bar.warp.sync -1; "
		block = "bar.sync 0; "
		wload = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r4]; "
		wput  = "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r4], {%r7, %r8, %r9, %r10}; "
	)
	for _, test := range []struct{ name, body, want string }{
		{"rows behind a barrier", store + block + load, "verified"},
		{"rows behind a barrier of the warp", store + warp + load, "verified"},
		{"rows without", store + load, "race"},
		{"rows behind a barrier of each lane alone", "shl.b32 %r6, 1, %r2; " + store + "bar.warp.sync %r6; " + load, "race"},
		{"a row of a neighbour behind a barrier of two", "and.b32 %r6, %r2, 30; shl.b32 %r6, 3, %r6; st.shared.u32 [%r15], %r1; bar.warp.sync %r6; " + load, "race"},
		{"a word behind a barrier of two", "and.b32 %r6, %r2, 30; shl.b32 %r6, 3, %r6; st.shared.u32 [%r15], %r1; bar.warp.sync %r6; ld.shared.u32 %r7, [%r3];", "verified"},
		{"only its own row", "and.b32 %r6, %r2, 28; setp.eq.u32 %p1, %r2, 5; @%p1 st.shared.u32 [%r3+8], %r1; " + load, "race"},
		{"a row of the other warp", store + warp + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r16]; ", "race"},
		{"rows that are overwritten", load + store, "race"},
		{"rows that are overwritten later", load + warp + store, "verified"},
		{"rows of lanes that give none", "setp.ge.u32 %p1, %r2, 16; @%p1 " + store + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r3]; ", "verified"},
		{"rows of lanes that give one", "setp.ge.u32 %p1, %r2, 15; @%p1 " + store + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r3]; ", "race"},
		{"stored and read back", put + load, "verified"},
		{"stored and read back across", put + trans, "race"},
		{"stored and read back from a neighbour", put + next, "race"},
		{"stored and read back behind a barrier", put + warp + next + warp + put, "verified"},
		{"two rows in one place", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4], {%r1, %r1, %r1, %r1}; ", "race"},
		{"a row that is read twice", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r4]; ", "verified"},
		{"a lane is missing", "setp.ne.u32 %p1, %r2, 3; @%p1 " + load, "undecided"},
		{"a matrix behind a barrier", store + block + wload, "verified"},
		{"a matrix without", store + wload, "race"},
		{"a matrix and a word of it", "setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%r4+508], %r1; " + wload, "race"},
		{"a matrix and a word behind it", "setp.eq.u32 %p1, %r1, 40; @%p1 st.shared.u32 [%r4+512], %r1; " + wload, "verified"},
		{"a matrix that is stored", "mov.u32 %r7, 1; mov.u32 %r8, 1; mov.u32 %r9, 1; mov.u32 %r10, 1; " + wput + warp + load, "verified"},
		{"a matrix that is stored too late", "mov.u32 %r7, 1; mov.u32 %r8, 1; mov.u32 %r9, 1; mov.u32 %r10, 1; " + load + wput, "race"},
		{"strided", "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r5], 32; setp.eq.u32 %p1, %r1, 7; @%p1 st.shared.u32 [%r5+96], %r1; ", "verified"},
		{"strided, hit", "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r5], 32; setp.eq.u32 %p1, %r1, 7; @%p1 st.shared.u32 [%r5+92], %r1; ", "race"},
		{"strides that differ", "and.b32 %r6, %r1, 16; add.u32 %r6, %r6, 16; wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r5], %r6; ", "assertion"},
		{"addresses that differ", "and.b32 %r6, %r3, 0xffffff00; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r6]; ", "assertion"},
		{"a matrix of global memory", "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1], 16; wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, 16; ", "race"},
	} {
		r, shown := judged(t, lanes(test.body), 64)
		if got := kerneltest.Said(r); got != test.want {
			t.Errorf("%s: %s, %v, want %s\n%s", test.name, got, r.Open, test.want, test.body)
		}
		if test.want != "undecided" && shown.String() != test.want {
			t.Errorf("%s: launches show %v, want %s\n%s", test.name, shown, test.want, test.body)
		}
	}
}

// TestWarpsWithoutLanes: rows to which no lane gives an address are not verified. Of 1, 2 or 4
// matrices, the first 8, 16 or 32 lanes give the addresses.
func TestWarpsWithoutLanes(t *testing.T) {
	for matrices, registers := range map[int]string{1: "{%r7}", 2: "{%r7, %r8}", 4: "{%r7, %r8, %r9, %r10}"} {
		for _, block := range []int{7, 8, 9, 31, 32, 39, 40, 41, 47, 48, 49, 63, 64} {
			want := "verified"
			if last := block % 32; last > 0 && last < 8*matrices {
				want = "assertion"
			}
			m := kerneltest.Parse(t, lanes(fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d.shared.b16 %s, [%%r3]; ", matrices, registers)))
			r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{block, 1, 1}}})
			if err != nil || kerneltest.Said(r) != want {
				t.Errorf("%d matrices, %d threads: %v, %v, want %s", matrices, block, kerneltest.Said(r), err, want)
			}
		}
	}
	for lockstep, want := range map[int]string{0: "race", 16: "race", 32: "verified"} {
		m := kerneltest.Parse(t, lanes("st.shared.u32 [%r3], %r1; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r3]; "))
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Lockstep: lockstep, Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}})
		if err != nil || kerneltest.Said(r) != want {
			t.Errorf("lockstep of %d: %v, %v, want %s", lockstep, kerneltest.Said(r), err, want)
		}
	}
}
