package symbolic

import (
	"slices"

	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel/opencl"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Calls of OpenCL's built-in functions say what PTX cannot: which memory a barrier orders, and what is copied while the
// threads go on.

// builtins are what OpenCL's functions do.
var builtins = map[opencl.Action]func(*annotation, opencl.Function){
	opencl.Barrier:  func(a *annotation, _ opencl.Function) { a.fence() },
	opencl.Copy:     (*annotation).copy,
	opencl.Wait:     func(a *annotation, _ opencl.Function) { a.await() },
	opencl.Prefetch: func(*annotation, opencl.Function) {},
	opencl.Gather:   (*annotation).gather,
	opencl.Compute:  func(a *annotation, _ opencl.Function) { a.computed() },
}

// builtin is what a function of OpenCL does; nil if it is none.
func builtin(name string) func(*annotation) {
	f := opencl.Of(name)
	does := builtins[f.Does]
	if does == nil {
		return nil
	}
	return func(a *annotation) { does(a, f) }
}

// computed is what a function returns that does nothing else: the same for the same arguments.
func (a *annotation) computed() {
	if len(a.f.Returns) == 1 && a.f.Returns[0].Size() <= 8 && !slices.Contains(a.args, nil) {
		a.result = a.App(External+a.f.Name, 8*a.f.Returns[0].Size(), a.args...)
	}
}

// gather is a place to which all threads of the block come, for a result of what each has; it orders no memory. Of the result nothing is known, but
// for whether it is the same for all of them (The OpenCL C 2.0 Specification, 6.13.15).
func (a *annotation) gather(f opencl.Function) {
	a.partly("a place where all threads meet, and no memory is ordered")
	a.waitFor(a.s, Block, nil, [memories]*term.Term{a.Bool(false), a.Bool(false)})
	if returns := a.f.Returns; f.Alike && len(returns) == 1 && returns[0].Size() <= 8 {
		meeting := append(a.trace.Shape.Block[:], a.everyRound()...)
		a.result = a.App(a.unique(External+a.f.Name), 8*returns[0].Size(), append(meeting, a.s.barriers())...)
	}
}

// fence is a barrier that orders the memories that its flags name (The OpenCL C 1.2 Specification, 6.12.8). A flag in which
// threads may differ orders nothing: a fence takes both.
func (a *annotation) fence() {
	flags := a.argument(0)
	orders := [memories]*term.Term{}
	for k, flag := range [memories]opencl.Fences{sharedMemory: opencl.Local, globalMemory: opencl.Global} {
		orders[k] = a.Ne(a.And(flags, a.Const(uint64(flag), flags.Width())), a.Const(0, flags.Width()))
		if a.differs(orders[k], Block) {
			orders[k] = a.Bool(false)
		}
		if !orders[k].True() {
			a.partly("a barrier that does not order all memory")
		}
	}
	a.waitFor(a.s, Block, nil, orders)
}

// partly notes that memories are not ordered together, or not by barriers alone: contracts say nothing of that.
func (m *machine) partly(what string) {
	if m.config.Hooks != nil {
		m.refuse("", "%s, in a kernel with a contract, is not modelled", what)
	}
	if m.trace.Partly == nil {
		set(m.rec, &m.trace.Partly, m.at)
	}
}

// Part is what a thread may do of an asynchronous copy: any element of it. The threads of a block copy together, in any way;
// what a thread does, it has done when it has waited for the event of the copy (6.12.10). Or it is all of a copy of its own (async.go).
type Part struct {
	Element  *term.Term // which element
	Lands    epochs     // how many barriers the thread has passed when it has waited; as many as there can be if it never has
	Own      bool       // the thread copies alone, and what it does meanwhile is not ordered with the copy
	Landings []Landing  // of such a copy
}

// flight is an asynchronous copy that has begun.
type flight struct {
	Point
	event  *term.Term
	halves []*Access  // what it reads and what it writes
	landed *term.Term // the thread has waited for it
}

// firstEvent is the first number of an event; any will do but 0, which is none.
const firstEvent = 1 << 32

// maxLength is how many bits the number of an element has: a copy of more leaves its arrays.
const maxLength = 40

// copy begins an asynchronous copy: of memory of the block from global memory, or the other way. All threads of the block
// come to it, with the same arguments.
func (a *annotation) copy(f opencl.Function) {
	a.asynchronous("async_work_group_copy")
	n, event := a.argument(2), a.argument(len(a.args)-1)
	element := a.fresh("element", maxLength)
	if count, ok := n.Value(); ok && 0 < count && count < 1<<maxLength {
		element = a.UpTo(a.unique("element"), count-1)
		a.trace.Private[element] = true
	}
	i := a.ZExt(element, 64)
	near := a.Mul(i, a.Const(uint64(f.Element), 64))
	far := near
	if f.Strided {
		far = a.Mul(near, a.argument(3))
	}
	to, from := far, near
	if f.ToLocal {
		to, from = near, far
	}
	within := a.ULt(i, n)
	flies := &flight{
		Point: a.point(a.s, a.Bool(true)), landed: a.Bool(false),
		event: a.Ite(a.Eq(event, a.Const(0, 64)), a.Const(firstEvent+uint64(len(a.flights)), 64), event),
	}
	for k, offset := range []*term.Term{to, from} {
		for _, p := range a.places(a.argument(k)) {
			if half := a.half(p, within, offset, f.Element, k == 0); half != nil {
				half.Copy.Element = i
				flies.halves = append(flies.halves, half)
			}
		}
	}
	a.rec.Change(push(&a.flights, flies))
	a.result = flies.event
}

// half is what a copy does on one of its sides: it writes, or it reads.
func (a *annotation) half(p place, within, offset *term.Term, size int, writes bool) *Access {
	switch {
	case p.region.null:
		a.astray(a.s, p)
		return nil
	case p.region.private, p.region.entry, writes && p.region.Space == isa.Const:
		a.refuse("", "%s to or from %s is not modelled", a.f.Name, p.region.Name)
	}
	p.when, p.offset = a.And(p.when, within), a.Add(p.offset, offset)
	a.within(a.s, p, size)
	never := a.Const(term.Mask(64), 64)
	half := &Access{Kind: Load, Size: size, Unit: min(size, 8), Copy: &Part{Lands: epochs{never, never, never}}}
	if writes {
		half.Kind = Store
		for range size / half.Unit {
			half.Values = append(half.Values, a.fresh("copied", 8*half.Unit))
		}
	}
	return a.accessed(a.s, p, half)
}

// await waits for the copies that have one of some events.
func (a *annotation) await() {
	const what = "wait_group_events"
	a.asynchronous(what)
	n, ok := a.argument(0).Value()
	if !ok || n > maxChoices {
		a.refuse("", "%s with a number of events that is not known, or of more than %d, is not modelled", what, maxChoices)
	}
	var events []*term.Term
	for i := range n {
		events = append(events, a.byArray(1, func(p place) *term.Term {
			if !p.region.private {
				a.refuse("", "events in memory that threads share are not modelled")
			}
			return a.loadOwn(a.s, p.region, a.Add(p.offset, a.Const(8*i, 64)), 8)
		}))
		a.alike(events[i], what)
	}
	for _, f := range a.flights {
		now := a.Bool(false)
		for _, e := range events {
			now = a.Or(now, a.Eq(e, f.event))
		}
		now = a.And(now, a.And(a.guards.Term(a.s.guard), a.Not(f.landed)))
		for _, half := range f.halves {
			for scope, passed := range a.s.passed(half.Region) {
				set(a.rec, &half.Copy.Lands[scope], a.Ite(now, passed, half.Copy.Lands[scope]))
			}
		}
		set(a.rec, &f.landed, a.Or(f.landed, now))
	}
}

// asynchronous has all threads of the block come to a call of a function, with the same arguments; else what it does is not
// defined (6.12.10).
func (a *annotation) asynchronous(what string) {
	a.partly(what)
	if len(a.cutting) > 0 {
		a.refuse("sizes for which the loop ends after a number of rounds that is known", "%s in a loop whose rounds are not known", what)
	}
	a.arrive(a.s, Block, nil)
	for i := range a.args {
		a.alike(a.argument(i), what)
	}
}

// alike checks that threads of the block call a function with the same value.
func (a *annotation) alike(t *term.Term, what string) {
	if a.s.guard == guard.False || !a.differs(t, Block) {
		return
	}
	other := a.fresh("other", t.Width())
	a.trace.Others[other] = t
	a.rec.Append(&Check{
		Point: a.point(a.s, a.Bool(true)), What: what + " with arguments in which threads of the block differ", Holds: a.Eq(t, other), With: SameBlock,
	})
}

// unawaited checks, where the thread has ended, that it has waited for all copies: it must (6.12.10, the note on
// wait_group_events).
func (m *machine) unawaited() {
	for _, f := range m.flights {
		m.rec.Append(&Check{Point: m.rec.stamp(f.Point), What: "kernel that ends without waiting for an asynchronous copy", Holds: m.Or(f.landed, m.trace.Lost)})
	}
}
