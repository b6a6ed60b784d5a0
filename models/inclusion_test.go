package models_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/oracle/machine"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// inclusions: the second model allows every execution that the first allows.
var inclusions = []struct{ strong, weak, why string }{
	// Each relation that an axiom of these wants acyclic lies within po | rf | co | fr,
	// which sc wants acyclic; atomicity is an axiom of sc itself.
	{"sc", "tso", "ppo, fence, locked and po-loc are part of po, barrier is part of the order of sc"},
	{"sc", "ptx-asplos15-rmw", "dp, po-loc and fences are part of po"},
	{"sc", "rmo", "dp, po-loc and fences are part of po, barrier is part of the order of sc"},
	{"sc", "coherence", "po-loc is part of po"},

	{"tso", "coherence", "sc-per-location is an axiom of tso"},
	// Dependencies start at reads, so those between accesses are in the ppo of tso. An
	// internal rf may only be followed by dependencies to a write, and then that write
	// and the one read from are in ppo too. Hence a cycle of dp | rf, or of rmo(fence),
	// is one of ppo | fence | rfe | co | fr.
	// The barriers of rmo are some of those of tso.
	{"tso", "rmo", "dp starts at reads"},
	{"tso", "ptx-asplos15-rmw", "tso is within rmo, rmo within ptx-asplos15; tso has atomicity"},

	{"rmo", "ptx-asplos15", "the relations of each scope are part of those of rmo"},
	{"ptx-asplos15-rmw", "ptx-asplos15", "the former adds an axiom"},
}

// TestInclusions checks every candidate of random programs: it is well-formed; no model forbids an
// execution that a stronger model allows; and only coherence allows values out of thin air, which
// are cycles of dependencies and rf.
func TestInclusions(t *testing.T) {
	models := map[string]*cat.Model{}
	for _, inc := range inclusions {
		for _, name := range []string{inc.strong, inc.weak} {
			models[name] = simtest.LoadModel(t, name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]func(*rapid.T) *machine.Program{draw.Program, draw.BarrierProgram}).Draw(t, "kind")(t)
		test := loadRandom(t, p)
		var stats enumerate.Stats
		for x, err := range enumerate.Executions(context.Background(), test.Program,
			enumerate.Options{MaxCandidates: 200}, &stats) {
			if sim.IsLimit(err) {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%v", err, p)
			}
			if err := x.Validate(); err != nil {
				t.Fatalf("%v\n%v", err, p)
			}
			checkInclusions(t, models, x, p)
		}
	})
}

func checkInclusions(t *rapid.T, models map[string]*cat.Model, x *event.Execution, p *machine.Program) {
	allowed := map[string]bool{}
	for name, m := range models {
		err := m.Eval(t.Context(), x, func(v *cat.Verdict) bool {
			allowed[name] = v.Allowed()
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, inc := range inclusions {
		if allowed[inc.strong] && !allowed[inc.weak] {
			t.Fatalf("%s allows an execution that %s forbids, although %s: rf %v co %v\n%v",
				inc.strong, inc.weak, inc.why, x.RfRel(), x.Co, p)
		}
	}
	for name, allowed := range allowed {
		if allowed && !x.ThinAir.Empty() && name != "coherence" {
			t.Fatalf("%s allows a value out of thin air: rf %v co %v\n%v", name, x.RfRel(), x.Co, p)
		}
	}
}
