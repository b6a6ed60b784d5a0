package symbolic

import (
	"strings"

	"github.com/muster-gpu/muster/internal/prove/guard"
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/kernel"
)

// Annotations are calls of functions without a body, as GPUVerify's headers declare them: __assert,
// __requires, __implies … They are in the PTX because no compiler knows what they do.

// annotation is a call of one.
type annotation struct {
	*machine
	s      *state
	f      *kernel.Function
	args   []*term.Term
	result *term.Term
}

// annotations by name.
var annotations = map[string]func(*annotation){
	"__non_temporal_loads_begin": func(a *annotation) { a.s.quiet = true },
	"__non_temporal_loads_end":   func(a *annotation) { a.s.quiet = false },
	"__assert":                   func(a *annotation) { a.check("assertion", a.condition(0)) },
	"__invariant":                func(a *annotation) { a.check("loop invariant", a.condition(0)) },
	"__candidate_invariant":      func(*annotation) {},
	"__candidate_assert":         func(*annotation) {},
	"__assume":                   func(a *annotation) { a.assume(a.condition(0)) },
	"bugle_assume":               func(a *annotation) { a.assume(a.condition(0)) },
	"__requires":                 (*annotation).requires,
	"__requires_fresh_array":     func(*annotation) {},
	"__implies":                  func(a *annotation) { a.result = a.Implies(a.condition(0), a.condition(1)) },
	"__enabled":                  func(a *annotation) { a.result = a.guards.Term(a.s.guard) },
	"bugle_barrier":              func(a *annotation) { a.wait(a.s, Block) },
	"bugle_grid_barrier":         func(a *annotation) { a.wait(a.s, Grid) },
	"__assertfail":               (*annotation).fails,
	"__assert_fail":              (*annotation).fails,
}

// families of annotations differ by a type, or a name, at the end.
var families = []struct {
	prefix string
	do     func(*annotation)
}{
	{"__ite_", func(a *annotation) { a.result = a.Ite(a.condition(0), a.argument(1), a.argument(2)) }},
	{"__other_", (*annotation).other},
	{"__uninterpreted_function_", (*annotation).uninterpreted},
}

// unknown are the beginnings of names of annotations that are not modelled. Taking one to return
// anything would be wrong.
var unknown = strings.Fields(`__read __write __reads_ __writes_ __no_read __no_write __ptr_ __global_ __ensures __return_val __old
	__add_noovfl __sub_noovfl __atomic_ __dominator __function_wide __candidate_global __barrier_invariant __axiom __array_snapshot`)

// annotationOf is what a function without a body does; nil if it is no annotation that is known.
func annotationOf(name string) func(*annotation) {
	if known := annotations[name]; known != nil {
		return known
	}
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) {
			return f.do
		}
	}
	for _, prefix := range unknown {
		if strings.HasPrefix(name, prefix) {
			return func(a *annotation) { a.refuse("", "the annotation %s is not modelled", name) }
		}
	}
	return nil
}

// argument is an argument of at most 64 bits.
func (a *annotation) argument(i int) *term.Term {
	if i >= len(a.args) || a.args[i] == nil {
		a.refuse("", "%s with %d arguments, or a large one, is not modelled", a.f.Name, len(a.args))
	}
	return a.args[i]
}

// condition is an argument as a truth value.
func (a *annotation) condition(i int) *term.Term {
	v := a.argument(i)
	return a.Ne(v, a.Const(0, v.Width()))
}

// check notes what must hold here.
func (a *annotation) check(what string, holds *term.Term) {
	a.trace.Checks = append(a.trace.Checks, &Check{
		Point: a.point(a.s, a.Bool(true)), What: what + " " + a.f.Name, Holds: holds,
	})
}

// assume takes something to hold from here on.
func (a *annotation) assume(holds *term.Term) {
	a.trace.Facts = append(a.trace.Facts, a.Implies(a.guards.Term(a.s.guard), holds))
	a.note("an annotation assumes something (" + a.f.Name + ")")
}

// requires is what callers promise: an assumption of the kernel, and a check of what it calls.
func (a *annotation) requires() {
	if len(a.frames) == 1 {
		a.assume(a.condition(0))
	} else {
		a.check("precondition", a.condition(0))
	}
}

// fails is where an assert of CUDA has failed.
func (a *annotation) fails() {
	a.check("assertion", a.Bool(false))
	a.s.guard = guard.False
}

// other is what an argument is for the other thread: a variable, which a question about two threads
// says the value of.
func (a *annotation) other() {
	v := a.fresh("other", a.argument(0).Width())
	a.trace.Others[v] = a.argument(0)
	a.result = v
}

// uninterpreted is a function of the arguments.
func (a *annotation) uninterpreted() {
	if len(a.f.Returns) != 1 || a.f.Returns[0].Size() > 8 {
		a.refuse("", "%s is not modelled", a.f.Name)
	}
	var args []*term.Term
	for i := range a.args {
		args = append(args, a.argument(i))
	}
	a.result = a.App(a.f.Name, 8*a.f.Returns[0].Size(), args...)
}
