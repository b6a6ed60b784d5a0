package rules_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/verify"
)

// TestAsync: what kernels of testdata/async do that copy asynchronously, and whose warps move
// matrices.
func TestAsync(t *testing.T) {
	all, err := examples.Read("../../../verify/testdata/async")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		m := kerneltest.Read(t, e.Files[0])
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{Launch: verify.Launch{
			Grid: kerneltest.Dim(t, e.Row["grid"]), Block: kerneltest.Dim(t, e.Row["block"]),
		}})
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		} else if got := kerneltest.Said(r); got != e.Verdict() {
			t.Errorf("%s: %s, want %s: %s, %v", e.Name, got, e.Verdict(), e.Row["why"], r.Open)
		}
	}
}

// TestOwnCopies: a copy that a thread makes is in its own way until it has waited for its group,
// and in that of others until a barrier comes after that.
func TestOwnCopies(t *testing.T) {
	const (
		copies = "cp.async.cg.shared.global [%r3], [%rd2], 16; "
		half   = "add.u32 %r9, %r3, 1024; cp.async.ca.shared.global [%r9], [%rd2], 8; "
		commit = "cp.async.commit_group; "
		all    = "cp.async.wait_all; "
		none   = "cp.async.wait_group 0; "
		one    = "cp.async.wait_group 1; "
		own    = "ld.shared.u32 %r8, [%r3]; "
		others = "ld.shared.u32 %r8, [%r15]; "
		block  = "bar.sync 0; "
		warp   = "bar.warp.sync -1; "
	)
	for _, test := range []struct{ name, body, want string }{
		{"waited for", copies + all + own, "verified"},
		{"not waited for", copies + own, "race"},
		{"a barrier is no wait", copies + block + own, "race"},
		{"read by others", copies + all + block + others, "verified"},
		{"no barrier", copies + all + others, "race"},
		{"a barrier of the warp", copies + all + warp + others, "verified"},
		{"a barrier of the warp for the other", copies + all + warp + "ld.shared.u32 %r8, [%r16]; ", "race"},
		{"a barrier too early", copies + block + all + others, "race"},
		{"in a group", copies + commit + none + own, "verified"},
		{"in no group", copies + none + own, "race"},
		{"the older of two groups", copies + commit + half + commit + one + own, "verified"},
		{"the younger of two groups", copies + commit + half + commit + one + "ld.shared.u32 %r8, [%r9]; ", "race"},
		{"an empty group", copies + commit + commit + one + own, "verified"},
		{"two groups that are waited for one by one", copies + commit + half + commit + one + own + none + "ld.shared.u32 %r8, [%r9]; ", "verified"},
		{"overwritten", copies + "st.shared.u32 [%r3+12], %r1; ", "race"},
		{"written before", "st.shared.u32 [%r3+12], %r1; " + copies, "verified"},
		{"written by another before", "st.shared.u32 [%r15+12], %r1; " + copies, "race"},
		{"the source is overwritten", copies + "st.global.u32 [%rd2], %r1; ", "race"},
		{"the source is overwritten after the wait", copies + all + "st.global.u32 [%rd2], %r1; ", "verified"},
		{"the source is not read", "setp.ge.u32 %p1, %r1, 0; cp.async.cg.shared.global [%r3], [%rd2], 16, %p1; st.global.u32 [%rd2], %r1; ", "verified"},
		{"the source is read in part", "cp.async.cg.shared.global [%r3], [%rd2], 16, 8; st.global.u32 [%rd2+8], %r1; ", "verified"},
		{"the part of the source that is read", "cp.async.cg.shared.global [%r3], [%rd2], 16, 12; st.global.u32 [%rd2+8], %r1; ", "race"},
		{"some read their source", "setp.lt.u32 %p1, %r1, 9; selp.u32 %r7, 16, 0, %p1; cp.async.cg.shared.global [%r3], [%rd2], 16, %r7; setp.gt.u32 %p2, %r1, 8; @%p2 st.global.u32 [%rd2+8], %r1; ", "verified"},
		{"one reads its source and writes", "setp.lt.u32 %p1, %r1, 9; selp.u32 %r7, 16, 0, %p1; cp.async.cg.shared.global [%r3], [%rd2], 16, %r7; setp.gt.u32 %p2, %r1, 7; @%p2 st.global.u32 [%rd2+8], %r1; ", "race"},
		{"zeros are written all the same", "cp.async.cg.shared.global [%r3], [%rd2], 16, 0; " + own, "race"},
		{"more is read than written", "cp.async.ca.shared.global [%r3], [%rd2], 4, %r1; ", "assertion"},
		{"with a policy", "mov.u64 %rd4, 0; cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd2], 16, %rd4; " + own, "race"},
		{"twice to one place", copies + copies + all, "race"},
		{"to one place one after the other", copies + all + copies + all, "verified"},
		{"to one place in two groups", copies + commit + copies + commit + none, "race"},
		{"a copy of some", "setp.lt.u32 %p1, %r1, 9; @%p1 " + copies + commit + one + "@!%p1 st.shared.u32 [%r3], %r1; ", "verified"},
		{"a copy of some, and another of theirs", "setp.lt.u32 %p1, %r1, 9; @%p1 " + copies + commit + one + "@%p1 st.shared.u32 [%r3], %r1; ", "race"},
		{"some commit", "setp.lt.u32 %p1, %r1, 9; " + copies + commit + "@%p1 " + commit + one + "@%p1 st.shared.u32 [%r3], %r1; ", "verified"},
		{"others do", "setp.lt.u32 %p1, %r1, 9; " + copies + commit + "@%p1 " + commit + one + "@!%p1 st.shared.u32 [%r3], %r1; ", "race"},
		{"rows that lanes have copied", copies + all + warp + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r3]; ", "verified"},
		{"rows without a barrier", copies + all + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r3]; ", "race"},
		{"rows that lanes have not waited for", copies + warp + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r3]; ", "race"},
		{"a copy that is left", copies, "verified"},
	} {
		r, shown := judged(t, lanes(test.body), 64)
		if got := kerneltest.Said(r); got != test.want {
			t.Errorf("%s: %s, %v, want %s\n%s", test.name, got, r.Open, test.want, test.body)
		}
		if shown.String() != test.want {
			t.Errorf("%s: launches show %v, want %s\n%s", test.name, shown, test.want, test.body)
		}
	}
}
