package interp

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A thread is a machine (isa.Machine) of concrete integers; every value is known.
var _ isa.Machine[int64, *instr] = (*thread)(nil)

// performances are the effects of instructions that do more than compute and have no syntax of
// their own.
var performances = map[isa.Code]func(*thread, *instr) error{
	isa.Ld: (*thread).load, isa.St: (*thread).store, isa.Atom: (*thread).atomic, isa.Red: (*thread).atomic,
	isa.Bar:       (*thread).bar,
	isa.Barrier:   (*thread).barriers,
	isa.Texture:   (*thread).accessImage,
	isa.Surface:   (*thread).accessImage,
	isa.Prefetch:  (*thread).awaited,
	isa.Nanosleep: (*thread).awaited,
	isa.Pmevent:   (*thread).mark,
	isa.Membar:    (*thread).fence,
	isa.Fence:     (*thread).fence,
}

// Class returns the class of an instruction.
func (in *instr) Class() isa.Class { return in.class }

// Formula returns what the instruction computes; for an atomic, what it writes.
func (in *instr) Formula() *isa.Formula { return in.formula }

// step runs the next instruction of a thread.
func (t *thread) step() error {
	if t.pc == len(t.entry.code) {
		t.done = true
		return nil
	}
	t.pc++
	if err := isa.Execute[int64, *instr](t, &t.entry.code[t.pc-1]); err != nil {
		t.pc--
		return err
	}
	return nil
}

// Guard returns the guard of an instruction.
func (t *thread) Guard(in *instr) (p int64, want, guarded bool, err error) {
	if in.Guard == nil {
		return 0, false, false, nil
	}
	return int64(t.regs[in.Guard.Index]), !in.Unless, true, nil
}

// Decide reports whether a predicate has a truth value.
func (t *thread) Decide(_ *instr, p int64, want bool) (bool, error) { return (p != 0) == want, nil }

// Pass does nothing: t has advanced to the next instruction.
func (t *thread) Pass(*instr, int64) {}

// Sources returns the operands after the destination.
func (t *thread) Sources(in *instr) ([]int64, error) { return t.values(in.operands[1:]), nil }

// values returns the values of operands, after some given ones. The slice is valid until the next
// call.
func (t *thread) values(operands []operand, first ...int64) []int64 {
	t.sources = append(t.sources[:0], first...)
	for _, o := range operands {
		t.sources = append(t.sources, int64(t.value(o)))
	}
	return t.sources
}

// Compute applies the formula of an instruction.
func (t *thread) Compute(in *instr, sources []int64) ([2]int64, error) {
	return t.arithmetic.Apply(in.formula, sources...)
}

// Set sets the destination.
func (t *thread) Set(in *instr, results [2]int64) error {
	return t.set(in, held(results[0], in.formula.Results[0].Type))
}

// Jump jumps to the target.
func (t *thread) Jump(in *instr) error {
	t.pc = in.target
	return nil
}

// End ends the thread.
func (t *thread) End(*instr) error {
	t.done = true
	return nil
}

// Perform performs the effect of an instruction.
func (t *thread) Perform(in *instr) error {
	if in.perform == nil {
		return fmt.Errorf("this machine has no %s", in.op.Text)
	}
	return in.perform(t, in)
}

// mark reports that a thread passes a marker.
func (t *thread) mark(in *instr) error {
	if t.OnMark == nil {
		return nil
	}
	registers := map[string]uint64{}
	for _, r := range t.entry.Registers {
		registers[r.Name] = t.regs[r.Index]
	}
	t.OnMark(Mark{int(in.operands[0].number), t.cta, t.tid, registers})
	return nil
}

// value returns the value of an operand.
func (t *thread) value(o operand) uint64 {
	switch {
	case o.register >= 0:
		t.settle(o.register)
		return t.regs[o.register]
	case o.ask != nil:
		return o.ask(t)
	}
	return o.number
}

// settle completes the late load of a register.
func (t *thread) settle(register int) {
	if len(t.late) > 0 {
		t.hierarchy.settle(t, register)
	}
}

// bytes returns the number of bytes of an access.
func (in *instr) bytes() int { return in.op.Type(0).Bits / 8 }

// held returns a value of a type as registers hold it: zero-extended.
func held(v int64, t arith.Type) uint64 { return uint64(v) << (64 - t.Bits) >> (64 - t.Bits) }

func (t *thread) set(in *instr, v uint64) error {
	if in.operands[0].register < 0 {
		return fmt.Errorf("the destination is not a register")
	}
	t.settle(in.operands[0].register)
	t.regs[in.operands[0].register] = v
	return nil
}

// placeOf returns the target of an access; its address is the operand at an index, followed by the
// offset.
func (t *thread) placeOf(in *instr, at int) (memoryPlace, error) {
	address := t.value(in.operands[at]) + t.value(in.operands[at+1])
	if in.aligned > 0 && address%uint64(in.aligned) != 0 {
		return memoryPlace{}, fmt.Errorf("the address %#x of a vector is not a multiple of %d", address, in.aligned)
	}
	return t.reach(in.op.Space == isa.Shared || in.op.Space == isa.SharedCluster, address, in.bytes())
}

func (t *thread) load(in *instr) error {
	if in.op.Space == isa.Param {
		return t.set(in, held(int64(t.value(in.operands[1])), in.op.Type(0).Int()))
	}
	p, err := t.placeOf(in, 1)
	if err != nil {
		return err
	}
	return t.hierarchy.load(t, in, p)
}

func (t *thread) store(in *instr) error {
	p, err := t.placeOf(in, 0)
	if err != nil {
		return err
	}
	t.hierarchy.store(t, in.op, p, t.value(in.operands[2]))
	return nil
}

// atomic writes what the instruction computes from the old value and its operands.
func (t *thread) atomic(in *instr) error {
	at := 0 // of the address
	if in.op.Code == isa.Atom {
		at = 1
	}
	p, err := t.placeOf(in, at)
	if err != nil {
		return err
	}
	old, err := t.hierarchy.update(t, in.op, p, func(old uint64) (uint64, error) {
		written, err := t.Compute(in, t.values(in.operands[at+2:], int64(old)))
		return uint64(written[0]), err
	})
	if err != nil || in.op.Code == isa.Red {
		return err
	}
	return t.set(in, old)
}

func (t *thread) fence(in *instr) error {
	t.hierarchy.fence(t, reachOf(in.op))
	return nil
}

// barriers is the barrier of a CTA or of a cluster.
func (t *thread) barriers(in *instr) error {
	if in.op.Scope == isa.ScopeCluster {
		return t.clusterBarrier(in)
	}
	return t.bar(in)
}

func (t *thread) bar(in *instr) error {
	operands := in.operands
	t.reduced = -1
	if in.op.Meeting == isa.Reduce { // popc: the number of threads whose predicate is true
		t.reduced, t.counted = operands[0].register, int(t.value(operands[3]))
		operands = operands[1:]
	}
	t.hierarchy.fence(t, inCTA)
	barrier := int(t.value(operands[0]))
	wanted := 0
	if len(operands) > 1 {
		wanted = int(t.value(operands[1]))
	}
	if in.op.Meeting == isa.Arrive {
		t.arrived[meeting{t.cta, barrier}]++
		t.arrives = true
		return nil
	}
	t.barrier, t.wanted = barrier, wanted
	t.waits[t.cta]++
	return nil
}

// createPolicy returns an empty policy: the caches here ignore policies.
func (t *thread) createPolicy(in *instr) error { return t.set(in, 0) }
