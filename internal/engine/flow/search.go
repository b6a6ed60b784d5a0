package flow

import (
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// search lets the reads of a path return what is in some cells, in every way.
type search struct {
	*Flow
	*path
	written set
	value   [mostEvents]event.Value
	env     event.Env
	unknown bool
	left    int // values that may still be tried
}

// mostTried is how many values of reads are tried for one path. Each is much cheaper than a run of
// the model.
const mostTried = 10_000

// effect is what the path does. A write whose own computation has no meaning writes nothing that is
// read by a read of known address; but where the address of a read has no meaning, the read has no
// value, and conditions on it say nothing.
func (s *search) effect() effect {
	var e effect
	for i := range s.writes {
		w := &s.writes[i]
		if !s.granted(w.besides) {
			continue
		}
		s.each(&w.from, w.from.of, func() bool {
			e.writes |= s.cellOf(&s.Events[w.event])
			return true
		})
	}
	e.taken = s.granted(s.claims)
	e.unknown = s.unknown
	return e
}

// granted reports that reads can return what claims ask for.
func (s *search) granted(claims []claim) bool {
	return !slices.ContainsFunc(claims, func(c claim) bool {
		granted := false
		s.each(&c, c.of, func() bool {
			granted = true
			return false
		})
		return !granted
	})
}

// each visits the ways in which some reads of a claim can return what it asks for; those before
// have returned something.
func (s *search) each(c *claim, of reads, visit func() (more bool)) (more bool) {
	if of == c.of && !s.holds(c, -1) {
		return true
	}
	if of == 0 {
		return visit()
	}
	i := bits.TrailingZeros64(uint64(of))
	l, ok := s.place(&s.Events[i])
	if !ok {
		s.unknown = true
		return false
	}
	for cells := s.written; cells != 0; cells &= cells - 1 {
		at := &s.cells[bits.TrailingZeros64(uint64(cells))]
		if at.loc != l {
			continue
		}
		if s.left--; s.left < 0 {
			s.unknown = true
			return false
		}
		s.value[i] = at.value
		if s.holds(c, i) && !s.each(c, of&(of-1), visit) {
			return false
		}
	}
	return true
}

// holds reports that the conditions hold whose last read is that one.
func (s *search) holds(c *claim, last int) bool {
	return !slices.ContainsFunc(c.conds, func(cond cond) bool {
		if cond.last != last {
			return false
		}
		v, err := cond.X.Eval(s.env)
		s.unknown = s.unknown || err != nil
		return err == nil && v.True() != cond.Want
	})
}

// cellOf is the cell that a write writes, as a set; empty if that has no meaning.
func (s *search) cellOf(w *event.Event) set {
	l, ok := s.place(w)
	v, err := w.Data.Eval(s.env)
	if !ok || err != nil {
		return 0
	}
	one, ok := s.cell(l, v)
	s.unknown = s.unknown || !ok
	return one
}

// place is the location of an access; false if its address has no meaning.
func (s *search) place(access *event.Event) (l event.Loc, ok bool) {
	v, err := access.Addr.Eval(s.env)
	if err != nil {
		return event.NoLoc, false
	}
	if l, err = event.Resolve(s.locs, v); err != nil {
		return event.NoLoc, false
	}
	return event.Physical(s.locs, l), true
}
