package verify

import (
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// hinges is a function without a body on whose result it hinges that a model is one of the kernel; "" if there is none: none is spoken of, or
// with all else as in the model, the conditions hold whatever such functions return.
func (q *questions) hinges(conditions []*term.Term, model *term.Model) (function string) {
	for _, c := range conditions {
		mentions(c, func(v *term.Term) bool {
			name, external := strings.CutPrefix(v.Name(), symbolic.External)
			if external {
				function, _, _ = strings.Cut(name, "#") // the number of the call
			}
			return external
		})
	}
	if function == "" {
		return ""
	}
	as := q.Rename(func(v *term.Term) *term.Term {
		if strings.HasPrefix(v.Name(), symbolic.External) {
			return v
		}
		return q.Const(model.Eval(v), v.Width())
	})
	holds := q.Bool(true)
	for _, c := range conditions {
		holds = q.And(holds, as.Term(c))
	}
	if q.Check(q.config.Budget/10, q.Not(holds)).Result == sat.Unsat {
		return ""
	}
	return function
}
