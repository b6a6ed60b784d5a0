package exec

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel/opencl"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Calls of OpenCL's built-in functions carry information that PTX lacks: the memory that a barrier
// orders, and copies that proceed while the threads go on.

// builtins execute OpenCL's functions.
var builtins = map[opencl.Action]func(*annotation, opencl.Function){
	opencl.Barrier:  func(a *annotation, _ opencl.Function) { a.fence() },
	opencl.Copy:     (*annotation).copy,
	opencl.Wait:     func(a *annotation, _ opencl.Function) { a.await() },
	opencl.Prefetch: func(*annotation, opencl.Function) {},
	opencl.Gather:   (*annotation).gather,
	opencl.Compute:  func(a *annotation, _ opencl.Function) { a.computed() },
}

// builtin returns what a function of OpenCL does, or nil.
func builtin(name string) func(*annotation) {
	f := opencl.Of(name)
	does := builtins[f.Does]
	if does == nil {
		return nil
	}
	return func(a *annotation) { does(a, f) }
}

// computed sets the result of a function without side effects: the same for the same arguments.
func (a *annotation) computed() {
	if len(a.f.Returns) == 1 && a.f.Returns[0].Size() <= 8 && !slices.Contains(a.args, nil) {
		a.result = a.terms.App(trace.External+a.f.Name, 8*a.f.Returns[0].Size(), a.args...)
	}
}

// gather is a collective operation of all threads of the block. It orders no memory. Only whether
// its result is the same for all threads is known (The OpenCL C 2.0 Specification, 6.13.15).
func (a *annotation) gather(f opencl.Function) {
	b := a.terms
	a.run.copies.partly("a place where all threads meet, and no memory is ordered")
	a.run.meet.waitFor(a.s, trace.Block, nil, [trace.Memories]*term.Term{b.Bool(false), b.Bool(false)})
	if returns := a.f.Returns; f.Alike && len(returns) == 1 && returns[0].Size() <= 8 {
		meeting := append(a.run.rec.Trace.Shape.Block[:], a.run.loops.everyRound()...)
		a.result = b.App(a.run.rec.Unique(trace.External+a.f.Name), 8*returns[0].Size(), append(meeting, a.s.barriers())...)
	}
}

// fence is a barrier that orders the memories that its flags name (The OpenCL C 1.2 Specification,
// 6.12.8). A flag in which threads may differ orders nothing: a fence takes both.
func (a *annotation) fence() {
	b := a.terms
	flags := a.argument(0)
	orders := [trace.Memories]*term.Term{}
	for k, flag := range [trace.Memories]opencl.Fences{trace.SharedMemory: opencl.Local, trace.GlobalMemory: opencl.Global} {
		orders[k] = b.Ne(b.And(flags, b.Const(uint64(flag), flags.Width())), b.Const(0, flags.Width()))
		if a.run.loops.differs(orders[k], trace.Block) {
			orders[k] = b.Bool(false)
		}
		if !orders[k].True() {
			a.run.copies.partly("a barrier that does not order all memory")
		}
	}
	a.run.meet.waitFor(a.s, trace.Block, nil, orders)
}

// partly records that memories are not ordered together, or not by barriers alone. Contracts cannot
// express that.
func (m *copies) partly(what string) {
	if m.run.config.Hooks != nil {
		m.run.refuse("", "%s, in a kernel with a contract, is not modelled", what)
	}
	if m.run.rec.Trace.Partly == nil {
		trace.Set(m.run.rec, &m.run.rec.Trace.Partly, m.run.at)
	}
}

// flight is an asynchronous copy that has begun.
type flight struct {
	trace.Point
	event  *term.Term
	halves []*trace.Access // what it reads and what it writes
	landed *term.Term      // the thread has waited for it
}

// firstEvent is the number of the first event. Any number will do but 0, which means no event.
const firstEvent = 1 << 32

// maxLength bounds the bits of the number of an element: a copy of more elements leaves its arrays.
const maxLength = 40

// copy begins an asynchronous copy between memory of the block and global memory. All threads of
// the block reach it, with the same arguments.
func (a *annotation) copy(f opencl.Function) {
	b := a.terms
	a.asynchronous("async_work_group_copy")
	n, event := a.argument(2), a.argument(len(a.args)-1)
	element := a.run.fresh("element", maxLength)
	if count, ok := n.Value(); ok && 0 < count && count < 1<<maxLength {
		element = b.UpTo(a.run.rec.Unique("element"), count-1)
		a.run.rec.Trace.Private[element] = true
	}
	i := b.ZExt(element, 64)
	near := b.Mul(i, b.Const(uint64(f.Element), 64))
	far := near
	if f.Strided {
		far = b.Mul(near, a.argument(3))
	}
	to, from := far, near
	if f.ToLocal {
		to, from = near, far
	}
	within := b.ULt(i, n)
	flies := &flight{
		Point: a.run.point(a.s, b.Bool(true)), landed: b.Bool(false),
		event: b.Ite(b.Eq(event, b.Const(0, 64)), b.Const(firstEvent+uint64(len(a.run.copies.flights)), 64), event),
	}
	for k, offset := range []*term.Term{to, from} {
		for _, p := range a.run.addr.places(a.argument(k)) {
			if p.region.Null {
				a.run.memory.astray(a.s, p)
				continue
			}
			p.when, p.offset = b.And(p.when, within), b.Add(p.offset, offset)
			half := a.run.copies.half(a.s, p, a.f.Name, f.Element, k == 0)
			half.Copy.Element = i
			flies.halves = append(flies.halves, half)
		}
	}
	a.run.rec.Change(trace.Push(&a.run.copies.flights, flies))
	a.result = flies.event
}

// half returns what a copy does on one of its sides: it writes, or it reads.
func (m *copies) half(s *state, p place, name string, size int, writes bool) *trace.Access {
	if p.region.Private || p.region.Entry || writes && p.region.Space == isa.Const {
		m.run.refuse("", "%s to or from %s is not modelled", name, p.region.Name)
	}
	m.run.memory.within(s, p, size)
	never := m.terms.Const(term.Mask(64), 64)
	half := &trace.Access{Kind: trace.Load, Size: size, Unit: min(size, 8), Copy: &trace.Part{Lands: trace.Epochs{never, never, never}}}
	if writes {
		half.Kind = trace.Store
		for range size / half.Unit {
			half.Values = append(half.Values, m.run.fresh("copied", 8*half.Unit))
		}
	}
	return m.run.memory.accessed(s, p, half)
}

// await waits for the copies that have one of some events.
func (a *annotation) await() {
	b := a.terms
	const what = "wait_group_events"
	a.asynchronous(what)
	n, ok := a.argument(0).Value()
	if !ok || n > maxChoices {
		a.run.refuse("", "%s with a number of events that is not known, or of more than %d, is not modelled", what, maxChoices)
	}
	var events []*term.Term
	for i := range n {
		events = append(events, a.byArray(1, func(p place) *term.Term {
			if !p.region.Private {
				a.run.refuse("", "events in memory that threads share are not modelled")
			}
			return a.run.memory.loadOwn(a.s, p.region, b.Add(p.offset, b.Const(8*i, 64)), 8)
		}))
		a.run.meet.alike(a.s, events[i], what)
	}
	for _, f := range a.run.copies.flights {
		now := b.Bool(false)
		for _, e := range events {
			now = b.Or(now, b.Eq(e, f.event))
		}
		now = b.And(now, b.And(a.run.guards.Term(a.s.guard), b.Not(f.landed)))
		for _, half := range f.halves {
			for scope, passed := range a.s.passed(half.Region) {
				trace.Set(a.run.rec, &half.Copy.Lands[scope], b.Ite(now, passed, half.Copy.Lands[scope]))
			}
		}
		trace.Set(a.run.rec, &f.landed, b.Or(f.landed, now))
	}
}

// asynchronous requires that all threads of the block reach a call of a function with the same
// arguments; otherwise its behaviour is undefined (6.12.10).
func (a *annotation) asynchronous(what string) {
	a.run.copies.partly(what)
	if len(a.run.loops.cutting) > 0 {
		a.run.refuse("sizes for which the loop ends after a number of rounds that is known", "%s in a loop whose rounds are not known", what)
	}
	a.run.meet.arrive(a.s, trace.Block, nil)
	for i := range a.args {
		a.run.meet.alike(a.s, a.argument(i), what)
	}
}

// unawaited checks, where the thread has ended, that it has waited for all copies: it must
// (6.12.10, the note on wait_group_events).
func (m *copies) unawaited() {
	for _, f := range m.flights {
		m.run.rec.Append(&trace.Check{Point: m.run.rec.Stamp(f.Point), What: "kernel that ends without waiting for an asynchronous copy", Holds: m.terms.Or(f.landed, m.run.rec.Trace.Lost)})
	}
}
