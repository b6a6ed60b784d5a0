package contract

import (
	"cmp"
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
)

// Reader returns the contents of an array: size bytes at an offset of 64 bits.
type Reader func(r *trace.Region, offset *term.Term, size int) *term.Term

// Subject is the thread that a contract is about, somewhere on its way: an exec.Moment is one.
type Subject interface {
	Special(name string) *term.Term
	Param(v *kernel.Variable) *term.Term
	Register(r *kernel.Register) *term.Term
	Region(v *kernel.Variable, pointer bool) *trace.Region
	First(r *trace.Region, offset *term.Term, size int) *term.Term
	Shape() *trace.Shape
	Fresh(name string, width int) *term.Term
	Other(t *term.Term) *term.Term
	Refuse(help, format string, args ...any)
}

// Evaluation translates expressions to terms: numbers have 64 bits, truth values one.
type Evaluation struct {
	Terms   *term.Builder
	Subject Subject
	Read    Reader
	Finite  bool         // quantifiers with bounds that are numbers are written out
	Most    int          // bounds the values of a quantifier that is written out; 0 for maxExpand
	Vars    []*term.Term // for all of whose values an assumption holds
	bound   map[*spec.Bound]*term.Term
	goal    bool
	others  bool // a goal speaks of two threads
	alone   bool // both are this one
}

// side is the polarity of an expression: whether it makes the whole hold if it holds, if it does
// not, or neither.
type side int8

// maxExpand bounds the values of a quantifier that is written out.
const maxExpand = 64

// Goal returns what must be proved.
func (e *Evaluation) Goal(n *spec.Node) *term.Term {
	e.goal = true
	return e.truth(n, 1)
}

// Assumed returns what is assumed, for all values of Vars.
func (e *Evaluation) Assumed(n *spec.Node) *term.Term {
	e.goal = false
	return e.truth(n, 1)
}

// Lemma returns what a lemma claims for all values of Vars.
func (e *Evaluation) Lemma(l *spec.Lemma) *term.Term {
	for _, v := range l.Vars {
		e.bind(v, e.variable(v.Name))
	}
	return e.Assumed(l.Claim)
}

func (e *Evaluation) bind(v *spec.Bound, t *term.Term) {
	if e.bound == nil {
		e.bound = map[*spec.Bound]*term.Term{}
	}
	e.bound[v] = t
}

// variable returns a variable of an assumption.
func (e *Evaluation) variable(name string) *term.Term {
	v := e.Terms.Var(fmt.Sprintf("∀%s#%d", name, e.Terms.Len()), 64)
	e.Vars = append(e.Vars, v)
	return v
}

// number returns the value of a node that is a number.
func (e *Evaluation) number(n *spec.Node) *term.Term {
	b := e.Terms
	switch n.Kind {
	case spec.Number:
		return b.Const(uint64(n.Value), 64)
	case spec.Special:
		return b.ZExt(e.Subject.Special(n.Name), 64)
	case spec.Param:
		return e.extend(e.Subject.Param(n.Variable), n.Type)
	case spec.Register:
		return e.extend(e.Subject.Register(n.Register), n.Type)
	case spec.Variable:
		return e.bound[n.Bound]
	case spec.Element:
		return e.extend(e.element(n), n.Type)
	case spec.Choose:
		return b.Ite(e.truth(n.Args[0], 0), e.number(n.Args[1]), e.number(n.Args[2]))
	case spec.Cast:
		return e.extend(b.Extract(e.number(n.Args[0]), 0, n.Type.Bits), n.Type)
	case spec.Call:
		var args []*term.Term
		for _, a := range n.Args {
			args = append(args, e.number(a))
		}
		return e.extend(b.App("function:"+n.Function.Name, n.Type.Bits, args...), n.Type)
	case spec.Old:
		return e.old(func(before *Evaluation) *term.Term { return before.number(n.Args[0]) })
	}
	x, y := e.number(n.Args[0]), e.number(n.Args[1])
	if n.Op == arith.Div || n.Op == arith.Rem {
		_, most := x.Range()
		if _, by := y.Range(); most < 1<<63 && by < 1<<63 {
			return b.Apply(n.Op, arith.U64, x, y)
		}
	}
	return b.Apply(n.Op, arith.S64, x, y)
}

// old evaluates in the memory before the kernel began.
func (e *Evaluation) old(do func(*Evaluation) *term.Term) *term.Term {
	before := *e
	before.Read = e.Subject.First
	t := do(&before)
	e.Vars, e.others = before.Vars, before.others
	return t
}

func (e *Evaluation) extend(t *term.Term, as arith.Type) *term.Term {
	switch {
	case t.Width() == 64:
		return t
	case as.Signed:
		return e.Terms.SExt(t, 64)
	}
	return e.Terms.ZExt(t, 64)
}

// place returns where an element is.
func (e *Evaluation) place(n *spec.Node) (r *trace.Region, offset *term.Term) {
	if r = e.Subject.Region(n.Array.Variable, n.Array.Pointer); r == nil {
		e.Subject.Refuse("a kernel whose parameter is a pointer", "%s is no array", n.Array.Name)
	}
	return r, e.Terms.Mul(e.number(n.Args[0]), e.Terms.Const(uint64(n.Array.Bytes()), 64))
}

func (e *Evaluation) element(n *spec.Node) *term.Term {
	r, offset := e.place(n)
	return e.Read(r, offset, n.Array.Bytes())
}

// truth returns the value of a node that is a truth value.
func (e *Evaluation) truth(n *spec.Node, s side) *term.Term {
	b := e.Terms
	switch n.Kind {
	case spec.Truth:
		return b.Bool(n.Value == 1)
	case spec.Perm: // permissions are looked at where memory is accessed
		return b.Bool(true)
	case spec.Register:
		return e.Subject.Register(n.Register)
	case spec.Not:
		return b.Not(e.truth(n.Args[0], -s))
	case spec.Implies:
		return b.Implies(e.truth(n.Args[0], -s), e.truth(n.Args[1], s))
	case spec.Choose:
		return b.Ite(e.truth(n.Args[0], 0), e.truth(n.Args[1], s), e.truth(n.Args[2], s))
	case spec.Old:
		return e.old(func(before *Evaluation) *term.Term { return before.truth(n.Args[0], s) })
	case spec.All, spec.Some:
		return e.quantified(n, s)
	}
	switch {
	case n.Op == arith.And:
		return b.And(e.truth(n.Args[0], s), e.truth(n.Args[1], s))
	case n.Op == arith.Or:
		return b.Or(e.truth(n.Args[0], s), e.truth(n.Args[1], s))
	case n.Args[0].Bool:
		return b.Apply(n.Op, arith.Bool, e.truth(n.Args[0], 0), e.truth(n.Args[1], 0))
	}
	return b.Apply(n.Op, arith.S64, e.number(n.Args[0]), e.number(n.Args[1]))
}

// quantified returns a quantifier: written out if it has few values, and as a variable otherwise. A
// variable is an arbitrary value if a goal claims something for all values, or if an assumption
// claims it for some.
func (e *Evaluation) quantified(n *spec.Node, s side) *term.Term {
	b := e.Terms
	all := n.Kind == spec.All
	var low, high *term.Term
	if n.Threads() {
		low, high = b.Const(0, 64), b.ZExt(e.Subject.Shape().Threads[0], 64)
	} else {
		low, high = e.number(n.Args[1]), e.number(n.Args[2])
	}
	every := (s == 1) == all // value of the variables makes a goal fail, or is to satisfy an assumption
	switch {
	case s == 0 || e.goal && !every, e.Finite:
		return e.expand(n, low, high)
	case e.goal && n.Threads():
		return e.threads(n, s)
	}
	fresh := func(name string) *term.Term { return e.Subject.Fresh(name, 64) }
	if every && !e.goal {
		fresh = e.variable
	}
	within := b.Bool(true)
	for _, v := range n.Vars {
		t := fresh(v.Name)
		e.bind(v, t)
		within = b.And(within, b.And(b.SLe(low, t), b.SLt(t, high)))
	}
	body := e.truth(n.Args[0], s)
	if all {
		return b.Implies(within, body)
	}
	return b.And(within, body)
}

// threads returns a goal about threads of the block: this one, and another.
func (e *Evaluation) threads(n *spec.Node, s side) *term.Term {
	if len(n.Vars) > 2 {
		e.Subject.Refuse("one thread or two", "a condition about %d threads of the block", len(n.Vars))
	}
	mine := e.Subject.Shape().Thread[0]
	for i, v := range n.Vars {
		t := mine
		if i == 1 && !e.alone {
			t, e.others = e.Subject.Other(mine), true
		}
		e.bind(v, e.Terms.ZExt(t, 64))
	}
	return e.truth(n.Args[0], s)
}

// expand returns a quantifier written out.
func (e *Evaluation) expand(n *spec.Node, low, high *term.Term) *term.Term {
	from, known := low.Value()
	to, bounded := high.Value()
	most := cmp.Or(e.Most, maxExpand)
	if !known || !bounded || int64(to)-int64(from) > int64(most) {
		e.Subject.Refuse(fmt.Sprintf("numbers as its bounds, and at most %d values", most), "the quantifier in %s", n.At.Text())
	}
	return e.values(n, n.Vars, int64(from), int64(to))
}

// values returns the body for all values of some variables.
func (e *Evaluation) values(n *spec.Node, vars []*spec.Bound, from, to int64) *term.Term {
	b := e.Terms
	if len(vars) == 0 {
		return e.truth(n.Args[0], 0)
	}
	t := b.Bool(n.Kind == spec.All)
	for v := from; v < to; v++ {
		e.bind(vars[0], b.Const(uint64(v), 64))
		one := e.values(n, vars[1:], from, to)
		if n.Kind == spec.All {
			t = b.And(t, one)
		} else {
			t = b.Or(t, one)
		}
	}
	return t
}
