package enumerate

import (
	"errors"

	"github.com/muster-gpu/muster/event"
)

// valuation is what follows from the choices made so far.
type valuation struct {
	known []bool        // whether val is known
	val   []event.Value // of each access
	loc   []event.Loc   // NoLoc for fences and while not known
	err   error         // a computation without meaning; it counts only if the paths are taken
}

// values substitutes what is known along rf until nothing more follows. It returns
// false if that contradicts the program: a read and the write it reads from have
// different addresses, a guessed value does not justify itself, or a path condition
// fails.
func (s *search) values() (*valuation, bool) {
	v := &valuation{
		known: make([]bool, s.N()),
		val:   make([]event.Value, s.N()),
		loc:   make([]event.Loc, s.N()),
	}
	for e := range v.loc {
		v.loc[e] = event.NoLoc
	}
	for r, guess := range s.guess {
		v.known[r], v.val[r] = true, guess
	}
	for changed := true; changed; {
		changed = false
		for e := range s.Events {
			if !v.known[e] && s.substitute(v, e) {
				changed = true
			}
		}
	}
	s.locate(v)
	return v, s.agree(v) && s.pathsTaken(v)
}

// substitute finds the value of access e, if it follows from what is known.
func (s *search) substitute(v *valuation, e event.ID) bool {
	ev := &s.Events[e]
	switch ev.Kind {
	case event.Read:
		if w := s.rf[e]; w >= 0 && v.known[w] {
			v.known[e], v.val[e] = true, v.val[w]
		}
	case event.Write:
		v.val[e], v.known[e] = s.eval(v, ev.Thread, ev.Data)
	}
	return v.known[e]
}

// eval evaluates an expression of a thread; false if it is not known yet or has no
// meaning.
func (s *search) eval(v *valuation, thread int, x event.Expr) (event.Value, bool) {
	val, err := x.Eval(func(n int) (event.Value, bool) {
		e := s.First[thread] + n
		return v.val[e], v.known[e]
	})
	if err != nil && !errors.Is(err, event.ErrUnknown) {
		v.err = err
	}
	return val, err == nil
}

// locate finds the location of each access whose address is known.
func (s *search) locate(v *valuation) {
	for e := range s.Events {
		ev := &s.Events[e]
		if !ev.IsMem() {
			continue
		}
		if addr, ok := s.eval(v, ev.Thread, ev.Addr); ok {
			loc, err := event.Resolve(s.Locs, addr)
			if err != nil {
				v.err = err
			}
			v.loc[e] = loc
		}
	}
}

// agree checks each read against the write it reads from, as far as both are known.
func (s *search) agree(v *valuation) bool {
	for _, r := range s.reads {
		w := s.rf[r]
		if w < 0 {
			continue
		}
		if v.loc[r] != event.NoLoc && v.loc[w] != event.NoLoc && v.loc[r] != v.loc[w] {
			return false
		}
		if v.known[r] && v.known[w] && v.val[r] != v.val[w] {
			return false
		}
	}
	return true
}

// pathsTaken checks the path conditions that are known.
func (s *search) pathsTaken(v *valuation) bool {
	for _, c := range s.Conds {
		if val, ok := s.eval(v, c.Thread, c.X); ok && val.True() != c.Want {
			return false
		}
	}
	return true
}

// onCycle finds a read whose value justifies itself, starting from a read without a
// value: each such read waits for a write that waits for another such read.
func (s *search) onCycle(v *valuation, r event.ID) event.ID {
	seen := map[event.ID]bool{}
	for !seen[r] {
		seen[r] = true
		w := &s.Events[s.rf[r]]
		_, _ = w.Data.Eval(func(n int) (event.Value, bool) {
			e := s.First[w.Thread] + n
			if !v.known[e] {
				r = e
			}
			return v.val[e], v.known[e]
		})
	}
	return r
}
