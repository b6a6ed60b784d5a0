package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Generator and cycle are kept with the test: `muster gen -c` makes it again from the cycle.
const generatorName = "muster gen"

// text is the litmus test of a laid out cycle.
func (l *layout) text(name string) string {
	const usual = 1024 // bytes
	var b strings.Builder
	b.Grow(usual)
	fmt.Fprintf(&b, "%s %s\nGenerator=%s\nCycle=%s\n{", l.ISA.Arch, name, generatorName, l.Cycle)
	for loc, value := range l.initial {
		if l.named[loc] == loc {
			fmt.Fprintf(&b, " %s=%d;", locationName(loc), value)
		}
	}
	l.initialise(&b)
	b.WriteString(" }\n")
	atoms := l.ISA.write(l, &b)
	if l.scopeTree() {
		b.WriteString("ScopeTree")
		l.tree(&b)
		b.WriteByte('\n')
	}
	if l.ISA.c == nil { // else the types of parameters tell
		l.memoryMap(&b)
	}
	for loc, final := range l.final {
		if final {
			writers := l.writers[loc]
			atoms = append(atoms, fmt.Sprintf("%s=%d", l.nameOf(loc), l.nodes[writers[len(writers)-1]].value))
		}
	}
	fmt.Fprintf(&b, "exists (%s)\n", strings.Join(atoms, ` /\ `))
	return b.String()
}

// writeColumns writes the threads as a table.
func writeColumns(l *layout, b *strings.Builder) (atoms []string) {
	var columns []*column
	for t, events := range l.threads {
		c := &column{code: newCode(l, t)}
		c.header()
		c.begin()
		for _, e := range events {
			c.event(e)
		}
		c.end()
		columns = append(columns, c)
		atoms = append(atoms, c.atoms...)
	}
	writeTable(b, columns)
	return atoms
}

// writeTable writes the columns side by side.
func writeTable(b *strings.Builder, columns []*column) {
	rows := 0
	for _, c := range columns {
		rows = max(rows, len(c.rows))
	}
	for r := range rows {
		for i, c := range columns {
			if i > 0 {
				b.WriteString(" |")
			}
			if r < len(c.rows) {
				b.WriteByte(' ')
				b.WriteString(c.rows[r])
			}
		}
		b.WriteString(" ;\n")
	}
}

// memoryMap writes where the locations are, if some are shared.
func (l *layout) memoryMap(b *strings.Builder) {
	entries := l.extraRegions()
	if !slices.Contains(l.shared, true) && entries == nil {
		return
	}
	var named []string
	for loc, shared := range l.shared {
		if l.named[loc] != loc {
			continue
		}
		named = append(named, locationName(loc)+": "+regionName(shared))
	}
	entries = append(named, entries...)
	b.WriteString(strings.Join(entries, ", ") + "\n")
}

// Placement.

// scopeTree reports that the test has a scope tree. Where the heads of threads say where they are, that is all,
// unless threads share a warp.
func (l *layout) scopeTree() bool { return l.ISA.tree || l.place.has(SameWarp) }

// tree writes the scope tree, with those levels that tell threads apart.
func (l *layout) tree(b *strings.Builder) {
	all := make([]int, len(l.threads))
	for t := range all {
		all[t] = t
	}
	levels := []unit{{"cta", SameCTA}, {"warp", SameWarp}}
	if slices.Contains(l.ISA.levels, SameCluster) && l.place.apart(SameCTA) {
		levels = append([]unit{{"cluster", SameCluster}}, levels...)
	}
	if l.place.apart(SameGPU) {
		levels = append([]unit{{"device", SameGPU}}, levels...)
	}
	l.subtrees(b, all, levels)
}

// unit is a kind of nodes of the scope tree.
type unit struct {
	word  string
	level Level
}

// subtrees writes the trees over some threads.
func (l *layout) subtrees(b *strings.Builder, threads []int, units []unit) {
	if len(units) == 0 {
		for _, t := range threads {
			b.WriteByte(' ')
			b.WriteString(l.threadName(t))
		}
		return
	}
	for len(threads) > 0 {
		var here, rest []int
		for _, t := range threads {
			if l.place[threads[0]][t] <= units[0].level {
				here = append(here, t)
			} else {
				rest = append(rest, t)
			}
		}
		b.WriteString(" (")
		b.WriteString(units[0].word)
		l.subtrees(b, here, units[1:])
		b.WriteByte(')')
		threads = rest
	}
}

// header is the name of the thread, and of PTX tests its place.
func (c *column) header() {
	header := c.threadName(c.thread)
	if !c.scopeTree() {
		header += "@" + c.number(c.thread, "cta", "gpu")
	}
	c.rows = append(c.rows, header)
}

// number is the numbers of a thread's CTA and GPU, given the words for them, and of its cluster where that matters.
func (l *layout) number(t int, cta, gpu string) string {
	device := l.place.numbers(SameGPU, OtherGPU)[t]
	if l.place.has(SameCluster) {
		cluster := l.place.numbers(SameCluster, SameGPU)[t]
		return fmt.Sprintf("%s %d,cluster %d,%s %d", cta, l.place.numbers(SameCTA, SameCluster)[t], cluster, gpu, device)
	}
	return fmt.Sprintf("%s %d,%s %d", cta, l.place.numbers(SameCTA, SameGPU)[t], gpu, device)
}

// Code.

// code is the code of a thread, in whatever language.
type code struct {
	*layout
	thread    int
	atoms     []string       // of the condition
	value     map[int]string // the registers that hold what events have read
	registers int
}

func newCode(l *layout, thread int) code {
	return code{layout: l, thread: thread, value: map[int]string{}}
}

func (c *code) register() string {
	c.registers++
	return "r" + strconv.Itoa(c.registers-1)
}

// before is the edge of program order that leads to an event; communication if the event is the first of its thread.
func (c *code) before(e int) Edge {
	if e == c.threads[c.thread][0] {
		return Edge{Kind: Rf}
	}
	return c.Edges[e-1]
}

// stored is what an event stores, or adds.
func (c *code) stored(n node) string {
	if n.access.op == "add" {
		return strconv.Itoa(n.value - c.valueRead(n))
	}
	return strconv.Itoa(n.value)
}

// read is the register for what an event reads; the condition asks for it if the cycle needs that.
func (c *code) read(e int) string {
	c.value[e] = c.register()
	if n := c.nodes[e]; n.seen {
		c.atoms = append(c.atoms, fmt.Sprintf("%d:%s=%d", c.thread, c.value[e], c.valueRead(n)))
	}
	return c.value[e]
}

// column is the code of a thread as a column of instructions.
type column struct {
	code
	rows       []string
	predicates int
	exits      int // branches to the end of the thread
}

func (c *column) row(format string, args ...any) {
	c.rows = append(c.rows, fmt.Sprintf(format, args...))
}

// instr adds an instruction.
func (c *column) instr(opcode string, operands ...string) {
	c.rows = append(c.rows, opcode+" "+strings.Join(operands, ","))
}

// typed is an opcode with its type, where the instruction set names types.
func (c *column) typed(opcode, typ string) string {
	if c.ISA.types {
		return opcode + "." + typ
	}
	return opcode
}

// event writes the instruction of an event, after what the edge before it asks for.
func (c *column) event(e int) {
	if c.before(e).Kind == Copy {
		return // the operation is one instruction
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

// valueRead is the value that a read sees in the execution that is meant.
func (l *layout) valueRead(n node) int {
	if n.source == initially {
		return l.initial[n.loc]
	}
	return l.nodes[n.source].value
}

// zero computes a 0 from what an event has read. The values of tests are small, so their
// highest bit is not set; but a compiler cannot know (ASPLOS 2015, Sec. 4.5, Fig. 13b).
func (c *column) zero(e int) string {
	r := c.register()
	c.instr(c.typed("and", "b32"), r, c.value[e], "0x80000000")
	return r
}

// dependentAddress computes an address from what an event has read.
func (c *column) dependentAddress(e int, location string) string {
	zero, wide, address := c.zero(e), c.register(), c.register()
	c.instr("cvt.u64.u32", wide, zero)
	c.instr("mov.u64", address, location)
	c.instr("add.u64", address, address, wide)
	return "[" + address + "]"
}

// dependentValue computes a value from what an event has read.
func (c *column) dependentValue(e int, value string) string {
	r := c.zero(e)
	c.instr(c.typed("add", "s32"), r, r, value)
	return r
}

// branch leaves the thread if what an event has read has its highest bit set.
func (c *column) branch(e int) {
	zero := c.zero(e)
	p := "p" + strconv.Itoa(c.predicates)
	c.predicates++
	c.exits++
	c.instr(c.typed("setp.ne", "s32"), p, zero, "0")
	c.row("@%s bra %s", p, c.exit())
}

// exit is the label of the end of the thread.
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
