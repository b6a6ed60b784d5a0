package sim_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// sameEvidence compares the explanation of the fast engine with that of the naive one: the states,
// which of them are allowed and in how many ways, how near to being consistent the nearest
// candidate is, unless there are too many to look at all of them; and that each reason holds, as
// the evaluator sees it.
func sameEvidence(t testing.TB, test *sim.Test, m *cat.Model, fast, naive *sim.Explanation) {
	t.Helper()
	key := func(o *sim.ExplainedState) string {
		s := fmt.Sprintf("%s %v, %d consistent", o.State.Format(fast.Refs), o.Outcome(), o.Consistent)
		if len(o.Reasons) > 0 && !fast.Partial {
			s += fmt.Sprintf(", nearest %+v", o.Reasons[0].Standing)
		}
		return s
	}
	var want, got []string
	for i := range naive.Outcomes {
		want = append(want, key(&naive.Outcomes[i]))
	}
	for i := range fast.Outcomes {
		got = append(got, key(&fast.Outcomes[i]))
	}
	if fast.Partial { // forbidden states may be missing, and their nearest candidates
		want = slices.DeleteFunc(want, func(s string) bool { return strings.Contains(s, "forbidden") && !slices.Contains(got, s) })
	}
	if !slices.Equal(want, got) {
		t.Fatalf("%s under %s:\nnaive %q\nfast  %q", test.Name.Text, m.File.Name, want, got)
	}
	if (fast.Hang == nil) != (naive.Hang == nil) {
		t.Fatalf("%s under %s hangs: %v, naive %v", test.Name.Text, m.File.Name, fast.Hang != nil, naive.Hang != nil)
	}
	for i := range fast.Outcomes {
		f := &fast.Outcomes[i]
		n := &naive.Outcomes[slices.IndexFunc(naive.Outcomes, func(n sim.ExplainedState) bool { return litmus.CompareStates(n.State, f.State) == 0 })]
		if f.Counted && f.Candidates != n.Candidates {
			t.Fatalf("%s under %s: %s has %d candidates, naive %d", test.Name.Text, m.File.Name, f.State.Format(fast.Refs), f.Candidates, n.Candidates)
		}
		for _, r := range f.Reasons {
			holds(t, test, m, f.State, r)
			k := slices.IndexFunc(n.Reasons, func(x *sim.Reason) bool { return x.Failure == r.Failure })
			if k < 0 || r.Rejects > 0 && r.Rejects != n.Reasons[k].Rejects {
				t.Fatalf("%s under %s: %s rejects %d of %s; naive has %v", test.Name.Text, m.File.Name, r.Name, r.Rejects, f.State.Format(fast.Refs), reasons(naive))
			}
		}
	}
}

// holds reports what is wrong with a reason: its execution does not end in the state, or the axiom
// does not reject it, or not with as many others as it says.
func holds(t testing.TB, test *sim.Test, m *cat.Model, state litmus.State, r *sim.Reason) {
	t.Helper()
	ends := frontend.States(test.Program, r.Execution, test.Observables())
	if !slices.ContainsFunc(ends, func(s litmus.State) bool { return litmus.CompareStates(s, state) == 0 }) {
		t.Fatalf("%s: the execution that %s rejects ends in %v, not in %v", test.Name.Text, r.Name, ends, state)
	}
	switch r.Likelihood {
	case sim.Incomplete:
		m = m.BeforeCoherence()
	case sim.Disordered:
		m = m.CheckingCoherence()
	}
	failures, err := m.Failures(r.Execution, r.Choices)
	rejecting := map[cat.Failure]bool{}
	for _, f := range failures {
		rejecting[f] = true
	}
	if err != nil || !rejecting[r.Failure] || len(rejecting) != r.RejectedBy {
		t.Fatalf("%s under %s: %s should reject it, one of %d: %v, %v", test.Name.Text, m.File.Name, r.Name, r.RejectedBy, failures, err)
	}
}

// compareEvidence explains a test by both engines, if the naive one has not too much to do.
func compareEvidence(t testing.TB, text string, config sim.Config, m *cat.Model) {
	t.Helper()
	naive := config
	naive.Engine, naive.Limits.MaxCandidates = sim.Naive, simtest.TooMany(m)
	slow, err := sim.Load(src.NewFile("test.litmus", text), naive)
	if err != nil {
		return
	}
	n, err := slow.Explain(context.Background(), m)
	if err != nil || n.Limit != nil {
		return
	}
	test := simtest.Load(t, text, config)
	fast, err := test.Explain(context.Background(), m)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if fast.Limit == nil {
		sameEvidence(t, test, m, fast, n)
	}
}

// TestExplainEngines: both engines have the same evidence, on a sample of the corpus: a 25th of it,
// a fifth with MUSTER_ALL=1, all of it nightly.
func TestExplainEngines(t *testing.T) {
	for _, info := range models.List() {
		m := simtest.LoadModel(t, info.Name)
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			for i, f := range simtest.TestsFor(t, info.Name) {
				every := sample.Of(5, 25)
				if sample.Nightly() || i%every == len(info.Name)%every {
					compareEvidence(t, f.Text, sim.Defaults(), m)
				}
			}
		})
	}
}

// TestExplainEnginesAtRandom: they have on random tests, too, under models that are shipped.
func TestExplainEnginesAtRandom(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	config := simtest.AtRandom()
	sample.Checks(t, 1, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		switch rapid.SampledFrom([]string{"small", "scoped", "twins", "program"}).Draw(rt, "test") {
		case "small":
			text = draw.Small(rt)
		case "scoped":
			text = draw.Scoped(rt)
		case "twins":
			text, _ = draw.Twins(rt)
		default:
			text = draw.Program(rt).String()
		}
		compareEvidence(simtest.RapidTB{Rt: rt}, text, config, all[rapid.SampledFrom(names).Draw(rt, "model")])
	})
}

// TestExplainManyStates: a state of a test with hundreds of them is explained, though its few
// candidates come late among those of all others.
func TestExplainManyStates(t *testing.T) {
	const text = `PTX late
{ x=0; y=0; z=0; P0:r0=0; P0:r1=0; P1:r0=0; P1:r1=0; P2:r0=0; }
 P0@cta 0,cluster 0,gpu 0       | P1@cta 0,cluster 0,gpu 1       | P2@cta 0,cluster 0,gpu 2       | P3@cta 0,cluster 0,gpu 3       ;
 ld.relaxed.gpu r0, x           | ld.relaxed.cta r0, x           | atom.relaxed.cluster.add r0, x, 2 | st.weak y, 2                   ;
 fence.sc.cluster               | fence.sc.sys                   |                                |                                ;
 st.volatile y, 1               | ld.relaxed.gpu r1, y           |                                |                                ;
 atom.add r1, x, 1              | beq r0, 0, L1                  |                                |                                ;
                                | st.relaxed.cta y, 1            |                                |                                ;
                                | L1:                            |                                |                                ;
locations [x; y; z; P0:r0; P0:r1; P1:r0; P1:r1; P2:r0]
forall (z=2 /\ x=2 /\ P0:r0=2)
`
	compareEvidence(t, text, sim.Defaults(), simtest.LoadModel(t, "coherence"))
}

// passing is a test in which one thread writes n locations and releases a flag, and another
// acquires it and reads them backwards.
func passing(n int) string {
	var b strings.Builder
	b.WriteString("PTX passing\n{ f=0;")
	for i := range n {
		fmt.Fprintf(&b, " x%d=0;", i)
	}
	b.WriteString(" }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n | ld.acquire.gpu.u32 r0,[f] ;\n")
	for i := range n {
		fmt.Fprintf(&b, " st.weak.u32 [x%d],1 | ld.weak.u32 r%d,[x%d] ;\n", i, i+1, n-1-i)
	}
	fmt.Fprintf(&b, " st.release.gpu.u32 [f],1 | ;\nexists (1:r0=1 /\\ 1:r%d=0)", n)
	return b.String()
}

// TestExplainManyEvents checks that a test of more than 64 events is explained without all of its
// 2^40 candidates.
func TestExplainManyEvents(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	test := simtest.Load(t, passing(40), sim.Defaults())
	e, err := test.Explain(ctx, m)
	if err != nil || e.Limit != nil {
		t.Fatal(err, e.Limit)
	}
	if e.Engine != sim.Learning || e.Reason != "" || len(e.Outcomes) != 1 || e.Outcomes[0].Outcome() != sim.Forbidden || e.Outcomes[0].Reasons[0].Name != "causality-fr" {
		t.Fatalf("engine %v because of %q: %v", e.Engine, e.Reason, reasons(e))
	}
	for _, r := range e.Outcomes[0].Reasons {
		holds(t, test, m, e.Outcomes[0].State, r)
	}
	weak := simtest.Load(t, strings.Replace(passing(40), "acquire", "relaxed", 1), sim.Defaults())
	if e, err = weak.Explain(ctx, m); err != nil || len(e.Outcomes) != 1 || e.Outcomes[0].Outcome() != sim.Allowed || !e.Uncounted {
		t.Fatalf("%v: %v", err, reasons(e))
	}
}

// TestExplainEveryState: all of 1,295 states that a model forbids have a reason, although the
// verdict took the learning engine.
func TestExplainEveryState(t *testing.T) {
	sample.Long(t)
	text, err := fs.ReadFile(litmustests.FS, "async/cp-async-three-stage-refill-no-bar.litmus")
	if err != nil {
		t.Fatal(err)
	}
	e, err := simtest.Load(t, string(text), sim.Defaults()).Explain(t.Context(), simtest.LoadModel(t, "ptx"))
	if err != nil || e.Limit != nil || e.Partial {
		t.Fatalf("%v %v, partial: %t", err, e.Limit, e.Partial)
	}
	for _, s := range e.Outcomes {
		if s.Outcome() == sim.Forbidden && len(s.Reasons) == 0 {
			t.Errorf("%v has no reason", s.State)
		}
	}
	if len(e.Outcomes) < 1000 {
		t.Errorf("%d states", len(e.Outcomes))
	}
}
