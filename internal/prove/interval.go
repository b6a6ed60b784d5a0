package prove

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/prove/term"
)

// Comparisons of a variable, or of it and a number, with numbers say together in which interval it lies. One comparison
// may say so of two intervals: a signed comparison is an unsigned one of both sides plus half the range.

// interval is where a variable lies, read as unsigned.
type interval struct {
	lo, hi uint64
	by     []int // the conditions that say so
}

// intervals are where conditions have variables lie, if that is less than their own bounds; in an order that does not vary.
func (r *rewritten) intervals() (all map[*term.Term]*interval, order []*term.Term) {
	all = map[*term.Term]*interval{}
	for again := true; again; {
		again = false
		for i, c := range r.conditions {
			r.compared(c, func(v *term.Term, first, last uint64) {
				if all[v] == nil {
					lo, hi := v.Range()
					all[v] = &interval{lo: lo, hi: hi}
					order = append(order, v)
				}
				if all[v].narrow(first, last) {
					all[v].by = append(all[v].by, i)
					again = true
				}
			})
		}
	}
	return all, order
}

// narrow leaves out what is not from first to last, which may go round beyond the largest number; false if nothing is.
func (in *interval) narrow(first, last uint64) bool {
	before := *in
	switch {
	case first <= last:
		in.lo, in.hi = max(in.lo, first), min(in.hi, last)
	case in.lo > last: // what is left is from first on
		in.lo = max(in.lo, first)
	case in.hi < first: // what is left is up to last
		in.hi = min(in.hi, last)
	}
	return in.lo <= in.hi && (in.lo != before.lo || in.hi != before.hi) || in.lo > in.hi && in.restore(before)
}

// restore takes a step back, where nothing is left: that is for others to find.
func (in *interval) restore(to interval) bool {
	*in = to
	return false
}

// compared calls says for the variables that a condition compares: from which value to which it has them lie, by the
// range of the other side.
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

// shifted is a variable of which a term is the sum with a number.
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

// bounded adds definitions of variables by the intervals in which they lie: the lowest number, and a variable that is small.
func (r *rewritten) bounded(add func(d definition)) {
	all, order := r.intervals()
	for _, v := range order {
		in := all[v]
		switch lo, hi := v.Range(); {
		case in.lo == lo && in.hi == hi:
		case in.lo == in.hi:
			add(definition{v: v, is: r.Const(in.lo, v.Width()), by: in.by})
		default:
			small := r.UpTo(fmt.Sprintf("%s in %d..%d", v.Name(), in.lo, in.hi), in.hi-in.lo)
			add(definition{v: v, is: r.Add(r.ZExt(small, v.Width()), r.Const(in.lo, v.Width())), by: in.by})
		}
	}
}
