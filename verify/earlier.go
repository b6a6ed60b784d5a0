package verify

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Assertions about accesses that the thread has made before hold if they hold for any of them, and for none:
// one access to each array is looked at, whichever it is (Betts et al., "GPUVerify", OOPSLA 2012,
// Sec. 3.2).

// maxChoices bounds the combinations of accesses to different arrays.
const maxChoices = 2000

// tracked is what one access is chosen for: those of a kind to an array.
type tracked struct {
	region *symbolic.Region
	kind   symbolic.Kind
}

// choices are the ways to say what the variables in a term stand for that are about earlier accesses, as
// conditions.
func (q *questions) choices(t *term.Term) (all [][]*term.Term, ok bool) {
	all = [][]*term.Term{nil}
	vars := map[tracked][]*term.Term{}
	var order []tracked
	mentions(t, func(v *term.Term) bool {
		if e, ok := q.trace.Earlier[v]; ok {
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
			for _, chosen := range q.chosen(of, vars[of]) {
				next = append(next, append(before[:len(before):len(before)], chosen...))
			}
		}
		if all = next; len(all) > maxChoices {
			return nil, false
		}
	}
	return all, true
}

// chosen says what variables stand for if one of the accesses is looked at, or none.
func (q *questions) chosen(of tracked, vars []*term.Term) (all [][]*term.Term) {
	var none []*term.Term
	for _, v := range vars {
		if !q.trace.Earlier[v].Offset {
			none = append(none, q.Not(v))
		}
	}
	all = append(all, none)
	for i, a := range q.trace.Accesses {
		if a.Region != of.region || a.Kind != of.kind {
			continue
		}
		var says []*term.Term
		before := false
		for _, v := range vars {
			e := q.trace.Earlier[v]
			switch {
			case e.Offset:
				says = append(says, q.Eq(v, q.Extract(a.Offset, 0, v.Width())))
			case i < e.Until:
				before = true
				says = append(says, q.Eq(v, q.And(a.Guard, q.Eq(a.Epoch[symbolic.Block], e.Epoch))))
			default:
				says = append(says, q.Not(v))
			}
		}
		if before {
			all = append(all, says)
		}
	}
	return all
}

// checkChoices asks whether an assertion can fail, for each choice of earlier accesses.
func (q *questions) checkChoices(name string, c *symbolic.Check) {
	all, ok := q.choices(q.And(c.Guard, q.Not(c.Holds)))
	if !ok {
		q.open(&c.Point, "", "an assertion about more than %d combinations of earlier accesses", maxChoices)
		return
	}
	for i, says := range all {
		if q.ended() {
			return
		}
		more := append([]*term.Term{q.Not(c.Holds)}, says...)
		if len(all) > 1 {
			name = fmt.Sprintf("%s-%d", name, i)
		}
		q.checkFor(name, c, more)
	}
}
