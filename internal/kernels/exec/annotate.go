package exec

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Annotations are calls of functions without a body, declared in GPUVerify's headers: __assert,
// __requires, __implies … They remain in the PTX because compilers do not know what they do. The
// same holds for functions of libraries.

// annotation is a call of one.
type annotation struct {
	run    *run
	terms  *term.Builder
	s      *state
	f      *kernel.Function
	args   []*term.Term
	result *term.Term
}

// annotations by name.
var annotations = map[string]func(*annotation){
	"__non_temporal_loads_begin":          func(a *annotation) { a.s.quiet, a.run.calls.asked = true, false },
	"__non_temporal_loads_end":            func(a *annotation) { a.s.quiet = false },
	"__assert":                            func(a *annotation) { a.check("assertion", a.condition(0)) },
	"__invariant":                         (*annotation).invariant,
	"__global_invariant":                  (*annotation).invariant, // of threads that are elsewhere there is nothing to say
	"__candidate_invariant":               (*annotation).candidate,
	"__candidate_global_invariant":        func(*annotation) {},
	"__function_wide_candidate_invariant": func(*annotation) {},
	"__candidate_assert":                  func(*annotation) {},
	"__assume":                            func(a *annotation) { a.assume(a.condition(0)) },
	"bugle_assume":                        func(a *annotation) { a.assume(a.condition(0)) },
	"__requires":                          (*annotation).requires,
	"__ensures":                           (*annotation).ensures,
	"__requires_fresh_array":              func(*annotation) {},
	"__implies":                           func(a *annotation) { a.result = a.terms.Implies(a.condition(0), a.condition(1)) },
	"__enabled":                           func(a *annotation) { a.result = a.run.guards.Term(a.s.guard) },
	"__dominator_enabled":                 func(a *annotation) { a.result = a.run.guards.Term(a.s.guard) },
	"bugle_barrier":                       func(a *annotation) { a.run.meet.wait(a.s, trace.Block) },
	"bugle_grid_barrier":                  func(a *annotation) { a.run.meet.wait(a.s, trace.Grid) },
	"_Z12get_work_dimv":                   (*annotation).dimensions,
	"_Z17get_global_offsetj":              (*annotation).origin,
	"__assertfail":                        (*annotation).fails,
	"__assert_fail":                       (*annotation).fails,
}

// families of annotations differ by a type, or a name, at the end.
var families = []struct {
	prefix string
	do     func(*annotation)
}{
	{"__ite_", func(a *annotation) { a.result = a.terms.Ite(a.condition(0), a.argument(1), a.argument(2)) }},
	{"__other_", (*annotation).other},
	{"__uninterpreted_function_", (*annotation).uninterpreted},
	{"__nv_", (*annotation).library},
	{"__add_noovfl_unsigned", func(a *annotation) { a.sums(false) }},
	{"__add_noovfl_", func(a *annotation) { a.sums(true) }},
	{"__return_val_", (*annotation).returnValue},
	{"__old_", func(a *annotation) { a.result = a.argument(0) }}, // what is ensured is computed where the function begins
	{"__read_offset_bytes", func(a *annotation) { a.offset(trace.Load) }},
	{"__write_offset_bytes", func(a *annotation) { a.offset(trace.Store) }},
	{"__ptr_offset_bytes", func(a *annotation) { a.result = a.byArray(0, func(p place) *term.Term { return p.offset }) }},
	{"__reads_from", nil},
	{"__writes_to", nil},
	{"__read", func(a *annotation) { a.occurred(trace.Load) }},
	{"__write", func(a *annotation) { a.occurred(trace.Store) }},
}

// unknown are the prefixes of the names of annotations that are not modelled. To assume that they
// may return anything would be wrong.
var unknown = strings.Fields(`__reads_ __writes_ __global_ __sub_noovfl __atomic_ __dominator __function_wide __candidate_global __barrier_invariant __axiom __array_snapshot`)

// annotationOf returns the action of a function without a body, or nil if it is no known
// annotation.
func annotationOf(name string) func(*annotation) {
	if known := annotations[name]; known != nil {
		return known
	}
	if does := builtin(name); does != nil {
		return does
	}
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) && f.do != nil {
			return f.do
		} else if strings.HasPrefix(name, f.prefix) {
			break
		}
	}
	for _, prefix := range unknown {
		if strings.HasPrefix(name, prefix) {
			return func(a *annotation) { a.run.refuse("", "the annotation %s is not modelled", name) }
		}
	}
	return nil
}

// argument returns an argument of at most 64 bits.
func (a *annotation) argument(i int) *term.Term {
	if i >= len(a.args) || a.args[i] == nil {
		a.run.refuse("", "%s with %d arguments, or a large one, is not modelled", a.f.Name, len(a.args))
	}
	return a.args[i]
}

// condition returns an argument as a truth value.
func (a *annotation) condition(i int) *term.Term {
	v := a.argument(i)
	return a.terms.Ne(v, a.terms.Const(0, v.Width()))
}

// check records a condition that must hold here.
func (a *annotation) check(what string, holds *term.Term) {
	if a.run.config.Annotations < OnlyRequires {
		a.must(what, holds)
	} else {
		a.run.note(assume.Unasserted.Of(a.f.Name, a.run.code.spot(a.run.at)))
	}
}

func (a *annotation) must(what string, holds *term.Term) {
	c := &trace.Check{Point: a.run.point(a.s, a.terms.Bool(true)), What: what + " " + a.f.Name, Holds: holds}
	for _, loop := range a.run.loops.cutting {
		c.Rounds = append(c.Rounds, loop.round)
	}
	a.run.rec.Append(c)
}

// invariant records a claim about each iteration of a loop.
func (a *annotation) invariant() {
	if a.run.config.Annotations != AllAnnotations {
		a.candidate()
	} else if a.run.calls.asked || !a.run.loops.stated(a.s, &trace.Invariant{Name: "loop invariant " + a.f.Name}, a.condition(0)) {
		a.check("loop invariant", a.condition(0))
	}
}

// candidate adds a guess about each iteration of a loop.
func (a *annotation) candidate() {
	if !a.run.calls.asked && a.run.config.Annotations <= Candidates {
		a.run.loops.stated(a.s, &trace.Invariant{Name: a.f.Name, Family: "candidate"}, a.condition(0))
	}
}

// assume assumes a condition from here on.
func (a *annotation) assume(holds *term.Term) {
	if a.run.config.Annotations == NoAnnotations {
		return
	}
	if a.run.calls.asked {
		a.run.refuse("", "%s about earlier accesses is not modelled", a.f.Name)
	}
	fact := a.terms.Implies(a.run.guards.Term(a.s.guard), holds)
	a.run.rec.Know(fact)
	a.assumed(holds)
	a.run.takes(trace.Claim{Holds: fact}, assume.Annotation.Of(a.f.Name, a.run.code.spot(a.run.at)))
}

// assumed sets parameters of the kernel to the values that they are assumed to have: numbers, or
// the addresses of functions.
func (a *annotation) assumed(holds *term.Term) {
	switch {
	case a.s.guard != guard.True:
	case holds.Op() == term.And:
		a.assumed(holds.Args()[0])
		a.assumed(holds.Args()[1])
	case holds.Op() == term.Eq:
		a.equal(holds.Args()[0], holds.Args()[1])
	}
}

// equal sets a parameter to a number, or to the address of a function, from here on.
func (a *annotation) equal(x, y *term.Term) {
	for key, p := range a.run.addr.params {
		if y == p {
			x, y = y, x
		}
		if x != p || y.Op() != term.Const && !strings.HasPrefix(y.Name(), functionAddress) {
			continue
		}
		is := a.terms.Rename(func(v *term.Term) *term.Term {
			if v == p {
				return y
			}
			return v
		})
		trace.Put(a.run.rec, a.run.addr.params, key, y)
		a.s.rename(is)
		return
	}
}

// axioms assumes the results of the functions that GPUVerify's __axiom makes.
func (m *calls) axioms(s *state) {
	b := m.terms
	var all []*term.Term
	for _, f := range m.run.code.module.Named("__axiom") {
		if f.Declared || len(f.Returns) != 1 || len(f.Params) > 0 {
			continue
		}
		returns, _ := m.function(f, s)
		if returns == nil {
			continue
		}
		if v := returns.own[m.run.addr.region(f.Returns[0])].read(b, 0, f.Returns[0].Size()); v != nil {
			holds := b.Ne(v, b.Const(0, v.Width()))
			all = append(all, holds)
		}
	}
	for _, holds := range all {
		m.run.rec.Know(holds)
	}
	// of the place of threads: GPUVerify verifies such kernels, and has one in its suite
	if slices.ContainsFunc(all, (*term.Term).False) {
		m.run.note(assume.NoThread.Of("__axiom"))
		return
	}
	for _, holds := range all {
		m.run.takes(trace.Claim{Holds: holds}, assume.Axiom.Of("__axiom"))
	}
}

// sums is a sum that does not overflow.
func (a *annotation) sums(signed bool) {
	b := a.terms
	x, y := a.argument(0), a.argument(1)
	n := x.Width()
	a.result = b.Add(x, y)
	if n < 64 {
		wide := b.Add(fit(b, x, n+1, signed), fit(b, y, n+1, signed))
		a.assume(b.Eq(wide, fit(b, a.result, n+1, signed)))
	}
}

// requires records a precondition: an assumption of a kernel, and a check at calls of a function.
func (a *annotation) requires() {
	if a.run.config.Annotations == NoAnnotations {
		return
	}
	if len(a.run.calls.frames) == 1 {
		a.assume(a.condition(0))
	} else {
		if f := a.run.calls.frame().f; strings.HasPrefix(f.Name, "__spec_") {
			a.run.refuse("", "the specification %s of another function is not modelled", f.Name)
		}
		a.check("precondition", a.condition(0))
	}
}

// fails records that an assert of CUDA has failed.
func (a *annotation) fails() {
	a.must("assertion", a.terms.Bool(false))
	a.s.guard = guard.False
}

// dimensions sets the result to the number of dimensions of the launch: as many as its sizes need.
func (a *annotation) dimensions() {
	n := uint64(1)
	for i := range 3 {
		if a.run.config.Launch.Grid[i] != 1 || a.run.config.Launch.Block[i] != 1 {
			n = uint64(i + 1)
		}
	}
	a.run.note(assume.Axes.Of(n))
	a.result = a.terms.Const(n, 32)
}

// origin is the place of the first work item.
func (a *annotation) origin() {
	a.run.note(assume.Origin.Of())
	a.result = a.terms.Const(0, 64)
}

// other sets the result to the argument's value in the other thread: a variable that a question
// about two threads defines.
func (a *annotation) other() {
	v := a.run.fresh("other", a.argument(0).Width())
	a.run.rec.Trace.Others[v] = a.argument(0)
	a.result = v
}

// uninterpreted is a function of the arguments.
func (a *annotation) uninterpreted() {
	if len(a.f.Returns) != 1 || a.f.Returns[0].Size() > 8 {
		a.run.refuse("", "%s is not modelled", a.f.Name)
	}
	var args []*term.Term
	for i := range a.args {
		args = append(args, a.argument(i))
	}
	a.result = a.terms.App(a.f.Name, 8*a.f.Returns[0].Size(), args...)
}

// library is a function of libdevice (Libdevice User's Guide): of numbers, but for some that have a
// second result in memory.
func (a *annotation) library() {
	switch strings.TrimSuffix(strings.TrimPrefix(a.f.Name, "__nv_"), "f") {
	case "frexp", "modf", "remquo", "sincos", "sincospi":
		a.run.refuse("a module that has its body", "%s has no body here", a.f.Name)
	}
	a.uninterpreted()
}
