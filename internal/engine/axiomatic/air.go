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

// A value comes out of thin air if it depends on itself, along a ring of reads, values computed
// from them, and writes that the reads read from. Substitution (values.go) does not find such a
// value, and an access whose address depends on it may be at another location. Many models rule out
// all rings by one check. C11 does not, but its checks together may rule out all rings of a given
// program: a ring of increments of a counter contradicts coherence, and a ring of accesses under a
// lock contradicts happens-before.

// rings is the possible cyclic dependencies of values.
type rings struct {
	pairs rel.Rel // the dependencies on some ring
	// accesses whose addresses depend on a ring: they may be at any location that the address
	// expression allows
	strayed rel.Set
}

// rings finds the possible cyclic dependencies. The strayed accesses depend on the rings, and the
// rings on the strayed accesses. It iterates to a fixed point, starting with all accesses whose
// address is computed.
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

// dependencies relates writes to the reads that may read from them, and reads to the accesses
// computed from their values.
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

// mayBeRead reports whether r may read from w if the strayed accesses may be elsewhere.
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

// places returns the names of the locations at which an access may be. An integer added to the
// address of an array leads to one of its elements or has no meaning (event.Resolve).
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

// stray lets accesses be at any location that their address expression allows.
func (v *values) stray(which rel.Set) {
	v.strayed = which
	for a := range which.All() {
		for _, x := range v.places(a, which) {
			v.at[a].note(x)
		}
	}
}

func (v *values) isStrayed(a event.ID) bool { return !v.strayed.Empty() && v.strayed.Has(a) }

// thinAir sets air to a literal that implies a ring, or to no if the checks rule out rings.
func (e *encoding) thinAir() {
	e.air = e.no
	switch r := e.rings(); {
	case e.airless(r):
	case r.strayed.Empty():
		e.air = e.anyRing(r.pairs)
	default:
		e.air = e.yes // accesses at unknown locations cannot be encoded
		// otherwise the checks of a session may rule the rings out
		e.beyond = e.beyond || e.on == nil
	}
}

// anyRing returns a literal that implies that there is a ring. The clauses of the model must have
// been made.
func (e *encoding) anyRing(pairs rel.Rel) sat.Lit {
	if e.on == nil {
		pairs = pairs.Diff(e.incoherent(pairs))
	}
	return e.cyclic(pairs, e.dependsOn)
}

// step is a part of a ring: a read from a write leads to the next access.
type step struct {
	write, read, next event.ID
}

// incoherent returns the pairs on rings that cannot exist because each step, if it is taken, leads
// from a write to a later one in coherence. Without this, a solver would try all orders of the
// increments of a counter.
func (e *encoding) incoherent(pairs rel.Rel) rel.Rel {
	ahead, other := e.coherence().ahead, rel.New(e.N)
	if e.coherence().graph == nil {
		return other // coherence may have cycles
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
	// events on a ring with a step that need not go forward
	elsewhere := together.Compose(other).Domain()
	return pairs.Restrict(elsewhere.Complement(), rel.Universe(e.N))
}

// dependsOn returns the literal that b depends on a, for a pair of dependencies.
func (e *encoding) dependsOn(a, b event.ID) sat.Lit {
	if e.s.Events[a].Kind == event.Write {
		return e.readsFrom(b, a)
	}
	return e.yes
}

// airless reports whether the required checks rule out all rings: one check alone, or, if addresses
// depend on rings, all of them together.
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
		return false // thinAir decides then
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

// mostAirConflicts bounds the conflicts of a search for rings.
const mostAirConflicts = 20_000

// areRuledOut reports whether the required checks rule out rings even if the strayed accesses may
// be anywhere.
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

// covers reports whether a value contains each dependency of a ring that is present: a pair that it
// always has, or a pair of rf if the value contains rf.
func (e *encoding) covers(x plan.Slot, ring rel.Rel) bool {
	for a, b := range ring.Pairs() {
		reads := e.s.Events[a].Kind == event.Write && e.s.Events[b].Kind == event.Read
		if !e.must(x, a, b) && !(reads && e.contains(x)) {
			return false
		}
	}
	return true
}

// contains reports whether a value is rf or a union with rf.
func (e *encoding) contains(x plan.Slot) bool {
	if e.isInput(x, "rf") {
		return true
	}
	d := e.Plan.Def(x)
	return d != nil && d.Op == relop.Union && (e.contains(d.X) || e.contains(d.Y))
}
