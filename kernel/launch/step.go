package launch

import (
	"errors"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// executions execute instructions, by class.
var executions map[isa.Class]execution

func init() {
	executions = map[isa.Class]execution{
		isa.ClassAccess: (*machine).access, isa.ClassAtomic: (*machine).atomic, isa.ClassBarrier: (*machine).barrier,
		isa.ClassWarp:       (*machine).exchange,
		isa.ClassArithmetic: (*machine).compute, isa.ClassConvert: (*machine).compute,
		isa.ClassFloat: (*machine).compute,
		isa.ClassMove:  (*machine).move, isa.ClassAddress: (*machine).address,
		isa.ClassBranch: (*machine).branch, isa.ClassCall: (*machine).call, isa.ClassReturn: (*machine).ret,
		isa.ClassExit:  (*machine).exit,
		isa.ClassFence: (*machine).fence, isa.ClassHint: nothing, isa.ClassOther: (*machine).other,
	}
}

func nothing(*machine, *thread, *step) (bool, error) { return true, nil }

// other executes instructions without a class of their own.
func (m *machine) other(t *thread, s *step) (bool, error) {
	switch tile := s.op.Tile(); {
	case tile != nil:
		return m.tile(t, s, tile)
	case s.op.AsyncCopy() != isa.NoCopy:
		return m.async(t, s)
	case s.op.Effect() == isa.Together:
		return m.multiply(t, s)
	}
	return false, refuse(s.At, "%s is not modelled", s.Opcode)
}

// fence records a fence. It has no effect under sequential consistency.
func (m *machine) fence(t *thread, s *step) (bool, error) {
	m.sync(t, s)
	return true, nil
}

// step executes the next instruction of a thread and reports whether the thread can go on.
func (m *machine) step(t *thread) (bool, error) {
	f := t.top()
	if f.pc >= len(f.steps) {
		m.falls(t, f)
		return m.ret(t, nil)
	}
	s := &f.steps[f.pc]
	if s.head >= 0 && m.launch.Rounds != nil {
		m.over = m.launch.Rounds(&Round{t.at, t.block.at, s.Instr, f.rounds[s.head] - 1, f, t.private})
	}
	if s.Guard != nil && (f.regs[s.Guard.Index] != 0) == s.Unless {
		t.arriveAt(f, f.pc+1)
		return true, nil
	}
	if s.err != nil {
		return false, s.err
	}
	goes, err := s.execute(m, t, s)
	if err != nil {
		m.report.Failed = s.Instr
		return false, t.locate(s, err)
	}
	if !t.done() && t.top() == f && f.pc < len(f.steps) && &f.steps[f.pc] == s && s.op.Class() != isa.ClassBranch {
		t.arriveAt(f, f.pc+1)
	}
	return goes, nil
}

// falls records a failure if a function ends, without ret, in a call that should not return.
func (m *machine) falls(t *thread, f *frame) {
	if n := len(f.steps); n > 0 && f.steps[n-1].op != nil && f.steps[n-1].op.Class() == isa.ClassCall {
		m.report.Failures = append(m.report.Failures, Failure{t.number, f.steps[n-1].Instr, f.f.Name})
	}
}

// locate returns an error with the position of the instruction and the thread.
func (t *thread) locate(s *step, err error) error {
	var d *src.Diagnostic
	if errors.As(err, &d) {
		if !d.Span.Valid() {
			d.Span = s.At
		}
		return err
	}
	return src.Errorf(s.At, "%v", err).WithHint("in thread %v of block %v", t.at, t.block.at)
}

func (m *machine) branch(t *thread, s *step) (bool, error) {
	targets, index := s.Targets(), int64(0)
	if s.op.Code == isa.Brx {
		var err error
		if index, err = m.value(t, &s.Ops[0], 32); err != nil {
			return false, err
		}
		index = arith.U32.Wrap(index) & (1<<32 - 1)
	}
	if index >= int64(len(targets)) {
		return false, src.Errorf(s.At, "%s has %d labels to go to, and none with the number %d", s.Opcode, len(targets),
			index)
	}
	t.arriveAt(t.top(), targets[index])
	return true, nil
}

func (m *machine) exit(t *thread, _ *step) (bool, error) {
	t.frames = nil
	return false, nil
}

// compute executes an instruction that has a formula.
func (m *machine) compute(t *thread, s *step) (bool, error) {
	sources, err := m.sources(t, s)
	if err != nil {
		return false, err
	}
	values, err := m.evaluator.Apply(s.computes, sources...)
	if err != nil {
		return false, err
	}
	if s.op.SetsCarry {
		t.carry = values[1]
	}
	return true, m.set(t, &s.Ops[0], values[0], values[1], s.computes.Results[0].Type)
}

// sources returns the source values of an instruction. The slice is valid until the next call.
func (m *machine) sources(t *thread, s *step) (_ []int64, err error) {
	types := s.computes.Sources
	m.operands = slices.Grow(m.operands[:0], len(types))[:len(types)]
	for i, typ := range types {
		switch {
		case i == len(types)-1 && s.op.TakesCarry():
			m.operands[i] = t.carry
			continue
		case i+1 >= len(s.Ops):
			return nil, src.Errorf(s.At, "%s takes %d operands", s.Opcode, len(types)+1)
		}
		if m.operands[i], err = m.value(t, &s.Ops[i+1], typ.Bits); err != nil {
			return nil, err
		}
		m.operands[i] = typ.Wrap(m.operands[i])
	}
	return m.operands, nil
}

// formula returns the formula of the instruction.
func (s *step) formula() (*isa.Formula, error) {
	op := *s.op
	if len(s.Ops) == 0 {
		return nil, src.Errorf(s.At, "%s has no operands", s.Opcode)
	}
	op.Pair = s.Ops[0].Second != nil
	if op.Code == isa.Lop3 {
		op.Table = uint8(s.Ops[len(s.Ops)-1].Bits)
	}
	return op.Formula()
}

// move copies a value, or packs and unpacks a vector.
func (m *machine) move(t *thread, s *step) (bool, error) {
	if len(s.Ops) != 2 {
		return false, src.Errorf(s.At, "%s takes two operands", s.Opcode)
	}
	typ := s.op.Type(0).Int()
	v := int64(0)
	var err error
	if from := &s.Ops[1]; from.Kind == kernel.Vector {
		v, err = m.packed(t, from.List, typ.Bits)
	} else {
		v, err = m.value(t, from, typ.Bits)
	}
	if err != nil {
		return false, err
	}
	if to := &s.Ops[0]; to.Kind == kernel.Vector {
		return true, m.unpack(t, to.List, v, typ.Bits)
	}
	return true, m.set(t, &s.Ops[0], typ.Wrap(v), 0, typ)
}

// packed returns the concatenation of parts, the lowest first.
func (m *machine) packed(t *thread, parts []kernel.Operand, bits int) (v int64, err error) {
	each := bits / len(parts)
	for i := range parts {
		part, err := m.value(t, &parts[i], each)
		if err != nil {
			return 0, err
		}
		v |= int64(uint64(part) << (64 - each) >> (64 - each) << (i * each))
	}
	return v, nil
}

func (m *machine) unpack(t *thread, parts []kernel.Operand, v int64, bits int) error {
	typ := arith.Type{Bits: bits / len(parts)}
	for i := range parts {
		if err := m.set(t, &parts[i], typ.Wrap(v>>(i*typ.Bits)), 0, typ); err != nil {
			return err
		}
	}
	return nil
}

// address executes cvta and isspacep: between the addresses of a state space and generic ones.
func (m *machine) address(t *thread, s *step) (bool, error) {
	if len(s.Ops) != 2 {
		return false, src.Errorf(s.At, "%s takes two operands", s.Opcode)
	}
	v, err := m.value(t, &s.Ops[1], 64)
	if err != nil {
		return false, err
	}
	window := windowOf(s.op.Space)
	if s.op.Code == isa.Isspacep {
		is := int64(0)
		if spaceOf(uint64(v)) == s.op.Space {
			is = 1
		}
		return true, m.set(t, &s.Ops[0], is, 0, arith.Bool)
	}
	if s.op.To {
		window = -window
	}
	return true, m.set(t, &s.Ops[0], v+window, 0, s.op.Type(0).Int())
}

// windowOf returns where the generic addresses of a space begin.
func windowOf(s isa.Space) int64 {
	switch s {
	case isa.Shared:
		return sharedWindow
	case isa.Local, isa.Param:
		return privateWindow
	}
	return 0
}

// spaceOf returns the space of a generic address.
func spaceOf(address uint64) isa.Space {
	switch {
	case address >= privateWindow:
		return isa.Local
	case address >= sharedWindow-stride:
		return isa.Shared
	}
	return isa.Global
}

// value returns the value of an operand in the given number of bits; higher bits are arbitrary.
func (m *machine) value(t *thread, o *kernel.Operand, bits int) (int64, error) {
	switch o.Kind {
	case kernel.Reg:
		return t.register(o)
	case kernel.Special:
		return m.special(t, o)
	case kernel.Integer:
		return int64(o.Bits), nil
	case kernel.Float:
		return float(o, bits), nil
	case kernel.Var:
		at := m.variable(t, o.Variable)
		if at == nil {
			return 0, refuse(o.At, "%s is defined in another module", o.Variable.Name)
		}
		return int64(at.base) + o.Offset, nil
	case kernel.Func:
		return m.function(o)
	}
	return 0, refuse(o.At, "%s is no operand that is modelled here", o)
}

func (t *thread) register(o *kernel.Operand) (int64, error) {
	if o.Part != "" || o.Register.Vector > 0 {
		return 0, refuse(o.At, "vector registers such as %s are not modelled", o.Register.Name)
	}
	v := t.top().regs[o.Register.Index]
	switch {
	case o.Negated && o.Register.Type == "pred":
		return 1 - v, nil
	case o.Negated:
		return -v, nil
	}
	return v, nil
}

// set writes results to a destination.
func (m *machine) set(t *thread, o *kernel.Operand, v, second int64, typ arith.Type) error {
	regs := t.top().regs
	if o.Second != nil {
		regs[o.Second.Index] = second
	}
	switch {
	case o.Kind == kernel.Sink:
		return nil
	case o.Kind != kernel.Reg:
		return src.Errorf(o.At, "%s cannot take a result", o)
	case o.Part != "" || o.Register.Vector > 0:
		return refuse(o.At, "vector registers such as %s are not modelled", o.Register.Name)
	}
	// A wider register takes the value extended by its type (PTX ISA, "Operand Size Exceeding
	// Instruction-Type Size").
	if v = typ.Wrap(v); typ.Bits < 64 && !typ.Signed && typ.Bits > 1 {
		v = int64(uint64(v) << (64 - typ.Bits) >> (64 - typ.Bits))
	}
	regs[o.Register.Index] = v
	return nil
}
