package interleaving

import (
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
)

// basic is what an execution is made of.
type basic int

const (
	readsFrom basic = iota
	coherence
	fromRead
	between // from the read of an atomic to its write: another thread writes between them
	numBasic
)

// basics is, of each of them, pairs that a value has if it has them.
type basics [numBasic]rel.Rel

func (a *analysis) nothing() basics { return basics{a.none, a.none, a.none, a.none} }

// forced is which pairs the result of an operation has for sure if an execution has them as basics,
// whatever else it has.
func (a *analysis) forced(s *plan.Step, x, y *value) basics {
	all := a.nothing()
	has := func(v *value, b basic) rel.Rel { return v.by[b].Union(v.Lo) }
	for b := range numBasic {
		switch s.Op {
		case relop.Union:
			all[b] = x.by[b].Union(y.by[b])
		case relop.Inter:
			all[b] = has(x, b).Inter(has(y, b))
		case relop.Diff:
			all[b] = has(x, b).Diff(y.Hi)
		case relop.Plus, relop.Identity:
			all[b] = x.by[b]
		case relop.From:
			all[b] = x.by[b].Restrict(surely(y), rel.Universe(a.N))
		case relop.To:
			all[b] = x.by[b].Restrict(rel.Universe(a.N), surely(y))
		case relop.Seq:
			all[b] = y.by[b].Restrict(surely(x), rel.Universe(a.N)).Union(x.by[b].Restrict(rel.Universe(a.N), surely(y)))
		}
	}
	if s.Op == relop.Seq {
		if a.isFromRead(s) {
			all[fromRead] = a.Span(s.Dst).Hi
		}
		a.forceBetween(all[between], has(x, fromRead), has(y, coherence))
	}
	return all
}

// surely is the events that a value relates to themselves for sure.
func surely(v *value) rel.Set {
	return rel.SetOf(v.Lo.N(), func(e int) bool { return v.Lo.Has(e, e) })
}

// forceBetween adds the atomics whose write a composition leads to from their read, if a write of
// another thread is between.
func (a *analysis) forceBetween(to, over, under rel.Rel) {
	for r, w := range a.rmw {
		if w < 0 {
			continue
		}
		all := true
		for _, other := range a.writes {
			all = all && (a.Events[other].Thread == a.Events[r].Thread || over.Has(r, other) && under.Has(other, w))
		}
		if all {
			to.Add(r, w)
		}
	}
}

// chained reports that every consistent execution is an interleaving.
func (a *analysis) chained() bool {
	return a.rf >= 0 && a.ordered() && a.coherent() && a.atomic()
}

// ordered reports that coherence orders all writes of the location, the initial one first.
func (a *analysis) ordered() bool {
	for i := range a.Plan.Choices {
		c := &a.Plan.Choices[i]
		if c.Slot != a.co || c.Family != plan.Completions {
			continue
		}
		pairs, must := a.Span(c.Args[0]).Lo, a.Span(c.Args[1]).Lo.Plus()
		for i, w := range a.writes {
			if !must.Has(a.init, w) {
				return false
			}
			for _, v := range a.writes[:i] {
				if !pairs.Has(v, w) && !pairs.Has(w, v) && !must.Has(v, w) && !must.Has(w, v) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// coherent reports that a check rules out cycles of program order and communication between the
// accesses of the location.
func (a *analysis) coherent() bool {
	for i := range a.Plan.Checks {
		c := &a.Plan.Checks[i]
		if c.Test != plan.Acyclic || c.Negated {
			continue
		}
		v := a.known(c.X)
		must := v.Lo.Plus()
		sure := a.here(a.Po).SubsetOf(must)
		for b, can := range a.can() {
			sure = sure && can.SubsetOf(v.by[b].Union(must))
		}
		if sure {
			return true
		}
	}
	return false
}

// can is which pairs of accesses rf, co and fr can have.
func (a *analysis) can() [between]rel.Rel {
	rf, co := a.Span(a.rf).Hi, a.Span(a.co).Hi
	return [between]rel.Rel{readsFrom: a.here(rf), coherence: a.here(co), fromRead: a.here(rf.Inverse().Compose(co))}
}

// here is the pairs of a relation between accesses of the location.
func (a *analysis) here(r rel.Rel) rel.Rel {
	accesses := rel.NewSet(a.N, a.accesses...)
	return r.Restrict(accesses, accesses)
}

// atomic reports that checks rule out that another thread writes between the two accesses of an
// atomic.
func (a *analysis) atomic() bool {
	sure := rel.New(a.N)
	for i := range a.Plan.Checks {
		if c := &a.Plan.Checks[i]; c.Test == plan.IsEmpty && !c.Negated {
			sure = sure.Union(a.known(c.X).by[between])
		}
	}
	for r, w := range a.rmw {
		if w >= 0 && !sure.Has(r, w) {
			return false
		}
	}
	return true
}
