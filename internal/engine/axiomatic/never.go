package axiomatic

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// Threads that meet at barriers compute in rounds: a round reads what the previous one wrote, and
// the model forbids reads of older or newer writes. Substitution lets values flow from every write
// to every read at its location, and so counts values of all mixtures of rounds. This file removes
// reads-from pairs that contradict the model before values are computed.

// mostValuesEach is the number of values per access up to which it does not pay to look for
// reads-from pairs to remove. An access with more values is not calm. If the query forces the
// search (SiftAfter < 0), fewValues takes its place.
const (
	mostValuesEach = 16
	fewValues      = 2
)

// manyValues returns the number of values up to which an access may be calm.
func manyValues(siftAfter int) int {
	if siftAfter < 0 {
		return fewValues
	}
	return mostValuesEach
}

// mixed reports whether the average number of values per access is so large that rounds may be
// mixed. It also reports true if the structure is beyond this package.
func (v *values) mixed(siftAfter int) bool {
	n, accesses := 0, 0
	for e := range v.val {
		if v.s.Events[e].IsMem() {
			n, accesses = n+len(v.val[e].values), accesses+1
		}
	}
	return v.beyond || (siftAfter < 0 || v.atBarriers()) && n > cmp.Or(siftAfter, mostValuesEach)*accesses
}

// atBarriers reports whether the program has barriers.
func (v *values) atBarriers() bool {
	return slices.ContainsFunc(v.s.Events, func(ev event.Event) bool { return ev.Kind == event.Barrier })
}

// sifted returns the values without those that flow along reads-from pairs that the model rules
// out. find computes values without given pairs.
func (v *values) sifted(p *plan.Plan, guards plan.Guards, siftAfter int, find func(never *rel.Rel) *values) *values {
	if v.mixed(siftAfter) && (v.atBarriers() || siftAfter < 0) {
		if never := neverRead(v.budget, p, v.s, rel.NewSet(v.N), guards); never != nil {
			v = find(never)
		}
	}
	if v.mixed(siftAfter) {
		if calm := v.calmAccesses(manyValues(siftAfter)); !calm.Empty() {
			if never := neverRead(v.budget, p, v.s, calm, guards); never != nil {
				v = find(never)
			}
		}
	}
	return v
}

// mostFollowing bounds the literals that the probes of single reads derive in total, and
// mostInCases those of byCases.
const (
	mostFollowing = 10_000_000
	mostInCases   = 3_000_000
)

// neverRead returns pairs of a read and a write that no execution has in reads-from, whatever the
// values of accesses that are not calm, and wherever accesses with computed addresses are. For each
// pair, assuming it contradicts the model's clauses by unit propagation. It returns nil if it finds
// no pair.
func neverRead(b *engine.Budget, p *plan.Plan, u *union, calm rel.Set, guards plan.Guards) *rel.Rel {
	e := &encoding{values: newCircuit(b, p, u).newValues(), guards: guards}
	e.Input = e.bindInput
	if e.calm = calm; calm.Empty() {
		e.onlyPlaces()
	} else if e.calmValues(); e.beyond {
		return nil
	}
	e.rules()
	e.drain()
	if e.beyond || e.over() {
		return nil
	}
	left := mostInCases
	for !calm.Empty() && e.byCases(&left) {
	}
	left = mostFollowing
	never := rel.New(e.N)
	e.Probe(func(p sat.Probe) {
		for _, r := range e.reads {
			for w, l := range e.rf[r] {
				if l == 0 || left < 0 || e.over() {
					continue
				}
				if !p.Assume(l) {
					never.Add(r, w)
				}
				left -= p.Size()
				p.DropAll()
			}
		}
	})
	if never.Empty() {
		return nil
	}
	return &never
}

// onlyPlaces makes the clauses of locations and reads-from, without values.
func (v *values) onlyPlaces() {
	anywhere := rel.NewSet(v.N)
	for a := range v.s.Events {
		switch ev := &v.s.Events[a]; {
		case !ev.IsMem():
		case v.sure(a, ev.Addr):
			v.findPlace(a)
		default:
			anywhere.Add(a)
		}
	}
	v.stray(anywhere)
	v.loose, v.tight = v.NewVar(), v.NewVar()
	for a := range v.s.Events {
		if ev := &v.s.Events[a]; ev.IsMem() {
			v.literals(&v.at[a], a, v.sure(a, ev.Addr))
		}
	}
	for _, r := range v.reads {
		v.sources(r)
	}
}

// calmAccesses returns the accesses with few values that depend on calm accesses only, such as
// flags that show the progress of a thread. It returns the empty set if an address is computed or a
// computation may have no meaning, because then a read may have no source.
func (v *values) calmAccesses(many int) rel.Set {
	calm := rel.NewSet(v.N)
	for e := range v.s.Events {
		switch ev := &v.s.Events[e]; {
		case !ev.IsMem():
		case !v.sure(e, ev.Addr) || ev.Kind == event.Write && !event.Numeric(ev.Data):
			return rel.NewSet(v.N)
		case len(v.val[e].values) <= many:
			calm.Add(e)
		}
	}
	for _, paths := range v.s.paths {
		for i := range paths {
			if !paths[i].numeric() {
				return rel.NewSet(v.N)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for e := range calm.All() {
			if v.depends(e, calm) {
				calm.Remove(e)
				changed = true
			}
		}
	}
	return calm
}

// numeric reports whether all conditions of a path and its final registers have a meaning.
func (p *path) numeric() bool {
	for _, x := range p.of.Finals {
		if !event.Numeric(x) {
			return false
		}
	}
	return !slices.ContainsFunc(p.conds, func(c event.Cond) bool { return !event.Numeric(c.X) })
}

// depends reports whether the value of an access depends on one that is not calm.
func (v *values) depends(e event.ID, calm rel.Set) bool {
	if v.s.Events[e].Kind == event.Write {
		return slices.ContainsFunc(v.needs(v.s.own[e], v.s.Events[e].Data), func(r event.ID) bool { return !calm.Has(r) })
	}
	for w := range v.s.Events {
		if v.maySee(e, w) && !calm.Has(w) {
			return true
		}
	}
	return false
}

// calmValues makes the clauses of reads-from and of the values of calm accesses.
func (v *values) calmValues() {
	v.wanted()
	v.computeAll()
	for range v.hops() {
		if !v.hop() || v.beyond {
			break
		}
	}
	if v.beyond {
		return
	}
	v.loose, v.tight = v.NewVar(), v.NewVar()
	v.Add(v.loose.Not()) // all computations have a meaning
	for e := range v.s.Events {
		if ev := &v.s.Events[e]; ev.IsMem() {
			v.literals(&v.at[e], e, true)
			if v.isCalm(e) {
				v.literals(&v.val[e], e, ev.Kind == event.Write && v.sure(e, ev.Data))
			}
		}
	}
	for _, r := range v.reads {
		v.sources(r)
	}
	for e := range v.s.Events {
		if v.s.Events[e].IsMem() && v.isCalm(e) {
			v.compute(e)
		}
	}
	for t, paths := range v.s.paths {
		for i := range paths {
			v.followCalm(&paths[i], v.present.taken[t][i])
		}
	}
}

// isCalm reports whether the values of an access are all known.
func (v *values) isCalm(e event.ID) bool { return v.calm.N() == 0 || v.calm.Has(e) }

// followCalm adds the conditions of a path on calm values, under the literal that the path is
// taken.
func (v *values) followCalm(p *path, taken sat.Lit) {
	for _, c := range p.conds {
		if slices.ContainsFunc(v.needs(p.events, c.X), func(r event.ID) bool { return !v.isCalm(r) }) {
			continue
		}
		v.each(p.events, c.X, func(x event.Value, _ error, lits []sat.Lit) {
			if x.True() != c.Want {
				v.unless(taken.Not(), lits...)
			}
		})
	}
}

// mostCases bounds the sources of a read for byCases.
const mostCases = 16

// byCases finds literals that follow from every source of a calm read, and adds them as clauses.
// For example, a thread that waits for a flag ≥ 1 may read 2, whose write comes later than that of
// 1. It returns false if it added nothing.
func (e *encoding) byCases(left *int) (more bool) {
	type fact struct{ here, follows sat.Lit }
	var found []fact
	e.Probe(func(p sat.Probe) {
		for _, r := range e.reads {
			here := e.present.here[r]
			if !e.isCalm(r) || *left < 0 || e.over() || !p.Assume(here) {
				p.DropAll()
				continue
			}
			var cases []sat.Lit
			for _, l := range e.rf[r] {
				if l != 0 && !p.Holds(l.Not()) {
					cases = append(cases, l)
				}
			}
			if len(cases) > 1 && len(cases) <= mostCases {
				for _, l := range inCommon(p, cases, left) {
					found = append(found, fact{here, l})
				}
			}
			p.DropAll()
		}
	})
	for _, f := range found {
		e.Add(f.here.Not(), f.follows)
	}
	return len(found) > 0
}

// inCommon returns the literals that follow from each of the cases.
func inCommon(p sat.Probe, cases []sat.Lit, left *int) (common []sat.Lit) {
	first := true
	for _, l := range cases {
		if *left -= p.Size(); p.Assume(l) {
			if first {
				common = slices.Clone(p.Follows())
			}
			first = false
			common = slices.DeleteFunc(common, func(f sat.Lit) bool { return !p.Holds(f) })
		}
		p.Drop()
	}
	return common
}

// findPlace computes the address of an access from the values that reads have so far. It returns
// false if it added no location.
func (v *values) findPlace(a event.ID) (more bool) {
	v.each(v.s.own[a], v.s.Events[a].Addr, func(x event.Value, err error, _ []sat.Lit) {
		if l, failure := event.Resolve(v.s.Locs, x); err == nil && failure == nil {
			more = v.at[a].note(event.Int(int64(l))) || more
		}
	})
	return more
}
