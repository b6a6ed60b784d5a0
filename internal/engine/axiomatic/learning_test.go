package axiomatic_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestLearningOnTheCorpus compares the learning engine with the fast one on the shipped tests under
// each variant of the shipped models: on a sample, or nightly on all tests.
func TestLearningOnTheCorpus(t *testing.T) {
	for name, m := range simtest.EveryModel(t, simtest.AnyTest) {
		t.Run(name, func(t *testing.T) {
			all, learnt := 0, 0
			for i, f := range simtest.TestsFor(t, name) {
				every := sample.Of(12, 24)
				if simtest.Seldom(name, f) {
					every *= 5
				}
				if !sample.Nightly() && i%every != len(name)%every {
					continue
				}
				a, l := simtest.CompareLearned(t, f.Text, sim.Defaults(), f.Name+" "+name, m)
				all, learnt = all+a, learnt+l
			}
			t.Logf("%s: %d of %d structures learnt", name, learnt, all)
		})
	}
}

// TestLearningKnowsTheModels checks that no shipped model uses a definition that the learning
// engine leaves to the fast one.
func TestLearningKnowsTheModels(t *testing.T) {
	config := sim.Defaults()
	config.Engine, config.Want = sim.Learning, sim.Verdict
	for arch, text := range simtest.MessagePassing {
		test := simtest.Load(t, text, config)
		for name, m := range simtest.EveryModel(t, arch) {
			if _, err := m.Compile(sim.Vocabulary()); err != nil {
				continue
			}
			if r, err := test.Run(context.Background(), m); err != nil || r.Work.Left == 0 {
				t.Errorf("%s: under %s the learning engine does not know enough: %v", arch, name, err)
			}
		}
	}
}

// TestLearningOnRandomTests compares the learning engine with the fast one on random programs. Many
// writes to one location have too many partial orders for the fast engine.
func TestLearningOnRandomTests(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	total := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, "partial") })
	config := simtest.AtRandom()
	sample.Checks(t, 32, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text, oneLocation := draw.Any(rt)
		among := names
		if oneLocation {
			among = total
		}
		name := rapid.SampledFrom(among).Draw(rt, "model")
		simtest.CompareLearning(t, text, config, name, all[name])
	})
}

// TestSetsOfWhatIsThere checks that an access on a path that no execution takes raises no flag.
func TestSetsOfWhatIsThere(t *testing.T) {
	const text = `GPU_PTX never
{ x=1; y=1; 0:.reg .s32 r0, r1; }
 T0                    ;
 atom.cas r0, [x], 5, 6;
 @!r0 ld.ca r1, [y]    ;
ScopeTree(device(kernel(cta T0)))
forall (x=1)`
	config := sim.Defaults()
	config.Engine, config.Want = sim.Learning, sim.States
	if r := simtest.Run(t, simtest.Load(t, text, config), simtest.LoadModel(t, "ptx-asplos15-rmw")); len(r.Flags) > 0 {
		t.Errorf("the flags %v are raised", r.Flags)
	}
}

// TestClosuresUnderNegation checks that a pair is in a closure only if there is a path, even where
// the relation has cycles whose pairs could justify each other.
func TestClosuresUnderNegation(t *testing.T) {
	const ring = `C ring
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) { int r0 = atomic_load_explicit(x, memory_order_relaxed); atomic_store_explicit(y, 1, memory_order_relaxed); }
P1 (atomic_int* x, atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_relaxed); atomic_store_explicit(x, 1, memory_order_relaxed); }
P2 (atomic_int* x, atomic_int* y) { int r0 = atomic_load_explicit(x, memory_order_relaxed); int r1 = atomic_load_explicit(y, memory_order_relaxed); }
exists (0:r0=1 /\ 1:r0=1 /\ 2:r0=0)`
	for _, model := range []string{
		"empty (W * R) & ext \\ (po | rf)+",
		"empty (R * R) & ext \\ (po | rf | rf^-1)+",
		"~empty ((R * W) & ext) \\ (rf | po | fr)+",
	} {
		if all, left := simtest.CompareLearned(t, ring, sim.Defaults(), model, simtest.NewModel(t, model)); left != all {
			t.Errorf("%q: %d of %d structures left to the learning engine", model, left, all)
		}
	}
}

// TestRestrictedByWhatIsChosen restricts a relation to a set that has some events in every
// execution and others in some. Whether a pair remains must depend on the restricted end of the
// pair, not on the other.
func TestRestrictedByWhatIsChosen(t *testing.T) {
	const test = `PTX ends
{ x=0; y=0; }
 P0@cta 0,gpu 0        | P1@cta 1,gpu 0        ;
 ld.relaxed.gpu r0,[y] | st.relaxed.gpu [x],2  ;
 st.relaxed.gpu [x],1  | %s  ;
exists (x=1 /\ 0:r0=1)`
	const late, read = "range([W \\ IW] ; co)", "domain(rf & ext)"
	for _, of := range []string{"R | " + late, late, "W | " + read, "~(R | " + late + ")", "range(co) & (R | " + late + ")"} {
		for _, model := range []string{"empty [R] ; po ; [%s]", "empty [%s] ; po ; [W]", "empty ([%s] ; po) ; [R]", "~empty [R] ; (po ; [%s])", "acyclic (po ; [%s]) | rf", "empty [%[1]s] ; po ; [%[1]s]"} {
			model = "acyclic rf | co | fr | po-loc as sc\n" + fmt.Sprintf(model, of)
			for _, last := range []string{"st.relaxed.gpu [y],1", "ld.relaxed.gpu r1,[x]"} {
				if all, left := simtest.CompareLearned(t, fmt.Sprintf(test, last), sim.Defaults(), model, simtest.NewModel(t, model)); all == 0 || left != all {
					t.Errorf("%q: %d of %d structures left to the learning engine", model, left, all)
				}
			}
		}
	}
}

// TestCoherenceChosenTwice checks that for all engines the coherence of an execution is the one
// that the model chooses first.
func TestCoherenceChosenTwice(t *testing.T) {
	const model = "with co from partial-orders(loc & (W * W), co0)\nacyclic rf | co\nwith co from completions(loc & (W * W), co0)\nacyclic co"
	const test = `PTX twice
{ x=0; }
 P0@cta 0,gpu 0        ;
 st.relaxed.sys [x], 1 ;
 st.relaxed.sys [x], 2 ;
exists (x=1)`
	simtest.CompareLearned(t, test, sim.Defaults(), "twice", simtest.NewModel(t, model))
}

// TestLearningOnRandomModels compares the learning engine with the fast one on random models.
func TestLearningOnRandomModels(t *testing.T) {
	sample.Checks(t, 5, 200)
	var n simtest.DrawnModels
	rapid.Check(t, func(rt *rapid.T) { n.OnRandomModel(rt, simtest.CompareLearning) })
}

// addressOfItself has an address out of thin air if coherence is not required: the store of the
// last thread may be to p, if its load reads p from that store.
const addressOfItself = `PTX pointers
{ x=1; y=0; p=0; q=p; P0:r2=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0    | P2@cta 2,gpu 0       ;
 ld.weak.b64 r1, p    | st.weak.b64 p, x  | ld.weak.b64 r1, p    ;
 setp.eq.b64 z, r1, 0 |                   | setp.eq.b64 z, r1, 0 ;
 @z bra END0          |                   | @z bra END2          ;
 ld.weak.b64 r2, [r1] |                   | st.weak.b64 [r1], r1 ;
 END0:                |                   | END2:                ;
locations [x; y; p; q; P0:r2]
exists (x=1)
`

// valueOfItself asks for a value that is written only by a store that depends on it.
const valueOfItself = `PTX value
{ x=0; P0:r0=0; }
 P0@cta 0,gpu 0        | P1@cta 0,gpu 0         ;
 ld.weak r0, x         | st.relaxed.sys x, 1    ;
 bar.cta.sync 0        |                        ;
 st.relaxed.sys x, r0  |                        ;
exists (x=2)
`

// TestOutOfThinAir disables every check, on programs where a value or an address depends on itself.
func TestOutOfThinAir(t *testing.T) {
	p, err := simtest.EveryModel(t, "PTX")["coherence"].Compile(sim.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	off := make([]int, len(p.Checks))
	for i := range off {
		off[i] = i
	}
	for _, text := range []string{addressOfItself, valueOfItself} {
		test, found := simtest.Load(t, text, sim.Defaults()), 0
		for s, err := range test.Program.Structures(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			states := statesOf(t, test, p, s, plan.Disable(len(p.Checks), off...))
			found += len(states)
			if found, complete := switched(t, axiomatic.NewSession(engine.NewBudget(t.Context().Err), p, simtest.AxiomaticQuery(test), s), plan.Disable(len(p.Checks), off...)); complete && len(found) < len(states) {
				t.Errorf("%v is all that is found of %v", found, states)
			}
		}
		if found == 0 {
			t.Errorf("no state was found of %s", test.Name.Text)
		}
	}
}

// TestSession checks that a session, with some checks disabled, finds candidates in exactly the
// final states that the fast engine finds. If the checks of any one group may fail, these are the
// states with each group disabled in turn.
func TestSession(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return strings.Contains(name, " ") })
	config := sim.Config{Reading: frontend.Options{Unroll: draw.Unroll}}
	searches, whole, states := 0, 0, 0
	sample.Checks(t, 1, 100)
	rapid.Check(t, func(rt *rapid.T) {
		text := draw.Scoped(rt)
		if rapid.Bool().Draw(rt, "pointers") {
			text = draw.Pointers(rt)
		}
		test, err := sim.Load(src.NewFile("test.litmus", text), config)
		if err != nil {
			return
		}
		m := all[rapid.SampledFrom(names).Draw(rt, "model")]
		p, err := m.Compile(sim.Vocabulary())
		if err != nil || test.Program.MaxEvents() > plan.MaxEvents {
			return
		}
		for s, err := range test.Program.Structures(context.Background()) {
			if err != nil || s.Truncated || s.Stuck {
				continue
			}
			w := axiomatic.NewSession(engine.NewBudget(rt.Context().Err), p, simtest.AxiomaticQuery(test), s)
			groups := plan.Guards(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, min(3, len(p.Checks))), func(g int) plan.Guard { return plan.Guard(g) }), len(p.Checks), len(p.Checks)).Draw(rt, "groups"))
			for i := range 4 {
				off := rapid.SliceOfNDistinct(rapid.IntRange(0, len(p.Checks)-1), 0, len(p.Checks), rapid.ID[int]).Draw(rt, "off")
				var want, got map[string][]event.Value
				var complete bool
				if i < 2 {
					guards := plan.Disable(len(p.Checks), off...)
					want = statesOf(rt, test, p, s, guards)
					got, complete = switched(rt, w, guards)
				} else {
					guards := slices.Clone(groups)
					for _, c := range off {
						guards[c] = plan.Disabled
					}
					want = forgiven(rt, test, p, s, guards)
					got, complete = switched(rt, w, guards)
				}
				searches++
				states += len(got)
				if complete {
					whole++
				}
				for key := range want {
					if complete && got[key] == nil {
						rt.Fatalf("with %v off %s is not found, but %v\n%s", off, key, got, text)
					}
				}
				for key := range got {
					if want[key] == nil {
						rt.Fatalf("with %v off %s is found, but not among %v\n%s", off, key, want, text)
					}
				}
			}
		}
	})
	t.Logf("%d states in %d searches, %d of which were complete", states, searches, whole)
	if !t.Failed() && (whole < searches/2 || states < searches/10) {
		t.Error("too little is found")
	}
}

// switched returns the final states of the candidates that a session finds under guards. complete
// is false if the session is nil because the engine does not support the structure.
func switched(t rapid.TB, w *axiomatic.Session, guards plan.Guards) (found map[string][]event.Value, complete bool) {
	found = map[string][]event.Value{}
	if w == nil {
		return found, false
	}
	complete, err := w.Find(engine.NewBudget(engine.Forever), &axiomatic.Sought{
		Guards: guards, Most: 1000, Conflicts: 10_000,
		Wants: func(values []event.Value, _ int) bool { return found[fmt.Sprint(values)] == nil },
		Visit: func(values []event.Value, _ int, _ *engine.Witness) { found[fmt.Sprint(values)] = values },
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, complete
}

// forgiven returns the states of a structure that the condition asks for, where the checks of one
// group may fail. It checks that they are the states with each group disabled in turn.
func forgiven(t rapid.TB, test *sim.Test, p *plan.Plan, s *event.Structure, guards plan.Guards) map[string][]event.Value {
	atOnce, each := statesOf(t, test, p, s, guards), map[string][]event.Value{}
	for group := range plan.Guard(4) {
		one := slices.Clone(guards)
		for check, g := range guards {
			switch {
			case g == group && g > 0:
				one[check] = plan.Disabled
			case g > 0:
				one[check] = plan.Required
			}
		}
		maps.Copy(each, statesOf(t, test, p, s, one))
	}
	if len(atOnce) != len(each) {
		t.Fatalf("with guards %v, %v; one group after the other %v", guards, atOnce, each)
	}
	return atOnce
}

// statesOf returns the states of a structure that the condition asks for, under guards.
func statesOf(t rapid.TB, test *sim.Test, p *plan.Plan, s *event.Structure, guards plan.Guards) map[string][]event.Value {
	q := test.Query()
	q.Guards, q.Keep, q.Want, q.MaxCandidates = guards, q.Asks, engine.States, 0
	e := fast.For(p)
	defer e.Release()
	e.Begin(q, &fast.Stats{})
	if far, err := e.Explore(engine.NewBudget(engine.Forever).Slice(5000), s); !far.Answered() || err != nil {
		t.Skip("too many candidates:", err)
	}
	found := map[string][]event.Value{}
	for _, state := range e.Answer().States {
		found[fmt.Sprint(state.Values())] = state.Values()
	}
	return found
}

// TestLearningKnowsPTX checks that the learning engine supports every definition of the model ptx.
// A test of more than 64 events has no other fast engine.
func TestLearningKnowsPTX(t *testing.T) {
	config := sim.Defaults()
	config.Engine, config.Want = sim.Learning, sim.States
	m := simtest.LoadModel(t, "ptx")
	for _, name := range []string{"ptx/MP+rel.gpu+acq.gpu", "async/tma-load", "async/tma-multicast", "async/sync-restrict-proxy", "async/wgmma"} {
		text, err := fs.ReadFile(litmustests.FS, name+".litmus")
		if err != nil {
			t.Fatal(err)
		}
		r := simtest.Run(t, simtest.Load(t, string(text), config), m)
		if r.Stats.Structures == 0 || r.Work.Left != r.Stats.Structures {
			t.Errorf("%s: the learning engine looked at %d of %d structures", name, r.Work.Left, r.Stats.Structures)
		}
	}
}
