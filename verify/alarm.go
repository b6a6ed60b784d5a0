package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/opencl"
)

// alarm notes what a model of a question shows, unless the model may be none of the kernel.
func (q *questions) alarm(x *question, conditions []*term.Term, model *term.Model) {
	hinges := q.hinges(conditions, model)
	if why, help := q.doubt(x, conditions, hinges); why != "" {
		q.open(x.first, help, "%s", why)
		return
	}
	model = q.small(x, conditions, model)
	e := &evaluation{questions: q, model: model, second: x.second}
	a := &Alarm{Kind: x.kind, What: x.what, Contract: x.contract, Launch: e.launch(), Hinges: kernel.OwnName(hinges)}
	a.Points = append(a.Points, e.point(x.first, x.accesses[0], false))
	if there := x.there(); there != nil {
		a.Points = append(a.Points, e.point(there, x.accesses[1], true))
		q.done[[2]*kernel.Instr{x.first.Instr, there.Instr}] = true
	}
	if x.own != nil {
		a.Points = append(a.Points, e.point(&x.own.Point, x.own, false))
		q.done[[2]*kernel.Instr{x.own.Instr, x.first.Instr}] = true
	}
	if x.kind == Race {
		a.touches(0, x.accesses[0])
		a.touches(1, x.accesses[1])
	}
	for _, p := range q.trace.Params {
		a.Params = append(a.Params, Value{p.Variable.Name, p.Offset, p.Size, model.Eval(p.Term)})
	}
	a.Reads, a.Returns = e.reads(0, x.first), e.returns(0)
	if x.there() != nil {
		a.Returns = append(a.Returns, e.returns(1)...)
	}
	if x.second != nil && x.other != nil {
		a.Reads = append(a.Reads, e.reads(1, x.other)...)
	}
	a.Unmodelled = q.unmodelled(x)
	q.result.Alarms = append(q.result.Alarms, a)
	q.told[q.topic(x)] = true
}

// there returns where the second thread is: of an assertion about another thread, at the same place. It is nil if the question is about one thread, or the
// other thread of a divergence may be anywhere.
func (x *question) there() *symbolic.Point {
	switch {
	case x.second == nil:
		return nil
	case x.other == nil && x.kind == Assertion:
		return x.first
	}
	return x.other
}

// unmodelled is an instruction on which it rests whether threads come to their places, or what they access there, and that computes what is
// not modelled: of what is read, which may be anything, it may give anything, too.
func (q *questions) unmodelled(x *question) (opcode string) {
	rests := []*term.Term{x.first.Guard}
	if x.other != nil {
		rests = append(rests, x.other.Guard)
	}
	for _, a := range x.accesses {
		if a != nil {
			rests = append(rests, a.Offset)
		}
	}
	for _, t := range rests {
		mentions(t, func(v *term.Term) bool {
			if name, is := strings.CutPrefix(v.Name(), symbolic.Unmodelled); is {
				opcode, _, _ = strings.Cut(name, "#")
			} else if name, is := strings.CutPrefix(v.Name(), symbolic.Opaque); is && !slices.ContainsFunc(v.Args(), q.readIn) {
				opcode = name
			}
			return opcode != ""
		})
	}
	return opcode
}

// readIn reports that a term is made of more than the launch, the place of the thread and parameters.
func (q *questions) readIn(t *term.Term) bool {
	sh := &q.trace.Shape
	place := slices.Concat(sh.Thread[:], sh.Block[:])
	return mentions(t, func(v *term.Term) bool {
		ofPlace := slices.ContainsFunc(place, func(p *term.Term) bool { return slices.Contains(p.Args(), v) })
		return v.Op() == term.App && !strings.HasPrefix(v.Name(), symbolic.Opaque) || q.trace.Private[v] && !ofPlace
	})
}

// topic is what an alarm is about for readers, who see places of the source.
type topic struct {
	kind          AlarmKind
	what          string
	first, second place
}

// place is where an instruction of the source accesses memory, or does something else.
type place struct {
	at       string
	accesses bool
	kind     symbolic.Kind
}

// topic is that of a question: in whatever order it asks about two places.
func (q *questions) topic(x *question) topic {
	at := func(p *symbolic.Point, a *symbolic.Access) (where place) {
		if p != nil {
			where.at = q.result.Where(p.Instr)
			if places := q.result.Place(p.Instr); len(places) > 0 {
				where.at = strings.Join(places, ", ")
			}
		}
		if where.accesses = a != nil; where.accesses {
			where.kind = a.Kind
		}
		return where
	}
	t := topic{x.kind, x.what, at(x.first, x.accesses[0]), at(x.other, x.accesses[1])}
	if t.first.at > t.second.at || t.first.at == t.second.at && t.first.kind > t.second.kind {
		t.first, t.second = t.second, t.first
	}
	return t
}

// neverComes is why something that goes wrong in some round of a loop that is cut may go wrong in none.
func (q *questions) neverComes() (why, help string) {
	for _, l := range q.setup.cut {
		if !l.long {
			return "this may go wrong in a round of a loop that never comes: how often the loop is executed is not known",
				"sizes for which the loop ends after a number of rounds that is known"
		}
	}
	return "this may go wrong in a round of a loop that never comes: the loop has too many rounds to look at each",
		"sizes for which it has fewer, or what holds in each of them (__invariant)"
}

// doubt is why a model may be none of the kernel; "" if it is one.
func (q *questions) doubt(x *question, conditions []*term.Term, hinges string) (why, help string) {
	if x.warp {
		return "threads of a warp may come here, and others that are waited for not, unless they have ended", "a place that all threads of the warp come to, or a mask of those that do"
	}
	for _, c := range conditions {
		if len(q.trace.Havoc) > 0 && mentions(c, func(v *term.Term) bool { return q.ofLoop(x, v) }) {
			return q.neverComes()
		}
		if x.kind == Assertion && about(c, symbolic.Opaque) {
			return "an assertion about floating-point arithmetic, which is not modelled", ""
		}
	}
	if hinges != "" && (x.kind == Assertion || opencl.Of(hinges).Does != opencl.Nothing) { // of others, whoever calls them pure says that they may return anything
		return fmt.Sprintf("whether this is %s hinges on what %s returns, which has no body here", x.kind.sentence(), kernel.OwnName(hinges)), "a module that has its body"
	}
	return "", ""
}

// ofLoop reports that a variable is one of a loop that was cut, of either thread.
func (q *questions) ofLoop(x *question, v *term.Term) bool {
	if q.trace.Havoc[v] {
		return true
	}
	if x.second == nil {
		return false
	}
	for h := range q.trace.Havoc {
		if x.second.Term(h) == v {
			return true
		}
	}
	return false
}

// about reports that a term has a variable or a function in it whose name begins like that.
func about(t *term.Term, prefix string) bool {
	return mentions(t, func(v *term.Term) bool { return strings.HasPrefix(v.Name(), prefix) })
}

// small is a model with small sizes where any are asked about, and without null pointers to memory that is
// accessed, if there is one: that of a launch that can be looked at.
func (q *questions) small(x *question, conditions []*term.Term, model *term.Model) *term.Model {
	try := func(t *term.Term) bool {
		within := append(conditions[:len(conditions):len(conditions)], t)
		answer := q.Check(q.config.Budget/10, within...)
		if answer.Result != sat.Sat || !q.fits(answer.Model) {
			return false
		}
		conditions, model = within, answer.Model
		return true
	}
	if within, boxed := q.boxed(conditions); boxed != nil {
		conditions, model = within, boxed
	}
	for _, sizes := range [][3]*term.Term{q.trace.Shape.Blocks, q.trace.Shape.Threads} {
		for _, size := range sizes {
			for bound := uint64(1); bound < model.Eval(size) && !try(q.ULe(size, q.Const(bound, size.Width()))); bound *= 2 {
			}
		}
	}
	for _, p := range q.trace.Params {
		accessed := slices.ContainsFunc(x.accesses[:], func(a *symbolic.Access) bool { return a != nil && a.Region.Name == p.Variable.Name })
		if accessed && p.Size == 8 && model.Eval(p.Term) == 0 {
			try(q.Ne(p.Term, q.Const(0, 64)))
		}
	}
	return model
}

// evaluation is the values of a model for two threads.
type evaluation struct {
	*questions
	model  *term.Model
	second *second
}

// value is a term for the first or the second thread.
func (e *evaluation) value(t *term.Term, second bool) uint64 {
	if second {
		t = e.second.Term(t)
	}
	return e.model.Eval(t)
}

func (e *evaluation) triple(t [3]*term.Term, second bool) (v [3]uint64) {
	for i := range v {
		v[i] = e.value(t[i], second)
	}
	return v
}

// launch is the launch with the sizes that the model has chosen.
func (e *evaluation) launch() (l Launch) {
	for i := range 3 {
		l.Grid[i] = int(e.model.Eval(e.trace.Shape.Blocks[i]))
		l.Block[i] = int(e.model.Eval(e.trace.Shape.Threads[i]))
	}
	return l
}

func (e *evaluation) point(p *symbolic.Point, a *symbolic.Access, second bool) Point {
	made := Point{
		Thread: e.triple(e.trace.Shape.Thread, second), Block: e.triple(e.trace.Shape.Block, second),
		Instr: p.Instr, Calls: slices.Clone(p.Calls),
	}
	if a == nil {
		return made
	}
	made.Access = &Access{
		Kind: AccessKind(a.Kind), Array: arrayOf(a.Region), Size: a.Size, Unit: a.Unit, Strong: a.Strong,
		Offset: int64(e.value(a.Offset, second)),
	}
	if len(a.Values) > 0 {
		made.Access.Value = e.value(a.Values[0], second)
	}
	return made
}

func arrayOf(r *symbolic.Region) Array { return Array{r.Name, r.Space, r.Variable == nil} }

// reads are what a thread reads on its way to a point.
func (e *evaluation) reads(thread int, to *symbolic.Point) (all []Read) {
	for _, r := range e.trace.Reads[:to.Reads] {
		if e.value(r.Guard, thread == 1) == 1 {
			all = append(all, Read{
				thread, r.Instr, arrayOf(r.Region), int64(e.value(r.Offset, thread == 1)), r.Size, e.value(r.Value, thread == 1),
			})
		}
	}
	return all
}

// returns are what functions without a body return to a thread.
func (e *evaluation) returns(thread int) (all []Return) {
	for _, r := range e.trace.Returns {
		if e.value(r.Guard, thread == 1) == 1 {
			all = append(all, Return{thread, r.Instr, e.value(r.Value, thread == 1)})
		}
	}
	return all
}
