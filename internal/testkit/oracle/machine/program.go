package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Program is a straight-line or looping program of a few threads. Semantics.Runs executes it;
// String prints it as a litmus test.
type Program struct {
	Init     [locations]int32 // q holds the number of a location
	SameCTA  bool             // the threads are in one CTA; otherwise each in its own
	Barriers bool             // a PTX test, which can have barriers; otherwise a GPU_PTX test
	Threads  [][]Instr
}

// The size of the machine. Each thread has data registers r0, r1, … and pointers p0, p1, which
// initially hold the addresses of x and y. The locations x and y hold integers, q holds an address.
const (
	maxThreads = 3
	maxInstrs  = 16
	registers  = 4
	Pointers   = 2
	locations  = 3

	Q = 2 // number of q
)

var locationNames = [locations]string{"x", "y", "q"}

// Instr is an instruction. Op determines the meaningful fields.
type Instr struct {
	Guard    Guard
	Op       string // "ld", "add", "setp.lt", "atom.cas", "ptr.selp", …
	Suffix   string // cache operator and type
	Unsigned bool   // signedness of the type, for min, max and setp
	Dst      int
	At       Address
	Args     []Operand
	Target   int // target of bra: an index into the thread
}

// Guard is @r or @!r.
type Guard struct {
	Present, Negated bool
	Reg              int
}

// Operand is a register or a constant.
type Operand struct {
	Reg   bool
	Value int32 // the constant, or the number of the register
}

// Address is the address of a location, or the value of a pointer.
type Address struct {
	Pointer bool
	N       int
}

// waitsForStores reports whether an instruction needs the store buffer empty.
func (in *Instr) waitsForStores() bool {
	name, _, _ := strings.Cut(in.Op, ".")
	return name == "membar" || name == "atom" || name == "red" || in.isBarrier()
}

// holds reports whether an instruction with this guard executes, given the registers of its thread.
func (g Guard) holds(r *[registers]int32) bool {
	return !g.Present || (r[g.Reg] != 0) != g.Negated
}

// isBarrier reports whether an instruction arrives at a barrier or waits at one.
func (in *Instr) isBarrier() bool {
	name, _, _ := strings.Cut(in.Op, ".")
	return name == "bar" || name == "barrier"
}

// cta returns the CTA of thread t.
func (p *Program) cta(t int) int {
	if p.SameCTA {
		return 0
	}
	return t
}

// site returns the barrier that bar.sync or bar.arrive of thread t uses.
func (p *Program) site(t int, in *Instr) barrierSite {
	s := barrierSite{cta: p.cta(t), id: int(in.Args[0].Value)}
	if len(in.Args) > 1 {
		s.count = CountedThreads
	}
	return s
}

// using lists the threads that have an instruction for which is holds.
func (p *Program) using(is func(t int, in *Instr) bool) (threads []int) {
	for t, thread := range p.Threads {
		if slices.ContainsFunc(thread, func(in Instr) bool { return is(t, &in) }) {
			threads = append(threads, t)
		}
	}
	return threads
}

// Contested reports whether a barrier of a CTA may complete with one thread or another: more
// threads use it than it counts, or one arrives twice because it does not wait. syncbar then tells
// which threads meet, but not the order of the rounds.
func (p *Program) Contested() bool {
	arrivals := map[barrierSite][]Instr{}
	users := map[barrierSite]map[int]bool{}
	for t, thread := range p.Threads {
		for _, in := range thread {
			if !strings.HasPrefix(in.Op, "bar.") || len(in.Args) < 2 {
				continue
			}
			s := p.site(t, &in)
			if users[s] == nil {
				users[s] = map[int]bool{}
			}
			users[s][t] = true
			arrivals[s] = append(arrivals[s], in)
			again := len(arrivals[s]) > len(users[s]) || p.loops()
			if len(users[s]) > CountedThreads ||
				again && slices.ContainsFunc(arrivals[s], func(in Instr) bool { return in.Op == "bar.arrive" }) {
				return true
			}
		}
	}
	return false
}

// loops reports whether some thread has a backward branch.
func (p *Program) loops() bool {
	for _, thread := range p.Threads {
		for i, in := range thread {
			if in.Op == "bra" && in.Target <= i {
				return true
			}
		}
	}
	return false
}

// Printing.

func (g Guard) String() string {
	switch {
	case !g.Present:
		return ""
	case g.Negated:
		return fmt.Sprintf("@!r%d ", g.Reg)
	}
	return fmt.Sprintf("@r%d ", g.Reg)
}

func (o Operand) String() string {
	if o.Reg {
		return fmt.Sprintf("r%d", o.Value)
	}
	return fmt.Sprint(o.Value)
}

func (a Address) String() string {
	if a.Pointer {
		return fmt.Sprintf("p%d", a.N)
	}
	return locationNames[a.N]
}

func (in *Instr) String() string {
	name, _, _ := strings.Cut(in.Op, ".")
	dst, at := fmt.Sprintf("r%d", in.Dst), "["+in.At.String()+"]"
	var operands []string
	switch name {
	case "membar", "bar", "barrier":
	case "bra":
		operands = []string{label(in.Target)}
	case "ld", "atom":
		operands = []string{dst, at}
	case "st", "red":
		operands = []string{at}
	case "ptr":
		return in.Guard.String() + in.pointerText()
	default:
		operands = []string{dst}
	}
	for _, a := range in.Args {
		operands = append(operands, a.String())
	}
	return strings.TrimSpace(fmt.Sprintf("%v%s%s %s", in.Guard, in.Op, in.Suffix, strings.Join(operands, ",")))
}

// pointerText returns an instruction whose dst is a pointer.
func (in *Instr) pointerText() string {
	switch in.Op {
	case "ptr.ld":
		return fmt.Sprintf("ld.cg.b64 p%d,[q]", in.Dst)
	case "ptr.st":
		return fmt.Sprintf("st.cg.b64 [q],p%d", in.Dst)
	case "ptr.selp":
		return fmt.Sprintf("selp.b64 p%d,p0,p1,%v", in.Dst, in.Args[0])
	}
	return fmt.Sprintf("mov.b64 p%d,%v", in.Dst, in.At)
}

func label(i int) string { return fmt.Sprintf("L%d", i) }

// cell returns the text of row i of a thread; the last row may have only a label.
func cell(thread []Instr, i int) string {
	text := ""
	for _, in := range thread {
		if in.Op == "bra" && in.Target == i {
			text = label(i) + ": "
		}
	}
	if i < len(thread) {
		text += thread[i].String()
	}
	return text
}

func (p *Program) rows() int {
	n := 0
	for _, thread := range p.Threads {
		n = max(n, len(thread))
	}
	return n + 1 // for labels at the end
}

// String prints the program as a test that observes everything.
func (p *Program) String() string {
	var b strings.Builder
	if p.Barriers {
		b.WriteString("PTX random\n{ ")
	} else {
		b.WriteString("GPU_PTX random\n{ ")
	}
	fmt.Fprintf(&b, "x=%d; y=%d; q=%s;", p.Init[0], p.Init[1], locationNames[p.Init[Q]])
	for t := range p.Threads {
		fmt.Fprintf(&b, "\n  %d:.reg .s32 r0, r1, r2, r3; %d:.reg .b64 p0=x, p1=y;", t, t)
	}
	b.WriteString(" }\n")
	for row := -1; row < p.rows(); row++ {
		for t, thread := range p.Threads {
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

// head returns the first cell of a column. In a PTX test it gives the placement of the thread; in a
// GPU_PTX test the scope tree does.
func (p *Program) head(t int) string {
	if p.Barriers {
		return fmt.Sprintf("P%d@cta %d,cluster 0,gpu 0", t, p.cta(t))
	}
	return fmt.Sprintf("T%d", t)
}

func (p *Program) scopeTree() string {
	if p.Barriers {
		return ""
	}
	var b strings.Builder
	for t := range p.Threads {
		fmt.Fprintf(&b, "(cta T%d)", t)
	}
	tree := b.String()
	if p.SameCTA {
		tree = "(cta " + strings.NewReplacer("(cta ", "(warp ").Replace(tree) + ")"
	}
	return "(device (kernel " + tree + "))"
}

// observed returns all registers and locations.
func (p *Program) observed() []string {
	var names []string
	for t := range p.Threads {
		for i := range Pointers {
			names = append(names, fmt.Sprintf("%d:p%d", t, i))
		}
		for i := range registers {
			names = append(names, fmt.Sprintf("%d:r%d", t, i))
		}
	}
	return append(names, locationNames[:]...)
}

// Accesses returns the number of memory accesses of the instruction.
func (in *Instr) Accesses() int {
	switch name, op, _ := strings.Cut(in.Op, "."); name {
	case "ld", "st":
		return 1
	case "atom", "red":
		return 2
	case "ptr":
		return map[string]int{"ld": 1, "st": 1}[op]
	}
	return 0
}
