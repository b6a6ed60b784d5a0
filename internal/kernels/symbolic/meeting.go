package symbolic

import (
	"slices"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// Threads that meet at barriers in a loop go round it together: if one begins another round, so do all, or
// they would miss each other. So between two barriers, a thread is in the round of another or, if one of them is
// past the last barrier of the round and the other not yet at the first of the next, in the one before or after. The
// barriers that a thread has passed are a number that grows with the rounds, and say which it is; what a
// register holds in which all threads agree is a function of the round.

// Meeting is a loop that is cut and that has barriers.
type Meeting struct {
	Point               // a thread in any round
	Scope  Scope        // who meets
	Rounds []*term.Term // which round it is in, those of the loops around that are cut first
	Again  *term.Term   // it begins another round after this one
	Last   *term.Term   // the round after which all leave
	// Next is that it does, and what slots hold then in which all agree. What it says of loops within is about
	// their ends, and not about rounds of theirs in which the thread may be.
	Next *term.Term
	// Passed is how many barriers are passed, where it is not the same number in each round; else nil.
	Passed *Passing
}

// Rounds are which rounds a thread is in, of the loops with barriers that are cut: the outermost first.
func (m *machine) rounds() (all []*term.Term) {
	for _, c := range m.cutting {
		if c.known.meets {
			all = append(all, c.round)
		}
	}
	return all
}

// met reports whether threads have met in the round, and who: lanes of a whole warp that exchange something do, too.
func (c *cut) met() (met bool, scope Scope) {
	for _, b := range since[*Barrier](c.rec, c.from) {
		met, scope = true, max(scope, b.Scope)
	}
	for _, l := range since[*Convergence](c.rec, c.from) {
		if n, ok := l.Mask.Value(); ok && n == everyLane {
			met, scope = true, max(scope, Warp)
		}
	}
	return met, scope
}

// Parting is a loop that is cut, in which lanes meet whom masks name, and no whole warp: a lane that leaves it does not come to where others wait for
// it in a later round.
type Parting struct {
	Point               // a thread in any round
	Rounds []*term.Term // which round it is in, those of the loops around that are cut first
	Again  *term.Term   // it begins another round after this one
	Masks  []*term.Term // of the lanes that meet in it; nil is for one that rounds change
}

// parting is the loop as one in which some lanes meet; nil if none do.
func (c *cut) parting() *Parting {
	all := since[*Convergence](c.rec, c.from)
	if len(all) == 0 || c.after == nil {
		return nil
	}
	c.cutting = append(c.cutting, c)
	defer func() { c.cutting = c.cutting[:len(c.cutting)-1] }()
	c.at = c.fr.head(c.loop)
	p := &Parting{Point: c.point(c.before, c.Bool(true)), Rounds: c.everyRound(), Again: c.guards.Term(c.after.guard)}
	for _, l := range all {
		mask := l.Mask
		if c.mentions(mask, func(v *term.Term) bool { return v.ID() >= c.oldest }) {
			mask = nil
		}
		if !slices.Contains(p.Masks, mask) {
			p.Masks = append(p.Masks, mask)
		}
	}
	return p
}

// together is something in which all threads that meet agree in a round.
func (c *cut) together(name string, width int, scope Scope, round ...*term.Term) *term.Term {
	var args []*term.Term
	for _, o := range c.cutting {
		if o != c && o.known.meets {
			args = append(args, o.round)
		}
	}
	sh := c.trace.Shape
	if scope < Grid {
		args = append(args, sh.Block[:]...)
	}
	if scope < Block {
		args = append(args, c.LShr(sh.Linear, c.Const(5, 32)))
	}
	t := c.App(name, width, append(args, round...)...)
	c.trace.Havoc[t] = true
	return t
}

// lastRound is the round after which all leave.
func (c *cut) lastRound() *term.Term {
	round := c.round.Args()[0]
	return c.together(round.Name()+":last", round.Width(), c.known.scope)
}

// bounded takes a thread to be in no round after the last.
func (c *cut) bounded() {
	if c.known.meets {
		c.rec.Know(c.Implies(c.guards.Term(c.before.guard), c.ULe(c.round, c.ZExt(c.lastRound(), 64))))
		c.starts()
	}
}

// left takes a thread that has left to have been in the last round.
func (c *cut) left() {
	if c.known.meets {
		last := c.lastRound()
		c.rec.Know(c.Implies(c.guards.Term(c.before.guard), c.Eq(c.round, c.ZExt(last, 64))))
		c.lasts[c.round.Args()[0]] = last
	}
}

// meeting is the loop as one that threads go round together.
func (c *cut) meeting() *Meeting {
	c.cutting = append(c.cutting, c)
	defer func() { c.cutting = c.cutting[:len(c.cutting)-1] }()
	c.at = c.fr.head(c.loop)
	met := &Meeting{Point: c.point(c.before, c.Bool(true)), Scope: c.known.scope, Rounds: c.rounds(), Again: c.Bool(false), Last: c.ZExt(c.lastRound(), 64), Next: c.Bool(false)}
	if c.after == nil {
		return met
	}
	met.Again = c.guards.Term(c.after.guard)
	met.Next = met.Again
	for i, v := range c.vars {
		if c.known.strides[i] == nil && !c.known.apart[i] && c.get(c.before, i) != nil {
			next := c.together(v.Name(), v.Width(), c.known.scope, c.Add(c.round, c.Const(1, 64)))
			met.Next = c.And(met.Next, c.Eq(c.based(i, next), c.get(c.after, i)))
		}
	}
	met.Next = c.ends(met.Next)
	met.Passed = c.passings()
	return met
}

// ends has a term say nothing of the rounds of loops within this one.
func (c *cut) ends(t *term.Term) *term.Term {
	mine := map[*term.Term]bool{c.round.Args()[0]: true}
	for _, v := range c.vars {
		mine[v] = true
	}
	fresh := map[*term.Term]*term.Term{}
	return c.Rename(func(v *term.Term) *term.Term {
		if v.ID() < c.oldest || !c.trace.Havoc[v] || mine[v] {
			return v
		}
		if fresh[v] == nil {
			fresh[v] = c.fresh(v.Name(), v.Width())
		}
		return fresh[v]
	}).Term(t)
}

// differing are the slots in which threads that meet may differ: those that depend on anything in
// which they do, before the loop or in a round.
func (c *cut) differing(scope Scope) map[int]bool {
	all := map[int]bool{}
	for i := range c.vars {
		first, next := c.get(c.before, i), c.get(c.after, i)
		all[i] = c.known.apart[i] || first != nil && (c.differs(first, scope) || next != nil && c.differs(next, scope))
		if !all[i] {
			delete(all, i)
		}
	}
	return all
}

// differs reports that threads that meet may have different values of a term.
func (m *machine) differs(t *term.Term, scope Scope) bool {
	return m.mentions(t, func(v *term.Term) bool {
		ofBlock := func(x *term.Term) bool { return len(x.Args()) == 1 && x.Args()[0] == v }
		switch {
		case v.Op() != term.Var || !m.trace.Private[v]:
			return false
		case scope < Grid && slices.ContainsFunc(m.trace.Shape.Block[:], ofBlock):
			return false
		}
		return !m.agreed[v]
	})
}
