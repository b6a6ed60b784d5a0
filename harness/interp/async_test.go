package interp_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// TestAsyncCorpus runs the shipped tests with asynchronous operations: the model of PTX allows what
// both machines do.
func TestAsyncCorpus(t *testing.T) {
	ran := 0
	for i, test := range shipped(t, "async", sample.Of(1, 40)) {
		if test.plan == nil {
			continue
		}
		ran++
		states := allowed(t, test.Test, "ptx")
		for _, weak := range []bool{false, true} {
			s := small()
			s.CTAs = max(s.CTAs, len(test.Threads))
			m := interp.New(uint64(i))
			if weak {
				m = interp.NewWeak(uint64(i))
			}
			m.MaxSteps = 50_000_000
			h, err := test.plan.Run(t.Context(), m, s, 1, 200)
			if err != nil {
				t.Errorf("%s: %v", test.Name.Text, err)
				break
			}
			checkStates(t, test.Test, h, states)
		}
	}
	if ran < 3 {
		t.Errorf("only %d tests ran", ran)
	}
}

// TestRefusesMisuse: a misuse is an error with the line of the module.
func TestRefusesMisuse(t *testing.T) {
	for text, want := range map[string]string{
		"mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.shared::cta.b64 _, [bar], 2": "more arrive at an mbarrier than it waits for",
	} {
		var cells strings.Builder
		for line := range strings.SplitSeq(text, "; ") {
			cells.WriteString(" " + line + " ;\n")
		}
		test := parse(t, "misuse",
			"PTX misuse\n{ shared bar; x=0; }\n P0@cta 0 ;\n"+cells.String()+" st.weak x,1 ;\nexists (x=1)\n")
		plan := planOf(t, test, harness.SM90)
		if plan == nil {
			t.Fatal("no plan")
		}
		if _, err := plan.Run(t.Context(), interp.New(1), small(), 1, 10); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestGuardedExit: a thread whose guard does not hold does not end.
func TestGuardedExit(t *testing.T) {
	test := parse(t, "exits",
		"PTX exits\n{ x=0; y=0; }\n P0@cta 0 ;\n setp.eq.s32 p,0,1 ;\n @p exit ;\n st.weak x,1 ;\n @!p ret ;\n "+
			"st.weak y,1 ;\nexists (x=1 /\\ y=0)\n")
	h := run(t, planOf(t, test, harness.SM70), small(), 1, 100)
	checkStates(t, test, h, sequential(t, test))
}
