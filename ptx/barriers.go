package ptx

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// returned are the reductions of package barrier by the operation of the instruction (PTX ISA,
// "bar, barrier").
var returned = map[isa.Update]barrier.Reduction{
	isa.UpdateAnd: barrier.AllVote, isa.UpdateOr: barrier.AnyVotes, isa.UpdatePopc: barrier.CountVotes,
}

// A CTA has barriers 0 to 15 (PTX ISA, "bar, barrier").
const barriersOfCTA = 16

// warpSize is the number of threads that the manual counts for one thread of a test, which stands
// for its warp.
const warpSize = 32

// numbersInstances reports whether in is the form "bar.cta.sync I, ID, COUNT" of litmus tests. The
// manual's form is "bar{.cta}.sync a, b", where b is a count of threads.
func (in *Instr) numbersInstances() bool {
	counts := len(in.Srcs) == 2 && in.Srcs[1].Kind == Immediate && in.Srcs[1].Int >= barriersOfCTA
	return in.Op.Code == isa.Bar && in.Scope() == event.ScopeCTA && in.Op.Update == isa.NoUpdate && !counts
}

func (in *Instr) ofCluster() bool { return in.Scope() == event.ScopeCluster }

// barrierArgs bounds the number of operands of the operations of a barrier, in three spellings:
// that of litmus tests, the manual's for a CTA, and the manual's for a cluster.
var barrierArgs = map[isa.Meeting][3]struct{ least, most int }{
	isa.Sync:   {{1, 3}, {1, 2}, {1, 0}},
	isa.Arrive: {{1, 3}, {2, 2}, {0, 0}},
	isa.Reduce: {{1, 3}, {1, 0}, {1, 0}},
	isa.Wait:   {{1, 0}, {1, 0}, {0, 0}},
}

// checkBarrier checks the operands and the order of a barrier.
func checkBarrier(in *Instr) *src.Diagnostic {
	op := in.Op.Meeting
	if op == isa.NoMeeting {
		return nil
	}
	spelling := 1
	switch {
	case in.numbersInstances():
		spelling = 0
	case in.ofCluster():
		spelling = 2
	}
	want := barrierArgs[op][spelling]
	switch {
	case in.Op.Warp && op == isa.Sync && spelling == 1 && in.Op.Update == isa.NoUpdate:
		want.least, want.most = 1, 1
	case in.Op.Warp:
		want.least, want.most = 1, 0
	case in.Op.Update != isa.NoUpdate:
		if err := in.checkReduction(); err != nil {
			return err
		}
		want.least, want.most = 1, 2
	case in.Op.Says(isa.TypeMod):
		return src.Errorf(in.modifier(isa.TypeMod), "%s has no type", in.Opcode)
	}
	orders := map[isa.Meeting][]event.Order{isa.Arrive: {event.Release, event.Relaxed}, isa.Wait: {event.Acquire}}[op]
	switch n := len(in.Srcs); {
	case want.least > want.most:
		return src.Errorf(in.At, "%s is not supported", in.Opcode).
			WithHint("muster has bar.{sync,arrive} and bar.red.{popc,and,or}, the same of barrier, bar.cta.{sync,arrive,red}, bar.warp.sync and barrier.cluster.{arrive,wait}")
	case n < want.least || n > want.most:
		return src.Errorf(in.At, "%s takes %s, not %d", in.Opcode, between(want.least, want.most), n)
	case in.numbersInstances() && in.Srcs[0].Kind != Immediate:
		return src.Errorf(in.Srcs[0].At, "the instance of %s is a number", in.Opcode).
			WithHint("a register may follow, as the name of the barrier: %s 0, %s", in.Opcode, in.Srcs[0].Text)
	case in.Order() != event.OrderNone && !(in.ofCluster() && slices.Contains(orders, in.Order())):
		return src.Errorf(in.At, "%s has no order .%s", in.Opcode, in.Order())
	}
	return nil
}

// checkReduction checks a barrier that reduces: to a number, or to a predicate.
func (in *Instr) checkReduction() *src.Diagnostic {
	typ := map[bool]string{true: ".u32", false: ".pred"}[in.Op.Update == isa.UpdatePopc]
	switch at := in.modifier(isa.TypeMod); {
	case in.Op.Meeting != isa.Reduce || in.ofCluster():
		return src.Errorf(in.At, "%s does not reduce", in.Opcode).WithHint("bar.red.%s%s does", in.Op.Update, typ)
	case !at.Valid() || at.Text() != typ:
		return src.Errorf(in.At, "%s is not of type %s", in.Opcode, typ).WithHint("write bar.red.%s%s", in.Op.Update, typ)
	}
	return nil
}

// between returns the text for a permitted number of operands.
func between(least, most int) string {
	switch {
	case most == 0:
		return "no operands"
	case least == most:
		return fmt.Sprintf("%d operands", most)
	}
	return fmt.Sprintf("%d to %d operands", least, most)
}

// barrier returns the barrier at which in meets, without the part of its name that an operand
// gives. Three kinds of barriers are used by turns: an instance that a litmus test numbers, the
// barrier of a cluster, and the barrier of some lanes of a warp. The manual's barriers of a CTA can
// be reused as soon as they complete.
func (in *Instr) barrier() barrier.Barrier {
	b := barrier.Barrier{Level: litmus.CTA, ByTurn: in.ofCluster() || in.Op.Warp || in.numbersInstances(), Reduce: returned[in.Op.Update]}
	switch {
	case in.ofCluster():
		b.Key, b.Level = "cluster barrier", litmus.Cluster
	case in.Op.Warp:
		b.Key, b.Level = "warp barrier", litmus.Warp
	case in.numbersInstances():
		b.Key = fmt.Sprintf("barrier %d", in.Srcs[0].Int)
	}
	return b
}

// barrierNamed returns the barrier with a number at which in meets, or that of some lanes.
func (in *Instr) barrierNamed(name int64) barrier.Barrier {
	b := in.barrier()
	switch {
	case in.Op.Warp:
		b.Key = fmt.Sprintf("%s of the lanes %#x", b.Key, name)
	case in.numbersInstances():
		b.Key = fmt.Sprintf("barrier %d, instance %d", name, in.Srcs[0].Int)
	default:
		b.Key = fmt.Sprintf("barrier %d", name)
	}
	return b
}

// knownBarriers returns the barriers in the code of a thread, except for those whose name is in a
// register.
func (t *thread) knownBarriers() (all []barrier.Barrier) {
	for _, in := range t.code {
		if in.Op.Meeting == isa.NoMeeting || in.Op.Warp {
			continue
		}
		b, name := in.barrier(), in.barrierName()
		if name != nil {
			b = in.barrierNamed(name.Int)
		}
		if (name == nil || name.Kind == Immediate) && !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}

// barrierName returns the operand that names the barrier, or nil.
func (in *Instr) barrierName() *Operand {
	at := 0
	if in.numbersInstances() {
		at = 1
	}
	if at < len(in.Srcs) {
		return &in.Srcs[at]
	}
	return nil
}

// barrierCount returns the operand with the number of threads that take part, or nil.
func (in *Instr) barrierCount() *Operand {
	at := 1
	if in.numbersInstances() {
		at = 2
	}
	if at < len(in.Srcs) {
		return &in.Srcs[at]
	}
	return nil
}

// barrier meets other threads.
func (w *walk) barrier(in *Instr) error {
	v, err := w.visit(in)
	if err != nil {
		return err
	}
	if in.Op.Warp {
		return w.meetInWarp(in, v)
	}
	if in.Vote != nil {
		if v.Vote, err = w.votes(in); err != nil {
			return err
		}
	}
	name := in.barrierName()
	if name == nil {
		return w.meet(in, v, nil)
	}
	id, err := w.operand(name)
	if err != nil {
		return err
	}
	c, ok := id.Value.(event.Const)
	if !ok {
		return w.anyBarrier(in, v, id)
	}
	n := event.Value(c)
	if n.IsAddress() || n.Int < 0 || n.Int >= barriersOfCTA {
		return src.Errorf(name.At, "%s names no barrier", name.Text).WithHint("a CTA has barriers 0 to %d", barriersOfCTA-1)
	}
	v.At = in.barrierNamed(n.Int)
	return w.meet(in, v, id.From)
}

// anyBarrier meets at the barrier whose name is a value read from memory: it forks one path for
// each name.
func (w *walk) anyBarrier(in *Instr, v barrier.Visit, id path.Held) error {
	among := event.Const(event.Int(barriersOfCTA))
	which, err := w.apply(in, arith.Index, arith.S32, id.Value, among)
	if err != nil {
		return err
	}
	for n := range int64(barriersOfCTA) {
		is, err := w.apply(in, arith.Eq, arith.S32, which, event.Const(event.Int(n)))
		if err != nil {
			return err
		}
		here := w
		if n < barriersOfCTA-1 {
			here = w.fork()
		}
		v.At = in.barrierNamed(n)
		here.Assume(is, true)
		if err := here.meet(in, v, id.From); err != nil {
			return err
		}
	}
	return nil
}

// meetInWarp meets the lanes of the warp that the mask names (PTX ISA, "bar.warp.sync").
func (w *walk) meetInWarp(in *Instr, v barrier.Visit) error {
	mask, err := w.operand(&in.Srcs[0])
	if err != nil {
		return err
	}
	c, ok := mask.Value.(event.Const)
	if !ok || event.Value(c).IsAddress() || c.Int>>w.seat().Lane&1 == 0 {
		return src.Errorf(in.Srcs[0].At, "the mask of %s must be known, and have the bit of the thread's lane, %d", in.Opcode, w.seat().Lane).
			WithHint("0xffffffff is all threads of the warp")
	}
	lanes := c.Int & (1<<w.seat().Lanes - 1)
	v.At, v.Count = in.barrierNamed(lanes), bits.OnesCount64(uint64(lanes))
	return w.meet(in, v, mask.From)
}

// votes returns the thread's predicate at a barrier that reduces. If reads decide it, the other
// value gets a path of its own.
func (w *walk) votes(in *Instr) (bool, error) {
	p, err := w.operand(in.Vote)
	if err != nil {
		return false, err
	}
	truth, other := w.decide(p.Value, true)
	if other != nil {
		if err := other.barrier(in); err != nil {
			return false, err
		}
	}
	return truth != in.Vote.Not, nil
}

// takeResult sets the destination of a barrier that reduces.
func (w *walk) takeResult(in *Instr) error {
	p, err := w.operand(in.Vote)
	if err != nil {
		return err
	}
	most := 1
	if in.Op.Update == isa.UpdatePopc {
		most = w.seat().Tids
	}
	return w.Results(most, func(at *path.Walk[string], result event.Expr) error {
		return ofPTX(at).set(in.Dst, result, in.Type(0), p.From)
	})
}

// visit returns what in does at its barrier, except for the events and the name.
func (w *walk) visit(in *Instr) (barrier.Visit, error) {
	v := barrier.Visit{At: in.barrier(), Releases: in.Order() != event.Relaxed}
	count := in.barrierCount()
	if count == nil || in.Op.Warp {
		return v, nil
	}
	n, err := w.operand(count)
	if err != nil {
		return v, err
	}
	c, ok := n.Value.(event.Const)
	if !ok || event.Value(c).IsAddress() || event.Value(c).Int < 1 || event.Value(c).Int > 1<<16 {
		return v, src.Errorf(count.At, "the number of threads of a barrier must be known, and 1 or more")
	}
	v.Count = int(event.Value(c).Int)
	if in.numbersInstances() {
		return v, nil
	}
	if v.Count%warpSize != 0 {
		return v, src.Errorf(count.At, "the number of threads of %s is no multiple of the warp size %d", in.Opcode, warpSize).
			WithHint("a thread of the test stands for its warp: %d of them are %d threads", v.Count, v.Count*warpSize)
	}
	v.Count /= warpSize
	return v, nil
}

// meet appends the barrier event and the visit.
func (w *walk) meet(in *Instr, v barrier.Visit, from path.Deps) error {
	e := event.Event{Kind: event.Barrier, Scope: event.ScopeCTA, Mnemonic: in.spelling(), Barrier: v.At.Key}
	switch {
	case in.Op.Warp:
		e.Barrier = in.barrier().Key
	case in.ofCluster():
		e.Scope = event.ScopeCluster
	}
	n := w.Event(e, nil, nil, from)
	v.Arrive, v.Wait = n, n
	switch in.Op.Meeting {
	case isa.Arrive:
		v.Wait = barrier.None
	case isa.Wait:
		v.Arrive = barrier.None
	}
	w.Meet(v)
	if in.Vote == nil {
		return nil
	}
	return w.takeResult(in)
}
