package named

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// position is where a warp is on its way along barriers, under a condition: after so many of those
// before its loop, of a round, or after the loop.
type position struct {
	when *term.Term
	leg  leg
	n    int
}

// leg is a part of the way.
type leg uint8

const (
	ahead  leg = iota // before the loop, or all the way if there is no round
	inside            // in a round
	behind            // after the last round
)

// positionOf is what positions are found by.
type positionOf struct{ arrived, guard, warp int }

// positions are where a warp may be when lanes of it make an access; none if that is not known, or
// not the same for all of these.
func (a *arrivals) positions(x *symbolic.Access, w int) []position {
	id := positionOf{x.Arrived.ID(), x.Guard.ID(), w}
	all, known := a.known[id]
	if !known {
		if at := a.same(x, w); at == nil {
			all = []position{{when: a.b.Bool(false)}} // none comes
		} else if all, known = a.leaves(nil, at, a.b.Bool(true), w); !known {
			all = nil
		}
		a.known[id] = all
	}
	return all
}

// same is what all lanes of a warp that make an access have as the number of their arrivals; a term
// that is no number if that is not one, and nil if none makes it. What the term says of lanes that
// do not come to the access means nothing.
func (a *arrivals) same(x *symbolic.Access, w int) (at *term.Term) {
	for _, lane := range a.lanes(w) {
		switch here := lane.Term(x.Arrived); {
		case here == at || lane.Term(x.Guard).False():
		case at == nil:
			at = here
		default:
			return x.Arrived
		}
	}
	return at
}

// leaves adds the positions that the number of the arrivals of a warp stands for.
func (a *arrivals) leaves(all []position, at, when *term.Term, w int) (_ []position, known bool) {
	if n, ok := at.Value(); ok {
		s, ok := a.position(n, w)
		s.when = when
		return append(all, s), ok
	}
	if at.Op() != term.Ite {
		return nil, false
	}
	if all, known = a.leaves(all, at.Args()[1], a.b.And(when, at.Args()[0]), w); !known {
		return nil, false
	}
	return a.leaves(all, at.Args()[2], a.b.And(when, a.b.Not(at.Args()[0])), w)
}

// position is what a number of arrivals says of a warp.
func (a *arrivals) position(arrived uint64, w int) (s position, ok bool) {
	from, n := symbolic.Arrivals(arrived)
	l := &a.lines[w]
	if from.Pipeline < 0 {
		return position{n: n}, true
	}
	switch loop := a.trace.Pipelines[from.Pipeline]; {
	case loop == l.loop && from.After:
		return position{leg: behind, n: n}, true
	case loop == l.loop:
		return position{leg: inside, n: n}, true
	case l.loop == nil: // no barrier is in this loop for the warp
		return position{n: n + l.first(a.trace, loop)}, true
	}
	return s, false
}

// first is how many barriers a warp without a loop has come to before one.
func (l *line) first(trace *symbolic.Trace, loop *symbolic.Pipeline) (n int) {
	for _, x := range l.before {
		if slices.Index(trace.Arrivals, x.at) < loop.First {
			n++
		}
	}
	return n
}

// round is the round of the loop of a warp.
func (a *arrivals) round(w int) *term.Term {
	if l := a.lines[w].loop; l != nil {
		return l.Round
	}
	return a.b.Const(0, 64)
}

// unordered is whether such barriers do not order two accesses.
func (c *course) unordered(p ask.Pair) *term.Term {
	a := c.on
	var all []*unordering
	for w := range a.lines {
		with := c.against(p.First, w, p.Other, p.Thread)
		at := slices.IndexFunc(all, func(g *unordering) bool { return slices.Equal(g.with, with) })
		if at < 0 {
			at = len(all)
			all = append(all, &unordering{with: with})
		}
		all[at].warps |= 1 << w
	}
	some := a.b.Bool(false)
	for _, g := range all {
		for _, o := range g.with {
			some = a.b.Or(some, a.b.And(a.b.And(a.in(g.warps, a.warp()), p.Theirs(a.in(o.warps, a.warp()))), o.when))
		}
	}
	return some
}

// unordering is warps of the first thread, and those of the second with which they are not ordered.
type unordering struct {
	warps uint32
	with  []others
}

// others is warps of the second thread, and when they are not ordered with some of the first.
type others struct {
	warps uint32
	when  *term.Term
}

// against are the warps of the second thread whose accesses are not ordered with that of a warp.
func (c *course) against(x *symbolic.Access, w int, y *symbolic.Access, s *ask.Thread) (all []others) {
	for v := range c.on.lines {
		when := c.between(x, w, y, v, s)
		at := slices.IndexFunc(all, func(u others) bool { return u.when == when })
		switch {
		case when.False():
		case at < 0:
			all = append(all, others{1 << v, when})
		default:
			all[at].warps |= 1 << v
		}
	}
	return all
}

// between is whether an access of a warp and one of another, which the second thread makes, are not
// ordered.
func (c *course) between(x *symbolic.Access, w int, y *symbolic.Access, v int, s *ask.Thread) *term.Term {
	mine, theirs := c.on.positions(x, w), c.on.positions(y, v)
	if mine == nil || theirs == nil {
		return c.b.Bool(true)
	}
	my, their := c.on.round(w), s.Term(c.on.round(v))
	some := c.b.Bool(false)
	for _, here := range mine {
		for _, there := range theirs {
			both := c.b.And(here.when, s.Term(there.when))
			if both.False() {
				continue
			}
			some = c.b.Or(some, c.b.And(both, c.apart(here, w, my, there, v, their)))
		}
	}
	return some
}

// apart is whether warps at two positions, in their rounds, are not ordered. Where few distances of
// the rounds are possible, they are said: equations are easier than bounds.
func (c *course) apart(x position, w int, my *term.Term, y position, v int, their *term.Term) *term.Term {
	lead, known := c.lead(x, w, y, v)
	lag, knownToo := c.lead(y, v, x, w)
	if !known || !knownToo || -lag-lead > maxApart {
		return c.b.And(c.b.Not(c.before(x, w, my, y, v, their)), c.b.Not(c.before(y, v, their, x, w, my)))
	}
	some := c.b.Bool(false)
	for by := lead + 1; by < -lag; by++ {
		more, less := c.b.Const(uint64(max(0, by)), 64), c.b.Const(uint64(max(0, -by)), 64)
		some = c.b.Or(some, c.b.Eq(c.b.Add(my, less), c.b.Add(their, more)))
	}
	return some
}

// maxApart bounds the distances of rounds that are said one by one.
const maxApart = 20

// lead is by how many rounds a warp at a position may be ahead of another, and is still ordered
// before it; false if that is not the same in all rounds.
func (c *course) lead(x position, w int, y position, v int) (most int, known bool) {
	if x.leg == ahead || y.leg == ahead {
		return 0, false
	}
	for r := range c.steady + 1 {
		if !c.regular(x, y, v, w, r) {
			return 0, false
		}
	}
	for turn := range c.period {
		r := c.steady + 1 + turn
		s := c.sighted(y, v, w, r)
		if n := x.most(s, r); s.round >= 0 && (turn == 0 || n == most) {
			most = n
			continue
		}
		return 0, false
	}
	return most, true
}

// before is whether a warp at a position, in a round, is ordered before another at its own.
func (c *course) before(x position, w int, my *term.Term, y position, v int, their *term.Term) *term.Term {
	if y.leg == ahead {
		return c.sees(x, my, c.sighted(y, v, w, 0), their, 0)
	}
	least := c.steady // until here, rounds are apart
	for least >= 0 && c.regular(x, y, v, w, least) {
		least--
	}
	all := c.b.Bool(false)
	for r := range least + 1 {
		all = c.b.Or(all, c.b.And(c.b.Eq(their, c.b.Const(uint64(r), 64)), c.sees(x, my, c.sighted(y, v, w, r), their, r)))
	}
	for turn := range c.period {
		r := c.steady + 1 + turn
		when := c.b.And(c.b.ULe(c.b.Const(uint64(least+1), 64), their), c.on.loops.turn(their, c.period, r))
		all = c.b.Or(all, c.b.And(when, c.sees(x, my, c.sighted(y, v, w, r), their, r)))
	}
	return all
}

// regular reports that what a warp at a position has seen of another in a round is what it sees a
// period later, but for the number of the round. A round before the first is as good as none to
// whom is in a later one.
func (c *course) regular(x, y position, v, w, round int) bool {
	now, later := c.sighted(y, v, w, round), c.sighted(y, v, w, round+c.period)
	switch {
	case later.round < 0:
	case later.round < c.period:
		return x.leg != ahead && now.round < 0
	default:
		later.round -= c.period
	}
	return now == later
}

// sighted is the last of the arrivals of a warp that is ordered before another at a position, in a
// round, however many rounds there are.
func (c *course) sighted(y position, v, w, round int) sight {
	least, some := unseen, false
	for rounds, k := range c.walks {
		if k == nil || y.leg == inside && rounds <= round || y.leg == behind && rounds != round+1 {
			continue
		}
		at := y.n
		switch y.leg {
		case ahead:
			if l := &c.on.lines[v]; l.loop != nil && rounds > 0 && at > len(l.before) {
				continue
			}
		case inside:
			if at > len(c.round(v, round, rounds)) {
				continue
			}
			at += c.begin(v, round, rounds)
		case behind:
			at += c.begin(v, rounds, rounds)
		}
		if at >= len(k.seen[v]) {
			continue
		}
		if s := c.sightOf(w, rounds, k.seen[v][at][w]-1); !some || s.compare(least) < 0 {
			least, some = s, true
		}
	}
	return least
}

// sees is whether a warp at a position, in a round, is no further than at an arrival that is seen
// of it in another round, which is given as the number that it had in a walk.
func (c *course) sees(x position, my *term.Term, s sight, their *term.Term, round int) *term.Term {
	switch {
	case x.leg == ahead:
		return c.b.Bool(s.round >= 0 || s.round == -1 && x.n <= s.nth)
	case s.round < 0:
		return c.b.Bool(false)
	}
	most := x.most(s, round)
	if most >= 0 {
		return c.b.ULe(my, c.b.Add(their, c.b.Const(uint64(most), 64)))
	}
	return c.b.ULt(c.b.Add(my, c.b.Const(uint64(-most-1), 64)), their)
}

// most is by how many rounds a warp at a position may be ahead of one that has seen an arrival of
// it, in a round, and is still no further than that.
func (x position) most(s sight, round int) int {
	most := s.round - round
	if x.n > s.nth {
		most--
	}
	if x.leg == behind {
		most--
	}
	return most
}
