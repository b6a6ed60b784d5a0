package verify_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestOpenCL: barriers order the memory that their flags name. The memory of an asynchronous copy
// is in use until all threads have waited for it.
func TestOpenCL(t *testing.T) {
	all, err := examples.Read("testdata/opencl")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		m := readModule(t, e.Files[0])
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{Launch: verify.Launch{
			Grid: dim(t, e.Row["grid"]), Block: dim(t, e.Row["block"]),
		}})
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		} else if got := said(r); got != e.Verdict() {
			t.Errorf("%s: %s, want %s: %s, %v", e.Name, got, e.Verdict(), e.Row["why"], r.Open)
		}
	}
}

// TestCopiesThatAreNotModelled: a copy by one thread, in a loop of unknown iterations, or under a
// contract is never verified. If the block size is open, it is an assumption that a block has more
// than one thread.
func TestCopiesThatAreNotModelled(t *testing.T) {
	text, err := os.ReadFile("testdata/opencl/copy-in.ptx")
	if err != nil {
		t.Fatal(err)
	}
	again := strings.NewReplacer("\t.reg .b32 \t%r<7>;", "\t.reg .b32 \t%r<7>;\n\t.reg .pred %p<2>;", "\tadd.u64 \t%rd3, %SP, 0;", "AGAIN:\n\tadd.u64 \t%rd3, %SP, 0;",
		"\tret;", "\tbar.sync 0;\n\tld.param.u32 %r6, [scale_param_1];\n\tsetp.ne.s32 %p1, %r6, 0;\n\t@%p1 bra AGAIN;\n\tret;").Replace(string(text))
	for name, row := range map[string]struct {
		text, block string
		want        verify.Verdict
	}{
		"as it is": {string(text), "64", verify.Verified}, "a block of one thread": {string(text), "1", verify.Undecided}, "a loop": {again, "64", verify.Undecided},
	} {
		m, err := kernel.Parse(src.NewFile("copy-in.ptx", row.text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Func("scale"), verify.Config{Launch: verify.Launch{Grid: dim(t, "2"), Block: dim(t, row.block)}})
		if err != nil || r.Verdict != row.want {
			t.Errorf("%s: %v, %v, %v, want %v", name, r.Verdict, r.Open, err, row.want)
		}
	}
	if r := verifyWith(t, "opencl/copy-in.ptx", "2", "64", "kernel scale() { requires ntid == 64; }"); r.Verdict != verify.Undecided {
		t.Errorf("a contract: %v", r.Verdict)
	}
	m := readModule(t, "testdata/opencl/copies-side-by-side.ptx")
	r, err := verify.Verify(t.Context(), m, m.Func("both"), verify.Config{Launch: verify.Launch{Grid: dim(t, "1"), Block: dim(t, "*")}})
	if err != nil || r.Verdict != verify.Verified || !slices.Contains(r.Assumptions, "a block that copies asynchronously has more than one thread") {
		t.Errorf("any size: %v, %v, %v, %v", r.Verdict, r.Open, r.Assumptions, err)
	}
}
