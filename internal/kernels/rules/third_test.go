package rules_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/verify"
)

// TestMasters: where one thread of a block fetches work from a counter and hands it out, blocks
// have different work; and they have not if a barrier is missing, the fetch, or what makes it
// count.
func TestMasters(t *testing.T) {
	all, err := examples.Read("../../../verify/testdata/master")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		if i%sample.Of(1, 2) != 0 {
			continue
		}
		m := kerneltest.Read(t, e.Files[0])
		l := e.Launches[0]
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{Launch: verify.Launch{
			Grid: verify.Dim{l.Grid.X, 1, 1}, Block: verify.Dim{l.Block.X, l.Block.Y, 1},
		}})
		switch {
		case err != nil:
			t.Errorf("%s: %v", e.Name, err)
		case r.Verdict == verify.Undecided || (r.Verdict == verify.Verified) != (e.Verdict() == "verified"):
			t.Errorf("%s: %v, want %s: %s, %v", e.Name, r.Verdict, e.Verdict(), e.Row["why"], r.Open)
		}
	}
}

// TestMastersOfAnySize: a block need not have the thread that is its master.
func TestMastersOfAnySize(t *testing.T) {
	for name, want := range map[string]verify.Verdict{"master-last": verify.Alarmed, "master-loop": verify.Verified} {
		m := kerneltest.Read(t, "../../../verify/testdata/master/"+name+".ptx")
		l := verify.Launch{Grid: kerneltest.Dim(t, "*"), Block: kerneltest.Dim(t, "*")}
		if name == "master-loop" {
			l.Block = kerneltest.Dim(t, "64") // the number of elements of a piece
		}
		if r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{Launch: l}); err != nil || r.Verdict != want {
			t.Errorf("%s: %v, %v, %v, want %v", name, r.Verdict, r.Open, err, want)
		}
	}
}
