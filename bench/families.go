// Package bench is what the speed of muster is measured on: families of litmus tests that
// grow with a parameter.
//
//	Family    a kind of test for every size
//	Families  all of them
//	Program   one test, printed for muster or for herd7
//
// go test -bench . ./bench measures them, bench/curves draws the figures of
// docs/performance.md, bench/peers.sh runs other simulators on the same programs.
package bench

import (
	"fmt"
	"strings"
)

// Kind is what an instruction does.
type Kind uint8

// The kinds.
const (
	Store    Kind = iota
	Load          // into the next register of the thread
	Exchange      // an atomic that writes Value and returns what it overwrites
)

// Instr is one instruction of a program.
type Instr struct {
	Kind  Kind
	Loc   string
	Value int // of Store and Exchange
}

// Program is a litmus test of straight-line threads, each in a CTA of its own.
type Program struct {
	Name    string
	Threads [][]Instr
	// Exists is a condition on what loads return, by thread and number of the load; of a
	// location if the thread is -1.
	Exists []Atom
}

// Atom is an equation of a condition.
type Atom struct {
	Thread, Load int
	Loc          string // if Thread is -1
	Value        int
}

// Family is a kind of test for every size.
type Family struct {
	Name  string
	About string
	Make  func(n int) Program
	From  int // the smallest size
}

// Families are the families of docs/performance.md.
var Families = []Family{
	{"writers", "n writers of one location", writers, 2},
	{"write-read", "n threads that write and read one location", writeRead, 2},
	{"reader", "n writers of one location and a thread of n-1 reads", reader, 3},
	{"sb", "a ring of n threads that store, then load what the next stores", storeBuffering, 2},
	{"mp", "a message passed on through n threads", chain, 2},
	{"iriw", "2 writers and n readers of both", readers, 2},
	{"locks", "n identical threads that exchange one lock", locks, 2},
}

// Named is the family of that name.
func Named(name string) (Family, bool) {
	for _, f := range Families {
		if f.Name == name {
			return f, true
		}
	}
	return Family{}, false
}

func writers(n int) Program {
	p := Program{Exists: []Atom{{Thread: -1, Loc: "x", Value: 1}}}
	for i := range n {
		p.Threads = append(p.Threads, []Instr{{Store, "x", i + 1}})
	}
	return p
}

func writeRead(n int) Program {
	p := writers(n)
	for i := range p.Threads {
		p.Threads[i] = append(p.Threads[i], Instr{Kind: Load, Loc: "x"})
	}
	p.Exists = []Atom{{Thread: 0, Value: 2}}
	return p
}

func reader(n int) Program {
	p := writers(n)
	var reads []Instr
	for range n - 1 {
		reads = append(reads, Instr{Kind: Load, Loc: "x"})
	}
	p.Threads = append(p.Threads, reads)
	p.Exists = []Atom{{Thread: n, Value: 1}, {Thread: n, Load: n - 2, Value: 2}}
	return p
}

func storeBuffering(n int) Program {
	var p Program
	for i := range n {
		p.Threads = append(p.Threads, []Instr{{Store, location(i), 1}, {Kind: Load, Loc: location((i + 1) % n)}})
		p.Exists = append(p.Exists, Atom{Thread: i})
	}
	return p
}

func chain(n int) Program {
	p := Program{Threads: [][]Instr{{{Store, "x", 1}, {Store, location(0), 1}}}}
	for i := range n - 2 {
		p.Threads = append(p.Threads, []Instr{{Kind: Load, Loc: location(i)}, {Store, location(i + 1), 1}})
	}
	p.Threads = append(p.Threads, []Instr{{Kind: Load, Loc: location(n - 2)}, {Kind: Load, Loc: "x"}})
	p.Exists = []Atom{{Thread: n - 1, Value: 1}, {Thread: n - 1, Load: 1}}
	return p
}

func readers(n int) Program {
	p := Program{Threads: [][]Instr{{{Store, "x", 1}}, {{Store, "y", 1}}}}
	for i := range n {
		first, second := "x", "y"
		if i%2 == 1 {
			first, second = second, first
		}
		p.Threads = append(p.Threads, []Instr{{Kind: Load, Loc: first}, {Kind: Load, Loc: second}})
		p.Exists = append(p.Exists, Atom{Thread: i + 2, Value: 1}, Atom{Thread: i + 2, Load: 1})
	}
	return p
}

func locks(n int) Program {
	p := Program{Exists: []Atom{{}, {Thread: 1}}}
	for range n {
		p.Threads = append(p.Threads, []Instr{{Exchange, "m", 1}})
	}
	return p
}

func location(i int) string { return fmt.Sprintf("y%d", i) }

// PTX is the program as a test of scoped PTX, with relaxed accesses at the scope of the
// device.
func (p Program) PTX() string {
	print := func(in Instr, reg string) string {
		switch in.Kind {
		case Store:
			return fmt.Sprintf("st.relaxed.gpu %s, %d", in.Loc, in.Value)
		case Load:
			return fmt.Sprintf("ld.relaxed.gpu %s, %s", reg, in.Loc)
		}
		return fmt.Sprintf("atom.relaxed.gpu.exch %s, %s, %d", reg, in.Loc, in.Value)
	}
	return p.text("PTX", "P%d@cta %[1]d,gpu 0", print, func(load int) string { return fmt.Sprintf("r%d", load) }, "%s=0; ")
}

// x86Registers are those that loads of a thread return to.
var x86Registers = []string{
	"eax", "ebx", "ecx", "edx", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d",
}

// X86 is the program for herd7; false if a thread has more loads than there are registers.
func (p Program) X86() (string, bool) {
	for _, code := range p.Threads {
		if len(code) > len(x86Registers) {
			return "", false
		}
	}
	print := func(in Instr, reg string) string {
		switch in.Kind {
		case Store:
			return fmt.Sprintf("movl $%d,(%s)", in.Value, in.Loc)
		case Load:
			return fmt.Sprintf("movl (%s),%%%s", in.Loc, reg)
		}
		return fmt.Sprintf("movl $%d,%%%s ; xchgl %%%[2]s,(%s)", in.Value, reg, in.Loc)
	}
	return p.text("X86_64", "P%d", print, func(load int) string { return x86Registers[load] }, ""), true
}

func (p Program) text(arch, thread string, print func(Instr, string) string, reg func(int) string, init string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n{ ", arch, p.Name)
	for _, l := range p.locations() {
		if init != "" {
			fmt.Fprintf(&b, init, l)
		}
	}
	b.WriteString("}\n")
	heads, rows := make([]string, len(p.Threads)), 0
	cells := make([][]string, len(p.Threads))
	for t, code := range p.Threads {
		heads[t] = fmt.Sprintf(thread, t)
		loads := 0
		for _, in := range code {
			cells[t] = append(cells[t], strings.Split(print(in, reg(loads)), " ; ")...)
			if in.Kind != Store {
				loads++
			}
		}
		rows = max(rows, len(cells[t]))
	}
	row := func(cells []string) { fmt.Fprintf(&b, " %s ;\n", strings.Join(cells, " | ")) }
	row(heads)
	for r := range rows {
		line := make([]string, len(cells))
		for t := range cells {
			if r < len(cells[t]) {
				line[t] = cells[t][r]
			}
		}
		row(line)
	}
	fmt.Fprintf(&b, "exists (%s)\n", p.condition(reg, arch))
	return b.String()
}

func (p Program) condition(reg func(int) string, arch string) string {
	var atoms []string
	for _, a := range p.Exists {
		switch {
		case a.Thread < 0:
			atoms = append(atoms, fmt.Sprintf("%s=%d", a.Loc, a.Value))
		case arch == "PTX":
			atoms = append(atoms, fmt.Sprintf("P%d:%s=%d", a.Thread, reg(a.Load), a.Value))
		default:
			atoms = append(atoms, fmt.Sprintf("%d:%s=%d", a.Thread, reg(a.Load), a.Value))
		}
	}
	return strings.Join(atoms, ` /\ `)
}

// locations are those of the program, in the order of their first use.
func (p Program) locations() []string {
	var all []string
	seen := map[string]bool{}
	for _, code := range p.Threads {
		for _, in := range code {
			if !seen[in.Loc] {
				seen[in.Loc] = true
				all = append(all, in.Loc)
			}
		}
	}
	return all
}

// Program is the test of a size.
func (f Family) Program(n int) Program {
	p := f.Make(n)
	p.Name = fmt.Sprintf("%s-%d", f.Name, n)
	return p
}
