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
	orders    []uint64         // of each choice: which events have a row that is not empty, and these rows
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
	y, orders := *x, w.unpack()
	y.Co = orders[w.coherence]
	return &y, orders
}

// pack appends an order to those that are kept: most rows are empty, and there may be a million witnesses.
func pack(to, order []uint64) []uint64 {
	at := len(to)
	to = append(to, 0)
	for a, row := range order {
		if row != 0 {
			to[at] |= 1 << a
			to = append(to, row)
		}
	}
	return to
}

// unpack is the orders that were packed.
func (w *Witness) unpack() (orders []rel.Rel) {
	for rest := w.orders; len(rest) > 0; {
		filled, rows := rest[0], make([]uint64, w.structure.N())
		for rest = rest[1:]; filled != 0; filled &= filled - 1 {
			rows[bits.TrailingZeros64(filled)], rest = rest[0], rest[1:]
		}
		orders = append(orders, rel.FromWords(len(rows), rows))
	}
	return orders
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
	w := Witness{structure: e.Structure, settled: e.settled, rf: take(&e.writes8, e.n), coherence: e.coherence}
	e.packed = e.packed[:0]
	for r := range w.rf {
		w.rf[r] = int8(e.rf[r])
	}
	for _, p := range e.posets {
		var order, open [plan.MaxEvents]uint64
		q := poset{order[:copy(order[:], p.order)], open[:copy(open[:], p.open)]}
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
		e.packed = pack(e.packed, q.order)
	}
	w.orders = append(take(&e.rows, len(e.packed))[:0], e.packed...)
	return w
}
