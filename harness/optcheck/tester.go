package optcheck

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A tester is a machine (isa.Machine): its values are polynomials and conditions, its memory is a
// list of operations, and an undecided condition forks the path.
var _ isa.Machine[held, *ptx.Instr] = (*tester)(nil)

// Guard returns the guard of an instruction.
func (t *tester) Guard(in *ptx.Instr) (p held, want, guarded bool, err error) {
	if in.Guard == nil {
		return p, false, false, nil
	}
	return t.source(in.Guard.Reg), !in.Guard.Negated, true, nil
}

// Decide reports whether a condition has the wanted value on this path. If it is undecided, it is
// so here, and a forked path skips the instruction.
func (t *tester) Decide(in *ptx.Instr, p held, want bool) (bool, error) {
	c := t.condition(p)
	if !want {
		c = c.not()
	}
	if in.Target != nil || in.Ends() {
		t.ctrl |= c.from
	}
	holds, known := t.facts.decide(c)
	if !known {
		other := t.fork()
		other.facts = t.facts.assume(c.not())
		other.Pass(in, p)
		other.pc++
		t.facts, holds = t.facts.assume(c), true
		if err := other.walk(); err != nil {
			return false, err
		}
	}
	if holds {
		t.guard |= c.from
	}
	return holds, nil
}

// condition returns a value as a predicate: that it is not zero.
func (t *tester) condition(h held) condition {
	if h.truth != nil {
		return *h.truth
	}
	return equality(h.value, value{}).not()
}

// Pass skips an instruction. Its register depends on the condition nevertheless.
func (t *tester) Pass(in *ptx.Instr, p held) {
	if in.Dst != nil {
		t.set(in, t.regs[in.Dst.Text], t.guard|t.condition(p).from)
	}
}

// set sets the register of an instruction to a value that also depends on a guard.
func (t *tester) set(in *ptx.Instr, h held, guard deps) {
	h.value = h.with(guard)
	if h.truth != nil {
		c := h.truth.with(guard)
		h.truth = &c
	}
	t.regs[in.Dst.Text] = h
}

// Sources returns the contents of the sources.
func (t *tester) Sources(in *ptx.Instr) ([]held, error) {
	sources := make([]held, len(in.Srcs))
	for i, o := range in.Srcs {
		sources[i] = t.source(o)
	}
	return sources, nil
}

// Compute applies the formula of an instruction.
func (t *tester) Compute(in *ptx.Instr, sources []held) ([2]held, error) {
	return isa.Apply(t, in.Formula(), sources...)
}

// Set sets the register of an instruction.
func (t *tester) Set(in *ptx.Instr, results [2]held) error {
	t.set(in, results[0], t.guard)
	return nil
}

// Jump jumps to the target.
func (t *tester) Jump(in *ptx.Instr) error {
	t.next = in.TargetPC
	return nil
}

// End ends the thread.
func (t *tester) End(*ptx.Instr) error {
	t.next = len(t.code)
	return nil
}

// Perform appends the operations of an instruction to the path.
func (t *tester) Perform(in *ptx.Instr) error {
	if !operates(in) {
		return nil
	}
	if in.Element > 0 { // a part of the previous access
		if in.Dst != nil {
			t.set(in, held{value: t.read(t.vector, fmt.Sprintf("/%d", in.Element))}, t.guard)
		}
		return nil
	}
	if machineForms[in.Page()] != nil {
		return t.issue(in)
	}
	var where accessPlace
	var address value
	region := inGlobal
	if in.Addr != nil {
		address = t.operand(*in.Addr)
		var err error
		if where, region, err = t.locate(address.plus(constant(uint32(in.VectorAddr().Offset)), 1)); err != nil {
			return err
		}
	}
	for _, o := range operationsOf(in, region, t.target) {
		if t.path.cut = len(t.path.ops) >= t.all.most && t.path.grows(o); t.path.cut {
			return nil
		}
		o.index, o.ctrl = t.pc, t.ctrl|t.guard
		if o.kind.isAccess() {
			o.place, o.addr = where, address.from
			for _, s := range moved(in) {
				o.data |= t.operand(s).from
			}
		}
		t.path.add(o)
		if o.kind.isAccess() && in.Dst != nil {
			t.vector = len(t.path.ops) - 1
			t.set(in, held{value: t.read(t.vector, "")}, t.guard)
		}
	}
	t.idle = map[int]int{}
	return nil
}

// issue appends the operations of an asynchronous instruction, or of one on an mbarrier, to the
// path. mbarrier.pending_count has none and computes its result from its operands.
func (t *tester) issue(in *ptx.Instr) error {
	before := len(t.path.ops)
	for _, o := range operationsOf(in, inGlobal, t.target) {
		if !t.append(in, o) {
			return nil
		}
	}
	t.idle = map[int]int{}
	n := len(t.path.ops) - 1
	switch {
	case in.Dst == nil:
	case isWait(in):
		return t.answer(in, n)
	case n < before:
		_, data := t.given(in)
		t.set(in, held{value: t.atom(in.At.Text(), data)}, t.guard)
	default:
		t.set(in, held{value: t.read(n, "")}, t.guard)
	}
	return nil
}

// given returns what the addresses of an instruction depend on, and what its other operands depend
// on.
func (t *tester) given(in *ptx.Instr) (addr, data deps) {
	for _, at := range in.Places {
		addr |= t.operand(at).from
	}
	for _, s := range in.Srcs {
		data |= t.operand(s).from
	}
	return addr, data
}

// append appends an operation without a place. It returns false if the path is long enough.
func (t *tester) append(in *ptx.Instr, o operation) bool {
	if t.path.cut = len(t.path.ops) >= t.all.most && t.path.grows(o); t.path.cut {
		return false
	}
	o.index, o.ctrl = t.pc, t.ctrl|t.guard
	o.addr, o.data = t.given(in)
	t.path.add(o)
	return true
}

// answer follows both results of a wait, the n-th operation. Where the phase is complete, the
// thread may acquire; where it is not after the thread was suspended for the time limit of the
// test, the machine code asks once more.
func (t *tester) answer(in *ptx.Instr, n int) error {
	done := question(fmt.Sprintf("phase at %d", n), 1<<n)
	t.set(in, held{truth: &done}, t.guard)
	other := t.fork()
	other.facts = t.facts.assume(done.not())
	again := takes(in, "time") && t.path.ops[n].function == tryWait
	if again && other.append(in, operation{kind: asynchronous, function: testWait, text: in.At.Text()}) {
		if err := other.answer(in, n+1); err != nil {
			return err
		}
	}
	other.pc++
	if err := other.walk(); err != nil {
		return err
	}
	if t.facts = t.facts.assume(done); acquiresBeyondCTA(in) {
		t.append(in, operation{kind: invalidation, text: in.At.Text()})
	}
	return nil
}

// moved returns the sources of an access, all of them if it stores a vector.
func moved(in *ptx.Instr) []ptx.Operand {
	if in.Vector != nil && in.Dst == nil {
		return in.Vector
	}
	return in.Srcs
}

// Const is a constant of a formula. The tester is the domain of its formulas: sums and products are
// followed, comparisons become conditions, and the results of other operations are atoms.
func (t *tester) Const(i int64, _ arith.Type) held { return held{value: t.literal(i)} }

// Apply is an operation of a formula.
func (t *tester) Apply(op arith.Op, typ arith.Type, args ...held) (held, error) {
	if op == arith.Wrap || op == arith.Extend {
		return args[0], nil // only the lower half counts
	}
	var from deps
	name := fmt.Sprint(op, typ)
	values := make([]value, len(args))
	for i, h := range args {
		values[i] = t.number(h)
		name += " " + values[i].String()
		from |= values[i].from
	}
	switch {
	case op.Compares():
		c := compare(op, typ.Signed, values[0], values[1])
		return held{truth: &c}, nil
	case op == arith.Add:
		return held{value: values[0].plus(values[1], 1)}, nil
	case op == arith.Sub:
		return held{value: values[0].plus(values[1], ^uint32(0))}, nil
	case op == arith.Mul:
		return held{value: t.times(values[0], values[1])}, nil
	}
	return held{value: t.atom(name, from)}, nil
}

// Opaque is an operation on floating-point numbers, which tests do not have.
func (t *tester) Opaque(in *isa.Opcode, _ arith.Type, _ ...held) (held, error) {
	return held{}, fmt.Errorf("%s is not followed", in.Text)
}
