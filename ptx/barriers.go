package ptx

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// room is where threads of a CTA or cluster meet: a barrier of the hardware (PTX ISA,
// "bar, barrier"), or an instance that a litmus test numbers.
type room struct {
	cluster  bool
	warp     bool
	reduces  isa.Update // what a barrier does with the predicates of its threads, if anything
	instance int64      // of bar.cta.sync and its kin; noInstance for the others
	id       int64      // of a named barrier, or the lanes that meet in a warp; else noName
}

// String is what people call the barrier.
func (r room) String() string {
	switch {
	case r.cluster:
		return "cluster barrier"
	case r.warp:
		return "warp barrier"
	case r.instance != noInstance && r.id != noName:
		return fmt.Sprintf("barrier %d, instance %d", r.id, r.instance)
	case r.instance != noInstance:
		return fmt.Sprintf("barrier %d", r.instance)
	}
	return fmt.Sprintf("barrier %d", r.id)
}

const (
	noInstance = -1 << 62
	noName     = -1 << 62
)

// meeting is what a thread does at a barrier event.
type meeting struct {
	room
	event    int // number in the path
	count    int // how many arrivals complete the barrier; 0: one of each thread with the barrier in its code
	arrives  bool
	waits    bool
	releases bool // what came before is visible to those that wait
	vote     bool // the predicate of the thread, where the barrier reduces them
	result   int64
}

// reduce is the result for so many threads, of which some have a true predicate.
func reduce(how isa.Update, threads, votes int) int64 {
	switch {
	case how == isa.UpdatePopc:
		return int64(votes)
	case how == isa.UpdateAnd && votes == threads, how == isa.UpdateOr && votes > 0:
		return 1
	}
	return 0
}

// A CTA has barriers 0 to 15 (PTX ISA, "bar, barrier").
const barriersOfCTA = 16

// warpSize is how many threads the manual counts for one thread of a test, which
// stands for its warp.
const warpSize = 32

// numbersInstances reports that in is "bar.cta.sync I, ID, COUNT" of litmus tests, and not the manual's
// "bar{.cta}.sync a, b", whose b names no barrier.
func (in *Instr) numbersInstances() bool {
	counts := len(in.Srcs) == 2 && in.Srcs[1].Kind == Immediate && in.Srcs[1].Int >= barriersOfCTA
	return in.Op.Code == isa.Bar && in.Scope() == event.ScopeCTA && in.Op.Update == isa.NoUpdate && !counts
}

func (in *Instr) ofCluster() bool { return in.Scope() == event.ScopeCluster }

// barrierArgs is how many operands the operations of a barrier take: of the litmus
// tests' spelling, the manual's for a CTA, and the manual's for a cluster.
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

// between says how many operands there may be.
func between(least, most int) string {
	switch {
	case most == 0:
		return "no operands"
	case least == most:
		return fmt.Sprintf("%d operands", most)
	}
	return fmt.Sprintf("%d to %d operands", least, most)
}

// staticRoom is the room of a barrier as far as the code tells: false if its name is
// in a register.
func (in *Instr) staticRoom() (room, bool) {
	r := room{cluster: in.ofCluster(), warp: in.Op.Warp, reduces: in.Op.Update, instance: noInstance, id: noName}
	if in.numbersInstances() {
		r.instance = in.Srcs[0].Int
	}
	name := in.barrierName()
	if name == nil {
		return r, true
	}
	r.id = name.Int
	return r, name.Kind == Immediate
}

// barrierName is the operand that names the barrier; nil if none does.
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

// barrierCount is the operand that says how many threads take part; nil if none does.
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
	m, err := w.meeting(in)
	if err != nil {
		return err
	}
	if in.Op.Warp {
		return w.meetInWarp(in, m)
	}
	if in.Vote != nil {
		if m.vote, err = w.votes(in); err != nil {
			return err
		}
	}
	name := in.barrierName()
	if name == nil {
		return w.meet(in, m, nil)
	}
	id, err := w.operand(name)
	if err != nil {
		return err
	}
	c, ok := id.Value.(event.Const)
	if !ok {
		return w.anyBarrier(in, m, id)
	}
	v := event.Value(c)
	if v.IsAddress() || v.Int < 0 || v.Int >= barriersOfCTA {
		return src.Errorf(name.At, "%s names no barrier", name.Text).WithHint("a CTA has barriers 0 to %d", barriersOfCTA-1)
	}
	m.id = v.Int
	return w.meet(in, m, id.From)
}

// anyBarrier meets at the barrier that a value read from memory names: each name is a path of its own.
func (w *walk) anyBarrier(in *Instr, m meeting, id unwind.Held) error {
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
		m.id = n
		here.Assume(is, true)
		if err := here.meet(in, m, id.From); err != nil {
			return err
		}
		here.guard = nil
	}
	return nil
}

// meetInWarp meets the lanes of the warp that the mask names (PTX ISA, "bar.warp.sync").
func (w *walk) meetInWarp(in *Instr, m meeting) error {
	mask, err := w.operand(&in.Srcs[0])
	if err != nil {
		return err
	}
	c, ok := mask.Value.(event.Const)
	if !ok || event.Value(c).IsAddress() || c.Int>>w.seat().Lane&1 == 0 {
		return src.Errorf(in.Srcs[0].At, "the mask of %s must be known, and have the bit of the thread's lane, %d", in.Opcode, w.seat().Lane).
			WithHint("0xffffffff is all threads of the warp")
	}
	m.id = c.Int & (1<<w.seat().Lanes - 1)
	m.count = bits.OnesCount64(uint64(m.id))
	return w.meet(in, m, mask.From)
}

// votes says what the thread's predicate is at a barrier that reduces. If reads decide it, the
// other way is forked off.
func (w *walk) votes(in *Instr) (bool, error) {
	p, err := w.operand(in.Vote)
	if err != nil {
		return false, err
	}
	truth, known := w.Truth(p.Value)
	if !known {
		other := w.fork()
		other.Assume(p.Value, false)
		if err := other.barrier(in); err != nil {
			return false, err
		}
		other.guard = nil
		w.Assume(p.Value, true)
		truth = true
	}
	return truth != in.Vote.Not, nil
}

// takeResult sets the destination of a barrier that reduces. What it gets depends on the other
// threads, so each result is a path of its own; those that do not come about fall away where the
// threads meet.
func (w *walk) takeResult(in *Instr) error {
	p, err := w.operand(in.Vote)
	if err != nil {
		return err
	}
	most := 1
	if in.Op.Update == isa.UpdatePopc {
		most = w.seat().Tids
	}
	for result := most; result >= 0; result-- {
		here := w
		if result > 0 {
			here = w.fork()
		}
		here.Path.Meetings[len(here.Path.Meetings)-1].result = int64(result)
		if err := here.set(in.Dst, event.Const(event.Int(int64(result))), in.Type(0), p.From); err != nil {
			return err
		}
		if here != w {
			here.guard = nil
		}
	}
	return nil
}

// meeting is what in does at its barrier, but for the name.
func (w *walk) meeting(in *Instr) (meeting, error) {
	op := in.Op.Meeting
	r, _ := in.staticRoom()
	m := meeting{room: r, arrives: op != isa.Wait, waits: op != isa.Arrive, releases: in.Order() != event.Relaxed}
	count := in.barrierCount()
	if count == nil || in.Op.Warp {
		return m, nil
	}
	n, err := w.operand(count)
	if err != nil {
		return m, err
	}
	c, ok := n.Value.(event.Const)
	if !ok || event.Value(c).IsAddress() || event.Value(c).Int < 1 || event.Value(c).Int > 1<<16 {
		return m, src.Errorf(count.At, "the number of threads of a barrier must be known, and 1 or more")
	}
	m.count = int(event.Value(c).Int)
	if in.numbersInstances() {
		return m, nil
	}
	if m.count%warpSize != 0 {
		return m, src.Errorf(count.At, "the number of threads of %s is no multiple of the warp size %d", in.Opcode, warpSize).
			WithHint("a thread of the test stands for its warp: %d of them are %d threads", m.count, m.count*warpSize)
	}
	m.count /= warpSize
	return m, nil
}

// meet appends the barrier event. Where the thread waits, it may wait for ever.
func (w *walk) meet(in *Instr, m meeting, from unwind.Deps) error {
	e := event.Event{Kind: event.Barrier, Scope: event.ScopeCTA, Mnemonic: in.spelling(), Barrier: m.room.String()}
	if m.cluster {
		e.Scope = event.ScopeCluster
	}
	m.event = w.event(e, nil, nil, from)
	w.Path.Meetings = append(w.Path.Meetings, m)
	if m.waits {
		w.fork().Path.Ending = event.EndlessWait
		w.OneWay()
	}
	if in.Vote == nil {
		return nil
	}
	return w.takeResult(in)
}
