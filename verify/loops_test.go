package verify_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/examples"
	"github.com/muster-gpu/muster/internal/sample"
	"github.com/muster-gpu/muster/verify"
)

// TestLoops compares with what is known of kernels whose loops go round as often as their arguments say: in the
// launch that brute force runs (kernel/launch), and in all of the sizes that the table names. What is right
// may be undecided, but not for many.
func TestLoops(t *testing.T) {
	undecided, total := 0, 0
	for i, e := range readExamples(t, "testdata/loops") {
		if i%sample.Of(1, 6) != sample.Of(0, 1) {
			continue
		}
		for _, size := range [][2]string{{e.Row["grid"], e.Row["block"]}, sizes(e.Row["sizes"])} {
			total++
			m := readModule(t, e.Files[0])
			r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
				Launch: verify.Launch{Grid: dim(t, size[0]), Block: dim(t, size[1])}, Budget: 2000,
			})
			if err != nil {
				t.Fatal(err)
			}
			switch got := said(r); {
			case got == "undecided" && e.Verdict() == "verified":
				t.Logf("%s, %v: %v", e.Name, size, r.Open)
				undecided++
			case got != e.Verdict():
				t.Errorf("%s, %v: %s, want %s: %s; %v", e.Name, size, got, e.Verdict(), e.Row["why"], r.Open)
			}
		}
	}
	if 100*undecided > 25*total {
		t.Errorf("%d of %d are undecided", undecided, total)
	}
}

// sizes are a grid and a block.
func sizes(s string) (all [2]string) {
	copy(all[:], strings.Fields(s))
	return all
}

func readExamples(t *testing.T, folder string) []examples.Example {
	t.Helper()
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
