package rules

import (
	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Cells gives the contents of cells of shared memory across barriers.
//
// It recognises reads of shared memory at a known offset after a number of barriers. What threads
// of a block read there is the contents of the cell at the last barrier, which are unknown in
// general. But a cell to which no thread writes between two barriers holds the same at both, since
// a write elsewhere in between would be a race, which is a question of its own. A cell that one
// thread has certainly set to a number, and in which threads have counted since, holds at least
// that number and at most what all can have counted. What a thread gets as it counts (its ticket)
// is less than what the cell holds later.
var Cells = &ask.Rule{
	Name: "cells", Late: true,
	Off: func(t *trace.Trace) bool {
		return t.Partly != nil || len(t.Arrivals) > 0 || len(t.Loose) > 0 || len(t.Astray) > 0
	},
	Recognise: func(a *ask.Asker) (ask.Instance, bool) {
		r := &cells{a: a, b: a.Terms(), trace: a.Trace()}
		for _, read := range r.trace.Reads {
			at, ok := read.Offset.Value()
			passed := epochOf(read.Epoch)
			if ok && read.Region.Space == isa.Shared && passed != ever {
				r.recognise(cell{read, at}, passed)
			}
		}
		if len(r.tickets) == 0 {
			return nil, true
		}
		return r, true
	},
}

type cells struct {
	a       *ask.Asker
	b       *term.Builder
	trace   *trace.Trace
	tickets []ticket
}

// cell is a place in shared memory, as a read of it.
type cell struct {
	read trace.Read
	at   uint64
}

// ticket is the value that a thread has got as it counted, and its bounds.
type ticket struct{ value, bounds *term.Term }

// recognise records what is known of a cell that is read after a number of barriers.
func (r *cells) recognise(c cell, passed uint64) {
	read := c.read
	if read.Step != 0 {
		r.counts(c, passed)
		return
	}
	if read.Held(r.b, read.Epoch) == nil {
		return
	}
	if last := r.unwritten(c, passed); last < passed {
		r.a.Claim(r.b.Eq(read.Value, read.Held(r.b, r.b.Const(last, 64))))
	}
	if least, most, since, ok := r.tally(c, passed); ok {
		size := 8 * read.Size
		r.a.Claim(r.b.And(r.b.ULe(r.b.Const(least, size), read.Value), r.b.ULe(read.Value, r.b.Const(most, size))))
		r.before(c, since, passed)
	}
}

// writers returns the accesses that may write to a cell between two barriers; false if that is not
// known.
func (r *cells) writers(c cell, passed uint64) (all []*trace.Access, ok bool) {
	for _, x := range r.trace.Accesses {
		if x.Region != c.read.Region || x.Kind == trace.Load {
			continue
		}
		when := epochOf(x.Epoch[trace.Block])
		if when == ever || x.Copy != nil || x.Tile != nil || len(x.Rounds) > 0 {
			return nil, false
		}
		to, number := x.Offset.Value()
		if when != passed || number && (to >= c.at+uint64(c.read.Size) || c.at >= to+uint64(x.Size)) {
			continue
		}
		all = append(all, x)
	}
	return all, true
}

// unwritten returns the first barrier since which a cell holds what it holds now.
func (r *cells) unwritten(c cell, passed uint64) uint64 {
	for ; passed > 0; passed-- {
		if all, ok := r.writers(c, passed-1); !ok || len(all) > 0 {
			break
		}
	}
	return passed
}

// before records that the tickets that threads got in a cell, after barrier since, are less than
// the contents of the cell after the last barrier.
func (r *cells) before(c cell, since, passed uint64) {
	for _, read := range r.trace.Reads {
		at, number := read.Offset.Value()
		when := epochOf(read.Epoch)
		if read.Step == 0 || read.Region != c.read.Region || !number || at != c.at || read.Size != c.read.Size || when < since || when >= passed {
			continue
		}
		held := c.read.Value
		less := r.b.And(r.b.ULt(read.Value, held), r.b.ULe(r.b.Const(read.Step, 8*read.Size), r.b.Sub(held, read.Value)))
		r.tickets = append(r.tickets, ticket{read.Value, r.b.Implies(read.Guard, less)})
	}
}

// Tell adds the bounds of the tickets that a question mentions.
func (r *cells) Tell(c *ask.Conjunction, other *ask.Thread) {
	for _, t := range r.tickets {
		if c.Mentions(t.value) {
			c.Add(t.bounds)
		}
		if other != nil && c.Mentions(other.Term(t.value)) {
			c.Add(other.Term(t.bounds))
		}
	}
}

// counts records that the ticket of a thread in a cell is at least the contents of the cell at the
// last barrier, and at most what all others have counted it to.
func (r *cells) counts(c cell, passed uint64) {
	least, most, _, ok := r.tally(c, passed)
	all, known := r.writers(c, passed)
	if !ok || !known {
		return
	}
	size := 8 * c.read.Size
	if n, ok := r.sum(c, all); ok && n <= term.Mask(size)-most {
		most += n - c.read.Step
		value := c.read.Value
		bounds := r.b.And(r.b.ULe(r.b.Const(least, size), value), r.b.ULe(value, r.b.Const(most, size)))
		r.tickets = append(r.tickets, ticket{value, r.b.Implies(c.read.Guard, bounds)})
	}
}

// tally returns what a cell holds after a number of barriers, if threads have only counted in it
// since some barrier.
func (r *cells) tally(c cell, passed uint64) (least, most, since uint64, ok bool) {
	for ; passed > 0; passed-- {
		all, ok := r.writers(c, passed-1)
		if !ok {
			return 0, 0, 0, false
		}
		if first, ok := r.written(c, all); ok {
			return first, first + most, passed, most <= term.Mask(8*c.read.Size)-first
		}
		n, ok := r.sum(c, all)
		if !ok || n > term.Mask(8*c.read.Size)-most {
			return 0, 0, 0, false
		}
		most += n
	}
	return 0, 0, 0, false
}

// sum returns how much all threads of a block add to a cell, if they only count.
func (r *cells) sum(c cell, all []*trace.Access) (n uint64, ok bool) {
	threads, known := ask.Fixed(r.a.Config.Block)
	room := term.Mask(8 * c.read.Size)
	for _, x := range all {
		if !known || x.Step == 0 || x.Size != c.read.Size || x.Step > (room-n)/uint64(threads) {
			return 0, false
		}
		n += x.Step * uint64(threads)
	}
	return n, true
}

// written returns the number that a thread of each block is sure to have written to a cell, alone.
func (r *cells) written(c cell, all []*trace.Access) (number uint64, ok bool) {
	if len(all) != 1 || all[0].Kind != trace.Store || len(all[0].Values) != 1 || all[0].Size != c.read.Size {
		return 0, false
	}
	w := all[0]
	number, ok = w.Values[0].Value()
	if !ok || disturbs(r.a, w, w) {
		return 0, false
	}
	there := r.b.Eq(w.Offset, r.b.Const(c.at, 64))
	model, result := r.a.PossibleAt(&w.Point, there)
	if result != sat.Sat {
		return 0, false
	}
	always := w.Point
	always.Guard = r.b.Bool(true) // in whichever blocks the cell is read
	return number, comes(r.a, master(r.a, placeIn(model, r.trace)), &always, r.b.And(w.Guard, there))
}
