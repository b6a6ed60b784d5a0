package optcheck

import (
	"errors"
	"fmt"
	"maps"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// tester follows one control path of a thread of the test.
type tester struct {
	*atoms
	*layout
	all    *paths
	thread int
	target harness.Target
	locs   []event.Location
	code   []*ptx.Instr
	pc     int
	next   int
	regs   map[string]held
	guard  deps // what the guard of the instruction depends on
	facts  facts
	ctrl   deps
	path   path
	idle   map[int]int
	vector int // the number of the latest operation that reads a vector
}

// held is the content of a register of the test: a value, or the truth of a predicate.
type held struct {
	value
	truth *condition
}

// testPaths finds the control paths of a thread of the test.
func testPaths(p *harness.Plan, l *layout, thread, most int) ([]path, error) {
	t := &tester{
		atoms:  &atoms{numbers: map[string]int{}},
		layout: l,
		all:    &paths{seen: map[string]bool{}, most: most},
		thread: thread,
		target: p.Target,
		locs:   p.Program.Locs, code: p.Program.Code(thread), regs: map[string]held{}, idle: map[int]int{},
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

// constant returns a value of the initial state.
func (t *tester) constant(v event.Value) value {
	if v.IsAddress() {
		return t.atom(addressName(v.Base), 0).plus(constant(uint32(v.Int)), 1)
	}
	return t.literal(v.Int)
}

// literal returns a number. A number that does not fit into 32 bits becomes an atom, which
// equals itself and is otherwise unknown: its lower half alone would decide comparisons wrongly.
func (t *tester) literal(n int64) value {
	if n != int64(int32(n)) && n != int64(uint32(n)) {
		return t.atom(fmt.Sprintf("%#x", uint64(n)), 0)
	}
	return constant(uint32(n))
}

func addressName(l event.Loc) string { return fmt.Sprintf("&%d", l) }

func (t *tester) fork() *tester {
	other := *t
	other.regs, other.idle = maps.Clone(t.regs), maps.Clone(t.idle)
	return &other
}

// longest bounds the operations of a path that are compared: all, unless there are loops.
func longest(code []*ptx.Instr) int {
	n, loops := 0, false
	for pc, in := range code {
		if operates(in) {
			n += len(operationsOf(in, inGlobal, harness.SM90))
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
		if in.Target != nil && in.TargetPC <= t.pc { // loops of kernels time out
			up := t.fork()
			if up.pc = harness.GivesUpTo(t.code, t.pc); up.pc < len(t.code) {
				if err := up.walk(); err != nil {
					return err
				}
			} else {
				t.all.add(t.path)
			}
		}
		t.next, t.guard = t.pc+1, 0
		if err := isa.Execute[held, *ptx.Instr](t, in); err != nil {
			return err
		}
		t.pc = t.next
	}
	t.all.add(t.path)
	return nil
}

// operand returns the value of a source.
func (t *tester) operand(o ptx.Operand) value { return t.number(t.source(o)) }

// source returns the content of a source.
func (t *tester) source(o ptx.Operand) held {
	switch o.Kind {
	case ptx.Location:
		return held{value: t.atom(addressName(o.Loc), 0)}
	case ptx.Register:
		return t.regs[o.Text]
	}
	return held{value: t.literal(o.Int)}
}

// number returns a value, or a truth as one.
func (t *tester) number(h held) value {
	if h.truth != nil {
		return t.atom(h.truth.String(), h.truth.from)
	}
	return h.value
}

// locate returns the place of an address, and its state space.
func (t *tester) locate(address value) (p accessPlace, in space, err error) {
	for l := range t.locs {
		m, ok := t.monomial(addressName(l))
		if !ok || address.sum[m] != 1 {
			continue
		}
		p = t.of(l, int64(int32(address.sum[""])))
		p.varies = len(address.plus(constant(address.sum[""]), ^uint32(0)).sum) > 1
		return p, t.space(l), nil
	}
	for l := range t.locs {
		if t.space(l) != t.space(0) {
			return p, 0,
				errors.New(
					"it computes an address in a way that is not followed, and has memory in several state spaces")
		}
	}
	return p, t.space(0), nil
}

// space returns the state space in which the thread accesses a location.
func (t *tester) space(l event.Loc) space {
	switch {
	case t.locs[l].Region != litmus.Shared:
		return inGlobal
	case t.plan.Remote(t.thread, l):
		return inCluster
	}
	return inShared
}
