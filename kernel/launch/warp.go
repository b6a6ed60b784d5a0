package launch

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// exchanges maps the instructions that exchange values between the lanes of a warp to their number
// of operands.
var exchanges = map[isa.Code]int{isa.Shfl: 5, isa.Vote: 3, isa.Match: 3, isa.Redux: 3, isa.Elect: 2}

// exchange executes such an instruction. Lanes wait as at a barrier of the warp.
func (m *machine) exchange(t *thread, s *step) (bool, error) {
	if s.op.Code == isa.Activemask && m.launch.Lockstep == 0 { // threads run one by one
		return true, m.set(t, &s.Ops[0], 1<<(t.index%warpSize), 0, arith.U32)
	}
	if s.op.Meeting != isa.Sync || exchanges[s.op.Code] != len(s.Ops) ||
		s.op.Code == isa.Redux && s.op.Type(0).Kind == isa.Floating {
		return false, refuse(s.At, "%s is not modelled", s.Opcode)
	}
	a := &arrival{thread: t, step: s, clock: t.clock, index: t.index, seen: t.seen, sync: -1}
	for i := 1; i < len(s.Ops); i++ {
		width := 32
		if i == 1 && (s.op.Code == isa.Vote || s.op.Code == isa.Match) {
			width = s.op.Type(0).Bits
		}
		v, err := m.value(t, &s.Ops[i], width)
		if err != nil {
			return false, err
		}
		a.brings = append(a.brings, v)
	}
	a.mask = uint32(a.brings[len(a.brings)-1])
	m.namesOwn(t, s, a.mask)
	a.id = t.lanes(a.mask, 1)
	m.comes(t, a)
	return false, nil
}

// lanes returns the number of the meeting of one kind of the lanes in a mask, in the warp of a
// thread. It is negative.
func (t *thread) lanes(mask uint32, kind int64) int64 {
	return -1 - (int64(t.index/warpSize)<<33 | int64(mask)<<1 | kind)
}

// exchanged gives a thread its result from the lanes that it meets. The exchange orders no
// accesses.
func (m *machine) exchanged(a *arrival, some []*arrival) error {
	if tile := a.step.op.Tile(); tile != nil {
		return m.moved(a, some, tile)
	}
	if product := productOf(a.step.op); product != nil {
		return m.multiplied(a, some, product)
	}
	a.learns(some)
	return nil
}

// learns gives a thread the value of another lane, or a result from all lanes.
func (a *arrival) learns(some []*arrival) {
	value, second := int64(0), int64(0)
	lane := a.index % warpSize
	switch a.step.op.Code {
	case isa.Elect: // the lowest lane in the mask; any lane would do if the choice is deterministic
		value = int64(bits.TrailingZeros32(a.mask))
		second = truth(value == int64(lane))
	case isa.Shfl:
		from, inside := source(a.step.op.Mode, lane, a.brings[1], a.brings[2])
		value, second = a.brings[0], truth(inside)
		for _, b := range some {
			if inside && b.index%warpSize == from {
				value = b.brings[0]
			}
		}
	case isa.Match:
		alike := lanesWith(some, func(b *arrival) bool { return b.brings[0] == a.brings[0] })
		if value = int64(alike); a.step.op.Mode == "all" {
			second = truth(bits.OnesCount32(alike) == len(some))
			value *= second
		}
	case isa.Redux:
		value = reduced(a.step.op, some)
	default:
		ballot := lanesWith(some, func(b *arrival) bool { return b.brings[0]&1 != 0 })
		n := bits.OnesCount32(ballot)
		value = map[string]int64{
			"ballot": int64(ballot), "any": truth(n > 0), "all": truth(n == len(some)),
			"uni": truth(n == 0 || n == len(some)),
		}[a.step.op.Mode]
	}
	o := &a.step.Ops[0]
	regs := a.thread.top().regs
	if o.Kind == kernel.Reg {
		regs[o.Register.Index] = value
	}
	if o.Second != nil {
		regs[o.Second.Index] = second
	}
}

// lanesWith returns the mask of the lanes for which holds is true.
func lanesWith(some []*arrival, holds func(*arrival) bool) (mask uint32) {
	for _, b := range some {
		if holds(b) {
			mask |= 1 << (b.index % warpSize)
		}
	}
	return mask
}

// reduced returns the reduction of the values of all lanes (PTX ISA, "redux.sync").
func reduced(in *isa.Opcode, some []*arrival) int64 {
	op, _ := in.Update.Op()
	all := some[0].brings[0]
	for _, b := range some[1:] {
		// none of these operations fails
		all, _ = arith.Compute(op, in.Type(0).Int(), arith.Operands{all, b.brings[0]})
	}
	return all
}

// source returns the lane that shfl reads, and whether it is in the segment (PTX ISA, "shfl.sync").
func source(mode string, lane int, b, c int64) (from int, inside bool) {
	by, clamp, segment := int(b&31), int(c&31), int(c>>8&31)
	most := lane&segment | clamp&^segment
	switch mode {
	case "up":
		return lane - by, lane-by >= most
	case "down":
		from = lane + by
	case "bfly":
		from = lane ^ by
	default:
		from = lane&segment | by&^segment
	}
	return from, from <= most
}

// lockstep runs consecutive threads together: of a group, those threads that can go on and are
// furthest behind in the code. An access that several threads execute together orders what they did
// before it and what they do after it.
func (m *machine) lockstep(ctx context.Context) error {
	for len(m.ready) > 0 && !m.over {
		number, _ := m.launch.Schedule.Next(m.ready)
		group := m.behind(m.threads[number])
		access := false
		for _, t := range group {
			if m.report.Steps++; m.report.Steps > m.launch.MaxSteps {
				return src.Errorf(t.top().where(), "%s has not ended after %d instructions", m.report.Kernel.Name,
					m.launch.MaxSteps)
			}
			before := len(m.report.Accesses)
			goes, err := m.step(t)
			if m.exhausted != nil || err != nil {
				return cmp.Or(m.exhausted, err)
			}
			access = access || len(m.report.Accesses) > before
			if !goes {
				m.stop(t)
			}
		}
		if m.broken != nil {
			return m.broken
		}
		if access && len(group) > 1 {
			meetAll(group)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// behind returns the threads of a thread's group that are furthest behind in the code.
func (m *machine) behind(t *thread) (group []*thread) {
	for _, other := range t.block.threads {
		_, ready := slices.BinarySearch(m.ready, other.number)
		if !ready || other.index/m.launch.Lockstep != t.index/m.launch.Lockstep {
			continue
		}
		if len(group) > 0 {
			switch c := slices.Compare(other.way(), group[0].way()); {
			case c > 0:
				continue
			case c < 0:
				group = nil
			}
		}
		group = append(group, other)
	}
	return group
}

// way returns the position of a thread: the program counters of its frames.
func (t *thread) way() (all []int) {
	for _, f := range t.frames {
		all = append(all, f.pc)
	}
	return all
}

// meetAll makes threads meet: what each did is ordered before what any of them will do.
func meetAll(group []*thread) {
	seen := newClocks(len(group[0].block.threads))
	for _, t := range group {
		seen.add(t.index, t.clock, t.seen)
	}
	for _, t := range group {
		t.seen = seen
		t.clock++
	}
}
