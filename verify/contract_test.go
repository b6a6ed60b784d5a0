package verify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// verifyWith verifies the first kernel of a file of testdata with a contract.
func verifyWith(t *testing.T, file, grid, block, contract string) *verify.Result {
	t.Helper()
	m := readModule(t, "testdata/"+file)
	text, err := spec.Read(src.NewFile("kernel.verify", contract))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[slices.IndexFunc(m.Funcs, func(f *kernel.Function) bool { return f.Entry })]
	c, err := spec.Bind(m, f, text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(context.Background(), m, f, verify.Config{
		Launch: verify.Launch{Grid: dim(t, grid), Block: dim(t, block)}, Contract: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestContracts has contracts of kernels hold, or not: with what is said then.
func TestContracts(t *testing.T) {
	const order = "kernel permute(s32 order[32], s32 in[32], s32 out[32]) "
	for name, c := range map[string]struct{ file, grid, block, contract, verdict, says string }{
		"a precondition on what an array holds": {
			"kernels/indirect.ptx", "1", "32", order + `{
				requires forall i, j in 0 .. 32: i != j ==> order[i] != order[j];
				requires forall i in 0 .. 32: 0 <= order[i] < 32; }`, "verified", "assuming: requires forall i, j",
		},
		"one that does not suffice": {
			"kernels/indirect.ptx", "1", "32", order + "{ requires forall i in 0 .. 32: 0 <= order[i] < 32; }", "race", "st.global",
		},
		"one without which an access leaves its array": {
			"kernels/indirect.ptx", "1", "32", order + "{ requires forall i, j in 0 .. 32: i != j ==> order[i] != order[j]; }",
			"assertion", "access outside of out[32] (kernel.verify:1)",
		},
		"the same taken for granted": {
			"kernels/indirect.ptx", "1", "32", order + `{
				assume forall i, j in 0 .. 32: i != j ==> order[i] != order[j];
				assume forall i in 0 .. 32: 0 <= order[i] < 32; }`, "verified", "assuming: assume forall i, j",
		},
		"a bound of a parameter": {
			"kernels/rows-width.ptx", "2,2", "8,8", "kernel rows(s32 A[4096], s32 width) { requires 0 < width <= 100; }", "verified", "requires 0 < width",
		},
		"an array that is too small": {
			"kernels/rows-width.ptx", "2,2", "8,8", "kernel rows(s32 A[1000], s32 width) { requires 0 < width <= 100; }",
			"assertion", "access outside of A[1000]",
		},
		"an array of a size that is a parameter, and may be negative": {
			"kernels/rows-width.ptx", "1,1", "8,1", "kernel rows(s32 A[width], s32 width) { }", "verified", "",
		},
		"one without a check of it": {
			"kernels/indirect.ptx", "1", "32", `kernel permute(s32 order[32], s32 in[0 - 1], s32 out[]) {
				requires forall i, j in 0 .. 32: i != j ==> order[i] != order[j]; }`, "assertion", "access outside of in[0 - 1]",
		},
		"what a thread leaves behind": {
			"kernels/assertion-of-memory.ptx", "1", "32", "kernel index(s32 A[32]) { ensures A[tid] == tid; }", "verified", "",
		},
		"what it does not": {
			"kernels/assertion-of-memory.ptx", "1", "32", "kernel index(s32 A[32]) { ensures A[tid] == tid + 1; }",
			"assertion", "ensures A[tid] == tid + 1 (kernel.verify:1)",
		},
		"what other threads leave behind": { // is for those to say
			"kernels/assertion-of-memory.ptx", "1", "32", "kernel index(s32 A[32]) { ensures A[31 - tid] == 31 - tid; }", "assertion", ""},
		"what comes through a barrier": {
			"kernels/broadcast.ptx", "1", "32", `kernel broadcast(s32 A[32], s32 out[32]) {
				array s32 first[1];
				barrier { requires tid == 0 ==> first[0] == A[0]; ensures first[0] == A[0]; }
				ensures out[tid] == old(A[0]); }`, "verified", "",
		},
		"what does not": {
			"kernels/broadcast.ptx", "1", "32", `kernel broadcast(s32 A[32], s32 out[32]) {
				array s32 first[1];
				barrier { ensures first[0] == A[0]; } }`, "assertion", "ensures first[0] == A[0] (kernel.verify:3)",
		},
		"what two threads know at a barrier": {
			"contracts/scatter.ptx", "1", "32", `kernel scatter(s32 A[32], s32 B[64]) {
				barrier invariant forall x, y: x != y ==> A[x] != A[y];
				barrier invariant forall x: 0 <= A[x] < 64; }`, "verified", "",
		},
		"what is wrong of one thread and itself": {
			"contracts/scatter.ptx", "1", "32", "kernel scatter(s32 A[32], s32 B[64]) { barrier invariant forall x, y: A[x] != A[y]; }",
			"assertion", "invariant forall x, y: A[x] != A[y]",
		},
		"what three threads know": {
			"contracts/scatter.ptx", "1", "32", "kernel scatter(s32 A[32], s32 B[64]) { barrier invariant forall x, y, z: x != y ==> A[x] != A[z]; }",
			"undecided", "a condition about 3 threads of the block",
		},
		"a scatter of which nothing is known": {
			"contracts/scatter.ptx", "1", "32", "kernel scatter(s32 A[32], s32 B[]) { barrier requires A[tid] < 64; }", "race", "",
		},
		"what holds of no launch": {
			"kernels/indirect.ptx", "1", "32", order + "{ requires ntid == 64; }", "undecided", "no thread of any launch is as the contract and annotations take for granted",
		},
		"what holds of no argument": {
			"kernels/rows-width.ptx", "2,2", "8,8", "kernel rows(s32 A[], s32 width) { requires width < 0; assume width > 5; }", "undecided", "no thread of any launch",
		},
		"what holds of no content": {
			"kernels/indirect.ptx", "1", "32", order + "{ requires forall i in 0 .. 32: order[i] == i; requires forall i in 1 .. 32: order[i] == i + 1; }",
			"undecided", "no thread of any launch",
		},
		"what holds of one thread": {
			"kernels/indirect.ptx", "1", "32", "kernel permute { assume tid == 5; }", "undecided", "no two threads of one block are as the contract",
		},
		"what holds of one block": {
			"kernels/assertion-of-memory.ptx", "2", "32", "kernel index { requires ctaid == 1; }", "undecided", "no two threads of different blocks are as the contract",
		},
		"what holds of blocks of one thread": {
			"kernels/indirect.ptx", "1", "*", "kernel permute { requires ntid == 1; }", "verified", "",
		},
		"an assertion at a line": {
			"kernels/bitonic-sort.ptx", "1", "16", "kernel sort { at line 13 assert %r5 > %r1 && %r5 < 16; }", "verified", "",
		},
		"an assertion that fails": {
			"kernels/bitonic-sort.ptx", "1", "16", "kernel sort { at line 13 assert %r5 > %r1 + 1; }", "assertion", "assert %r5 > %r1 + 1",
		},
		"invariants of loops": {
			"kernels/bitonic-sort.ptx", "1", "16", `kernel sort {
				loop 1 invariant 2 <= %r20 <= 32 && (%r20 & (%r20 - 1)) == 0;
				loop 2 invariant 0 <= %r21 < 16; }`, "verified", "",
		},
		"an invariant that is none": {
			"kernels/bitonic-sort.ptx", "1", "16", "kernel sort { loop 1 invariant %r20 < 32; }", "assertion", "invariant %r20 < 32",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := verifyWith(t, c.file, c.grid, c.block, c.contract)
			var text strings.Builder
			if err := r.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if said(r) != c.verdict || !strings.Contains(text.String(), c.says) {
				t.Errorf("want %s: %s, got\n%s", c.verdict, c.says, text.String())
			}
		})
	}
}
