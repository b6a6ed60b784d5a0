package prove

import (
	"fmt"
	"math/big"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// Comparisons of a variable, or of it plus a constant, with constants give the interval of the
// variable. One comparison may give two intervals: a signed comparison is an unsigned one of both
// sides plus half the range.

// interval is a range of a variable, read as unsigned.
type interval struct{ lo, hi uint64 }

// intervals returns the intervals of variables that conditions imply, if narrower than the
// variables' own bounds, in a deterministic order.
func (r *rewritten) intervals() (all map[*term.Term]*interval, order []*term.Term) {
	all = map[*term.Term]*interval{}
	for again := true; again; {
		again = false
		for _, c := range r.conditions {
			r.compared(c, func(v *term.Term, first, last uint64) {
				if all[v] == nil {
					lo, hi := v.Range()
					all[v] = &interval{lo, hi}
					order = append(order, v)
				}
				again = all[v].narrow(first, last) || again
			})
		}
		for _, c := range r.conditions {
			// for others, a remainder says more (algebra.condition)
			if v, n, ok := r.unequal(c); ok && all[v] != nil {
				again = all[v].narrow((n+1)&term.Mask(v.Width()), (n-1)&term.Mask(v.Width())) || again
			}
		}
	}
	return all, order
}

// unequal returns the variable and number of a condition that they differ.
func (r *rewritten) unequal(c *term.Term) (v *term.Term, n uint64, ok bool) {
	if c = r.Not(c); c.Op() != term.Eq || c.Args()[0].Width() == 1 {
		return nil, 0, false
	}
	for i, x := range c.Args() {
		if n, ok := x.Value(); ok && c.Args()[1-i].Op() == term.Var {
			return c.Args()[1-i], n, true
		}
	}
	return nil, 0, false
}

// narrow intersects the interval with [first, last], which may wrap beyond the largest number. It
// returns false if nothing changes.
func (in *interval) narrow(first, last uint64) bool {
	before := *in
	switch {
	case first <= last:
		in.lo, in.hi = max(in.lo, first), min(in.hi, last)
	case in.lo > last: // only values from first on are left
		in.lo = max(in.lo, first)
	case in.hi < first: // only values up to last are left
		in.hi = min(in.hi, last)
	}
	return in.lo <= in.hi && (in.lo != before.lo || in.hi != before.hi) || in.lo > in.hi && in.restore(before)
}

// restore undoes a step that leaves nothing: the contradiction is found elsewhere.
func (in *interval) restore(to interval) bool {
	*in = to
	return false
}

// compared calls says for each variable that a condition compares, with the interval that the range
// of the other side implies.
func (r *rewritten) compared(c *term.Term, says func(v *term.Term, first, last uint64)) {
	less := c.Op() == term.ULt
	if !less {
		c = r.Not(c)
	}
	if c.Op() != term.ULt {
		return
	}
	x, y := c.Args()[0], c.Args()[1]
	all := term.Mask(x.Width())
	say := func(t *term.Term, first, last uint64) {
		if v, by, ok := shifted(t); ok {
			says(v, (first-by)&all, (last-by)&all)
		} else if first == 0 {
			summed(t, last, says)
		}
	}
	least, most := x.Range()
	from, to := y.Range()
	if less {
		say(x, 0, to-1)
		say(y, least+1, all)
	} else {
		say(x, from, all)
		say(y, 0, most)
	}
}

// shifted returns the variable and constant of a term that is their sum.
func shifted(t *term.Term) (v *term.Term, by uint64, ok bool) {
	switch args := t.Args(); {
	case t.Op() == term.Var:
		return t, 0, true
	case t.Op() == term.ZExt && args[0].Op() == term.Var:
		return args[0], 0, true
	case t.Op() == term.Sum && len(args) == 1 && t.Coef(0) == 1 && args[0].Op() == term.Var:
		return args[0], t.Constant(), true
	}
	return nil, 0, false
}

// summed calls says for the variables of a sum that does not wrap, with the largest values that a
// bound on the sum permits.
func summed(t *term.Term, most uint64, says func(v *term.Term, first, last uint64)) {
	number, exact := t.Exact()
	if !exact || t.Op() != term.Sum {
		return
	}
	room := new(big.Int).SetUint64(most) // most minus the least values of all operands
	room.Sub(room, number)
	for i, x := range t.Args() {
		if t.Signed(i) < 0 {
			return
		}
		lo, _ := x.Range()
		room.Sub(room, new(big.Int).Mul(new(big.Int).SetUint64(lo), big.NewInt(t.Signed(i))))
	}
	if room.Sign() < 0 {
		return // nothing is left: the contradiction is found elsewhere
	}
	for i, x := range t.Args() {
		if v, by, ok := shifted(x); ok && by == 0 { // its least value is 0
			if last := new(big.Int).Div(room, big.NewInt(t.Signed(i))); last.IsUint64() {
				says(v, 0, last.Uint64())
			}
		}
	}
}

// bounded adds definitions of variables with intervals: the lower bound plus a smaller variable.
func (r *rewritten) bounded(add func(d definition)) {
	all, order := r.intervals()
	for _, v := range order {
		in := all[v]
		switch lo, hi := v.Range(); {
		case in.lo == lo && in.hi == hi:
		case in.lo == in.hi:
			add(definition{v, r.Const(in.lo, v.Width())})
		default:
			small := r.UpTo(fmt.Sprintf("%s in %d..%d", v.Name(), in.lo, in.hi), in.hi-in.lo)
			add(definition{v, r.Add(r.ZExt(small, v.Width()), r.Const(in.lo, v.Width()))})
		}
	}
}
