package sim_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

func modelOf(t *testing.T, text string) *cat.Model {
	t.Helper()
	m, err := models.Load("mine", models.Config{Files: map[string]string{"mine.cat": text}})
	if err != nil {
		t.Fatal(err)
	}
	return m.Model
}

// advised is sequential consistency with the line that docs/cat.md advises to models that know
// nothing of asynchronous operations.
const advised = "\"mine\"\nflag ~empty (AGENT | MBAR) as outside-model\nacyclic po | rf | co | fr as sc\nempty rmw & (fre; coe) as atomicity\n"

// TestCovered: a test that the model does not cover, as its program alone decides, is not
// simulated: such as those of three stages of asynchronous copies, which take minutes. All others
// have the states that they have anyway.
func TestCovered(t *testing.T) {
	m := modelOf(t, advised)
	uncovered := 0
	for i, f := range simtest.Corpus(t) {
		config := sim.Defaults()
		config.Covered = true
		test, err := sim.Load(f, config)
		if err != nil {
			continue
		}
		if by := test.Uncovered(t.Context(), m); by == "" && i%sample.Of(8, 40) > 0 {
			continue
		}
		r, err := test.Run(t.Context(), m)
		switch {
		case err != nil: // computes what has no meaning
		case r.Uncovered:
			uncovered++
			if !slices.Equal(r.Flags, []string{sim.OutsideModel}) || len(r.States) > 0 || r.NotFound() != sim.Unknown {
				t.Errorf("%s: flags %v, %d states, %v", f.Name, r.Flags, len(r.States), r.NotFound())
			}
		default:
			plain, err := sim.Load(f, sim.Defaults())
			if err != nil {
				t.Fatal(err)
			}
			want, err := plain.Run(t.Context(), m)
			if err != nil || len(r.States) != len(want.States) || !slices.Equal(r.Flags, want.Flags) {
				t.Errorf("%s: %d states, flags %v, want %d, %v; %v", f.Name, len(r.States), r.Flags, len(want.States), want.Flags, err)
			}
		}
	}
	if uncovered < 50 {
		t.Errorf("%d tests are not covered", uncovered)
	}
}

// TestUncovered checks that Uncovered depends on the program alone, on all of its control paths.
func TestUncovered(t *testing.T) {
	const (
		plain  = "PTX plain\n{ x=0; }\n P0@cta 0 ;\n st.weak x,1 ;\nexists (x=1)\n"
		async  = "PTX async\n{ x=0; shared f; }\n P0@cta 0 ;\n mbarrier.init.b64 [f], 1 ;\nexists (x=1)\n"
		atTime = "PTX some\n{ x=0; y=0; }\n P0@cta 0 ;\n ld.weak r0,x ;\n setp.eq.s32 p,r0,0 ;\n @p bra E ;\n fence.sc.gpu ;\n E: st.weak y,1 ;\nexists (y=1)\n"
	)
	for _, test := range []struct {
		model, text string
		by          string
	}{
		{advised, plain, ""},
		{advised, async, sim.OutsideModel},
		{"undefined_unless empty MBAR as plain\nacyclic po | rf as a\n", async, "plain"},
		{"undefined_unless empty MBAR as plain\nacyclic po | rf as a\n", plain, ""},
		{"flag ~empty MBAR as other\nacyclic po | rf as a\n", async, ""},
		// each execution has to be looked at
		{"flag ~empty rf as outside-model\nacyclic po | rf as a\n", async, ""},
		{"flag ~empty F as outside-model\nacyclic po | rf as a\n", atTime, ""}, // not on each path
		{"flag ~empty W as outside-model\nacyclic po | rf as a\n", atTime, sim.OutsideModel},
	} {
		loaded, err := sim.Load(src.NewFile("t.litmus", test.text), sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.Uncovered(t.Context(), modelOf(t, test.model)); got != test.by {
			t.Errorf("%s%s: %q, want %q", test.model, test.text, got, test.by)
		}
	}
}
