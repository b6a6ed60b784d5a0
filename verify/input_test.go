package verify_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestRefused: what is not modelled is refused by name, at its line.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, text, why string }{
		{
			"recursion", ".func f();\n.func f() { call f; ret; }\n.entry k() { call f; ret; }",
			"f calls itself: recursion is not modelled",
		},
		{
			"mutual recursion", ".func g();\n.func f() { call g; ret; }\n.func g() { call f; ret; }\n.entry k() { call f; ret; }",
			"calls itself: recursion is not modelled",
		},
		{"an opcode that nobody knows", ".entry k() { frobnicate.b32 _; ret; }", "frobnicate.b32 is not known"},
		{"a type that no access has", ".entry k() { .reg .pred %p<2>; ld.pred %p1, [0]; ret; }", "ld.pred is not known"},
		{"an opcode of another kind", ".entry k() { .reg .b32 %r<2>; sust.b.1d.b32.trap [%r1, {%r1}], {%r1}; ret; }", "sust.b.1d.b32.trap is not modelled"},
		{"a function without a body", ".extern .func f();\n.entry k() { call f; ret; }", "f has no body here"},
		{
			"an address that is loaded", ".entry k(.param .u64 p) { .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; ld.u64 %rd2, [%rd1]; st.u64 [%rd2], %rd1; ret; }",
			"st.u64: which array this address points into is not known",
		},
		{"a branch to a register", ".entry k() { .reg .b32 %r<2>; brx.idx %r1, %r1; ret; }", "where this brx.idx goes is not known"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case r.Verdict != verify.Undecided || len(r.Open) != 1 || !strings.Contains(r.Open[0].Why, test.why) || r.Open[0].Instr == nil:
			t.Errorf("%s: %v %v, want undecided: %s", test.name, r.Verdict, r.Open, test.why)
		}
	}
}

// TestLaunches: a launch that cannot be is an error.
func TestLaunches(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", head+".entry k() .reqntid 64 { ret; }\n.entry l() .maxntid 32 { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		f           int
		grid, block string
		want        string
	}{
		{0, "1", "32", "k requires blocks of 64 threads (.reqntid), not 32"},
		{1, "1", "64", "l has at most 32 threads a block (.maxntid), not 64"},
		{1, "1", "2048", "beyond the limit of 1024 threads"},
		{1, "1", "1,1,128", "beyond the limit of 1024 threads, of which 64 in z"},
		{1, "1,100000", "32", "a grid of 1,100000 is beyond the limit"},
		{1, "3000000000", "32", "a grid of 3000000000 is beyond the limit"},
	} {
		c := verify.Config{Launch: verify.Launch{Grid: dim(t, test.grid), Block: dim(t, test.block)}}
		if _, err := verify.Verify(t.Context(), m, m.Funcs[test.f], c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("grid %s, block %s: %v, want %q", test.grid, test.block, err, test.want)
		}
	}
}

// TestGiant: a kernel of more instructions than are executed is undecided, whatever they are.
func TestGiant(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", head+".entry k() { "+strings.Repeat("membar.cta;", 400_001)+" ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(t.Context(), m, m.Func("k"), verify.Config{})
	if err != nil || r.Verdict != verify.Undecided || !strings.Contains(first(r), "k has 400002 instructions: more than 400000 are not executed") {
		t.Errorf("%v: %v %q", err, r.Verdict, first(r))
	}
}

// FuzzVerify parses any text and verifies it if it is a module: there is always an answer.
func FuzzVerify(f *testing.F) {
	for _, name := range []string{"add-neighbour", "reduction", "histogram-atomic", "pointers", "calls", "cases", "divergence-swapped-loops"} {
		text, err := os.ReadFile("testdata/kernels/" + name + ".ptx")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(string(text[:len(text)/2]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := kernel.Parse(src.NewFile("k.ptx", text))
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		for _, k := range m.Funcs {
			c := verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{4, 1, 1}}, Budget: 100}
			if r, err := verify.Verify(ctx, m, k, c); err == nil && r.Verdict == verify.Undecided && len(r.Open) == 0 {
				t.Error("undecided without a reason")
			}
		}
	})
}
