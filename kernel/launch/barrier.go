package launch

import (
	"slices"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// The order that barriers establish is kept in vector clocks (Mattern, "Virtual Time and Global
// States of Distributed Systems", 1989): the clock of a thread counts its meetings, and for each
// other thread of its block the thread knows the clock value up to which that thread's actions are
// ordered before its own.

// memory is a kind of memory whose accesses a barrier may order separately.
type memory int

// The memories that threads share.
const (
	sharedMemory memory = iota
	globalMemory
	memories
)

// memory returns the kind of memory of an object.
func (o *Object) memory() memory {
	if o.Space == isa.Shared {
		return sharedMemory
	}
	return globalMemory
}

// clocks holds, for each memory, a vector clock: what barriers have ordered before some point.
type clocks [memories][]uint32

func newClocks(threads int) (c clocks) {
	for k := range c {
		c[k] = make([]uint32, threads)
	}
	return c
}

// add merges into c the actions of thread index up to clock, and all that was ordered before them.
func (c clocks) add(index int, clock uint32, before clocks) {
	for k := range c {
		for i, at := range before[k] {
			c[k][i] = max(c[k][i], at)
		}
		c[k][index] = max(c[k][index], clock)
	}
}

// arrival is an arrival of a thread at a barrier.
type arrival struct {
	thread *thread // nil after bar.arrive: the thread does not wait
	step   *step
	id     int64
	count  int // number of threads that the barrier waits for; 0: the block
	mask   uint32
	clock  uint32
	index  int
	seen   clocks
	leaves [memories]bool // memories whose accesses the barrier does not order
	holds  bool           // the predicate of a reduction
	site   []*step
	rounds []int   // iterations of the loops around the barrier and around the calls that led to it
	sync   int     // index among the Syncs of the report; -1 if not recorded
	brings []int64 // operands of an exchange between lanes
}

// barrier executes bar and barrier, of blocks and of warps.
func (m *machine) barrier(t *thread, s *step) (bool, error) {
	a := &arrival{thread: t, step: s, clock: t.clock, index: t.index, seen: t.seen}
	ops := s.Ops
	if s.op.Meeting == isa.Reduce {
		if len(ops) < 3 {
			return false, refuse(s.At, "%s takes a result, a barrier and a predicate", s.Opcode)
		}
		p, err := m.value(t, &ops[len(ops)-1], 1)
		if err != nil {
			return false, err
		}
		a.holds, ops = p != 0, ops[1:len(ops)-1]
	}
	if s.op.Scope == isa.ScopeCluster || len(ops) == 0 {
		return false, refuse(s.At, "%s is not modelled", s.Opcode)
	}
	first, err := m.value(t, &ops[0], 32)
	if err != nil {
		return false, err
	}
	a.id = first
	if s.op.Warp {
		a.id, a.mask = t.lanes(uint32(first), 0), uint32(first)
	}
	if len(ops) > 1 {
		n, err := m.value(t, &ops[1], 32)
		if err != nil {
			return false, err
		}
		a.count = int(n)
	}
	m.demands(t, s, a)
	if !m.arrive(t, s, a) {
		return false, nil
	}
	if s.op.Meeting == isa.Arrive {
		a.thread = nil
		t.clock++ // accesses after bar.arrive are not ordered before those of the waiting threads
		m.settle(t.block)
		return true, nil
	}
	return false, nil
}

// barriers is the number of barriers of a block (PTX ISA, "bar").
const barriers = 16

// demands records a failure if an operand of a barrier is invalid: a number above 15, a count that
// is not a multiple of the warp size (PTX ISA, "bar"), or a mask without the thread's own lane
// ("bar.warp.sync").
func (m *machine) demands(t *thread, s *step, a *arrival) {
	switch {
	case s.op.Warp:
		m.namesOwn(t, s, a.mask)
	case uint64(a.id) >= barriers || a.count%warpSize != 0:
		m.fails(t, s)
	}
}

// namesOwn records a failure if a mask does not contain the thread's own lane, which is undefined
// behaviour (PTX ISA, "shfl.sync": membermask).
func (m *machine) namesOwn(t *thread, s *step, mask uint32) {
	if mask>>(t.index%warpSize)&1 == 0 {
		m.fails(t, s)
	}
}

// fails records an instruction whose behaviour PTX leaves undefined.
func (m *machine) fails(t *thread, s *step) {
	m.report.Failures = append(m.report.Failures, Failure{t.number, s.Instr, s.Opcode})
}

// arrive records an arrival at a barrier. It reports whether the block goes on, which it does not
// if the thread arrives again before the barrier completes.
func (m *machine) arrive(t *thread, s *step, a *arrival) bool {
	a.sync = len(m.report.Syncs)
	m.sync(t, s)
	for _, before := range t.waiting {
		if before.id == a.id && before.index == a.index {
			m.diverge(t.block,
				Divergence{Again: true, Thread: t.number, At: s.Instr, Other: t.number, Elsewhere: before.step.Instr})
			return false
		}
	}
	m.comes(t, a)
	return true
}

// comes records where a thread waits.
func (m *machine) comes(t *thread, a *arrival) {
	for _, f := range t.frames {
		at := f.steps[min(f.pc, len(f.steps)-1)]
		a.site = append(a.site, &f.steps[min(f.pc, len(f.steps)-1)])
		for _, loop := range at.within {
			a.rounds = append(a.rounds, f.rounds[loop])
		}
	}
	t.waiting = append(t.waiting, a)
}

// settle resumes the threads of a block whose barriers are complete. A barrier with a count
// completes when that number of threads has arrived. A barrier of the whole block completes when no
// thread of the block can go on: then all threads must be at the same barrier, in the same
// iterations of the loops around it, and none may have ended (OpenCL C 1.2, 6.12.8; CUDA
// Programming Guide, "Synchronization Functions").
func (m *machine) settle(b *block) {
	if some := b.atLast(); len(some) > 0 &&
		(some[0].id < 0 && b.covers(some) || some[0].count > 0 && len(some) >= some[0].count) {
		m.meet(b, some)
	}
	if b.running > 0 || len(b.waiting) == 0 {
		return
	}
	first := b.waiting[0]
	if some := b.meeting(first); first.counts() {
		m.diverge(b,
			Divergence{
				Thread: b.threads[first.index].number,
				At:     first.step.Instr,
				Count:  first.count,
				Come:   len(some),
				Other:  b.absent(some),
			})
		return
	}
	for _, t := range b.threads {
		i := slices.IndexFunc(b.waiting, func(a *arrival) bool { return a.thread == t })
		if i < 0 || b.waiting[i].counts() || !b.waiting[i].same(first) {
			m.diverge(b, Divergence{Thread: b.threads[first.index].number, At: first.step.Instr, Other: t.number})
			return
		}
	}
	m.meet(b, slices.Clone(b.waiting))
}

// counts reports whether the barrier waits for some threads only: a number of them, or the lanes of
// a mask.
func (a *arrival) counts() bool { return a.count > 0 || a.id < 0 }

// meeting returns the arrivals at the same barrier as the first.
func (b *block) meeting(first *arrival) (all []*arrival) {
	for _, a := range b.waiting {
		if a.id == first.id {
			all = append(all, a)
		}
	}
	return all
}

// absent returns a thread that has not arrived, one that the mask of the barrier names if it has a
// mask. If all have arrived, it returns one of them.
func (b *block) absent(some []*arrival) int {
	for _, t := range b.threads {
		named := some[0].id >= 0 ||
			t.index/warpSize == some[0].index/warpSize && some[0].mask>>(t.index%warpSize)&1 != 0
		if named && !slices.ContainsFunc(some, func(a *arrival) bool { return a.index == t.index }) {
			return t.number
		}
	}
	return b.threads[some[0].index].number
}

func (a *arrival) same(b *arrival) bool {
	return a.id == b.id && slices.Equal(a.site, b.site) && slices.Equal(a.rounds, b.rounds)
}

// atLast returns the waiting threads at the barrier of the latest arrival if that barrier can
// complete while other threads of the block run. No other barrier can have completed just now.
func (b *block) atLast() (all []*arrival) {
	if len(b.waiting) == 0 {
		return nil
	}
	id := b.waiting[len(b.waiting)-1].id
	for _, a := range b.waiting {
		if a.id == id {
			all = append(all, a)
		}
		if len(all) == 1 && id >= 0 && all[0].count == 0 {
			return nil
		}
	}
	return all
}

// covers reports whether all existing lanes in the mask of a warp's barrier have arrived.
func (b *block) covers(some []*arrival) bool {
	here := uint32(0)
	for _, a := range some {
		here |= 1 << (a.index % warpSize)
	}
	first := some[0].index / warpSize * warpSize
	exist := uint32(1<<min(warpSize, len(b.threads)-first) - 1)
	return some[0].mask&exist&^here == 0
}

// meet resumes the threads at a barrier. Everything they did is ordered before everything they will
// do, except in memory that one of them tells the barrier to leave out.
func (m *machine) meet(b *block, some []*arrival) {
	seen := newClocks(len(b.threads))
	var leaves [memories]bool
	all, any, n := true, false, int64(0)
	for _, a := range some {
		seen.add(a.index, a.clock, a.seen)
		for k := range leaves {
			leaves[k] = leaves[k] || a.leaves[k]
		}
		all, any, n = all && a.holds, any || a.holds, n+truth(a.holds)
	}
	m.meetings++
	b.waiting = slices.DeleteFunc(b.waiting, func(a *arrival) bool { return slices.Contains(some, a) })
	for _, a := range some {
		if a.sync >= 0 {
			m.report.Syncs[a.sync].Meeting = m.meetings
		}
		t := a.thread
		if t == nil {
			continue
		}
		for k := range seen {
			if !leaves[k] {
				t.seen[k] = seen[k]
			}
		}
		t.clock++
		if a.brings != nil {
			t.seen, t.clock = a.seen, a.clock
			if err := m.exchanged(a, some); err != nil && m.broken == nil {
				m.report.Failed, m.broken = a.step.Instr, err
			}
		}
		if a.step.op.Meeting == isa.Reduce {
			v := map[isa.Update]int64{
				isa.UpdateAnd: truth(all), isa.UpdateOr: truth(any),
				isa.UpdatePopc: n,
			}[a.step.op.Update]
			t.top().regs[a.step.Ops[0].Register.Index] = v
		}
		m.wake(t)
	}
}

// Divergence is a thread that waits at a barrier which other threads of its block do not reach.
type Divergence struct {
	Block         int
	Thread, Other int // numbers in the grid; Other has not arrived
	At            *kernel.Instr
	Elsewhere     *kernel.Instr // where Other waits; nil if it has ended
	// Count is the number of threads that the barrier waits for, if it gives one, and Come the
	// number that have arrived. Both are 0 for a barrier of the block.
	Count, Come int
	// Again is set if the thread arrives at a barrier twice before it completes. Elsewhere is then
	// its first arrival.
	Again bool
	// Waits are the waiting threads of the block and those that have arrived, in the order of
	// arrival.
	Waits []Wait
}

// Wait is an arrival of a thread at a barrier.
type Wait struct {
	Thread      int
	At          *kernel.Instr
	Number      int64 // number of the barrier; negative for a warp's barrier
	Count, Come int   // as in Divergence
	Arrived     bool
}

// diverge records a divergence and ends the block, whose further behaviour is undefined.
func (m *machine) diverge(b *block, d Divergence) {
	d.Block = m.launch.Grid.Index(b.at)
	for _, a := range b.waiting {
		w := Wait{
			Thread:  b.threads[a.index].number,
			At:      a.step.Instr,
			Number:  a.id,
			Count:   a.count,
			Arrived: a.thread == nil,
		}
		if a.counts() {
			w.Come = len(b.meeting(a))
		}
		if d.Waits = append(d.Waits, w); !d.Again && w.Thread == d.Other && !w.Arrived {
			d.Elsewhere = w.At
		}
	}
	m.report.Divergences = append(m.report.Divergences, d)
	b.waiting = nil
	m.ready = slices.DeleteFunc(m.ready, func(number int) bool { return m.threads[number].block == b })
}
