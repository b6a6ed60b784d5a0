package sim_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// racesAtTimes is a program one of whose executions races by its scopes, and another has what the
// condition asks for and does not race.
const racesAtTimes = `OPENCL scopes
{ [x]=0; }
P0@wg 0, dev 0 (global atomic_int* x) { int r = atomic_exchange_explicit(x, 2, memory_order_release, memory_scope_device); }
P1@wg 1, dev 0 (global atomic_int* x) {
  int r = atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_device);
  atomic_store_explicit(x, 3, memory_order_relaxed, memory_scope_work_group);
}
exists (x=3)`

// TestRacesAreUndefined: the behaviour of a program that races at times is undefined, however much
// is asked and whatever is found first.
func TestRacesAreUndefined(t *testing.T) {
	m := simtest.LoadModel(t, "opencl")
	for engine := range sim.Learning + 1 {
		for _, effort := range []sim.Want{sim.Verdict, sim.States, sim.Counts} {
			config := sim.Defaults()
			config.Engine, config.Want = engine, effort
			r := simtest.Run(t, simtest.Load(t, racesAtTimes, config), m)
			if r.Outcome() != sim.Undefined || !slices.Equal(r.Undefined, []string{"data-race"}) {
				t.Errorf("engine %v, effort %v: %v, %v", engine, effort, r.Outcome(), r.Undefined)
			}
		}
	}
}

// TestExplainRaces: an explanation shows an execution that races, whether it ends as asked or not,
// and what races there.
func TestExplainRaces(t *testing.T) {
	const publish = `C publish
{ x=0; y=0; }
P0 (int* x, atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }
P1 (int* x, atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_acquire); int r1 = *x; }
exists (1:r0=1 /\ 1:r1=0)`
	for _, tt := range []struct{ text, model string }{{racesAtTimes, "opencl"}, {publish, "rc11"}} {
		for engine := range sim.Learning + 1 {
			config := sim.Defaults()
			config.Engine = engine
			e, err := simtest.Load(t, tt.text, config).Explain(t.Context(), simtest.LoadModel(t, tt.model))
			if err != nil || e.Race == nil {
				t.Fatalf("%s, engine %v: %v, %v", tt.model, engine, e, err)
			}
			if f := e.Race.Flags; len(f) != 1 || f[0].Name != "data-race" || len(f[0].Pairs) == 0 {
				t.Errorf("%s, engine %v: %v", tt.model, engine, f)
			}
		}
	}
	e, err := simtest.Load(t, racesAtTimes, sim.Defaults()).Explain(t.Context(), simtest.LoadModel(t, "ptx"))
	if err != nil || e.Race != nil {
		t.Errorf("%v, %v under a model by which nothing is undefined", e, err)
	}
}

// TestContradict checks that Undefined contradicts Allowed and Forbidden, and that Unknown
// contradicts nothing.
func TestContradict(t *testing.T) {
	for _, tt := range []struct {
		outcomes []sim.Outcome
		want     bool
	}{
		{[]sim.Outcome{sim.Allowed, sim.Forbidden}, true},
		{[]sim.Outcome{sim.Undefined, sim.Forbidden}, true},
		{[]sim.Outcome{sim.Allowed, sim.Unknown, sim.Undefined}, true},
		{[]sim.Outcome{sim.Undefined, sim.Undefined}, false},
		{[]sim.Outcome{sim.Unknown, sim.Forbidden}, false},
		{nil, false},
	} {
		if got := sim.Contradict(tt.outcomes...); got != tt.want {
			t.Errorf("%v: %v", tt.outcomes, got)
		}
	}
}
