package sim_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestExplainWhatIsComputed: why threads that add up what they read at barriers cannot get it wrong
// is explained by a thread that does not wait, or that reads what has been overwritten, though what
// reads may return is too much to list.
func TestExplainWhatIsComputed(t *testing.T) {
	for name, threads := range map[string]int{"scan": 8, "tree-sum": 16} {
		k, _ := bench.KernelNamed(name)
		test := simtest.Load(t, k.Make(threads, 1), sim.Defaults())
		x, err := test.Explain(t.Context(), simtest.EveryModel(t, "PTX")["ptx"])
		if err != nil || x.Limit != nil {
			t.Fatal(err, x.Limit)
		}
		by := map[string]bool{}
		for i := range x.Outcomes {
			s := &x.Outcomes[i]
			if s.Outcome() != sim.Forbidden {
				t.Errorf("%s is %v", s.State.Format(x.Refs), s.Outcome())
			}
			for _, r := range s.Reasons {
				by[r.Name] = true
			}
		}
		if !by["causality-fr"] || len(x.Outcomes) < 3 || !x.Partial {
			t.Errorf("%d states are explained by %v", len(x.Outcomes), by)
		}
	}
}

// TestExplainWhatGoesWrong: an execution that is drawn explains how a scan in one buffer goes
// wrong; that there may be other states is told.
func TestExplainWhatGoesWrong(t *testing.T) {
	k, _ := bench.KernelNamed("scan")
	test := simtest.Load(t, strings.ReplaceAll(k.Make(16, 1), "[b", "[a"), sim.Defaults())
	x, err := test.Explain(t.Context(), simtest.EveryModel(t, "PTX")["ptx"])
	if err != nil || x.Limit != nil {
		t.Fatal(err, x.Limit)
	}
	if len(x.Outcomes) != 1 || x.Outcomes[0].Outcome() != sim.Allowed || len(x.Outcomes[0].Flags) == 0 || !x.Alone {
		t.Errorf("%d states, alone: %v", len(x.Outcomes), x.Alone)
	}
}
