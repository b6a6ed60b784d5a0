package sim_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestCandidatesAreCounted compares what Candidates visits with what Run counts, and each
// rejection with what the model says of it when asked again.
func TestCandidatesAreCounted(t *testing.T) {
	for _, c := range []struct{ test, model string }{
		{"mp-inter-cta", "sc"},
		{"mp-inter-cta", "ptx-asplos15"},
		{"cas-sl", "tso"},
		{"SB+fence.sc.gpus", "ptx"}, // chooses an order of the fences
		{"Co2W+weak-stores+rel+acqs", "ptx"},
		{"MP+bar.sync-hang-intra-cta", "ptx"},
	} {
		test, m := corpusTest(t, c.test), simtest.LoadModel(t, c.model)
		r, err := test.Run(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{}
		for _, s := range r.States {
			want[s.State().Format(test.Observables())] = s.Count
		}
		for x, err := range test.Candidates(t.Context(), m, &enumerate.Stats{}) {
			if err != nil {
				t.Fatal(err)
			}
			failed, err := m.Failures(x.Execution, x.Choices)
			if err != nil || x.Verdict.Allowed() != (len(failed) == 0) {
				t.Errorf("%s, %s: allowed is %t, but %d checks fail (%v)", c.test, c.model, x.Verdict.Allowed(), len(failed), err)
			}
			for _, s := range x.Ends {
				if x.Verdict.Allowed() {
					want[s.Format(test.Observables())]--
				}
			}
		}
		for state, n := range want {
			if n != 0 {
				t.Errorf("%s, %s: %s is counted %+d times more by Run", c.test, c.model, state, n)
			}
		}
	}
}

// TestStoryEnds tells violations that are no cycles, of the weak outcome of message passing.
func TestStoryEnds(t *testing.T) {
	test := corpusTest(t, "mp-inter-cta")
	e, err := test.Explain(t.Context(), simtest.NewModel(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	x := e.Outcomes[0].Witness.Execution
	for model, want := range map[string]string{
		"empty rfe & ext as x": "d:R[x]=0 reads what init:W[x]=0 wrote: this must not be",
		"empty rf; po as x":    "c:R[y]=1 reads what b:W[y]=1 wrote, c is before d:R[x]=0 in program order: these must not go together",
		"empty range(rf) as x": "c:R[y]=1, d:R[x]=0: there should be none",
		"~empty rmw as x":      "x asks for something that this execution does not have",
	} {
		vs, err := simtest.NewModel(t, model).Violations(x, nil)
		if err != nil || len(vs) != 1 {
			t.Fatalf("%s: %d violations, %v", model, len(vs), err)
		}
		if got := sim.Story(x, &vs[0]); got != want {
			t.Errorf("%s: %s", model, got)
		}
	}
}

func TestStory(t *testing.T) {
	for _, c := range []struct{ test, model, want string }{
		{
			"mp-inter-cta", "sc",
			"a:W[x]=1 is before b:W[y]=1 in program order, c:R[y]=1 reads what b wrote, " +
				"c is before d:R[x]=0 in program order, a overwrites what d read: so a would have to come before itself",
		},
		{"mp+membar.gls-inter-cta", "ptx-asplos15", "membar.gl separates a:W[x]=1 from b:W[y]=1"},
		{"RMWs+default-adds", "ptx", ": these must not go together"},
	} {
		test, m := corpusTest(t, c.test), simtest.LoadModel(t, c.model)
		e, err := test.Explain(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		r := e.Outcomes[0].Reasons[0]
		if got := sim.Story(r.Execution, &r.Violation); !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: %s", c.test, c.model, got)
		}
	}
}
