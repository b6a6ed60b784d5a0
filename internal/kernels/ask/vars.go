package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Vars tells the owners of variables: those of the trace, and those of third threads.
type Vars struct {
	b     *term.Builder
	trace *trace.Trace
	// private are the variables of third threads. havoc are those of them that stand for the state
	// of a loop that was cut.
	private, havoc map[*term.Term]bool
}

func newVars(b *term.Builder, trace *trace.Trace) *Vars {
	return &Vars{b, trace, map[*term.Term]bool{}, map[*term.Term]bool{}}
}

// Private reports whether a variable is one that each thread has for itself.
func (s *Vars) Private(v *term.Term) bool { return s.trace.Private[v] || s.private[v] }

// Havoc reports whether a variable or function stands for the state of a loop that was cut.
func (s *Vars) Havoc(v *term.Term) bool { return s.trace.Havoc[v] || s.havoc[v] }

// anyHavoc reports whether some variable for the state of a loop is of some kind.
func (s *Vars) anyHavoc(is func(*term.Term) bool) bool {
	for _, all := range []map[*term.Term]bool{s.trace.Havoc, s.havoc} {
		for v := range all {
			if is(v) {
				return true
			}
		}
	}
	return false
}

// OfThird returns a variable of the thread for a third one, under a name of its own.
func (s *Vars) OfThird(v *term.Term, name string) *term.Term {
	own := s.b.Var(name, v.Width())
	if hi, ok := v.Bound(); ok {
		own = s.b.UpTo(name, hi)
	}
	s.private[own] = true
	if s.Havoc(v) {
		s.havoc[own] = true
	}
	return own
}
