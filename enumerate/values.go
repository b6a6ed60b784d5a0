package enumerate

import (
	"errors"

	"github.com/muster-gpu/muster/event"
)

// valuation holds what follows from the choices made so far.
type valuation struct {
	known []bool        // whether val is known
	val   []event.Value // by access
	loc   []event.Loc   // by event; NoLoc for fences and barriers, and while unknown
	via   []event.Loc   // the name (alias) that the address refers to
	err   error         // a computation without meaning; it counts only if the paths are taken

	reader event.ID  // the first event of the thread whose expression is evaluated
	env    event.Env // what its events returned
}

// values substitutes known values along rf until nothing more follows. It returns false if that
// contradicts the program: a read and the write it reads from have different addresses, a guessed
// value does not justify itself, or a path condition fails.
func (s *search) values() (*valuation, bool) {
	*s.looks++
	v := &valuation{
		known: make([]bool, s.N()),
		val:   make([]event.Value, s.N()),
		loc:   make([]event.Loc, s.N()),
		via:   make([]event.Loc, s.N()),
	}
	v.env = func(n int) (event.Value, bool) { return v.val[v.reader+n], v.known[v.reader+n] }
	for e := range v.loc {
		v.loc[e], v.via[e] = event.NoLoc, event.NoLoc
	}
	for r, guess := range s.guess {
		v.known[r], v.val[r] = true, guess
	}
	for changed := true; changed; {
		changed = false
		for e := range s.Events {
			located := v.loc[e] == event.NoLoc && s.locate(v, e)
			if located || !v.known[e] && s.substitute(v, e) {
				changed = true
			}
		}
	}
	return v, s.agree(v) && s.pathsTaken(v)
}

// substitute computes the value of access e, if it follows from what is known. A read has no value
// while its own location, or that of the write it reads from, is unknown: neither may depend on the
// value.
func (s *search) substitute(v *valuation, e event.ID) bool {
	ev := &s.Events[e]
	switch ev.Kind {
	case event.Read:
		if w := s.rf[e]; w >= 0 && v.known[w] && v.loc[w] != event.NoLoc && v.loc[e] != event.NoLoc {
			v.known[e], v.val[e] = true, v.val[w]
		}
	case event.Write:
		v.val[e], v.known[e] = s.eval(v, ev.Thread, ev.Data)
	}
	return v.known[e]
}

// eval evaluates an expression of a thread; it returns false if the value is not known yet or has
// no meaning.
func (s *search) eval(v *valuation, thread int, x event.Expr) (event.Value, bool) {
	if thread != event.InitThread {
		v.reader = s.First[thread]
	}
	val, err := x.Eval(v.env)
	if err != nil && err != event.ErrUnknown && v.err == nil {
		v.err = faultOf(thread, err)
	}
	return val, err == nil
}

// faultOf returns the fault of a thread whose computation has no meaning.
func faultOf(thread int, err error) error {
	var wrong *event.Meaningless
	if !errors.As(err, &wrong) {
		return nil
	}
	return &event.Fault{Thread: thread, X: wrong.X, Why: wrong.Why}
}

// locate computes the location of access e, if its address follows from what is known.
func (s *search) locate(v *valuation, e event.ID) bool {
	ev := &s.Events[e]
	if !ev.IsMem() {
		return false
	}
	addr, ok := s.eval(v, ev.Thread, ev.Addr)
	if !ok {
		return false
	}
	via, err := event.Resolve(s.Locs, addr)
	if err != nil {
		if v.err == nil {
			v.err = &event.Fault{Thread: ev.Thread, X: ev.Addr, Address: true, Why: err}
		}
		return false
	}
	v.loc[e], v.via[e] = event.Physical(s.Locs, via), via
	return true
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

// pathsTaken checks the path conditions whose values are known.
func (s *search) pathsTaken(v *valuation) bool {
	for _, c := range s.Conds {
		if val, ok := s.eval(v, c.Thread, c.X); ok && val.True() != c.Want {
			return false
		}
	}
	return true
}

// checkFinals evaluates the final values of registers: the thread computes them even if no access
// depends on them, so they must have a meaning.
func (s *search) checkFinals(v *valuation) {
	for _, r := range s.finals {
		x, _ := s.Held(r)
		s.eval(v, r.Thread, x)
	}
}

// onCycle returns a read whose value depends on itself, starting from a read without a value: each
// such read waits for another.
func (s *search) onCycle(v *valuation, r event.ID) event.ID {
	seen := map[event.ID]bool{}
	for !seen[r] {
		seen[r] = true
		r = s.waitsFor(v, r)
	}
	return r
}

// waitsFor returns a read without a value that the value of r depends on: through the address of r,
// or through the address or the data of the write that r reads from.
func (s *search) waitsFor(v *valuation, r event.ID) event.ID {
	read, write := &s.Events[r], &s.Events[s.rf[r]]
	for _, need := range []struct {
		thread int
		x      event.Expr
	}{{read.Thread, read.Addr}, {write.Thread, write.Addr}, {write.Thread, write.Data}} {
		waiting := event.ID(-1)
		_, _ = need.x.Eval(func(n int) (event.Value, bool) {
			e := s.First[need.thread] + n
			if !v.known[e] {
				waiting = e
			}
			return v.val[e], v.known[e]
		})
		if waiting >= 0 {
			return waiting
		}
	}
	return r
}
