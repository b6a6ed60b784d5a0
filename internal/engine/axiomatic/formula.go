package axiomatic

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// formula returns the literal that a proposition about final values holds.
func (e *ends) formula(f final.Formula) sat.Lit {
	switch f := f.(type) {
	case final.Truth:
		if f {
			return e.yes
		}
		return e.no
	case final.Not:
		return e.formula(f.X).Not()
	case final.Any:
		var lits []sat.Lit
		for _, x := range f {
			lits = append(lits, e.formula(x))
		}
		return e.any(lits)
	case final.Every:
		l := e.yes
		for _, x := range f {
			l = e.both(l, e.formula(x))
		}
		return l
	}
	return e.atom(f.(final.Atom))
}

func (e *ends) atom(a final.Atom) sat.Lit {
	x, y := e.value(a.X), e.value(a.Y)
	var ways []sat.Lit
	for i, v := range x.values {
		if a.X == a.Y {
			if a.Holds(v, v) {
				ways = append(ways, x.lits[i])
			}
			continue
		}
		for j, w := range y.values {
			if a.Holds(v, w) {
				ways = append(ways, e.both(x.lits[i], y.lits[j]))
			}
		}
	}
	return e.any(ways)
}

// ends is the observables at the end of an execution, with their values as literals.
type ends struct {
	*encoding
	observe []final.Observable
	lasts   func(s *event.Structure, l event.Loc) ([]event.Value, bool) // Query.Lasts
	// by observable; nil until first needed
	of []*domain
}

// value returns the domain of an observable.
func (e *ends) value(i int) *domain {
	if e.of[i] != nil {
		return e.of[i]
	}
	o := e.observe[i]
	if o.Loc != event.NoLoc {
		e.of[i] = e.last(o.Loc)
		for j := range e.observe { // all names of a location have the same last write
			if e.observe[j].Loc == o.Loc {
				e.of[j] = e.of[i]
			}
		}
		return e.of[i]
	}
	e.of[i] = e.values.ends(o.Reg)
	return e.of[i]
}

// last returns the domain of the final value of a location: the value of a write that no other
// write of the location follows in coherence.
func (e *ends) last(l event.Loc) *domain {
	d := &domain{}
	type end struct {
		write event.ID
		here  sat.Lit
	}
	var writes []end
	for w := range e.s.Events {
		if e.s.Events[w].Kind != event.Write {
			continue
		}
		here := e.no
		for i, x := range e.at[w].values {
			if e.physical(x) == l {
				here = e.any([]sat.Lit{here, e.at[w].lits[i]})
			}
		}
		if here == e.no {
			continue
		}
		writes = append(writes, end{w, here})
		for _, x := range e.val[w].values {
			d.note(x)
		}
	}
	d.literals(e.circuit, false)
	var lasts []sat.Lit
	for _, w := range writes {
		last := e.NewVar()
		lasts = append(lasts, last)
		e.Add(last.Not(), w.here)
		e.Add(last.Not(), e.present.here[w.write])
		e.later = append(e.later, func() {
			for after := range e.Span(e.co).Hi.Row(w.write).All() {
				e.Add(last.Not(), e.lit(e.co, w.write, after, up).Not())
			}
		})
		for i, x := range e.val[w.write].values {
			e.unless(d.has(e.circuit, x), last, e.val[w.write].lits[i])
		}
	}
	e.atMostOne(lasts)
	e.Add(append(lasts, e.loose)...)
	e.confine(l, d)
	return d
}

// confine removes final values of a location that Query.Lasts rules out.
func (e *ends) confine(l event.Loc, d *domain) {
	if e.lasts == nil || e.s.family != nil || e.s.Truncated || e.s.Stuck {
		return
	}
	can := map[event.Value]bool{}
	for i := range e.s.members {
		values, known := e.lasts(e.s.members[i].Structure, l)
		if !known {
			return
		}
		for _, v := range values {
			can[v] = true
		}
	}
	var some []sat.Lit
	for i, v := range d.values {
		if can[v] {
			some = append(some, d.lits[i])
		} else {
			e.Add(d.lits[i].Not(), e.loose)
		}
	}
	e.Add(append(some, e.loose)...)
}

// ends returns the domain of the final value of a register.
func (v *values) ends(reg event.Reg) *domain {
	paths := v.s.paths[reg.Thread]
	if r, ok := paths[0].of.Finals[reg.Name].(event.ReadOf); ok && len(paths) == 1 {
		return &v.val[paths[0].events[r]]
	}
	d, sure := &domain{}, true
	eachPath := func(visit func(event.Value, error, []sat.Lit)) {
		for i := range paths {
			x, ok := paths[i].of.Finals[reg.Name]
			if !ok {
				x = event.Const(event.Int(0)) // the path never sets it
			}
			sure = sure && len(v.needs(paths[i].events, x)) == 0
			v.each(paths[i].events, x, func(x event.Value, err error, lits []sat.Lit) {
				visit(x, err, append(lits, v.present.taken[reg.Thread][i]))
			})
		}
	}
	eachPath(func(x event.Value, err error, _ []sat.Lit) {
		if err == nil {
			d.note(x)
		}
	})
	d.literals(v.circuit, sure)
	eachPath(func(x event.Value, err error, lits []sat.Lit) {
		if err == nil {
			v.unless(d.has(v.circuit, x), lits...)
		}
	})
	return d
}
