package ask

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// inductionBudget bounds the conflicts for all questions of an execution about guesses that are to
// be proved by k-induction.
const inductionBudget = 5_000

// Settle finds the true guesses about loops: the largest set that holds where the loops begin, and
// after an iteration if the whole set held before it (Houdini: Flanagan and Leino, "Houdini, an
// annotation assistant for ESC/Java", FME 2001). A guess that is dropped is no fact any more, and
// other guesses may have been proved from it. So all are asked about again until none is dropped.
func (a *Asker) Settle() {
	if a.settled {
		return
	}
	a.settled = true
	h := houdini{a}
	for before := -1; h.alive() != before && !a.Config.Stop(); {
		before = h.alive()
		for _, group := range h.guessed() {
			h.drop(group, func(c *trace.Inductive) *trace.Check { return &c.Entry })
			h.drop(group, func(c *trace.Inductive) *trace.Check { return &c.Step })
		}
	}
	a.found.Tally.Invariants += h.alive()
}

// houdini drops guesses.
type houdini struct{ a *Asker }

// alive returns the number of guesses that are left.
func (h houdini) alive() (n int) {
	for _, group := range h.guessed() {
		n += len(group)
	}
	return n
}

// guessed returns the guesses that are left, those about one execution of a loop together.
func (h houdini) guessed() (groups [][]*trace.Inductive) {
	last := -1
	for _, c := range h.a.trace.Inductive {
		switch {
		case c.Family == "" || !c.Alive:
		case c.Entry.Facts == last:
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
		default:
			groups, last = append(groups, []*trace.Inductive{c}), c.Entry.Facts
		}
	}
	return groups
}

// drop drops the guesses of a group whose duty need not hold.
func (h houdini) drop(group []*trace.Inductive, duty func(*trace.Inductive) *trace.Check) {
	for {
		group = slices.DeleteFunc(slices.Clone(group), func(c *trace.Inductive) bool { return !c.Alive || duty(c).Holds.True() })
		if len(group) == 0 {
			return
		}
		if h.exhausted() {
			for _, c := range group {
				h.giveUp(c)
			}
			return
		}
		fails := h.a.prover.Bool(false)
		for _, c := range group {
			fails = h.a.prover.Or(fails, h.a.prover.Not(duty(c).Holds))
		}
		switch model, result := h.a.PossibleAt(&duty(group[0]).Point, fails); result {
		case sat.Unsat:
			return
		case sat.Sat:
			for _, c := range group {
				if model.Eval(duty(c).Holds) == 0 {
					h.giveUp(c)
				}
			}
		default:
			h.each(group, duty)
			return
		}
	}
}

// each drops the guesses whose duty is not proved, one by one: each may be easy to prove where all
// together are not.
func (h houdini) each(group []*trace.Inductive, duty func(*trace.Inductive) *trace.Check) {
	for _, c := range group {
		d := duty(c)
		if !h.exhausted() {
			if h.a.Never(&d.Point, h.a.prover.Not(d.Holds)) {
				continue
			}
		}
		h.giveUp(c)
	}
}

// exhausted reports whether k-induction has taken as much as it may: questions about several
// iterations are large.
func (h houdini) exhausted() bool {
	return h.a.Config.Loops.Depth > 0 && h.a.Conflicts() > inductionBudget
}

// giveUp drops a claim.
func (h houdini) giveUp(c *trace.Inductive) {
	h.a.trace.Drop(c, h.a.prover.Bool(true))
}
