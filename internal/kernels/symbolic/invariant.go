package symbolic

import (
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Invariant is a claim about a thread at the head of a loop that is cut, in any round. It is proved by
// induction: it must hold where the loop begins, and after a round if it held before. Whoever executes a
// kernel gives invariants by Config.Cut, and finds in Trace.Inductive what is to be proved.
type Invariant struct {
	Name string // as people read it
	// Family is what kind of guess it is. A guess that is not proved is given up; what is no guess is a
	// claim of the kernel's author, and has the checks of Trace.Checks.
	Family string
	// Holds is the claim as a truth value; nil if it makes no sense here.
	Holds func(h *Head) *term.Term
}

// Head is a thread at the head of a loop. Registers are those of the loop's function.
type Head struct {
	*term.Builder
	Shape *Shape
	Now   func(Slot) *term.Term // what a slot holds; nil if that is anything
	First func(Slot) *term.Term // what it held where the loop began
	Round *term.Term            // how many rounds have passed, 64 bits
	// Passed is how many barriers of the block the thread has passed.
	Passed *term.Term
}

// Inductive is an invariant of a loop as it is executed: once for each time that the loop is.
type Inductive struct {
	*Invariant
	Loop  *kernel.Instr // the first instruction
	Fact  int           // which of Trace.Facts takes it to hold
	Alive bool          // it is taken to hold
	Entry Check         // it holds in the first round
	Step  Check         // it holds in a round if it has held in the one before
	head  *term.Term    // what is claimed of any round
	past  []int         // which facts take it to have held in rounds before
}

// Drop has a claim be assumed no more.
func (t *Trace) Drop(claim *Inductive, nothing *term.Term) {
	claim.Alive = false
	for _, i := range append(claim.past, claim.Fact) {
		t.Facts[i] = nothing
	}
}

// stateHead is the head with what a state knows.
func (c *cut) stateHead(s *state, round *term.Term) *Head {
	of := func(s *state) func(Slot) *term.Term {
		return func(at Slot) *term.Term {
			switch r := at.Register; {
			case r == nil:
				return c.slots.getCell(s, at)
			case r.Index >= len(s.regs) || c.fr.f.Registers[r.Index] != r:
				return nil
			default:
				return s.regs[r.Index]
			}
		}
	}
	return &Head{Builder: c.terms, Shape: &c.run.rec.trace.Shape, Now: of(s), First: of(c.before), Round: round, Passed: s.barriers()}
}

// begin assumes what is claimed of the head.
func (c *cut) begin() {
	c.convoy.bounded()
	claims, _ := c.run.config.Cut(c.fr.head(c.loop))
	for _, inv := range claims {
		if holds := inv.Holds(c.stateHead(c.start, c.round)); holds != nil {
			c.claim(inv, holds)
		}
	}
}

// claim assumes an invariant.
func (c *cut) claim(inv *Invariant, holds *term.Term) {
	c.claims = append(c.claims, &Inductive{Invariant: inv, Alive: true, Loop: c.fr.head(c.loop), Fact: len(c.run.rec.trace.Facts), head: holds})
	c.run.rec.Know(c.terms.Implies(c.run.guards.Term(c.start.guard), holds))
}

// duties notes what must be shown: that threads that meet are in the same rounds, and the claims.
func (c *cut) duties() {
	b := c.terms
	if c.known.meets {
		c.run.rec.Append(c.convoy.meeting())
	} else if p := c.convoy.parting(); p != nil {
		c.run.rec.Append(p)
	}
	c.remember()
	for _, claim := range c.claims {
		first := c.duty(claim, c.before, b.Const(0, 64))
		first.Facts, first.Claims, first.Reads = c.begun.mark.known.Facts, c.begun.mark.known.Claims, c.begun.mark.known.Reads
		claim.Entry = *first
		claim.Step = Check{Point: first.Point, What: first.What, Holds: b.Bool(true)}
		if c.after != nil {
			claim.Step = *c.duty(claim, c.after, b.Add(c.round, b.Const(1, 64)))
		}
		if claim.Family == "" {
			claim.Entry.What += " where the loop begins"
			claim.Step.What += " after a round"
			c.run.rec.Append(&claim.Entry)
			c.run.rec.Append(&claim.Step)
		}
		c.run.rec.Append(claim)
	}
}

// duty is that a claim holds in a state.
func (c *cut) duty(claim *Inductive, s *state, round *term.Term) *Check {
	c.run.at = claim.Loop
	holds := claim.Holds(c.stateHead(s, round))
	if holds == nil {
		holds = c.terms.Bool(false)
	}
	return &Check{Point: c.run.point(s, c.terms.Bool(true)), What: claim.Name, Holds: holds}
}

// stated takes what an annotation says where a round of a loop that is cut begins for an invariant of the
// loop; false if the thread is at no such place.
func (m *loops) stated(s *state, inv *Invariant, holds *term.Term) bool {
	if len(m.cutting) == 0 {
		return false
	}
	c := m.cutting[len(m.cutting)-1]
	if c.fr.f != m.run.calls.frame().f || s.guard != c.start.guard || m.aboutOther(holds) {
		return false
	}
	inv.Holds = func(h *Head) *term.Term { return c.elsewhere(holds, h) }
	c.claim(inv, holds)
	return true
}

// elsewhere is what a term of the head of any round is at another: what has been read since is something else there.
func (c *cut) elsewhere(t *term.Term, h *Head) *term.Term {
	b := c.terms
	now := map[*term.Term]*term.Term{Variable(c.round): b.Extract(h.Round, 0, Variable(c.round).Width())}
	for i, v := range c.slots.vars {
		if x := h.Now(c.slots.slot(i)); x != nil {
			now[v] = b.Sub(x, c.slots.based(i, b.Const(0, v.Width())))
		}
	}
	return b.Rename(func(v *term.Term) *term.Term {
		switch {
		case now[v] != nil:
		case v.ID() >= c.begun.oldest && c.run.rec.trace.Private[v]:
			now[v] = c.run.fresh(v.Name(), v.Width())
		default:
			now[v] = v
		}
		return now[v]
	}).Term(t)
}

// aboutOther reports that a term says something of the other thread.
func (m *loops) aboutOther(t *term.Term) bool {
	return term.Mentions(t, func(v *term.Term) bool { return m.run.rec.trace.Others[v] != nil })
}
