package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// stateHead returns the head with what a state knows.
func (c *cut) stateHead(s *state, round *term.Term) *trace.Head {
	of := func(s *state) func(trace.Slot) *term.Term {
		return func(at trace.Slot) *term.Term {
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
	return &trace.Head{Builder: c.terms, Shape: &c.run.rec.Trace.Shape, Now: of(s), First: of(c.before), Round: round, Passed: s.barriers()}
}

// begin assumes the claims about the head.
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
func (c *cut) claim(inv *trace.Invariant, holds *term.Term) {
	c.claims = append(c.claims, &trace.Inductive{Invariant: inv, Alive: true, Loop: c.fr.head(c.loop), Fact: len(c.run.rec.Trace.Facts), Head: holds})
	c.run.rec.Know(c.terms.Implies(c.run.guards.Term(c.start.guard), holds))
}

// duties records the proof obligations: that threads that meet are in the same iterations, and the
// claims.
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
		first.Facts, first.Claims, first.Reads = c.begun.mark.Known.Facts, c.begun.mark.Known.Claims, c.begun.mark.Known.Reads
		claim.Entry = *first
		claim.Step = trace.Check{Point: first.Point, What: first.What, Holds: b.Bool(true)}
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

// duty returns the condition that a claim holds in a state.
func (c *cut) duty(claim *trace.Inductive, s *state, round *term.Term) *trace.Check {
	c.run.at = claim.Loop
	holds := claim.Holds(c.stateHead(s, round))
	if holds == nil {
		holds = c.terms.Bool(false)
	}
	return &trace.Check{Point: c.run.point(s, c.terms.Bool(true)), What: claim.Name, Holds: holds}
}

// stated makes an annotation at the begin of an iteration of a cut loop an invariant of the loop.
// It returns false if the thread is not at such a place.
func (m *loops) stated(s *state, inv *trace.Invariant, holds *term.Term) bool {
	if len(m.cutting) == 0 {
		return false
	}
	c := m.cutting[len(m.cutting)-1]
	if c.fr.f != m.run.calls.frame().f || s.guard != c.start.guard || m.aboutOther(holds) {
		return false
	}
	inv.Holds = func(h *trace.Head) *term.Term { return c.elsewhere(holds, h) }
	c.claim(inv, holds)
	return true
}

// elsewhere returns what a term of the head of any round is at another: what has been read since is
// something else there.
func (c *cut) elsewhere(t *term.Term, h *trace.Head) *term.Term {
	b := c.terms
	now := map[*term.Term]*term.Term{trace.Variable(c.round): b.Extract(h.Round, 0, trace.Variable(c.round).Width())}
	for i, v := range c.slots.vars {
		if x := h.Now(c.slots.slot(i)); x != nil {
			now[v] = b.Sub(x, c.slots.based(i, b.Const(0, v.Width())))
		}
	}
	return b.Rename(func(v *term.Term) *term.Term {
		switch {
		case now[v] != nil:
		case v.ID() >= c.begun.oldest && c.run.rec.Trace.Private[v]:
			now[v] = c.run.fresh(v.Name(), v.Width())
		default:
			now[v] = v
		}
		return now[v]
	}).Term(t)
}

// aboutOther reports whether a term says something of the other thread.
func (m *loops) aboutOther(t *term.Term) bool {
	return term.Mentions(t, func(v *term.Term) bool { return m.run.rec.Trace.Others[v] != nil })
}
