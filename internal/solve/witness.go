package solve

import (
	"context"
	"math/bits"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/rel"
)

// Witness is a consistent execution that ends in a state.
type Witness struct {
	structure *event.Structure
	rf        []int8
	settled   *event.Execution // if values do not simply follow from rf
	orders    []rel.Rel        // of the choices
	coherence int              // which of them
}

// Execution is the execution in full, and what each choice of the plan is.
func (w *Witness) Execution() (*event.Execution, []rel.Rel) {
	x := w.settled
	if x == nil {
		rf := make([]event.ID, len(w.rf))
		for r := range rf {
			rf[r] = event.ID(w.rf[r])
		}
		for y := range enumerate.Valuations(context.Background(), w.structure, nil, rf, &enumerate.Stats{}) {
			x = y
		}
	}
	y := *x
	y.Co = w.orders[w.coherence]
	return &y, w.orders
}

// take takes n things from a supply of them. What is taken stays in memory as long as anything else of its supply.
func take[T any](supply *[]T, n int) []T {
	const many = 128
	if len(*supply) < n {
		*supply = make([]T, max(n, many))
	}
	taken := (*supply)[:n:n]
	*supply = (*supply)[n:]
	return taken
}

// witness keeps the current execution. Of executions that are counted it is the one in
// which what is open is decided as it comes, and the last writes come last.
func (e *Engine) witness() Witness {
	w := Witness{
		structure: e.Structure, settled: e.settled, rf: take(&e.writes8, e.n), coherence: e.coherence,
		orders: make([]rel.Rel, 0, len(e.posets)),
	}
	for r := range w.rf {
		w.rf[r] = int8(e.rf[r])
	}
	for _, p := range e.posets {
		order, open := append(take(&e.rows, len(p.order))[:0], p.order...), [plan.MaxEvents]uint64{}
		q := poset{order, open[:copy(open[:], p.open)]}
		for _, last := range e.lasts {
			for rest := q.open[last]; rest != 0; rest &= rest - 1 {
				if a := bits.TrailingZeros64(rest); q.open[a]>>last&1 != 0 {
					q.put(a, last)
				}
			}
		}
		for !q.decided() {
			q.put(q.anyOpen())
		}
		w.orders = append(w.orders, rel.FromWords(e.n, order))
	}
	return w
}
