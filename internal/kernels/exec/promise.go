package exec

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Annotations about earlier accesses of the thread, and about the result of a function.

// promise is a postcondition of a function, computed at its begin; value stands for its result.
type promise struct {
	check trace.Check
	value *term.Term
}

// arrays returns the arrays that the i-th argument may point to.
func (a *annotation) arrays(i int) []place {
	places := a.run.addr.places(a.argument(i))
	if len(places) == 0 || slices.ContainsFunc(places, func(p place) bool { return p.region.Null }) {
		a.run.refuse("", "%s: which array this address points into is not known", a.f.Name)
	}
	return places
}

// byArray returns what is so of the array that the i-th argument points to.
func (a *annotation) byArray(i int, is func(place) *term.Term) (result *term.Term) {
	for k, p := range a.arrays(i) {
		if v := is(p); k == 0 {
			result = v
		} else {
			result = a.terms.Ite(p.when, v, result)
		}
	}
	return result
}

// earlier returns a variable about earlier accesses; nil if the thread has made no such access.
func (a *annotation) earlier(r *trace.Region, kind trace.Kind, offset bool, name string, width int) *term.Term {
	if a.run.loops.some {
		a.run.refuse("sizes for which loops end after a number of rounds that is known", "%s in a kernel with a loop whose rounds are not known", a.f.Name)
	}
	a.run.calls.asked = true
	if !slices.ContainsFunc(a.run.rec.Trace.Accesses, func(x *trace.Access) bool { return x.Region == r && x.Kind == kind }) {
		return nil
	}
	v := a.run.fresh(name, width)
	a.run.rec.Trace.Earlier[v] = trace.Earlier{
		Region: r, Kind: kind, Offset: offset, Until: len(a.run.rec.Trace.Accesses), Epoch: a.s.passed(r)[trace.Block],
	}
	return v
}

// occurred sets the result to whether the thread has made an access.
func (a *annotation) occurred(kind trace.Kind) {
	a.result = a.byArray(0, func(p place) *term.Term {
		if v := a.earlier(p.region, kind, false, "occurred", 1); v != nil {
			return v
		}
		return a.terms.Bool(false)
	})
}

// offset sets the result to the offset of the access.
func (a *annotation) offset(kind trace.Kind) {
	width := 64
	if len(a.f.Returns) == 1 && a.f.Returns[0].Size() == 4 {
		width = 32
	}
	a.result = a.byArray(0, func(p place) *term.Term {
		if v := a.earlier(p.region, kind, true, "offset", width); v != nil {
			return v
		}
		return a.run.fresh("offset", width)
	})
}

// returnValue sets the result to a term that stands for the result of the function.
func (a *annotation) returnValue() {
	if len(a.f.Returns) != 1 || a.f.Returns[0].Size() > 8 {
		a.run.refuse("", "%s is not modelled", a.f.Name)
	}
	fr := a.run.calls.frame()
	if fr.returned == nil {
		fr.returned = a.run.fresh("returned", 8*a.f.Returns[0].Size())
	}
	a.result = fr.returned
}

// ensures records a condition that must hold when the function returns.
func (a *annotation) ensures() {
	if a.run.calls.asked {
		a.run.refuse("", "%s about earlier accesses is not modelled", a.f.Name)
	}
	fr := a.run.calls.frame()
	a.run.rec.Change(trace.Push(&fr.promises, promise{
		trace.Check{Point: a.run.point(a.s, a.terms.Bool(true)), What: "postcondition " + a.f.Name, Holds: a.condition(0)}, fr.returned,
	}))
}

// kept checks the postconditions of a function after it has returned.
func (m *calls) kept(s *state, c invocation, promises []promise) {
	for _, p := range promises {
		if p.value != nil {
			var value *term.Term
			if len(c.f.Returns) == 1 {
				value = s.own[m.run.addr.region(c.f.Returns[0])].read(m.terms, 0, p.value.Width()/8)
			}
			if value == nil {
				m.run.refuse("", "what %s returns is not known", c.f.Name)
			}
			is := m.terms.Rename(func(v *term.Term) *term.Term {
				if v == p.value {
					return value
				}
				return v
			})
			p.check.Holds = is.Term(p.check.Holds)
			for v, of := range m.run.rec.Trace.Others {
				trace.Put(m.run.rec, m.run.rec.Trace.Others, v, is.Term(of))
			}
		}
		if s.guard != guard.False {
			p.check.Point = m.run.rec.Stamp(p.check.Point)
			m.run.rec.Append(&p.check)
		}
	}
}
