package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
)

// generatorName is kept in the test with its cycle: `muster gen -c` regenerates the test from the
// cycle.
const generatorName = "muster gen"

// write writes the litmus test of a cycle. If the layout was derived from another one, w has just
// written that one's test.
func (l *layout) write(w *litmus.Writer, name string) *litmus.Test {
	w.Begin(l.ISA.format(), name)
	w.Meta("Generator", generatorName)
	w.Meta("Cycle", l.Cycle.String())
	switch table := l.ISA.c == nil; {
	case table && l.remapped:
		return w.Again(l.scalars(), nil)
	case table && l.alike && l.ISA.tree:
		return w.Again(l.scalars(), l.tree())
	}
	w.Locations(l.scalars())
	held := l.ISA.write(l, w)
	if l.scopeTree() {
		w.Tree(l.tree())
	}
	w.Regions()
	for loc, final := range l.final {
		if final {
			writers := l.writers[loc]
			held = append(held,
				litmus.Held{Thread: -1, Name: l.nameOf(loc), Value: int64(l.nodes[writers[len(writers)-1]].value)})
		}
	}
	return w.Exists(held)
}

// scalars returns the locations. In C, parameter types give their regions.
func (l *layout) scalars() []litmus.Scalar {
	all := make([]litmus.Scalar, 0, len(l.initial)+len(l.spare)+len(l.barriers))
	for loc, value := range l.initial {
		if l.named[loc] != loc {
			continue
		}
		s := litmus.Scalar{Name: locationName(loc), Init: int64(value)}
		if l.ISA.c == nil {
			s.Region = region(l.shared[loc])
		}
		all = append(all, s)
	}
	return l.operands(all)
}

// writeColumns writes the threads as a table.
func writeColumns(l *layout, w *litmus.Writer) (held []litmus.Held) {
	if l.columns == nil {
		l.writeCode()
	}
	columns := l.columns
	if !l.scopeTree() {
		columns = slices.Clone(columns)
		for t := range columns {
			columns[t].Place = l.headerPlace(t)
		}
	}
	w.Columns(columns)
	return slices.Clip(l.asked)
}

// writeCode writes the code of the threads.
func (l *layout) writeCode() {
	l.columns, l.asked = make([]litmus.Column, len(l.threads)), nil
	for t, events := range l.threads {
		c := &column{code: newCode(l, t)}
		c.begin()
		for _, e := range events {
			c.event(e)
		}
		c.end()
		l.columns[t] = litmus.Column{Name: l.threadName(t), ID: t, Cells: c.rows}
		l.asked = append(l.asked, c.held...)
	}
}

// Placement.

// scopeTree reports whether the test has a scope tree. If the headers of threads give their
// placement, it needs one only for threads that share a warp.
func (l *layout) scopeTree() bool { return l.ISA.tree || l.place.has(SameWarp) }

// tree returns the scope tree, with the levels that separate threads.
func (l *layout) tree() []*litmus.ScopeNode {
	all := make([]int, len(l.threads))
	for t := range all {
		all[t] = t
	}
	levels := make([]unit, 0, 4)
	if l.place.apart(SameGPU) {
		levels = append(levels, unit{litmus.Device, SameGPU})
	}
	if slices.Contains(l.ISA.levels, SameCluster) && l.place.apart(SameCTA) {
		levels = append(levels, unit{litmus.Cluster, SameCluster})
	}
	levels = append(levels, unit{litmus.CTA, SameCTA}, unit{litmus.Warp, SameWarp})
	f := &forest{place: l.place}
	f.nodes = make([]litmus.ScopeNode, 1, 1+len(levels)*len(all))
	f.children = make([]*litmus.ScopeNode, 0, cap(f.nodes))
	f.nodes[0].Threads = all
	f.divide(&f.nodes[0], levels)
	return f.nodes[0].Children
}

// unit is a kind of node of the scope tree, and the level of threads in one node.
type unit struct {
	node  litmus.Level
	level Level
}

// forest allocates the nodes of a scope tree and their lists of children. There is at most one node
// for each thread at each level, so everything is allocated at the start and no node moves while
// others point to it.
type forest struct {
	place    placement
	nodes    []litmus.ScopeNode
	children []*litmus.ScopeNode
}

// divide gives a node one child for each unit of the first kind among its threads, and divides
// these further.
func (f *forest) divide(n *litmus.ScopeNode, units []unit) {
	if len(units) == 0 {
		return
	}
	first := len(f.children)
	for threads := n.Threads; len(threads) > 0; {
		here := f.together(threads, units[0].level)
		f.nodes = append(f.nodes, litmus.ScopeNode{Level: units[0].node, Threads: threads[:here:here]})
		f.children = append(f.children, &f.nodes[len(f.nodes)-1])
		threads = threads[here:]
	}
	n.Threads, n.Children = nil, f.children[first:len(f.children):len(f.children)]
	for _, child := range n.Children {
		f.divide(child, units[1:])
	}
}

// together moves the threads that share a unit with the first one to the front and returns their
// number.
func (f *forest) together(threads []int, level Level) (here int) {
	for i, t := range threads {
		if f.place[threads[0]][t] <= level {
			copy(threads[here+1:i+1], threads[here:i])
			threads[here] = t
			here++
		}
	}
	return here
}

// headerPlace returns the numbers of a thread's CTA and GPU, and of its cluster if the test
// distinguishes clusters.
func (l *layout) headerPlace(t int) *litmus.HeaderPlace {
	cluster, around := litmus.Nowhere, SameGPU
	if l.place.has(SameCluster) {
		cluster, around = l.place.numbers(SameCluster, SameGPU)[t], SameCluster
	}
	return litmus.OnGPU(l.place.numbers(SameGPU, OtherGPU)[t], cluster, l.place.numbers(SameCTA, around)[t])
}

// Code.

// code is the code of a thread, in any language.
type code struct {
	*layout
	thread    int
	held      []litmus.Held  // registers that the condition asks for
	value     map[int]string // registers that hold the values of reads, by event
	registers int
}

func newCode(l *layout, thread int) code {
	return code{layout: l, thread: thread, value: map[int]string{}}
}

func (c *code) register() string {
	c.registers++
	return "r" + strconv.Itoa(c.registers-1)
}

// before returns the edge of program order to an event, or communication if the event is the first
// of its thread.
func (c *code) before(e int) Edge {
	if e == c.threads[c.thread][0] {
		return Edge{Kind: Rf}
	}
	return c.Edges[e-1]
}

// stored returns the value that an event stores or adds.
func (c *code) stored(n node) string {
	if n.access.op == "add" {
		return strconv.Itoa(n.value - c.valueRead(n))
	}
	return strconv.Itoa(n.value)
}

// read allocates the register of a read. The condition asks for it if the cycle needs its value.
func (c *code) read(e int) string {
	c.value[e] = c.register()
	if n := c.nodes[e]; n.seen {
		c.held = append(c.held, litmus.Held{Thread: c.thread, Name: c.value[e], Value: int64(c.valueRead(n))})
	}
	return c.value[e]
}

// column is the code of a thread as a column of instructions.
type column struct {
	code
	rows       []string
	predicates int
	exits      int // number of branches to the end of the thread
}

func (c *column) row(format string, args ...any) {
	c.rows = append(c.rows, fmt.Sprintf(format, args...))
}

// instr adds an instruction.
func (c *column) instr(opcode string, operands ...string) {
	c.rows = append(c.rows, opcode+" "+strings.Join(operands, ","))
}

// typed appends a type to an opcode if the instruction set has types.
func (c *column) typed(opcode, typ string) string {
	if c.ISA.types {
		return opcode + "." + typ
	}
	return opcode
}

// event writes the instruction of an event, and before it the code for the preceding edge.
func (c *column) event(e int) {
	if c.before(e).Kind == Copy {
		return // both halves are one instruction
	}
	n := c.nodes[e]
	address, stored := c.nameOf(n.loc), c.stored(n)
	if c.ISA.brackets {
		address = "[" + address + "]"
	}
	switch before := c.before(e); before.Kind {
	case Addr:
		address = c.dependentAddress(e-1, c.nameOf(n.loc))
	case Data:
		stored = c.dependentValue(e-1, stored)
	case Ctrl:
		c.branch(e - 1)
	case Fence:
		c.rows = append(c.rows, before.Instr)
	case Barrier:
		c.barrier(before.Instr)
	case Wait:
		c.do(before.steps(), e-1, true)
	}
	if n.access.async != nil {
		c.issue(e)
		return
	}
	c.access(e, address, stored)
}

// access writes the access itself.
func (c *column) access(e int, address, stored string) {
	n := c.nodes[e]
	a := n.access
	if n.reads && !a.returnsNoRead {
		c.read(e)
	}
	switch {
	case !a.Atomic() && n.reads:
		c.instr(c.typed(a.load, "s32"), c.value[e], address)
	case !a.Atomic():
		c.instr(c.typed(a.store, "s32"), address, stored)
	case a.returnsNoRead:
		c.instr(c.typed(a.atomic, "s32"), address, stored)
	case a.op == "cas":
		c.instr(c.typed(a.atomic, "b32"), c.value[e], address, strconv.Itoa(c.valueRead(n)), stored)
	case a.op == "exch":
		c.instr(c.typed(a.atomic, "b32"), c.value[e], address, stored)
	default:
		c.instr(c.typed(a.atomic, "s32"), c.value[e], address, stored)
	}
}

// valueRead returns the value that a read returns in the intended execution.
func (l *layout) valueRead(n node) int {
	if n.source == initially {
		return l.initial[n.loc]
	}
	return l.nodes[n.source].value
}

// zero computes a 0 from the value of a read. Values in tests are small, so their highest bit is 0;
// but a compiler cannot know that (ASPLOS 2015, Sec. 4.5, Fig. 13b).
func (c *column) zero(e int) string {
	r := c.register()
	c.instr(c.typed("and", "b32"), r, c.value[e], "0x80000000")
	return r
}

// dependentAddress computes an address that depends on the value of a read.
func (c *column) dependentAddress(e int, location string) string {
	zero, wide, address := c.zero(e), c.register(), c.register()
	c.instr("cvt.u64.u32", wide, zero)
	c.instr("mov.u64", address, location)
	c.instr("add.u64", address, address, wide)
	return "[" + address + "]"
}

// dependentValue computes a value that depends on the value of a read.
func (c *column) dependentValue(e int, value string) string {
	r := c.zero(e)
	c.instr(c.typed("add", "s32"), r, r, value)
	return r
}

// branch leaves the thread if the highest bit of the value of a read is set.
func (c *column) branch(e int) {
	zero := c.zero(e)
	p := "p" + strconv.Itoa(c.predicates)
	c.predicates++
	c.exits++
	c.instr(c.typed("setp.ne", "s32"), p, zero, "0")
	c.row("@%s bra %s", p, c.exit())
}

// exit returns the label of the end of the thread.
func (c *column) exit() string { return "END" + strconv.Itoa(c.thread) }

func (c *column) barrier(instr string) {
	if instr == "barrier.cluster" {
		c.row("barrier.cluster.arrive")
		c.row("barrier.cluster.wait")
		return
	}
	c.row("%s 0", instr)
}

func (c *column) end() {
	events := c.threads[c.thread]
	if last := events[len(events)-1]; c.Edges[last].Kind == Handover {
		c.do(c.Edges[last].given(), last, true)
	}
	if c.exits > 0 {
		c.row("%s:", c.exit())
	}
}
