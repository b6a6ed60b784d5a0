package shrink

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// step is one way to make a test smaller.
type step struct {
	words string
	// test returns the smaller test. It may fail: a text that does not parse, or whose condition
	// mentions a register that is no longer set, is no step.
	test func() *litmus.Test
}

// kinds are the kinds of step, the coarse ones first. The order decides which of several
// smallest tests is found. A part of the condition comes after the branches, which may say
// the same; a fence after the dependencies, because it takes fewer instructions.
var kinds = []func(*code) []step{
	(*code).dropThreads,
	(*code).dropInstructions,
	(*code).dropDependencies,
	(*code).dropClauses,
	(*code).dropFences,
	(*code).weaken,
	(*code).dropUnused,
}

// steps yields what can be tried to make the test smaller, always in the same order.
func (c *code) steps() iter.Seq[step] {
	return func(yield func(step) bool) {
		for _, kind := range kinds {
			for _, s := range kind(c) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// edit returns a step that changes a copy of the test.
func (c *code) edit(change func(*litmus.Test), format string, args ...any) step {
	return step{fmt.Sprintf(format, args...), func() *litmus.Test {
		t := c.Clone()
		change(t)
		return t
	}}
}

// rewrite returns a step that gives a line another text.
func (c *code) rewrite(l *line, text, format string, args ...any) step {
	return c.edit(func(t *litmus.Test) { t.Threads[l.thread].Cells[l.row] = l.cell(text) }, format, args...)
}

func (c *code) threadName(l *line) string { return c.Threads[l.thread].Name.Text }

// instruction returns the text of a line without its labels, and with single blanks.
func (l *line) instruction() string { return strings.Join(strings.Fields(l.text), " ") }

func (c *code) dropThreads() (all []step) {
	for i, th := range c.Threads {
		all = append(all, step{"dropped " + th.Name.Text, func() *litmus.Test { return c.WithoutThread(i) }})
	}
	return all
}

// dropClauses returns the steps that drop a part of the condition.
func (c *code) dropClauses() (all []step) {
	if c.Observed != nil {
		all = append(all, c.edit(func(t *litmus.Test) { t.Observed = nil }, "dropped the locations clause"))
	}
	if c.Filter != nil {
		all = append(all, c.edit(func(t *litmus.Test) { t.Filter = nil }, "dropped the filter"))
	}
	for _, s := range litmus.Shorten(c.Filter) {
		all = append(all, c.edit(func(t *litmus.Test) { t.Filter = s.Prop }, "dropped %s from the filter", s.Dropped))
	}
	for _, s := range litmus.Shorten(c.Cond.Prop) {
		all = append(all, c.edit(func(t *litmus.Test) { t.Cond.Prop = s.Prop }, "dropped %s from the condition", s.Dropped))
	}
	return all
}

// drop returns the step that drops lines.
func (c *code) drop(lines ...*line) step {
	words := make([]string, len(lines))
	for i, l := range lines {
		words[i] = l.instruction() + " of " + c.threadName(l)
	}
	return c.edit(func(t *litmus.Test) {
		for _, l := range lines {
			t.Threads[l.thread].Cells[l.row] = l.cell("")
		}
	}, "dropped %s", strings.Join(words, " and "))
}

// dropInstructions drops all but fences. What uses a value comes after what computes it, so
// the last instruction is dropped first.
func (c *code) dropInstructions() []step {
	all := c.dropBarriers()
	for i := range c.columns {
		for _, l := range slices.Backward(c.instructions(i)) {
			if !l.isFence() {
				all = append(all, c.drop(l))
			}
		}
		all = append(all, c.dropComputations(i)...)
	}
	return all
}

func (c *code) dropFences() (all []step) {
	for i := range c.columns {
		for _, l := range slices.Backward(c.instructions(i)) {
			if l.isFence() {
				all = append(all, c.drop(l))
			}
		}
	}
	return all
}

func (l *line) isFence() bool { return l.in.Op.Class() == isa.ClassFence }

// dropBarriers drops a barrier from all threads: a single one may leave the others waiting.
func (c *code) dropBarriers() (all []step) {
	barriers := map[string][]*line{}
	for l := range c.program() {
		if l.in.Op.Class() != isa.ClassBarrier {
			continue
		}
		which := l.in.Scope().String()
		if len(l.in.Srcs) > 0 {
			which += " " + l.in.Srcs[0].Text
		}
		barriers[which] = append(barriers[which], l)
	}
	for _, which := range slices.Sorted(maps.Keys(barriers)) {
		if lines := barriers[which]; len(lines) > 1 {
			all = append(all, c.drop(lines...))
		}
	}
	return all
}

// mostTogether bounds the instructions with results that cancel out, such as two of xor, that are
// dropped at once.
const mostTogether = 3

// dropComputations drops neighbours among the computations of a thread.
func (c *code) dropComputations(thread int) (all []step) {
	var lines []*line
	for _, l := range c.instructions(thread) {
		if l.in.Dst != nil && l.in.Addr == nil {
			lines = append(lines, l)
		}
	}
	for n := 2; n <= mostTogether; n++ {
		for i := range len(lines) - n + 1 {
			all = append(all, c.drop(lines[i:i+n]...))
		}
	}
	return all
}

// dropDependencies cuts the ways from one instruction to the next: guards, and registers
// that the thread computes, where a constant or the address of a location would do.
func (c *code) dropDependencies() (all []step) {
	set, pointers := c.set(), c.pointers()
	for i := range c.columns {
		numbers := c.numbers(i)
		for _, l := range slices.Backward(c.instructions(i)) {
			if l.in.Guard != nil {
				all = append(all, c.rewrite(l, l.from(l.in.At.Start), "dropped the guard of %s of %s", l.instruction(), c.threadName(l)))
			}
			for _, o := range l.sources() {
				if register := (name{i, o.Text}); set[register] && pointers[register] == "" {
					all = append(all, c.replace(l, o, append(c.constants(l, register), numbers...))...)
				}
			}
			if a := l.in.Addr; a != nil && !a.Bare && set[name{i, a.Text}] {
				all = append(all, c.replace(l, *a, c.inBrackets(a, i))...)
			}
		}
	}
	return all
}

// constants returns the addresses that a register of an instruction may hold. Arithmetic does not
// take the name of a location (PTX ISA, "Operands": only mov takes its address).
func (c *code) constants(l *line, register name) []string {
	if l.in.Addr == nil && l.in.Op.Code != isa.Mov {
		return nil
	}
	return c.addresses(register)
}

// replace returns the steps that put each of some texts in the place of an operand.
func (c *code) replace(l *line, o ptx.Operand, by []string) (all []step) {
	for _, text := range by {
		all = append(all, c.rewrite(l, l.splice(o.At, text), "replaced %s by %s in %s of %s", o.At.Text(), text, l.instruction(), c.threadName(l)))
	}
	return all
}

// numbers returns the constants that may replace a register: 1, the constants of the condition and
// of the thread, and one other constant. Zero comes last: memory holds it initially, so a store of
// it has little effect.
func (c *code) numbers(thread int) (texts []string) {
	numbers := map[int64]bool{1: true}
	for _, p := range []litmus.Prop{c.Cond.Prop, c.Filter} {
		litmus.EachConst(p, func(v litmus.Value) {
			if v.Loc == "" {
				numbers[v.Int] = true
			}
		})
	}
	for _, l := range c.instructions(thread) {
		for _, o := range l.sources() {
			if o.Kind == ptx.Immediate {
				numbers[o.Int] = true
			}
		}
	}
	delete(numbers, 0)
	sorted := slices.Sorted(maps.Keys(numbers))
	for _, n := range append(sorted, sorted[len(sorted)-1]+1, 0) {
		texts = append(texts, fmt.Sprint(n))
	}
	return texts
}

// inBrackets returns the locations that the register in brackets may point to, in its place.
func (c *code) inBrackets(a *ptx.Operand, thread int) (texts []string) {
	for _, location := range c.addresses(name{thread, a.Text}) {
		if a.Offset != 0 {
			location = fmt.Sprintf("%s%+d", location, a.Offset)
		}
		texts = append(texts, "["+location+"]")
	}
	return texts
}

// dropUnused drops from the initial state what nothing mentions, and the values of
// registers that the thread sets itself.
func (c *code) dropUnused() (all []step) {
	unused, set := c.unused(), c.set()
	if len(unused) > 0 {
		all = append(all, c.edit(func(t *litmus.Test) {
			t.Registers = slices.DeleteFunc(t.Registers, func(r *litmus.Register) bool { return unused[c.declared(r)] })
			t.Locations = slices.DeleteFunc(t.Locations, func(l *litmus.Location) bool { return unused[l.Name.Text] })
		}, "dropped %s, which nothing uses", strings.Join(slices.Sorted(maps.Keys(unused)), ", ")))
	}
	for i, r := range c.Registers {
		if r.Type == "" && set[name{r.Thread, r.Name.Text}] {
			all = append(all, c.edit(func(t *litmus.Test) { t.Registers = slices.Delete(t.Registers, i, i+1) },
				"dropped the initial value of %s", c.declared(r)))
		}
	}
	return all
}
