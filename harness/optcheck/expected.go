package optcheck

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/ptx"
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
		if in.Name == "setp" { // kernels begin with false
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

// ends reports an instruction that ends the thread.
func ends(in *ptx.Instr) bool { return in.Name == "ret" || in.Name == "exit" }

// guard decides whether an instruction runs.
func (t *tester) guard(in *ptx.Instr) (c condition, runs bool, err error) {
	if in.Guard == nil {
		return truth(true), true, nil
	}
	if c = t.truth(in.Guard.Reg); in.Guard.Negated {
		c = c.not()
	}
	if in.Target != nil || ends(in) {
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
	case ends(in):
		return len(t.code), nil
	case in.Target != nil:
		return t.branch(in)
	case operates(in):
		return t.pc + 1, t.operate(in, guard)
	default:
		t.set(in, t.result(in), guard)
	}
	return t.pc + 1, nil
}

// branch goes to the target; a branch that compares only if the comparison holds.
func (t *tester) branch(in *ptx.Instr) (next int, err error) {
	comparison, compares := strings.CutPrefix(in.Name, "b")
	if !compares || in.Name == "bra" {
		return in.TargetPC, nil
	}
	c := compare(comparison, true, t.operand(in.Srcs[0]), t.operand(in.Srcs[1]))
	t.ctrl |= c.from
	taken, err := t.decide(c, in)
	if !taken {
		return t.pc + 1, err
	}
	return in.TargetPC, err
}

// operand is the value of a source.
func (t *tester) operand(o ptx.Operand) value {
	switch o.Kind {
	case ptx.Location:
		return t.atom(addressName(o.Loc), 0)
	case ptx.Register:
		h := t.regs[o.Text]
		if h.truth != nil {
			return t.atom(h.truth.String(), h.truth.from)
		}
		return h.value
	}
	return constant(uint32(o.Int))
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
func (t *tester) result(in *ptx.Instr) held {
	if in.Name == "setp" {
		c := compare(in.Mods.Cmp.String(), in.Type(0).Signed, t.operand(in.Srcs[0]), t.operand(in.Srcs[1]))
		return held{truth: &c}
	}
	var args []value
	var names []string
	var from deps
	for _, o := range in.Srcs {
		v := t.operand(o)
		args, names, from = append(args, v), append(names, v.String()), from|v.from
	}
	switch in.Name {
	case "mov", "cvta", "cvt", "ld":
		if source := t.regs[in.Srcs[0].Text]; in.Srcs[0].Kind == ptx.Register && source.truth != nil {
			return source
		}
		return held{value: args[0]}
	case "add":
		return held{value: args[0].plus(args[1], 1)}
	case "sub":
		return held{value: args[0].plus(args[1], ^uint32(0))}
	case "mul":
		return held{value: t.times(args[0], args[1])}
	}
	return held{value: t.atom(in.Opcode+" "+strings.Join(names, " "), from)}
}
