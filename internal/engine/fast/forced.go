package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// A check of the form acyclic X, where X is the union of what each pair of coherence adds to
// it (plan.Check.Linear), needs no search. What a pair (a, b) adds starts at events that Src
// relates a to and ends at events that Dst relates b to. So a cycle is a ring of pairs in
// which each pair (a, b) leads on, over what X has anyway, to a pair (a', b'): b leads to a'.
// If b comes before a' or is a', wherever b leads to a', then going round the ring would go up
// in the order for ever: there is no cycle, however the open pairs are decided. If b leads to
// a' and the pair is open, then a' before b is a suspect.

// finding is what an analysis of the last choice has found.
type finding uint8

const (
	undecided finding = iota // some pair must be tried both ways
	forced                   // pairs have been decided
	free                     // no check and no report depends on the open pairs any more
)

// suspicion is what is known of the open pairs of the last choice.
type suspicion struct {
	poset
	suspects []uint64 // pairs of this order may make a check fail
	tangled  event.ID // an event whose open pairs may do so together with others; -1 if none
	blind    bool     // some check or report tells only when all pairs are decided
}

// force looks for open pairs of the last choice that can only be decided one way, and decides them.
// If it finds none, it finds a pair to try both ways, unless all are free. The stage of the choice
// has run with the lower bound. Afterwards it holds values of the last try, unless all pairs are
// free: then none was tried.
func (e *Engine) force(i int) (a, b event.ID, what finding) {
	mark := len(e.arena)
	defer func() { e.arena = e.arena[:mark] }()
	scratch := e.newPoset()
	s := suspicion{poset: e.posets[i], suspects: scratch.order, tangled: -1}
	clear(s.suspects)
	v := plan.FirstChoice + plan.Var(i)
	for r := range e.plan.Reports {
		s.blind = s.blind || !e.raised[r] && e.plan.Reports[r].Of.Has(v)
	}
	for c := range e.plan.Checks {
		if check := &e.plan.Checks[c]; check.Linear() && check.Of.Has(v) && !e.frame.Dead(c) {
			e.suspect(check, &s)
		}
	}
	// Checks that are not linear make everything suspect, so they come second.
	a, b, what = e.tryAll(i, &s)
	if what != forced && e.suspectUpper(v, &s) {
		if x, y, found := e.tryAll(i, &s); found == forced || x >= 0 {
			a, b, what = x, y, found
		}
	}
	switch {
	case what == forced || a >= 0:
		return a, b, what
	case s.tangled >= 0:
		return s.tangled, bits.TrailingZeros64(s.open[s.tangled]), undecided
	case s.blind || e.partial != 0 || e.query.Visit != nil || !e.countable(s.poset):
		a, b = s.anyOpen()
		return a, b, undecided
	}
	return 0, 0, free
}

// tryAll tries all suspects, and decides those that make a check fail. If no check fails, it
// returns a suspect with both ways left, or -1.
func (e *Engine) tryAll(i int, s *suspicion) (a, b event.ID, what finding) {
	a, b = -1, -1
	for x := range s.suspects {
		for rest := s.suspects[x] & s.open[x]; rest != 0; rest &= rest - 1 {
			y := bits.TrailingZeros64(rest)
			switch {
			case s.open[x]>>y&1 == 0: // decided by one before
			case e.err != nil:
				return x, y, what // the error ends the search
			case !e.try(i, x, y):
				e.stats.Forced++
				s.put(y, x)
				what = forced
			default:
				a, b = x, y
			}
		}
	}
	return a, b, what
}

// try reports that the last choice may have a before b.
func (e *Engine) try(i int, a, b event.ID) bool {
	mark, v := len(e.arena), plan.FirstChoice+plan.Var(i)
	p := e.clonePoset(e.posets[i])
	p.put(a, b)
	copy(e.frame.Rel(e.plan.Choices[i].Slot), p.order)
	e.arena = e.arena[:mark]
	return e.passes(v.Stage(), v.From()|e.partial)
}

// suspectUpper deals with checks that are not linear: if each of them holds even for both ways
// of all open pairs at once, it holds. Else it returns true, and all that were no suspects yet
// are.
func (e *Engine) suspectUpper(v plan.Var, s *suspicion) (doubt bool) {
	ran := false
	slot := e.frame.Rel(e.plan.Choices[v-plan.FirstChoice].Slot)
	for c := range e.plan.Checks {
		check := &e.plan.Checks[c]
		switch {
		case !check.Of.Has(v) || check.Linear() || e.frame.Dead(c):
			continue
		case check.Falls.Has(v):
			s.blind = true
			continue
		}
		if !ran {
			for a := range slot {
				slot[a] = s.order[a] | s.open[a]
			}
			e.frame.Compute(v.Stage())
			ran = true
		}
		doubt = doubt || !e.frame.Holds(c)
	}
	if ran {
		copy(slot, s.order)
		e.frame.Compute(v.Stage())
	}
	if doubt {
		for a, tried := range s.suspects {
			s.suspects[a] = s.open[a] &^ tried
		}
	}
	return doubt
}

// suspect finds the suspects of a linear check.
func (e *Engine) suspect(c *plan.Check, s *suspicion) {
	src, dst := e.frame.Rel(c.Src), e.frame.Rel(c.Dst)
	switch c.Test {
	case plan.Acyclic:
		s.suspectCycles(e.frame.Rel(c.X), src, dst)
	case plan.Irreflexive:
		s.eachOpen(func(a, b event.ID) bool { return src[a]&dst[b] != 0 })
	case plan.IsEmpty:
		s.eachOpen(func(a, b event.ID) bool { return src[a] != 0 && dst[b] != 0 })
	}
}

// eachOpen makes suspects of those open pairs that f says may fail.
func (s *suspicion) eachOpen(f func(a, b event.ID) bool) {
	for a, row := range s.open {
		for ; row != 0; row &= row - 1 {
			if b := bits.TrailingZeros64(row); f(a, b) {
				s.suspects[a] |= 1 << b
			}
		}
	}
}

// suspectCycles looks for events b with open pairs that lead to events a with open pairs.
func (s *suspicion) suspectCycles(x, src, dst []uint64) {
	var undecided, starts uint64
	for a, row := range s.open {
		if row != 0 {
			undecided |= 1 << a
			starts |= src[a]
		}
	}
	for bs := undecided; bs != 0; bs &= bs - 1 {
		b := bits.TrailingZeros64(bs)
		led := dst[b]
		for rest := led; rest != 0; {
			further := x[bits.TrailingZeros64(rest)] &^ led
			led |= further
			rest = rest&(rest-1) | further
		}
		if led&starts == 0 {
			continue
		}
		for as := undecided &^ s.order[b] &^ (1 << b); as != 0; as &= as - 1 {
			switch a := bits.TrailingZeros64(as); {
			case led&src[a] == 0:
			case s.open[a]>>b&1 != 0:
				s.suspects[a] |= 1 << b
			default:
				s.tangled = b
			}
		}
	}
}
