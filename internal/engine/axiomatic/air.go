package axiomatic

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// A value comes out of thin air if it depends on itself: around a ring of reads, of what is computed from them, and of writes from
// which they read. It may be one that is not known here, and what depends on it may be elsewhere than is known. Many models rule out
// all rings, by one check. Those of C11 do not, but may rule out all that a program could have: a ring of increments of a
// counter contradicts coherence; one of accesses that a lock guards would happen before itself.

// rings is what values could depend on themselves by.
type rings struct {
	pairs   rel.Rel // the dependencies that are part of a ring
	strayed rel.Set // accesses whose addresses depend on a ring: they may be at any place that the address can have at all
}

// rings finds what values could depend on themselves by. Which accesses may be elsewhere than is known depends on
// that, and the other way round: it begins with all that compute their addresses.
func (v *values) rings() rings {
	strayed := rel.NewSet(v.N)
	for a := range v.N {
		if ev := &v.s.Events[a]; ev.IsMem() && !v.sure(a, ev.Addr) {
			strayed.Add(a)
		}
	}
	for {
		all := v.dependencies(strayed)
		r := rings{onCycles(all), rel.NewSet(v.N)}
		if r.pairs.Empty() || strayed.Empty() {
			return r
		}
		reached := all.Star().Restrict(r.pairs.Domain(), rel.Universe(v.N)).Range()
		for a := range strayed.All() {
			if slices.ContainsFunc(v.needs(v.s.own[a], v.s.Events[a].Addr), reached.Has) {
				r.strayed.Add(a)
			}
		}
		if r.strayed.Equal(strayed) {
			return r
		}
		strayed = r.strayed
	}
}

// dependencies relates writes to reads that may read from them, and reads to the accesses that are
// computed from what they return.
func (v *values) dependencies(strayed rel.Set) rel.Rel {
	all := rel.New(v.N)
	for a := range v.N {
		ev := &v.s.Events[a]
		if !ev.IsMem() {
			continue
		}
		for _, r := range append(v.needs(v.s.own[a], ev.Addr), v.needs(v.s.own[a], ev.Data)...) {
			if r != a {
				all.Add(r, a)
			}
		}
		for w := range v.N {
			if ev.Kind == event.Read && v.mayBeRead(w, a, strayed) {
				all.Add(w, a)
			}
		}
	}
	return all
}

// mayBeRead reports that a read may read from a write, where some may be elsewhere than is known.
func (v *values) mayBeRead(w, r event.ID, strayed rel.Set) bool {
	if v.s.Events[w].Kind != event.Write || v.Compatible != nil && !v.Compatible.Has(r, w) || v.never != nil && v.never.Has(r, w) {
		return false
	}
	if !strayed.Has(w) && !strayed.Has(r) {
		return v.maySee(r, w)
	}
	there := v.places(w, strayed)
	return slices.ContainsFunc(v.places(r, strayed), func(x event.Value) bool {
		return slices.ContainsFunc(there, func(y event.Value) bool { return v.physical(x) == v.physical(y) })
	})
}

// places is the names of locations at which an access may be. An integer that is added to the address of an array leads
// to one of its elements, or has no meaning (event.Resolve).
func (v *values) places(a event.ID, strayed rel.Set) (names []event.Value) {
	if !strayed.Has(a) {
		return v.at[a].values
	}
	first, many := 0, len(v.s.Locs)
	if base, known := event.BaseOf(v.s.Events[a].Addr); known {
		first, many = base, max(1, v.s.Locs[base].Elems)
	}
	for l := range many {
		names = append(names, event.Int(int64(first+l)))
	}
	return names
}

// stray lets accesses be elsewhere than is known.
func (v *values) stray(which rel.Set) {
	v.strayed = which
	for a := range which.All() {
		for _, x := range v.places(a, which) {
			v.at[a].note(x)
		}
	}
}

func (v *values) isStrayed(a event.ID) bool { return !v.strayed.Empty() && v.strayed.Has(a) }

// thinAir makes the literal that some value depends on itself, unless the checks see to it that none does.
func (e *encoding) thinAir() {
	e.air = e.no
	switch r := e.rings(); {
	case e.airless(r):
	case r.strayed.Empty():
		e.air = e.anyRing(r.pairs)
	default:
		e.air = e.yes                      // of those, nothing is known here
		e.beyond = e.beyond || e.on == nil // else checks that are switched on may rule them out
	}
}

// anyRing is a literal that implies that there is a ring. The clauses of the model have been asked for.
func (e *encoding) anyRing(pairs rel.Rel) sat.Lit {
	if e.on == nil {
		pairs = pairs.Diff(e.incoherent(pairs))
	}
	return e.cyclic(pairs, e.dependsOn)
}

// step is a part of a ring: what reads from a write leads to the next access.
type step struct {
	write, read, next event.ID
}

// incoherent is the rings each of whose steps goes from a write to one that comes after it in coherence, if it is read: there is no such ring,
// whatever else there is. A solver that knows clauses alone would try all orders of the increments of a counter.
func (e *encoding) incoherent(pairs rel.Rel) rel.Rel {
	ahead, other := e.coherence().ahead, rel.New(e.N)
	if e.coherence().graph == nil {
		return other // it may have cycles
	}
	var steps []step
	for w, r := range pairs.Pairs() {
		if e.s.Events[w].Kind != event.Write {
			continue
		}
		for next := range pairs.Row(r).All() {
			steps = append(steps, step{w, r, next})
		}
	}
	e.drain()
	e.Probe(func(p sat.Probe) {
		for i, s := range steps {
			if i%askEvery == 0 && e.over() {
				return
			}
			forward := ahead[s.write][s.next]
			if p.Assume(e.readsFrom(s.read, s.write)) && p.Assume(e.present.here[s.next]) && (forward == 0 || !p.Holds(forward)) {
				other.Add(s.write, s.read)
				other.Add(s.read, s.next)
			}
			p.DropAll()
		}
	})
	together := pairs.Star()
	together = together.Inter(together.Inverse())
	elsewhere := together.Compose(other).Domain() // what is on a ring with such a step
	return pairs.Restrict(elsewhere.Complement(), rel.Universe(e.N))
}

// dependsOn is the literal that a value depends on another: of a pair of dependencies.
func (e *encoding) dependsOn(a, b event.ID) sat.Lit {
	if e.s.Events[a].Kind == event.Write {
		return e.readsFrom(b, a)
	}
	return e.yes
}

// airless reports that the checks that are not off rule out rings: one of them all, or where addresses depend on them all together.
func (e *encoding) airless(r rings) bool {
	if r.pairs.Empty() {
		return true
	}
	some := false
	for i := range e.Plan.Checks {
		c := &e.Plan.Checks[i]
		if e.guards.Of(i) != plan.Required {
			continue
		}
		if some = true; c.Test == plan.Acyclic && !c.Negated && e.covers(c.X, r.pairs) {
			return true
		}
	}
	if !some || r.strayed.Empty() {
		return false // thinAir asks
	}
	key := fmt.Sprint(e.guards)
	if _, known := e.grounded[key]; !known {
		if e.grounded == nil {
			e.grounded = map[string]bool{}
		}
		e.grounded[key] = e.areRuledOut(r)
	}
	return e.grounded[key]
}

// mostAirConflicts is how many conflicts a search for rings may meet.
const mostAirConflicts = 20_000

// areRuledOut asks whether the checks that are not off rule out rings, if what depends on one may be anywhere.
func (e *encoding) areRuledOut(r rings) bool {
	v := newCircuit(e.budget, e.Plan, e.s).findValues(e.never)
	v.stray(r.strayed)
	o := newEncoding(v, e.guards)
	if o.beyond {
		return false
	}
	o.rules()
	held := []sat.Lit{o.anyRing(r.pairs)}
	if len(o.wrong) == 0 {
		held = append(held, o.loose.Not())
	}
	o.drain()
	return !o.beyond && !o.over() && o.Solve(mostAirConflicts, held...) == sat.Unsat
}

// covers reports that a value contains those pairs of dependencies that are there: of rf, which lead
// from a write to a read, or for sure.
func (e *encoding) covers(x plan.Slot, ring rel.Rel) bool {
	for a, b := range ring.Pairs() {
		reads := e.s.Events[a].Kind == event.Write && e.s.Events[b].Kind == event.Read
		if !e.must(x, a, b) && !(reads && e.contains(x)) {
			return false
		}
	}
	return true
}

// contains reports that a value is a union with rf.
func (e *encoding) contains(x plan.Slot) bool {
	if e.isInput(x, "rf") {
		return true
	}
	d := e.Plan.Def(x)
	return d != nil && d.Op == relop.Union && (e.contains(d.X) || e.contains(d.Y))
}
