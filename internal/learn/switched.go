package learn

import (
	"context"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/prove/sat"
)

// Switched is a structure of which it is asked again and again whether a state can be had, with
// other checks switched off each time. The clauses are made once, and what is learnt from one question
// serves the next.
type Switched struct {
	question
	wanted sat.Lit
	others map[string]sat.Lit // by state: the end is another
}

// NewSwitched makes the clauses of a structure. The query's checks that are off are of no matter.
func NewSwitched(p *bounds.Program, s *event.Structure, q *Query) *Switched {
	w, none := &Switched{others: map[string]sat.Lit{}}, map[int]bool{}
	for i := range p.Plan.Checks {
		none[i] = true
	}
	e := encode(p, single(s), none) // values out of thin air are ruled out by no check for good
	e.on = make([]sat.Lit, len(p.Plan.Checks))
	w.question = question{Engine: New(p, q), ends: &ends{encoding: e, observe: q.Observe, of: make([]*domain, len(q.Observe))}}
	if e.beyond {
		return w
	}
	w.wanted = w.both(q.Keep.lit(w.ends), q.Asks.lit(w.ends))
	for i := range q.Observe {
		if !e.beyond {
			w.value(i)
		}
	}
	if !e.beyond {
		w.model()
	}
	return w
}

// Impossible reports that no candidate which passes all checks but some ends in a state that is asked
// for and is none of those that are known. If it is not known, it may.
func (w *Switched) Impossible(ctx context.Context, off []int, known map[string][]event.Value) bool {
	if w.encoding.beyond {
		return false
	}
	w.ctx, w.err = ctx, nil
	var held []sat.Lit
	without := map[int]bool{}
	for _, c := range off {
		without[c] = true
	}
	for i, l := range w.on {
		if !without[i] {
			held = append(held, l)
		}
	}
	w.encoding.off = without
	_, ruledOut := w.circular()
	if !ruledOut && w.canAt(append(held, w.air)...) {
		return false
	}
	for key, values := range known {
		if w.others[key] == 0 {
			w.others[key] = w.other(values)
		}
		held = append(held, w.others[key])
	}
	return !w.can(append(held, w.wanted)...) && w.err == nil
}

// other is a literal that implies that the state is another.
func (w *Switched) other(values []event.Value) sat.Lit {
	when := w.NewVar()
	lits := []sat.Lit{when.Not()}
	for i, v := range values {
		lits = append(lits, w.value(i).has(w.circuit, v).Not())
	}
	w.Add(lits...)
	return when
}
