package sim_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A program is a random program: what it does is what interleave_test.go makes of
// its instructions, and what it is to muster is the text that String prints.
type program struct {
	init     [locations]int32 // q holds the number of a location
	sameCTA  bool             // the threads are in one CTA, else each in its own
	barriers bool             // it is a PTX test, which can have barriers; else a GPU_PTX test
	threads  [][]instr
}

// The size of the machine. Each thread has data registers r0, r1, … and pointers
// p0, p1, which hold the addresses of x and y at first. The locations x and y hold
// integers, q holds an address.
const (
	maxThreads = 3
	maxInstrs  = 16
	registers  = 4
	pointers   = 2
	locations  = 3

	q = 2
)

var locationNames = [locations]string{"x", "y", "q"}

// An instr is an instruction. Which fields count depends on op.
type instr struct {
	guard    guard
	op       string // "ld", "add", "setp.lt", "atom.cas", "ptr.selp", …
	suffix   string // cache operator and type
	unsigned bool   // what the type says to min, max and setp
	dst      int
	at       address
	args     []operand
	target   int // of bra: an index into the thread
}

// A guard is @r or @!r.
type guard struct {
	present, negated bool
	reg              int
}

// An operand is a register or a constant.
type operand struct {
	reg   bool
	value int32 // the constant, or the number of the register
}

// An address is that of a location, or what a pointer holds.
type address struct {
	pointer bool
	n       int
}

// Printing.

func (g guard) String() string {
	switch {
	case !g.present:
		return ""
	case g.negated:
		return fmt.Sprintf("@!r%d ", g.reg)
	}
	return fmt.Sprintf("@r%d ", g.reg)
}

func (o operand) String() string {
	if o.reg {
		return fmt.Sprintf("r%d", o.value)
	}
	return fmt.Sprint(o.value)
}

func (a address) String() string {
	if a.pointer {
		return fmt.Sprintf("p%d", a.n)
	}
	return locationNames[a.n]
}

func (in *instr) String() string {
	name, _, _ := strings.Cut(in.op, ".")
	dst, at := fmt.Sprintf("r%d", in.dst), "["+in.at.String()+"]"
	var operands []string
	switch name {
	case "membar", "bar", "barrier":
	case "bra":
		operands = []string{label(in.target)}
	case "ld", "atom":
		operands = []string{dst, at}
	case "st", "red":
		operands = []string{at}
	case "ptr":
		return in.guard.String() + in.pointerText()
	default:
		operands = []string{dst}
	}
	for _, a := range in.args {
		operands = append(operands, a.String())
	}
	return strings.TrimSpace(fmt.Sprintf("%v%s%s %s", in.guard, in.op, in.suffix, strings.Join(operands, ",")))
}

// pointerText is an instruction whose dst is a pointer.
func (in *instr) pointerText() string {
	switch in.op {
	case "ptr.ld":
		return fmt.Sprintf("ld.cg.b64 p%d,[q]", in.dst)
	case "ptr.st":
		return fmt.Sprintf("st.cg.b64 [q],p%d", in.dst)
	case "ptr.selp":
		return fmt.Sprintf("selp.b64 p%d,p0,p1,%v", in.dst, in.args[0])
	}
	return fmt.Sprintf("mov.b64 p%d,%v", in.dst, in.at)
}

func label(i int) string { return fmt.Sprintf("L%d", i) }

// cell is the text of row i of a thread; the last row may have a label only.
func cell(thread []instr, i int) string {
	text := ""
	for _, in := range thread {
		if in.op == "bra" && in.target == i {
			text = label(i) + ": "
		}
	}
	if i < len(thread) {
		text += thread[i].String()
	}
	return text
}

func (p *program) rows() int {
	n := 0
	for _, thread := range p.threads {
		n = max(n, len(thread))
	}
	return n + 1 // for labels at the end
}

// String prints the program as a test that observes everything.
func (p *program) String() string {
	var b strings.Builder
	if p.barriers {
		b.WriteString("PTX random\n{ ")
	} else {
		b.WriteString("GPU_PTX random\n{ ")
	}
	fmt.Fprintf(&b, "x=%d; y=%d; q=%s;", p.init[0], p.init[1], locationNames[p.init[q]])
	for t := range p.threads {
		fmt.Fprintf(&b, "\n  %d:.reg .s32 r0, r1, r2, r3; %d:.reg .b64 p0=x, p1=y;", t, t)
	}
	b.WriteString(" }\n")
	for row := -1; row < p.rows(); row++ {
		for t, thread := range p.threads {
			text := p.head(t)
			if row >= 0 {
				text = cell(thread, row)
			}
			if t > 0 {
				b.WriteByte('|')
			}
			fmt.Fprintf(&b, " %-26s", text)
		}
		b.WriteString(";\n")
	}
	fmt.Fprintf(&b, "%s\nlocations [%s]\nforall (true)\n", p.scopeTree(), strings.Join(p.observed(), "; "))
	return b.String()
}

// head is the first cell of a column. In a PTX test it says where the thread is, in a GPU_PTX
// test the scope tree does.
func (p *program) head(t int) string {
	if p.barriers {
		return fmt.Sprintf("P%d@cta %d,cluster 0,gpu 0", t, p.cta(t))
	}
	return fmt.Sprintf("T%d", t)
}

func (p *program) scopeTree() string {
	if p.barriers {
		return ""
	}
	var b strings.Builder
	for t := range p.threads {
		fmt.Fprintf(&b, "(cta T%d)", t)
	}
	tree := b.String()
	if p.sameCTA {
		tree = "(cta " + strings.NewReplacer("(cta ", "(warp ").Replace(tree) + ")"
	}
	return "(device (kernel " + tree + "))"
}

// observed names all registers and locations.
func (p *program) observed() []string {
	var names []string
	for t := range p.threads {
		for i := range pointers {
			names = append(names, fmt.Sprintf("%d:p%d", t, i))
		}
		for i := range registers {
			names = append(names, fmt.Sprintf("%d:r%d", t, i))
		}
	}
	return append(names, locationNames[:]...)
}

// Drawing.

// A drawer draws programs. Few accesses keep the candidate executions few.
type drawer struct {
	*rapid.T
	accesses int     // how many more the program may make
	drawn    []instr // of the thread, so far
	rows     int     // that it will have
	scoped   bool    // for a PTX test, which has no more than the manual
}

func drawProgram(t *rapid.T) *program {
	d := &drawer{T: t, accesses: 10}
	p := &program{sameCTA: d.oneIn(2, "same CTA")}
	for l := range p.init {
		p.init[l] = int32(d.below(2, "initially"))
	}
	threads := pick(d, "threads", 2, 2, 3)
	for range threads {
		p.threads = append(p.threads, d.thread(5-threads))
	}
	return p
}

// thread draws a thread of at least so many instructions.
func (d *drawer) thread(least int) []instr {
	if d.oneIn(6, "a loop") {
		return d.loop()
	}
	d.drawn, d.rows = nil, least+d.below(3, "instructions")
	for range d.rows {
		d.drawn = append(d.drawn, d.instr())
	}
	return d.drawn
}

// loop draws a loop that counts to n, perhaps beyond the unroll bound.
func (d *drawer) loop() []instr {
	const counter, goOn, times = 3, 2, randomUnroll + 1
	body, n := 1+d.below(2, "instructions"), 1+d.below(times+1, "iterations")
	d.drawn, d.rows = []instr{{op: "mov", dst: counter, args: []operand{{value: 0}}}}, body+4
	rest := d.accesses % times
	d.accesses /= times
	for range body {
		in := d.instr()
		in.dst %= goOn // leave the counter alone
		d.drawn = append(d.drawn, in)
	}
	d.accesses = d.accesses*times + rest
	return append(d.drawn,
		instr{op: "add", dst: counter, args: []operand{{true, counter}, {value: 1}}},
		instr{op: "setp.lt", dst: goOn, args: []operand{{true, counter}, {value: int32(n)}}},
		instr{op: "bra", target: 1, guard: guard{present: true, reg: goOn}},
	)
}

// pick draws one of several, each as likely as the others.
func pick[V any](d *drawer, what string, from ...V) V {
	return rapid.SampledFrom(from).Draw(d.T, what)
}

func (d *drawer) below(n int, what string) int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return pick(d, what, numbers...)
}

func (d *drawer) oneIn(n int, what string) bool { return d.below(n, what) == n-1 }

// register prefers the first ones, so that instructions meet in a register.
func (d *drawer) register() int { return pick(d, "register", 0, 0, 0, 1, 1, 2, 2, 3) }

// kinds are how to draw each kind of instruction, and how often relative to others.
var kinds = []struct {
	name     string
	weight   int
	accesses int
	draw     func(*drawer, *instr)
}{
	{"load", 6, 1, (*drawer).load},
	{"store", 6, 1, (*drawer).store},
	{"atomic", 4, 2, (*drawer).atomic},
	{"pointer access", 1, 1, (*drawer).pointerAccess},
	{"move", 1, 0, (*drawer).move},
	{"alu", 1, 0, (*drawer).alu},
	{"compare", 1, 0, (*drawer).compare},
	{"pointer", 1, 0, (*drawer).pointer},
	{"branch", 1, 0, (*drawer).branch},
	{"fence", 1, 0, (*drawer).fence},
}

func (d *drawer) instr() instr {
	in := instr{dst: d.register()}
	if d.oneIn(5, "guarded") {
		in.guard = guard{true, d.oneIn(2, "negated"), d.register()}
	}
	var names []string
	for _, k := range kinds {
		if k.accesses <= d.accesses {
			names = append(names, slices.Repeat([]string{k.name}, k.weight)...)
		}
	}
	name := pick(d, "kind", names...)
	for _, k := range kinds {
		if k.name == name {
			d.accesses -= k.accesses
			k.draw(d, &in)
		}
	}
	return in
}

func (d *drawer) operand() operand {
	if d.oneIn(3, "a register") {
		return operand{true, int32(d.register())}
	}
	return operand{value: pick[int32](d, "constant", 1, 1, 2, 2, 0, -1, 1<<31-1, -1<<31)}
}

func (d *drawer) operands(n int) (args []operand) {
	for range n {
		args = append(args, d.operand())
	}
	return args
}

func (d *drawer) address() address {
	return address{n: d.below(pointers, "location"), pointer: d.oneIn(3, "pointer")}
}

// integer draws a type. It changes only how values are compared.
func (d *drawer) integer(in *instr) {
	if d.scoped {
		return // which types there are depends on the operation
	}
	typ := pick(d, "type", "", ".s32", ".u32", ".b32")
	in.suffix += typ
	in.unsigned = typ == ".u32" || typ == ".b32"
}

func (d *drawer) load(in *instr) {
	in.op, in.at = "ld", d.address()
	in.suffix = pick(d, "cache operator", ".cg", "", ".ca", ".cv", ".volatile")
	d.integer(in)
}

func (d *drawer) store(in *instr) {
	in.op, in.at, in.args = "st", d.address(), d.operands(1)
	in.suffix = pick(d, "cache operator", ".cg", "", ".wb", ".wt", ".volatile")
	d.integer(in)
}

func (d *drawer) atomic(in *instr) {
	name, args := pick(d, "result", "atom", "red"), 1
	op := pick(d, "operation", "add", "inc", "dec", "and", "or", "xor", "min", "max", "exch", "cas")
	switch op {
	case "cas":
		name, args = "atom", 2
	case "exch":
		name = "atom"
	case "inc", "dec":
		if !d.scoped {
			args = d.below(2, "bounds")
		}
	}
	in.op, in.at, in.args = name+"."+op, d.address(), d.operands(args)
	d.integer(in)
}

func (d *drawer) move(in *instr) { in.op, in.args = "mov", d.operands(1); d.integer(in) }

func (d *drawer) alu(in *instr) {
	in.op, in.args = pick(d, "operation", "add", "sub", "and", "or", "xor", "min", "max", "selp"), d.operands(2)
	if in.op == "selp" {
		in.args = append(in.args, d.operand())
	}
	d.integer(in)
}

func (d *drawer) compare(in *instr) {
	in.op, in.args = "setp."+pick(d, "comparison", "eq", "ne", "lt", "le", "gt", "ge"), d.operands(2)
	d.integer(in)
}

func (d *drawer) pointer(in *instr) {
	in.dst = d.below(pointers, "pointer")
	in.op, in.at = "ptr.mov", d.address()
	if d.oneIn(2, "select") {
		in.op, in.args = "ptr.selp", d.operands(1)
	}
}

func (d *drawer) pointerAccess(in *instr) {
	in.op, in.dst = pick(d, "access", "ptr.ld", "ptr.st"), d.below(pointers, "pointer")
}

// branch jumps forward, or, if it has a guard and the accesses suffice, backward: a
// loop without an exit has no final state.
func (d *drawer) branch(in *instr) {
	here := len(d.drawn)
	in.op, in.target = "bra", d.below(d.rows+1, "target")
	if in.target > here {
		return
	}
	repeated := 0
	for _, again := range d.drawn[in.target:] {
		repeated += randomUnroll * again.accesses()
	}
	if !in.guard.present || repeated > d.accesses {
		in.target = here + 1
		return
	}
	d.accesses -= repeated
}

// accesses is how often the instruction accesses memory.
func (in *instr) accesses() int {
	switch name, op, _ := strings.Cut(in.op, "."); name {
	case "ld", "st":
		return 1
	case "atom", "red":
		return 2
	case "ptr":
		return map[string]int{"ld": 1, "st": 1}[op]
	}
	return 0
}

func (d *drawer) fence(in *instr) { in.op = "membar." + pick(d, "scope", "cta", "gl", "sys") }
