package flow_test

import (
	"context"
	"iter"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine/flow"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// alone is a program with one structure.
type alone struct {
	frontend.Program
	s *event.Structure
}

func (a alone) Structures(context.Context) iter.Seq2[*event.Structure, error] {
	return func(yield func(*event.Structure, error) bool) { yield(a.s, nil) }
}

// TestPathsThatValuesRuleOut: where package flow says that no execution takes some paths, the naive
// engine finds candidates only in which rf and what values come of have a cycle, or none.
func TestPathsThatValuesRuleOut(t *testing.T) {
	ruledOut, config := 0, sim.Config{Reading: frontend.Options{Unroll: draw.Unroll}}
	sample.Checks(t, 8, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		switch rapid.SampledFrom([]string{"pointers", "pointers", "locks", "program"}).Draw(rt, "test") {
		case "pointers":
			text = draw.Pointers(rt)
		case "locks":
			text = draw.OneLocation(rt)
		default:
			text = draw.Program(rt).String()
		}
		causes := rapid.SampledFrom([]flow.Causes{
			{"rf", "addr", "data"}, {"rf", "addr", "data", "ctrl", "rmw"}, {"rf", "po"},
		}).Draw(rt, "causes")
		test, err := sim.Load(src.NewFile("test.litmus", text), config)
		if err != nil {
			return
		}
		var known *flow.Flow
		for s, err := range test.Program.Structures(context.Background()) {
			if err != nil {
				rt.Fatal(err)
			}
			if known == nil {
				known = flow.New(s.Locs, causes)
			}
			if !known.Possible(s.Paths) && fewWays(s) {
				ruledOut++
				onlyCircular(rt, alone{test.Program, s}, causes, text)
			}
		}
	})
	if ruledOut < 100 {
		t.Errorf("only %d combinations of paths are ruled out", ruledOut)
	}
}

// fewWays reports that the naive engine can look at all ways in which the reads of a structure
// read.
func fewWays(s *event.Structure) bool {
	const most = 20_000
	reads, writes, ways := 0, 0, 1
	for i := range s.Events {
		switch s.Events[i].Kind {
		case event.Read:
			reads++
		case event.Write:
			writes++
		}
	}
	for ; reads > 0 && ways <= most; reads-- {
		ways *= writes
	}
	return ways <= most
}

// onlyCircular fails if one of the first candidates of a structure has no cycle of rf and the
// causes.
func onlyCircular(t rapid.TB, p alone, causes flow.Causes, text string) {
	t.Helper()
	whole := *p.s
	whole.Truncated = false // its beginnings are looked at as if they ended
	p.s = &whole
	var stats enumerate.Stats
	for x, err := range enumerate.Executions(context.Background(), p, enumerate.Options{MaxCandidates: 500, OpenCo: true}, &stats) {
		if err != nil {
			return
		}
		all := x.RfRel()
		for _, name := range causes {
			r, _ := x.Rel(name)
			all = all.Union(r)
		}
		if all.Acyclic() {
			t.Fatalf("values do not rule out rf %v, by %v; values %v\n%s", x.Rf, causes, x.Val, text)
		}
	}
}
