package optcheck

import (
	"errors"
	"fmt"
	"maps"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// tester follows one control path of a thread of the test.
type tester struct {
	*atoms
	*layout
	all    *paths
	target harness.Target
	locs   []event.Location
	code   []*ptx.Instr
	pc     int
	regs   map[string]held
	facts  facts
	ctrl   deps
	path   path
	idle   map[int]int
}

// held is what a register of the test holds: a value, or the truth of a predicate.
type held struct {
	value
	truth *condition
}

// testPaths finds the control paths of a thread of the test.
func testPaths(p *harness.Plan, l *layout, thread, most int) ([]path, error) {
	t := &tester{
		atoms: &atoms{numbers: map[string]int{}}, layout: l, all: &paths{seen: map[string]bool{}, most: most}, target: p.Target,
		locs: p.Program.Locations(), code: p.Program.Code(thread), regs: map[string]held{}, idle: map[int]int{},
	}
	for name, v := range p.Program.Initial(thread) {
		t.regs[name] = held{value: t.constant(v)}
	}
	for _, in := range t.code {
		if in.Op.Code == isa.Setp { // kernels begin with false
			no := truth(false)
			t.regs[in.Dst.Text] = held{truth: &no}
		}
	}
	err := t.walk()
	return t.all.found, err
}

// constant is a value of the initial state.
func (t *tester) constant(v event.Value) value {
	n := constant(uint32(v.Int))
	if v.IsAddress() {
		return t.atom(addressName(v.Base), 0).plus(n, 1)
	}
	return n
}

func addressName(l event.Loc) string { return fmt.Sprintf("&%d", l) }

func (t *tester) fork() *tester {
	other := *t
	other.regs, other.idle = maps.Clone(t.regs), maps.Clone(t.idle)
	return &other
}

// longest is how many operations of a path are compared: all, unless there are loops.
func longest(code []*ptx.Instr) int {
	n, loops := 0, false
	for pc, in := range code {
		if operates(in) {
			n += len(operationsOf(in, false, harness.SM90))
		}
		loops = loops || in.Target != nil && in.TargetPC <= pc
	}
	if loops {
		n *= 2
	}
	return n + 4
}

// walk follows the path to its end.
func (t *tester) walk() error {
	if err := t.all.begin(); err != nil {
		return err
	}
	for t.pc < len(t.code) && !t.path.cut {
		if t.idle[t.pc]++; t.idle[t.pc] > maxIdle {
			return nil
		}
		in := t.code[t.pc]
		if in.Target != nil && in.TargetPC <= t.pc { // kernels give loops up
			t.all.add(t.path)
		}
		guard, runs, err := t.guard(in)
		if err != nil {
			return err
		}
		if !runs {
			t.skip(in, guard)
			t.pc++
			continue
		}
		if t.pc, err = t.step(in, guard); err != nil {
			return err
		}
	}
	t.all.add(t.path)
	return nil
}

// guard decides whether an instruction runs.
func (t *tester) guard(in *ptx.Instr) (c condition, runs bool, err error) {
	if in.Guard == nil {
		return truth(true), true, nil
	}
	if c = t.truth(in.Guard.Reg); in.Guard.Negated {
		c = c.not()
	}
	if in.Target != nil || in.Ends() {
		t.ctrl |= c.from
	}
	runs, err = t.decide(c, in)
	return c, runs, err
}

// decide says what a condition is on this path. If that is open, it is true here, and false on
// a path on which the instruction is skipped.
func (t *tester) decide(c condition, in *ptx.Instr) (bool, error) {
	if holds, known := t.facts.decide(c); known {
		return holds, nil
	}
	other := t.fork()
	other.facts = t.facts.assume(c.not())
	other.skip(in, c)
	other.pc++
	t.facts = t.facts.assume(c)
	return true, other.walk()
}

// skip passes over an instruction. What its register holds depends on the guard all the same.
func (t *tester) skip(in *ptx.Instr, guard condition) {
	if in.Dst != nil {
		t.set(in, t.regs[in.Dst.Text], guard)
	}
}

// set gives the register of an instruction a value.
func (t *tester) set(in *ptx.Instr, h held, guard condition) {
	h.value = h.with(guard.from)
	if h.truth != nil {
		c := h.truth.with(guard.from)
		h.truth = &c
	}
	t.regs[in.Dst.Text] = h
}

// step runs an instruction and says which comes next.
func (t *tester) step(in *ptx.Instr, guard condition) (next int, err error) {
	switch {
	case in.Ends():
		return len(t.code), nil
	case in.Target != nil:
		return t.branch(in)
	case operates(in):
		return t.pc + 1, t.operate(in, guard)
	default:
		h, err := t.result(in)
		t.set(in, h, guard)
		return t.pc + 1, err
	}
}

// branch goes to the target; a branch that compares only if the comparison holds.
func (t *tester) branch(in *ptx.Instr) (next int, err error) {
	if in.Op.Cmp == isa.NoComparison {
		return in.TargetPC, nil
	}
	c := compare(in.Op.Cmp.Op(), true, t.operand(in.Srcs[0]), t.operand(in.Srcs[1]))
	t.ctrl |= c.from
	taken, err := t.decide(c, in)
	if !taken {
		return t.pc + 1, err
	}
	return in.TargetPC, err
}

// operand is the value of a source.
func (t *tester) operand(o ptx.Operand) value { return t.number(t.source(o)) }

// source is what a source holds.
func (t *tester) source(o ptx.Operand) held {
	switch o.Kind {
	case ptx.Location:
		return held{value: t.atom(addressName(o.Loc), 0)}
	case ptx.Register:
		return t.regs[o.Text]
	}
	return held{value: constant(uint32(o.Int))}
}

// number is a value, or a truth as one.
func (t *tester) number(h held) value {
	if h.truth != nil {
		return t.atom(h.truth.String(), h.truth.from)
	}
	return h.value
}

// truth is what a register says as a predicate: that it is not zero.
func (t *tester) truth(o ptx.Operand) condition {
	if h := t.regs[o.Text]; h.truth != nil {
		return *h.truth
	}
	return equality(t.operand(o), value{}).not()
}

// operate appends the operations of an instruction to the path.
func (t *tester) operate(in *ptx.Instr, guard condition) error {
	var where place
	var address value
	shared := false
	if in.Addr != nil {
		address = t.operand(*in.Addr)
		var err error
		if where, shared, err = t.locate(address.plus(constant(uint32(in.Addr.Offset)), 1)); err != nil {
			return err
		}
	}
	for _, o := range operationsOf(in, shared, t.target) {
		if t.path.cut = len(t.path.ops) >= t.all.most; t.path.cut {
			return nil
		}
		o.index, o.ctrl = t.pc, t.ctrl|guard.from
		if o.kind.isAccess() {
			o.place, o.addr = where, address.from
			for _, s := range in.Srcs {
				o.data |= t.operand(s).from
			}
		}
		t.path.add(o)
		if o.kind.isAccess() && in.Dst != nil {
			t.set(in, held{value: t.read(len(t.path.ops)-1, "")}, guard)
		}
	}
	t.idle = map[int]int{}
	return nil
}

// locate finds the place of an address, and whether it is in shared memory.
func (t *tester) locate(address value) (p place, shared bool, err error) {
	for l, loc := range t.locs {
		m, ok := t.monomial(addressName(l))
		if !ok || address.sum[m] != 1 {
			continue
		}
		p = t.of(l, int64(int32(address.sum[""])))
		p.varies = len(address.plus(constant(address.sum[""]), ^uint32(0)).sum) > 1
		return p, loc.Region == event.Shared, nil
	}
	for _, loc := range t.locs {
		if loc.Region != t.locs[0].Region {
			return p, false, errors.New("it computes an address in a way that is not followed, and has both global and shared memory")
		}
	}
	return p, t.locs[0].Region == event.Shared, nil
}

// result is what an instruction computes.
func (t *tester) result(in *ptx.Instr) (held, error) {
	sources := make([]held, len(in.Srcs))
	for i, o := range in.Srcs {
		sources[i] = t.source(o)
	}
	results, err := isa.Apply(t, in.Formula(), sources...)
	return results[0], err
}

// Const is a constant of a formula. The tester is a domain of formulas: sums and products are followed,
// comparisons become conditions, and what comes of other operations is an atom.
func (t *tester) Const(i int64, _ arith.Type) held { return held{value: constant(uint32(i))} }

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

// Opaque is an operation on floating-point numbers; tests have none.
func (t *tester) Opaque(in *isa.Opcode, _ arith.Type, _ ...held) (held, error) {
	return held{}, fmt.Errorf("%s is not followed", in.Text)
}
