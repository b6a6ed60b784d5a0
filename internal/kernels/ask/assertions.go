package ask

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Assertions about earlier accesses of the thread hold if they hold for any one of them, and for
// none: so the question is about one arbitrary access to each array (Betts et al., "GPUVerify",
// OOPSLA 2012, Sec. 3.2).

// assertions asks about the assertions of a trace.
type assertions struct{ a *Asker }

// maxChoices bounds the combinations of accesses to different arrays.
const maxChoices = 2000

// tracked identifies the accesses that one arbitrary access stands for: those of a kind to an
// array.
type tracked struct {
	region *trace.Region
	kind   trace.Kind
}

// choices returns the ways to say what the variables in a term stand for that are about earlier
// accesses, as conditions.
func (s assertions) choices(t *term.Term) (all [][]*term.Term, ok bool) {
	all = [][]*term.Term{nil}
	vars := map[tracked][]*term.Term{}
	var order []tracked
	term.Mentions(t, func(v *term.Term) bool {
		if e, ok := s.a.trace.Earlier[v]; ok {
			of := tracked{e.Region, e.Kind}
			if vars[of] == nil {
				order = append(order, of)
			}
			vars[of] = append(vars[of], v)
		}
		return false
	})
	for _, of := range order {
		var next [][]*term.Term
		for _, before := range all {
			for _, chosen := range s.chosen(of, vars[of]) {
				next = append(next, append(before[:len(before):len(before)], chosen...))
			}
		}
		if all = next; len(all) > maxChoices {
			return nil, false
		}
	}
	return all, true
}

// chosen returns what variables stand for if one of the accesses is looked at, or none.
func (s assertions) chosen(of tracked, vars []*term.Term) (all [][]*term.Term) {
	var none []*term.Term
	for _, v := range vars {
		if !s.a.trace.Earlier[v].Offset {
			none = append(none, s.a.prover.Not(v))
		}
	}
	all = append(all, none)
	for i, x := range s.a.trace.Accesses {
		if x.Region != of.region || x.Kind != of.kind {
			continue
		}
		var says []*term.Term
		before := false
		for _, v := range vars {
			e := s.a.trace.Earlier[v]
			switch {
			case e.Offset:
				says = append(says, s.a.prover.Eq(v, s.a.prover.Extract(x.Offset, 0, v.Width())))
			case i < e.Until:
				before = true
				says = append(says, s.a.prover.Eq(v, s.a.prover.And(x.Guard, s.a.prover.Eq(x.Epoch[trace.Block], e.Epoch))))
			default:
				says = append(says, s.a.prover.Not(v))
			}
		}
		if before {
			all = append(all, says)
		}
	}
	return all
}

// ask asks whether assertions can fail.
func (s assertions) ask() {
	for i, c := range s.a.trace.Checks {
		if s.a.Ended() {
			return
		}
		s.checkChoices(fmt.Sprintf("check-%d", i), c)
	}
}

// checkChoices asks whether an assertion can fail, for each choice of earlier accesses.
func (s assertions) checkChoices(name string, c *trace.Check) {
	all, ok := s.choices(s.a.prover.And(c.Guard, s.a.prover.Not(c.Holds)))
	if !ok {
		s.a.Open(&c.Point, "", "an assertion about more than %d combinations of earlier accesses", maxChoices)
		return
	}
	for i, says := range all {
		if s.a.Ended() {
			return
		}
		more := append([]*term.Term{s.a.prover.Not(c.Holds)}, says...)
		if len(all) > 1 {
			name = fmt.Sprintf("%s-%d", name, i)
		}
		s.checkFor(name, c, more)
	}
}

// checkFor asks whether an assertion can fail where more holds, too.
func (s assertions) checkFor(name string, c *trace.Check, more []*term.Term) {
	if !slices.ContainsFunc(append(more, c.Guard), s.aboutOther) {
		s.a.Ask(&Question{Name: name, Kind: Assertion, What: c.What, Contract: c.Hook, First: &c.Point, More: more})
		return
	}
	for _, other := range s.a.Others(c.With != trace.SameBlock) {
		if c.With == trace.OtherBlock && !other.OtherBlock {
			continue
		}
		together := more[:len(more):len(more)]
		for _, i := range c.Rounds {
			together = append(together, s.a.prover.Eq(i, other.Term(i)))
		}
		s.a.Ask(&Question{
			Name: name + other.Suffix(), Kind: Assertion, What: c.What, Contract: c.Hook, Thread: other, First: &c.Point, More: together,
		})
	}
}

// aboutOther reports whether a term says something about the other thread.
func (s assertions) aboutOther(t *term.Term) bool {
	return term.Mentions(t, func(v *term.Term) bool { return s.a.trace.Others[v] != nil })
}
