package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// thirds are variables of threads beside the two of a question.
type thirds struct {
	private map[*term.Term]bool
	havoc   map[*term.Term]bool // that stand for the state of a loop that was cut
}

// Private reports that a variable is one that each thread has for itself.
func (a *Asker) Private(v *term.Term) bool { return a.trace.Private[v] || a.thirds.private[v] }

// Havoc reports that a variable or function stands for the state of a loop that was cut.
func (a *Asker) Havoc(v *term.Term) bool { return a.trace.Havoc[v] || a.thirds.havoc[v] }

// eachHavoc reports that some variable for the state of a loop is of some kind.
func (a *Asker) eachHavoc(is func(*term.Term) bool) bool {
	for _, all := range []map[*term.Term]bool{a.trace.Havoc, a.thirds.havoc} {
		for v := range all {
			if is(v) {
				return true
			}
		}
	}
	return false
}

// Own is a variable of the thread for a third one, under a name of its own.
func (a *Asker) Own(v *term.Term, name string) *term.Term {
	own := a.prover.Var(name, v.Width())
	if hi, ok := v.Bound(); ok {
		own = a.prover.UpTo(name, hi)
	}
	if a.thirds.private == nil {
		a.thirds = thirds{map[*term.Term]bool{}, map[*term.Term]bool{}}
	}
	a.thirds.private[own] = true
	if a.Havoc(v) {
		a.thirds.havoc[own] = true
	}
	return own
}

// OfBlock are the variables for the place of a block.
func (a *Asker) OfBlock() map[*term.Term]bool { return variables(a.trace.Shape.Block) }

// SameWarp is whether another thread is in the warp of the first.
func (a *Asker) SameWarp(other *Thread) *term.Term {
	b := a.prover.Builder
	warp := b.LShr(a.trace.Shape.Linear, b.Const(5, 32))
	return b.Eq(warp, other.Term(warp))
}

// Lane is which of its warp a thread is.
func (a *Asker) Lane() *term.Term {
	return a.prover.And(a.trace.Shape.Linear, a.prover.Const(31, 32))
}

// Meet is that threads of a scope meet: they are in the same iterations.
func (a *Asker) Meet(ofWarp bool, iterations []*term.Term, other *Thread) (all []*term.Term) {
	if ofWarp {
		all = append(all, a.SameWarp(other))
	}
	for _, i := range iterations {
		all = append(all, a.prover.Eq(i, other.Term(i)))
	}
	return all
}

// Both is whether both threads come to a point, in the same iterations, where something holds.
func (a *Asker) Both(at *symbolic.Point, iterations []*term.Term, other *Thread, when *term.Term) *term.Term {
	b := a.prover.Builder
	all := b.And(when, b.And(at.Guard, other.Term(at.Guard)))
	for _, i := range iterations {
		all = b.And(all, b.Eq(i, other.Term(i)))
	}
	return all
}
