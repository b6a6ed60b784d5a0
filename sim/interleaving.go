package sim

import (
	"context"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// lasts tells the learning engine which final values locations with many atomics can have.
func (h *hybrid) lasts(s *event.Structure, l event.Loc) ([]event.Value, bool) {
	if atomics(s)[l] < manyAtomics {
		return nil, false
	}
	values, _, known := interleaving.Lasts(engine.NewBudget(h.ctx.Err).Slice(mostForLasts), h.means.plan, s, l)
	return values, known
}

// manyAtomics is the least number of atomics that may take effect in more ways than can be counted: in mostCounted
// orders.
var manyAtomics = func() (n int) {
	for orders := 1; orders <= mostCounted; orders *= n {
		n++
	}
	return n
}()

// countless reports whether the executions of the test are more than steps to count them: to build all structures takes
// more, or on one of its locations atomics alone take effect in too many ways, and an execution takes a step for each.
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

// atomics counts the atomics of a structure on each location.
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
