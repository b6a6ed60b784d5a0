package interleaving

import (
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
)

// reached is which pairs the result of an operation can have in an interleaving, and which of these
// need not lead forward.
func (a *analysis) reached(s *plan.Step, v, x, y *value) (may, loose rel.Rel) {
	switch s.Op {
	case relop.Union:
		return x.may.Union(y.may), x.loose.Union(y.loose)
	case relop.Inter:
		return x.may.Inter(y.may), x.loose.Inter(y.loose)
	case relop.Diff:
		return x.may.Diff(y.Lo), x.loose
	case relop.Identity:
		return x.may, x.loose
	case relop.From:
		return x.may.Restrict(y.may.Domain(), rel.Universe(a.N)), x.loose
	case relop.To:
		return x.may.Restrict(rel.Universe(a.N), y.may.Domain()), x.loose
	case relop.Domain:
		return rel.Identity(x.may.Domain()), a.none
	case relop.Range:
		return rel.Identity(x.may.Range()), a.none
	case relop.Seq:
		if a.isFromRead(s) { // what overwrites what a read has read comes later
			return v.Hi, a.none
		}
		return a.seq(x, y)
	case relop.Plus:
		return a.plus(x)
	}
	return v.Hi, v.Hi
}

// seq composes. Two pairs that lead forward do not lead back to where the first began, nor are they
// between the two accesses of an atomic.
func (a *analysis) seq(x, y *value) (may, loose rel.Rel) {
	forward, further := x.may.Diff(x.loose), y.may.Diff(y.loose)
	may = forward.Compose(further)
	stays := func(r rel.Rel, e int) bool { return r.Has(e, e) }
	for e := range a.N {
		if !stays(forward, e) || !stays(further, e) {
			may.Remove(e, e)
		}
		w := a.rmw[e]
		if w >= 0 && !(stays(forward, e) && further.Has(e, w)) && !(forward.Has(e, w) && stays(further, w)) {
			may.Remove(e, w)
		}
	}
	loose = x.loose.Compose(y.may).Union(x.may.Compose(y.loose))
	return may.Union(loose), loose
}

// plus closes.
func (a *analysis) plus(x *value) (may, loose rel.Rel) {
	forward := x.may.Diff(x.loose)
	may = forward.Plus()
	for e := range a.N {
		if !forward.Has(e, e) {
			may.Remove(e, e)
		}
		if w := a.rmw[e]; w >= 0 && !forward.Has(e, w) {
			may.Remove(e, w)
		}
	}
	if !x.loose.Empty() {
		around := x.may.Star()
		loose = around.Compose(x.loose).Compose(around)
		return may.Union(loose), loose
	}
	return may, a.none
}
