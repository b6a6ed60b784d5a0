package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// What threads of a block read from a cell of shared memory is what it held at the last barrier, which nothing else is known of. But a cell that
// nobody writes to between two barriers holds the same at both; and one in which threads have counted, from a number on that one of them
// has written for sure, holds that number and no more than all can have counted.

// cell is a place in shared memory, as a read of it.
type cell struct {
	symbolic.Read
	at uint64
}

// cells notes what is known of the cells that are read.
func (q *questions) cells() {
	if q.celled || q.trace.Partly != nil || len(q.trace.Arrivals) > 0 || len(q.trace.Loose) > 0 || len(q.trace.Astray) > 0 {
		return
	}
	q.celled = true
	for _, r := range q.trace.Reads {
		at, ok := r.Offset.Value()
		passed := epochOf(r.Epoch)
		if !ok || r.Region.Space != isa.Shared || passed == ever {
			continue
		}
		c := cell{r, at}
		if r.Step != 0 {
			q.gets(c, passed)
			continue
		}
		if r.Held(q.Builder, r.Epoch) == nil {
			continue
		}
		if last := q.unwritten(c, passed); last < passed {
			q.known(q.Eq(r.Value, r.Held(q.Builder, q.Const(last, 64))))
		}
		if least, most, since, ok := q.tally(c, passed); ok {
			size := 8 * r.Size
			q.known(q.And(q.ULe(q.Const(least, size), r.Value), q.ULe(r.Value, q.Const(most, size))))
			q.places(c, since, passed)
		}
	}
}

// known notes what holds wherever a question speaks of it.
func (q *questions) known(holds *term.Term) {
	q.trace.Frames = append(q.trace.Frames, symbolic.Claim{Holds: holds})
}

// writers are the accesses that may write to a cell when so many barriers have been passed; false if that is not known.
func (q *questions) writers(c cell, passed uint64) (all []*symbolic.Access, ok bool) {
	for _, a := range q.trace.Accesses {
		if a.Region != c.Region || a.Kind == symbolic.Load {
			continue
		}
		when := epochOf(a.Epoch[symbolic.Block])
		if when == ever || a.Copy != nil || a.Tile != nil || len(a.Rounds) > 0 {
			return nil, false
		}
		to, number := a.Offset.Value()
		if when != passed || number && (to >= c.at+uint64(c.Size) || c.at >= to+uint64(a.Size)) {
			continue
		}
		all = append(all, a)
	}
	return all, true
}

// unwritten is after how many barriers, at the earliest, a cell has held what it holds after so many.
func (q *questions) unwritten(c cell, passed uint64) uint64 {
	for ; passed > 0; passed-- {
		if all, ok := q.writers(c, passed-1); !ok || len(all) > 0 {
			break
		}
	}
	return passed
}

// places notes that what threads have got as they counted in a cell, after the barriers from one on, is less than what it holds behind the last.
func (q *questions) places(c cell, since, passed uint64) {
	for _, r := range q.trace.Reads {
		at, number := r.Offset.Value()
		if when := epochOf(r.Epoch); r.Step == 0 || r.Region != c.Region || !number || at != c.at || r.Size != c.Size || when < since || when >= passed {
			continue
		}
		q.under = append(q.under, got{r.Value, q.Implies(r.Guard, q.And(q.ULt(r.Value, c.Value), q.ULe(q.Const(r.Step, 8*r.Size), q.Sub(c.Value, r.Value))))})
	}
}

// got is what a thread has got as it counted, and that it is less than what the cell holds later.
type got struct{ value, less *term.Term }

// place adds that, where a question speaks of what threads have got.
func (q *questions) place(c *conjunction, s *second) {
	for _, g := range q.under {
		if c.speaks(g.value) {
			c.add(g.less)
		}
		if s != nil && c.speaks(s.Term(g.value)) {
			c.add(s.Term(g.less))
		}
	}
}

// gets notes that what a thread gets as it counts in a cell is no less than what the cell has held at the last barrier, and no more than what all others
// have counted it to.
func (q *questions) gets(c cell, passed uint64) {
	least, most, _, ok := q.tally(c, passed)
	all, known := q.writers(c, passed)
	if !ok || !known {
		return
	}
	size := 8 * c.Size
	if n, ok := q.sum(c, all); ok && n <= term.Mask(size)-most {
		most += n - c.Step
		q.under = append(q.under, got{c.Value, q.Implies(c.Guard, q.And(q.ULe(q.Const(least, size), c.Value), q.ULe(c.Value, q.Const(most, size))))})
	}
}

// tally is what a cell holds after so many barriers, if threads have counted in it: since some barrier.
func (q *questions) tally(c cell, passed uint64) (least, most, since uint64, ok bool) {
	for ; passed > 0; passed-- {
		all, ok := q.writers(c, passed-1)
		if !ok {
			return 0, 0, 0, false
		}
		if first, ok := q.written(c, all); ok {
			return first, first + most, passed, most <= term.Mask(8*c.Size)-first
		}
		n, ok := q.sum(c, all)
		if !ok || n > term.Mask(8*c.Size)-most {
			return 0, 0, 0, false
		}
		most += n
	}
	return 0, 0, 0, false
}

// sum is how much the threads of a block add to a cell by accesses, if they only count.
func (q *questions) sum(c cell, all []*symbolic.Access) (n uint64, ok bool) {
	threads, known := q.config.Launch.Block.fixed()
	room := term.Mask(8 * c.Size)
	for _, a := range all {
		if !known || a.Step == 0 || a.Size != c.Size || a.Step > (room-n)/uint64(threads) {
			return 0, false
		}
		n += a.Step * uint64(threads)
	}
	return n, true
}

// written is the number that a thread of each block has written to a cell for sure, if nobody else writes there, or it is a race.
func (q *questions) written(c cell, all []*symbolic.Access) (number uint64, ok bool) {
	if len(all) != 1 || all[0].Kind != symbolic.Store || len(all[0].Values) != 1 || all[0].Size != c.Size {
		return 0, false
	}
	w := all[0]
	number, ok = w.Values[0].Value()
	if !ok || q.disturbs(w, w) {
		return 0, false
	}
	there := q.Eq(w.Offset, q.Const(c.at, 64))
	model, result := q.fails(&w.Point, there)
	if result != sat.Sat {
		return 0, false
	}
	always := w.Point
	always.Guard = q.Bool(true) // in whichever blocks the cell is read
	return number, q.comes(q.master(q.placeIn(model)), &always, q.And(w.Guard, there))
}
