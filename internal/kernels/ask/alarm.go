package ask

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/opencl"
)

// alarm records the finding of a model of a question, unless the kernel may have no such execution.
func (q *inquiry) alarm(model *term.Model) {
	a, x := q.a, q.x
	extern := q.dependsOnExtern(model)
	if why, help := q.doubt(extern); why != "" {
		a.Open(x.First, help, "%s", why)
		return
	}
	f := &Finding{Question: x, Model: q.small(model), Extern: kernel.OwnName(extern)}
	if there := x.There(); there != nil {
		a.memo.done[[2]*kernel.Instr{x.First.Instr, there.Instr}] = true
	}
	if x.Own {
		a.memo.done[[2]*kernel.Instr{x.Accesses[1].Instr, x.First.Instr}] = true
	}
	f.Unmodelled = q.unmodelled()
	a.found.Findings = append(a.found.Findings, f)
	a.found.tell(f)
	a.memo.alarmed[topicOf(x, a.Config.Source)] = true
}

// dependsOnExtern returns a function without a body whose result decides whether the model is an
// execution of the kernel, or "" if the conditions mention no such function, or hold for all
// results.
func (q *inquiry) dependsOnExtern(model *term.Model) (function string) {
	for _, c := range q.c.all {
		term.Mentions(c, func(v *term.Term) bool {
			name, external := strings.CutPrefix(v.Name(), trace.External)
			if external {
				function, _, _ = strings.Cut(name, "#") // the number of the call
			}
			return external
		})
	}
	if function == "" {
		return ""
	}
	b := q.c.b
	as := b.Rename(func(v *term.Term) *term.Term {
		if strings.HasPrefix(v.Name(), trace.External) {
			return v
		}
		return b.Const(model.Eval(v), v.Width())
	})
	holds := b.Bool(true)
	for _, c := range q.c.all {
		holds = b.And(holds, as.Term(c))
	}
	if q.a.prover.Check(q.a.Config.Budget/10, b.Not(holds)).Result == sat.Unsat {
		return ""
	}
	return function
}

// unmodelled returns an opcode with an unmodelled result that decides whether the threads reach
// their places, or what they access there. An opcode whose operands were read, and so may be
// anything, may return anything; it does not count.
func (q *inquiry) unmodelled() (opcode string) {
	rests := []*term.Term{q.x.First.Guard}
	if q.x.Other != nil {
		rests = append(rests, q.x.Other.Guard)
	}
	for _, access := range q.x.Accesses {
		if access != nil {
			rests = append(rests, access.Offset)
		}
	}
	for _, t := range rests {
		term.Mentions(t, func(v *term.Term) bool {
			if name, is := strings.CutPrefix(v.Name(), trace.Unmodelled); is {
				opcode, _, _ = strings.Cut(name, "#")
			} else if name, is := strings.CutPrefix(v.Name(), trace.Opaque); is && !slices.ContainsFunc(v.Args(), q.readIn) {
				opcode = name
			}
			return opcode != ""
		})
	}
	return opcode
}

// readIn reports whether a term depends on more than the launch, the place of the thread and
// parameters.
func (q *inquiry) readIn(t *term.Term) bool {
	shape := &q.a.trace.Shape
	place := slices.Concat(shape.Thread[:], shape.Block[:])
	return term.Mentions(t, func(v *term.Term) bool {
		ofPlace := slices.ContainsFunc(place, func(p *term.Term) bool { return slices.Contains(p.Args(), v) })
		return v.Op() == term.App && !strings.HasPrefix(v.Name(), trace.Opaque) || q.a.vars.Private(v) && !ofPlace
	})
}

// topic is what an alarm is about for readers, in places of the source.
type topic struct {
	kind          Kind
	what          string
	first, second sourcePlace
}

// sourcePlace is a place of the source, and how it accesses memory.
type sourcePlace struct {
	at       string
	accesses bool
	kind     trace.Kind
}

// topicOf returns the topic of a question, independent of the order of its two places.
func topicOf(x *Question, source Source) topic {
	at := func(p *trace.Point, access *trace.Access) (where sourcePlace) {
		if p != nil {
			where.at = source.Where(p.Instr)
			if places := source.Place(p.Instr); len(places) > 0 {
				where.at = strings.Join(places, ", ")
			}
		}
		if where.accesses = access != nil; where.accesses {
			where.kind = access.Kind
		}
		return where
	}
	t := topic{x.Kind, x.What, at(x.First, x.Accesses[0]), at(x.Other, x.Accesses[1])}
	if t.first.at > t.second.at || t.first.at == t.second.at && t.first.kind > t.second.kind {
		t.first, t.second = t.second, t.first
	}
	return t
}

// doubt returns why a model may not be one of the kernel; "" if it is one.
func (q *inquiry) doubt(extern string) (why, help string) {
	if q.x.Warp {
		return "threads of a warp may come here, and others that are waited for not, unless they have ended",
			"a place that all threads of the warp come to, or a mask of those that do"
	}
	for _, c := range q.c.all {
		if len(q.a.trace.Havoc) > 0 && term.Mentions(c, func(v *term.Term) bool { return q.ofLoop(v) }) {
			return q.neverComes()
		}
		if q.x.Kind == Assertion && term.Mentions(c, func(v *term.Term) bool { return strings.HasPrefix(v.Name(), trace.Opaque) }) {
			return "an assertion about floating-point arithmetic, which is not modelled", ""
		}
	}
	// A function that only computes may return anything, so that a race which depends on it is one.
	if extern != "" && (q.x.Kind == Assertion || opencl.Of(extern).Does != opencl.Nothing) {
		return fmt.Sprintf("whether this is %s hinges on what %s returns, which has no body here", q.x.Kind.Sentence(), kernel.OwnName(extern)),
			"a module that has its body"
	}
	return "", ""
}

// neverComes returns why an error in some iteration of a loop that is cut need not happen.
func (q *inquiry) neverComes() (why, help string) {
	if !q.a.Config.Loops.AllLong {
		return "this may go wrong in a round of a loop that never comes: how often the loop is executed is not known",
			"sizes for which the loop ends after a number of rounds that is known"
	}
	return "this may go wrong in a round of a loop that never comes: the loop has too many rounds to look at each",
		"sizes for which it has fewer, or what holds in each of them (__invariant)"
}

// ofLoop reports whether a variable is one of a loop that was cut, of either thread.
func (q *inquiry) ofLoop(v *term.Term) bool {
	if q.a.vars.Havoc(v) {
		return true
	}
	if q.x.Thread == nil {
		return false
	}
	return q.a.vars.anyHavoc(func(h *term.Term) bool { return q.x.Thread.Term(h) == v })
}

// small returns a model of a launch that is easy to read: with small sizes, if sizes are open, and
// without null pointers to memory that is accessed.
func (q *inquiry) small(model *term.Model) *term.Model {
	a, b, conditions := q.a, q.c.b, q.c.all
	try := func(t *term.Term) bool {
		within := append(conditions[:len(conditions):len(conditions)], t)
		answer := a.prover.Check(a.Config.Budget/10, within...)
		if answer.Result != sat.Sat || !q.fits(answer.Model) {
			return false
		}
		conditions, model = within, answer.Model
		return true
	}
	if within, boxed := q.boxed(conditions); boxed != nil {
		conditions, model = within, boxed
	}
	for _, sizes := range [][3]*term.Term{a.trace.Shape.Blocks, a.trace.Shape.Threads} {
		for _, size := range sizes {
			for bound := uint64(1); bound < model.Eval(size) && !try(b.ULe(size, b.Const(bound, size.Width()))); bound *= 2 {
			}
		}
	}
	for _, p := range a.trace.Params {
		accessed := slices.ContainsFunc(q.x.Accesses[:], func(access *trace.Access) bool { return access != nil && access.Region.Name == p.Variable.Name })
		if accessed && p.Size == 8 && model.Eval(p.Term) == 0 {
			try(b.Ne(p.Term, b.Const(0, 64)))
		}
	}
	return model
}
