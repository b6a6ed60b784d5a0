package sim

import (
	"context"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// lasts returns the possible final values of a location with many atomics, for the learning engine.
func (h *hybrid) lasts(s *event.Structure, l event.Loc) ([]event.Value, bool) {
	if atomics(s)[l] < manyAtomics {
		return nil, false
	}
	values, _, known := interleaving.Lasts(engine.NewBudget(h.ctx.Err).Slice(mostForLasts), h.means.plan, s, l)
	return values, known
}

// manyAtomics is the least number of atomics on one location with more than mostCounted orders.
var manyAtomics = func() (n int) {
	for orders := 1; orders <= mostCounted; orders *= n {
		n++
	}
	return n
}()

// countless reports whether counting the executions of the test takes too many steps: building the
// structures takes more than mostCounted, or the atomics on one location have more than mostCounted
// orders (an order takes a step).
func (q question) countless(ctx context.Context, p *plan.Plan) bool {
	if f := q.family(ctx); f != nil && f.Len() > mostCounted/q.program.MaxEvents() {
		return true
	}
	b := engine.NewBudget(ctx.Err).Slice(mostForLasts)
	for s, err := range q.program.Structures(ctx) {
		if err != nil || !b.Spend(s.N()) {
			return false
		}
		for l, n := range atomics(s) {
			if n < manyAtomics {
				continue
			}
			if _, ways, known := interleaving.Lasts(b, p, s, l); known && ways > mostCounted {
				return true
			}
		}
	}
	return false
}

// atomics counts the atomics of a structure by location.
func atomics(s *event.Structure) map[event.Loc]int {
	all := map[event.Loc]int{}
	for r := range s.Rmw.Domain().All() {
		if address, sure := s.Events[r].Addr.(event.Const); sure {
			if l, err := event.Resolve(s.Locs, event.Value(address)); err == nil {
				all[l]++
			}
		}
	}
	return all
}
