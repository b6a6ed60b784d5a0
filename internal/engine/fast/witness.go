package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// packed is a consistent execution in few bytes.
type packed struct {
	structure *event.Structure
	settled   *event.Execution // if values do not simply follow from what is read from
	bytes     []byte           // what each read reads from, and the order of each choice
	coherence int              // which of the choices is coherence
}

// Witness returns the execution in full.
func (w *packed) Witness() *engine.Witness {
	rf, orders := w.unpack()
	x := w.settled
	if x == nil {
		for y := range enumerate.Valuations(engine.Forever, w.structure, nil, rf, &enumerate.Stats{}) {
			x = y
		}
	}
	y := *x
	y.Co = orders[w.coherence]
	return &engine.Witness{Execution: &y, Choices: orders}
}

// Failing is the checks of a plan, by their numbers, that an execution fails with what each of the
// choices is.
func Failing(p *plan.Plan, x *event.Execution, orders []rel.Rel) (failing []int) {
	e := For(p)
	defer e.Release()
	e.frame.Reset(x.N())
	e.bound.define(x.Structure)
	for _, inputs := range [][]input{e.bound.program, e.bound.places, e.bound.values} {
		e.fill(x, inputs)
	}
	if e.bound.hasRf {
		rf, _ := x.Rel("rf")
		copy(e.frame.Rel(e.bound.rf), rf.Words())
	}
	for i := range p.Choices {
		copy(e.frame.Rel(p.Choices[i].Slot), orders[i].Words())
	}
	for stage := range p.Stages() {
		e.frame.Compute(stage)
	}
	for i := range p.Checks {
		if !e.frame.Holds(i) {
			failing = append(failing, i)
		}
	}
	return failing
}

// appendOrder appends an order: which of its rows are not empty, and these.
func appendOrder(b []byte, order []uint64) []byte {
	var filled uint64
	for a, row := range order {
		if row != 0 {
			filled |= 1 << a
		}
	}
	b = appendWord(b, filled)
	for ; filled != 0; filled &= filled - 1 {
		b = appendWord(b, order[bits.TrailingZeros64(filled)])
	}
	return b
}

// appendWord appends a word: which of its bytes are not zero, and these. Most rows of an order have
// few events.
func appendWord(b []byte, word uint64) []byte {
	at := len(b)
	b = append(b, 0)
	for i := 0; word != 0; i, word = i+1, word>>8 {
		if low := byte(word); low != 0 {
			b[at] |= 1 << i
			b = append(b, low)
		}
	}
	return b
}

// cutWord takes a word off.
func cutWord(b []byte) (word uint64, rest []byte) {
	which, rest := b[0], b[1:]
	for ; which != 0; which &= which - 1 {
		word |= uint64(rest[0]) << (8 * bits.TrailingZeros8(which))
		rest = rest[1:]
	}
	return word, rest
}

// unpack is what events read from, and the orders.
func (w *packed) unpack() (rf []event.ID, orders []rel.Rel) {
	rest := w.bytes
	rf = make([]event.ID, w.structure.N())
	for i := range rf {
		rf[i] = -1
		if w.structure.Events[i].Kind == event.Read {
			rf[i], rest = event.ID(int8(rest[0])), rest[1:]
		}
	}
	for len(rest) > 0 {
		var filled uint64
		rows := make([]uint64, len(rf))
		for filled, rest = cutWord(rest); filled != 0; filled &= filled - 1 {
			rows[bits.TrailingZeros64(filled)], rest = cutWord(rest)
		}
		orders = append(orders, rel.FromWords(len(rows), rows))
	}
	return rf, orders
}

// exhibit returns evidence of the current execution. Of executions that are counted together it is
// the one in which open pairs are decided as they come, and the last writes come last.
func (e *Engine) exhibit() engine.Exhibit {
	e.packed = e.packed[:0]
	for rest := e.reads; rest != 0; rest &= rest - 1 {
		e.packed = append(e.packed, byte(int8(e.rf[bits.TrailingZeros64(rest)])))
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
		e.packed = appendOrder(e.packed, q.order)
	}
	const first, most = 4, 1024
	if len(e.arenas.fresh) == 0 {
		e.arenas.fresh = make([]packed, min(max(e.found.Len(), first), most))
	}
	w := &e.arenas.fresh[0]
	e.arenas.fresh = e.arenas.fresh[1:]
	*w = packed{structure: e.Structure, settled: e.settled, bytes: e.arenas.packed.Keep(e.packed), coherence: e.coherence}
	return engine.Exhibit{Evidence: w, At: e.at}
}
