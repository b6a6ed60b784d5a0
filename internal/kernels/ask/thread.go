package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Thread is the other thread of a question: the trace with variables of its own.
type Thread struct {
	OtherBlock bool // it is in another block
	Self       bool // it is the thread of the trace

	b        *term.Builder
	linear   *term.Term // which thread of its block the thread of the trace is
	renaming *term.Renaming
	apart    []*term.Term              // it is not the first, and where the geometry of the launch has it
	others   map[*term.Term]*term.Term // its variables that stand for terms of the first, with these
}

// Term returns a term of the trace for the thread.
func (t *Thread) Term(x *term.Term) *term.Term { return t.renaming.Term(x) }

// SameWarp returns the condition that the thread is in the warp of the first.
func (t *Thread) SameWarp() *term.Term {
	warp := t.b.LShr(t.linear, t.b.Const(5, 32))
	return t.b.Eq(warp, t.Term(warp))
}

// Meets returns the condition that the thread is in the same iterations as the first and, if that
// is asked for, in its warp.
func (t *Thread) Meets(inWarp bool, iterations []*term.Term) (all []*term.Term) {
	if inWarp {
		all = append(all, t.SameWarp())
	}
	for _, i := range iterations {
		all = append(all, t.b.Eq(i, t.Term(i)))
	}
	return all
}

// BothAt returns the condition that both threads reach a point, in the same iterations, where a
// condition holds.
func (t *Thread) BothAt(at *trace.Point, iterations []*term.Term, when *term.Term) *term.Term {
	all := t.b.And(when, t.b.And(at.Guard, t.Term(at.Guard)))
	for _, i := range iterations {
		all = t.b.And(all, t.b.Eq(i, t.Term(i)))
	}
	return all
}

// Suffix returns the suffix that distinguishes names of questions about other blocks from names of
// questions about one.
func (t *Thread) Suffix() string {
	if t.OtherBlock {
		return "-far"
	}
	return ""
}

// Threads are the candidates for the other thread of a question. Each is nil if there is no such
// thread.
type Threads struct {
	SameBlock     *Thread // another thread of the block
	OtherBlock    *Thread // a thread of another block
	SameThread    *Thread // the thread itself in other iterations, or with another lane of its warp acting for it
	SameIteration *Thread // the thread itself, in the same iterations
}

func newThreads(b *term.Builder, tr *trace.Trace, vars *Vars) Threads {
	t := casting{b, tr, vars}
	shape := &tr.Shape
	ofBlock, ofThread := trace.Variables(shape.Block[:]...), trace.Variables(shape.Thread[:]...)
	inBlock := func(v *term.Term) bool { return ofBlock[v] }
	placed := func(v *term.Term) bool { return ofBlock[v] || ofThread[v] }
	return Threads{
		SameBlock:     t.other(inBlock, false, shape.Thread),
		OtherBlock:    t.other(func(*term.Term) bool { return false }, true, shape.Block),
		SameThread:    t.self(placed),
		SameIteration: t.self(vars.Private),
	}
}

// casting makes other threads.
type casting struct {
	b     *term.Builder
	trace *trace.Trace
	vars  *Vars
}

// other returns a thread at another place, or nil if the launch has one place only.
func (c casting) other(shares func(*term.Term) bool, otherBlock bool, place [3]*term.Term) *Thread {
	t := &Thread{OtherBlock: otherBlock, renaming: c.renamed(shares)}
	same := c.b.Bool(true)
	for _, x := range place {
		same = c.b.And(same, c.b.Eq(x, t.Term(x)))
	}
	return c.placed(t, c.b.Not(same))
}

// self returns the first thread itself, with some variables of its own.
func (c casting) self(shares func(*term.Term) bool) *Thread {
	return c.placed(&Thread{Self: true, renaming: c.renamed(shares)}, c.b.Bool(true))
}

// placed completes a thread that is apart from the first; nil if it cannot be.
func (c casting) placed(t *Thread, apart *term.Term) *Thread {
	t.b, t.linear = c.b, c.trace.Shape.Linear
	t.apart, t.others = []*term.Term{apart}, map[*term.Term]*term.Term{}
	for _, fact := range c.trace.Geometry {
		t.apart = append(t.apart, fact, t.Term(fact))
	}
	if apart.False() {
		return nil
	}
	for v, of := range c.trace.Others {
		t.others[t.Term(v)] = of
	}
	return t
}

// renamed returns a renaming that gives a thread variables of its own, except for those that it
// shares.
func (c casting) renamed(shares func(*term.Term) bool) *term.Renaming {
	return c.b.Rename(func(v *term.Term) *term.Term {
		if !c.vars.Private(v) || shares(v) {
			return v
		}
		if hi, ok := v.Bound(); ok {
			return c.b.UpTo(v.Name()+"'", hi)
		}
		return c.b.Var(v.Name()+"'", v.Width())
	})
}
