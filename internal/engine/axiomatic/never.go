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

// Threads that meet at barriers compute in rounds: what a round writes is read in the next, and the model forbids to read anything older or
// newer. Values that flow from every write to every read at its location, as if it were allowed, are as many as there are ways to mix rounds.

// mostValuesEach is of how many values per access it does not pay yet to find out which of them nobody can read; an access with more is not calm. Whoever wants
// to know nevertheless takes more than fewValues for many.
const (
	mostValuesEach = 16
	fewValues      = 2
)

// manyValues is of how many values an access is not calm.
func manyValues(siftAfter int) int {
	if siftAfter < 0 {
		return fewValues
	}
	return mostValuesEach
}

// mixed reports that accesses have so many values, more than so many each, that they may be those of mixed rounds: of threads that meet, or so many
// that there is no other way.
func (v *values) mixed(siftAfter int) bool {
	n, accesses := 0, 0
	for e := range v.val {
		if v.s.Events[e].IsMem() {
			n, accesses = n+len(v.val[e].values), accesses+1
		}
	}
	return v.beyond || (siftAfter < 0 || v.atBarriers()) && n > cmp.Or(siftAfter, mostValuesEach)*accesses
}

// atBarriers reports that threads meet at barriers.
func (v *values) atBarriers() bool {
	return slices.ContainsFunc(v.s.Events, func(ev event.Event) bool { return ev.Kind == event.Barrier })
}

// sifted is values without those that come from what is never read. find finds them, less what is known not to be read.
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

// mostFollowing is how many literals may follow from reads, all in all, until no more is found out about others, and mostInCases until no more cases are.
const (
	mostFollowing = 10_000_000
	mostInCases   = 3_000_000
)

// neverRead relates reads to writes from which they read in no execution, whatever the values are that are not calm, and wherever accesses are whose addresses
// are computed from values: reading from one contradicts the clauses of the model, without a search. It is nil if there are none.
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

// onlyPlaces says what reads may read from, and nothing of values.
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

// calmAccesses is those whose values are few, and depend on no others: flags that say how far a thread has come, whatever it computes. It is empty if an address is
// computed, or a computation may have no meaning, so that perhaps nothing is read.
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

// numeric reports that all that a path asks for, and all that it leaves in registers, has a meaning.
func (p *path) numeric() bool {
	for _, x := range p.of.Finals {
		if !event.Numeric(x) {
			return false
		}
	}
	return !slices.ContainsFunc(p.conds, func(c event.Cond) bool { return !event.Numeric(c.X) })
}

// depends reports that the value of an access depends on one that is not calm.
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

// calmValues says what reads may read from, and all of the values that are calm.
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
	v.Add(v.loose.Not()) // all has a meaning
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

// isCalm reports that all is known of the values of an access.
func (v *values) isCalm(e event.ID) bool { return v.calm.N() == 0 || v.calm.Has(e) }

// followCalm says what a path asks of calm values, if it is taken.
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

// mostCases is of how many writes that a read may read from it is found out what all have in common.
const mostCases = 16

// byCases finds what follows whichever write a calm read reads from, and says so: a thread that waits for a flag to be one at least may see it be two, which is written
// later. It returns false if nothing was added.
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

// inCommon is what follows from each of some literals.
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

// findPlace computes the address of an access from what reads can return by now. It returns false if nothing was added.
func (v *values) findPlace(a event.ID) (more bool) {
	v.each(v.s.own[a], v.s.Events[a].Addr, func(x event.Value, err error, _ []sat.Lit) {
		if l, failure := event.Resolve(v.s.Locs, x); err == nil && failure == nil {
			more = v.at[a].note(event.Int(int64(l))) || more
		}
	})
	return more
}
