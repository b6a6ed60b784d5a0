package ptx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// This file has mbarriers (PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier"). An mbarrier is an object of 64 bits in shared memory, which the memory model sees as
// a location. A change of it is an atomic read-modify-write; a wait is a read. A thread that waits
// for a phase therefore observes all arrivals of the phase, through the chain of atomics.

// mbarriers are the pages of mbarriers.
var mbarriers = map[string]page{
	"mbarrier.init":                   {perform: (*walk).initBarrier},
	"mbarrier.inval":                  {perform: (*walk).invalidate},
	"mbarrier.expect_tx":              {perform: (*walk).expectTx},
	"mbarrier.complete_tx":            {perform: (*walk).completeTx},
	"mbarrier.arrive":                 {(*walk).arriveOn, checkArrive},
	"mbarrier.arrive.expect_tx":       {(*walk).arriveOn, checkArrive},
	"mbarrier.arrive.noComplete":      {(*walk).arriveOn, checkArrive},
	"mbarrier.arrive_drop":            {(*walk).arriveOn, checkArrive},
	"mbarrier.arrive_drop.expect_tx":  {(*walk).arriveOn, checkArrive},
	"mbarrier.arrive_drop.noComplete": {(*walk).arriveOn, checkArrive},
	"mbarrier.test_wait":              {perform: (*walk).waitBarrier},
	"mbarrier.test_wait.parity":       {perform: (*walk).waitBarrier},
	"mbarrier.try_wait":               {perform: (*walk).waitBarrier},
	"mbarrier.try_wait.parity":        {perform: (*walk).waitBarrier},
	"mbarrier.pending_count":          {perform: (*walk).pendingCount},
	"cp.async.mbarrier.arrive":        {perform: (*walk).arriveCopied},
}

// mostCount bounds the count of an mbarrier, and the bytes of a phase (PTX ISA, "Contents of the
// mbarrier object").
const mostCount = 1<<20 - 1

// contents are the contents of an mbarrier: the number of the phase, as far as waits distinguish
// phases; the arrivals that each phase expects; the arrivals that are pending in this phase; and
// the bytes that it waits for.
type contents struct {
	phase             int
	expected, pending int64
	tx                int64
}

// phases is the number of phases that are distinguished: the current one, the previous one, and
// others.
const phases = 4

// How contents are packed: phase, expected, pending and tx, from the top.
const (
	countBits = 20
	txBits    = countBits + 1
)

// value packs contents.
func (c contents) value() event.Value {
	tx := c.tx & (1<<txBits - 1)
	return event.Value{Base: event.Opaque, Int: ((int64(c.phase)<<countBits|c.expected)<<countBits|c.pending)<<txBits | tx}
}

// unpack returns the contents that are packed.
func unpack(packed int64) contents {
	const count = 1<<countBits - 1
	return contents{
		phase: int(packed >> (2*countBits + txBits)), expected: packed >> (countBits + txBits) & count, pending: packed >> txBits & count,
		tx: packed << (64 - txBits) >> (64 - txBits),
	}
}

var errNoBarrier = errors.New("this is no mbarrier: it was not initialised, or not before this, or is used as data")

var errNoState = errors.New("this is no state of an mbarrier: an arrival returns one")

// contentsOf returns the contents of an mbarrier that a value encodes.
func contentsOf(v event.Value) (contents, error) {
	if !v.IsOpaque() || v == undefined || v == policy {
		return contents{}, errNoBarrier
	}
	return unpack(v.Int), nil
}

// String returns a short text for the boxes of pictures: how many of the expected arrivals are
// pending, and how many bytes.
func (c contents) String() string {
	missing := fmt.Sprintf("%d/%d", c.pending, c.expected)
	if c.tx != 0 {
		missing += fmt.Sprintf(" and %d bytes", c.tx)
	}
	return fmt.Sprintf("phase %d (%s to come)", c.phase, missing)
}

// showState returns the contents of an mbarrier for pictures and messages.
func showState(packed int64) string {
	switch packed {
	case undefined.Int:
		return "undefined"
	case policy.Int:
		return "a cache policy"
	}
	return unpack(packed).String()
}

// transition is an operation on an mbarrier: it expects bytes, completes bytes, or arrives. A phase
// completes when nothing is pending any more, and the next phase begins.
type transition struct {
	arrivals, bytes int64
	drops           bool // the arriving threads take no part in later phases
	tracks          bool // one more arrival of this phase is to come
	noComplete      bool // it must not complete the phase
}

// Apply returns the contents after the operation. Wrong use makes the contents undefined, but an
// execution needs values for its later events, so Apply then returns a value of its own, undefined.
// The operation used detects wrong use.
func (t transition) Apply(args [2]event.Value) (event.Value, error) {
	if after, err := t.after(args[0]); err == nil {
		return after, nil
	}
	return undefined, nil
}

// undefined is the value of an mbarrier after wrong use. A thread that waits for it passes.
var undefined = event.Value{Base: event.Opaque, Int: math.MinInt64}

// used checks that a transition is a right use of an mbarrier: it has no value if not. On contents
// that are already undefined, every use is right.
type used struct{ transition }

// Apply returns 1, or an error if the use is wrong.
func (u used) Apply(args [2]event.Value) (event.Value, error) {
	if args[0] == undefined {
		return event.Int(1), nil
	}
	_, err := u.after(args[0])
	return event.Int(1), err
}

func (used) String() string { return "used" }

// after returns the contents after the operation.
func (t transition) after(before event.Value) (event.Value, error) {
	c, err := contentsOf(before)
	if err != nil {
		return event.Value{}, err
	}
	if t.arrivals > c.pending {
		return event.Value{}, fmt.Errorf("%d arrivals at an mbarrier that waits for %d", t.arrivals, c.pending)
	}
	c.tx += t.bytes
	c.pending -= t.arrivals
	if t.drops {
		c.expected -= t.arrivals
	}
	if t.tracks {
		c.pending++
	}
	if c.tx < -mostCount || c.tx > mostCount || c.pending > mostCount {
		return event.Value{}, fmt.Errorf("a phase of an mbarrier counts up to %d", mostCount)
	}
	if c.pending == 0 && c.tx == 0 {
		if t.noComplete {
			return event.Value{}, errors.New("an arrival with .noComplete completes the phase of the mbarrier")
		}
		c.phase, c.pending = (c.phase+1)%phases, c.expected
	}
	return c.value(), nil
}

func (transition) String() string { return "mbarrier" }

// passed is the operation that tells whether a phase is complete: the phase of a state that an
// arrival returned, or the phase of a parity.
type passed struct{ parity bool }

// Apply returns the answer for the contents of the mbarrier.
func (p passed) Apply(args [2]event.Value) (event.Value, error) {
	if args[0] == undefined || args[1] == undefined {
		return event.Int(1), nil
	}
	now, err := contentsOf(args[0])
	if err != nil {
		return event.Value{}, err
	}
	if p.parity {
		if v := args[1]; v.Base != event.NoLoc || v.Int != 0 && v.Int != 1 {
			return event.Value{}, errors.New("the parity of a phase is 0 or 1")
		}
		return event.Int(int64(now.phase)&1 ^ args[1].Int), nil
	}
	then, err := contentsOf(args[1])
	if err != nil {
		return event.Value{}, errNoState
	}
	switch (now.phase - then.phase + phases) % phases {
	case 0:
		return event.Int(0), nil
	case 1:
		return event.Int(1), nil
	}
	return event.Value{}, errors.New("a wait is for the current phase of an mbarrier or the one before")
}

func (passed) String() string { return "passed" }

// pendingOf is the operation that returns the number of pending arrivals of a state.
type pendingOf struct{}

// Apply returns the count of the state.
func (pendingOf) Apply(args [2]event.Value) (event.Value, error) {
	if args[0] == undefined {
		return event.Int(0), nil
	}
	c, err := contentsOf(args[0])
	if err != nil {
		return event.Value{}, errNoState
	}
	return event.Int(c.pending), nil
}

func (pendingOf) String() string { return "pending" }

// mbarrier returns the mbarrier of an instruction. Its address must be known before the program
// runs.
func (w *walk) mbarrier(in *Instr) (pointer, event.Loc, error) {
	p, err := w.address(in, "bar")
	if err != nil {
		return p, event.NoLoc, err
	}
	c, known := p.Expr.(event.Const)
	if !known {
		return p, event.NoLoc, src.Errorf(p.at, "it is not known which mbarrier this is").WithHint("its address must not depend on what is read from memory")
	}
	l, err := event.Resolve(w.locs, event.Value(c))
	if err != nil {
		return p, l, src.Errorf(p.at, "%v", err)
	}
	if l = event.Physical(w.locs, l); w.locs[l].Region != litmus.Shared {
		return p, l, src.Errorf(p.at, "%s is an mbarrier, which must be in shared memory", w.locs[l].Name).
			WithHint("declare it so: { shared %s; }", w.locs[l].Name)
	}
	return p, l, nil
}

// count returns the value of a source, which must be known: a number from least to mostCount. A
// source that is left out is 1.
func (w *walk) count(in *Instr, name string, least int64) (int64, error) {
	o := in.source(name)
	if o == nil {
		return 1, nil
	}
	v, err := w.operand(o)
	if err != nil {
		return 0, err
	}
	c, known := v.Value.(event.Const)
	if !known || event.Value(c).Base != event.NoLoc || c.Int < least || c.Int > mostCount {
		return 0, src.Errorf(o.At, "the %s of %s must be known, and from %d to %d", name, in.Opcode, least, mostCount)
	}
	return c.Int, nil
}

// applyFunction returns the expression of a function of the operation in. Errors point at the
// operation.
func (w *walk) applyFunction(in *Instr, f event.Function, args ...event.Expr) (event.Expr, error) {
	x, err := event.ApplyFunction(f, args...)
	if err != nil {
		return nil, src.Errorf(in.At, "%v", err)
	}
	w.Note(x, false)
	return x, nil
}

// initBarrier executes mbarrier.init: a weak write.
func (w *walk) initBarrier(in *Instr) error {
	p, l, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	count, err := w.count(in, "count", 1)
	if err != nil {
		return err
	}
	if slices.Contains(w.barriers, l) {
		return src.Errorf(in.At, "%s is an mbarrier already", w.locs[l].Name).WithHint("mbarrier.inval must come before another mbarrier.init")
	}
	w.barriers = append(slices.Clip(w.barriers), l)
	w.Event(event.Event{
		Kind: event.Write, Order: event.Weak, Tags: mbarrierTag, Addr: p.Expr, Data: event.Const(contents{expected: count, pending: count}.value()), Mnemonic: in.spelling(),
	}, p.from, nil, nil)
	return nil
}

// invalidate executes mbarrier.inval: a weak write, after which there is no mbarrier.
func (w *walk) invalidate(in *Instr) error {
	p, l, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	w.barriers = slices.DeleteFunc(slices.Clone(w.barriers), func(m event.Loc) bool { return m == l })
	w.Event(event.Event{
		Kind: event.Write, Order: event.Weak, Tags: mbarrierTag, Addr: p.Expr, Data: event.Const(event.Int(0)), Mnemonic: in.Opcode,
	}, p.from, nil, nil)
	return nil
}

// change is an atomic operation on an mbarrier.
type change struct {
	at    pointer
	order event.Order
	scope event.Scope
	transition
}

// changeBarrier appends a change by the thread or by one of its agents. It returns the number of
// the read event. If the instruction returns no state, the read is tagged as that of a red.
func (w *walk) changeBarrier(in *Instr, c change, by func(e event.Event, addr, data path.Deps) int) (int, error) {
	r, tags := len(w.Path.Events), mbarrierTag
	if in.Dst == nil {
		tags |= noReturn
	}
	order, write := c.order.OfRmw()
	e := event.Event{
		Kind: event.Read, Order: order, Scope: c.scope, Atomic: true, Tags: tags, Addr: c.at.Expr, Data: event.ReadOf(r),
		Mnemonic: in.spelling(),
	}
	by(e, c.at.from, nil)
	after, err := w.applyFunction(in, c.transition, e.Data)
	if err != nil {
		return r, err
	}
	right, err := w.applyFunction(in, used{c.transition}, e.Data)
	if err != nil {
		return r, err
	}
	w.Assume(right, true)
	e.Kind, e.Order, e.Data = event.Write, write, after
	n := by(e, c.at.from, path.Deps{r})
	w.Path.Rmw = append(w.Path.Rmw, event.Pair{r, n})
	return r, nil
}

// byThread appends an event of the thread itself.
func (w *walk) byThread(e event.Event, addr, data path.Deps) int {
	return w.Event(e, addr, data, nil)
}

// orderOf and scopeOf return the order and the scope that an operation on an mbarrier names, or
// else the defaults.
func (in *Instr) orderOf(byDefault event.Order) event.Order {
	if word := in.Op.Words["sem"]; word != "" {
		said := Instr{Op: isa.Says(word, isa.OrderMod)}
		return said.Order()
	}
	return byDefault
}

func (in *Instr) scopeOf(byDefault event.Scope) event.Scope {
	if word := in.Op.Words["scope"]; word != "" {
		said := Instr{Op: isa.Says(word, isa.ScopeMod)}
		return said.Scope()
	}
	return byDefault
}

// expectTx makes the phase wait for more bytes.
func (w *walk) expectTx(in *Instr) error { return w.moveBytes(in, +1) }

// completeTx counts bytes that have come.
func (w *walk) completeTx(in *Instr) error { return w.moveBytes(in, -1) }

func (w *walk) moveBytes(in *Instr, sign int64) error {
	p, _, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	bytes, err := w.count(in, "bytes", 0)
	if err != nil {
		return err
	}
	c := change{p, in.orderOf(event.Relaxed), in.scopeOf(event.ScopeCTA), transition{bytes: sign * bytes}}
	_, err = w.changeBarrier(in, c, w.byThread)
	return err
}

// checkArrive checks that an arrival at an mbarrier of another CTA returns nothing.
func checkArrive(in *Instr) *src.Diagnostic {
	if in.Op.Words["bar"] == "shared::cluster" && in.Dst != nil {
		return src.Errorf(in.Dst.At, "%s returns no state", in.Opcode).WithHint("write _ in its place")
	}
	return nil
}

// arriveOn arrives; it returns the state of before.
func (w *walk) arriveOn(in *Instr) error {
	p, _, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	t := transition{drops: in.has("arrive_drop"), noComplete: in.has("noComplete")}
	if t.arrivals, err = w.count(in, "count", 1); err != nil {
		return err
	}
	if in.has("expect_tx") {
		if t.bytes, err = w.count(in, "bytes", 0); err != nil {
			return err
		}
	}
	r, err := w.changeBarrier(in, change{p, in.orderOf(event.Release), in.scopeOf(event.ScopeCTA), t}, w.byThread)
	if err != nil || in.Dst == nil {
		return err
	}
	return w.set(in.Dst, event.ReadOf(r), arith.U64, path.Deps{r})
}

// waitBarrier tests whether a phase is complete. If the answer is yes, the read acquires; the
// answer may be no at any time before. Both answers get a path.
func (w *walk) waitBarrier(in *Instr) error {
	p, _, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	phase, err := w.operand(&in.Srcs[0])
	if err != nil {
		return err
	}
	other := w.fork()
	if err := other.waited(in, p, phase, false); err != nil {
		return err
	}
	return w.waited(in, p, phase, true)
}

// waited executes waitBarrier with a given answer.
func (w *walk) waited(in *Instr, at pointer, phase path.Held, done bool) error {
	r := len(w.Path.Events)
	e := event.Event{
		Kind: event.Read, Order: event.Relaxed, Scope: in.scopeOf(event.ScopeCTA), Tags: mbarrierTag, Poll: !done, Addr: at.Expr, Data: event.ReadOf(r), Mnemonic: in.spelling(),
	}
	if done {
		e.Order = in.orderOf(event.Acquire)
	}
	w.Event(e, at.from, nil, nil)
	x, err := w.applyFunction(in, passed{parity: in.has("parity")}, e.Data, phase.Value)
	if err != nil {
		return err
	}
	w.Assume(x, done)
	answer := map[bool]int64{true: 1}[done]
	return w.set(in.Dst, event.Const(event.Int(answer)), arith.Bool, phase.From.Union(path.Deps{r}))
}

// pendingCount executes mbarrier.pending_count, which decodes a state.
func (w *walk) pendingCount(in *Instr) error {
	state, err := w.operand(in.source("state"))
	if err != nil {
		return err
	}
	x, err := w.applyFunction(in, pendingOf{}, state.Value)
	if err != nil {
		return err
	}
	return w.set(in.Dst, x, arith.U32, state.From)
}

// arriveCopied has an agent arrive when all cp.async operations of the thread are complete. The
// arrival is in addition to those that the phase expects, unless .noinc counts it as one of them.
func (w *walk) arriveCopied(in *Instr) error {
	p, _, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	if in.Op.Words["noinc"] == "" {
		c := change{p, event.Relaxed, event.ScopeCTA, transition{tracks: true}}
		if _, err := w.changeBarrier(in, c, w.byThread); err != nil {
			return err
		}
	}
	a := w.newAgent()
	r, err := w.changeBarrier(in, change{p, event.Release, event.ScopeCTA, transition{arrivals: 1}}, a.event)
	if err != nil {
		return err
	}
	for _, before := range append(w.copied.but(0), w.copied.open...) {
		w.Path.Within = append(w.Path.Within, event.Pair{before, r}, event.Pair{before, r + 1})
	}
	w.Path.Within = append(w.Path.Within, event.Pair{r, r + 1})
	return nil
}
