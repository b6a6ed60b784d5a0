// Package bench has the programs on which muster's speed is measured: families of litmus tests that
// grow with a parameter.
//
//	Family    a kind of test for every size
//	Families  all families
//	Program   one test, printed for muster or for herd7
//
// go test -bench . ./bench measures them, bench/curves draws the figures of docs/performance.md,
// and bench/peers.sh runs other simulators on the same programs.
package bench

import (
	"fmt"
	"strings"
)

// Kind is the kind of an instruction.
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
	// Exists is a condition on the results of loads, by thread and number of the load, or on the
	// value of a location if the thread is -1.
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

// Named returns the family of that name.
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

// syntax is the syntax of a simulator's tests.
type syntax struct {
	arch    string
	thread  string                               // head of a column, given the number of the thread
	initial string                               // entry of a location in the initial state; may be empty
	instr   func(in Instr, load int) []string    // rows of an instruction; load is the number of its register
	atom    func(thread, load, value int) string // atom of the condition
}

// PTX returns the program as a test of scoped PTX, with relaxed accesses at GPU scope.
func (p Program) PTX() string {
	return p.text(syntax{
		arch: "PTX", thread: "P%d@cta %[1]d,gpu 0", initial: "%s=0; ",
		instr: func(in Instr, load int) []string {
			switch in.Kind {
			case Store:
				return []string{fmt.Sprintf("st.relaxed.gpu %s, %d", in.Loc, in.Value)}
			case Load:
				return []string{fmt.Sprintf("ld.relaxed.gpu r%d, %s", load, in.Loc)}
			}
			return []string{fmt.Sprintf("atom.relaxed.gpu.exch r%d, %s, %d", load, in.Loc, in.Value)}
		},
		atom: func(thread, load, value int) string { return fmt.Sprintf("P%d:r%d=%d", thread, load, value) },
	})
}

// x86Registers are the registers for loads of a thread: the names of their lower halves in
// instructions, and of the whole registers. Conditions of herd7 accept only the latter.
var x86Registers = []struct{ lower, whole string }{
	{"eax", "rax"},
	{"ebx", "rbx"},
	{"ecx", "rcx"},
	{"edx", "rdx"},
	{"esi", "rsi"},
	{"edi", "rdi"},
	{"r8d", "r8"},
	{"r9d", "r9"},
	{"r10d", "r10"},
	{"r11d", "r11"},
	{"r12d", "r12"},
	{"r13d", "r13"},
	{"r14d", "r14"},
	{"r15d", "r15"},
}

// X86 returns the program for herd7, or false if a thread has more loads than there are registers.
func (p Program) X86() (string, bool) {
	for _, code := range p.Threads {
		if len(code) > len(x86Registers) {
			return "", false
		}
	}
	return p.text(syntax{
		arch: "X86_64", thread: "P%d",
		instr: func(in Instr, load int) []string {
			switch in.Kind {
			case Store:
				return []string{fmt.Sprintf("movl $%d,(%s)", in.Value, in.Loc)}
			case Load:
				return []string{fmt.Sprintf("movl (%s),%%%s", in.Loc, x86Registers[load].lower)}
			}
			reg := x86Registers[load].lower
			return []string{fmt.Sprintf("movl $%d,%%%s", in.Value, reg), fmt.Sprintf("xchgl %%%s,(%s)", reg, in.Loc)}
		},
		atom: func(thread, load, value int) string {
			return fmt.Sprintf("%d:%s=%d", thread, x86Registers[load].whole, value)
		},
	}), true
}

func (p Program) text(s syntax) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n{ ", s.arch, p.Name)
	for _, l := range p.locations() {
		if s.initial != "" {
			fmt.Fprintf(&b, s.initial, l)
		}
	}
	b.WriteString("}\n")
	heads, rows := make([]string, len(p.Threads)), 0
	cells := make([][]string, len(p.Threads))
	for t, code := range p.Threads {
		heads[t] = fmt.Sprintf(s.thread, t)
		loads := 0
		for _, in := range code {
			cells[t] = append(cells[t], s.instr(in, loads)...)
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
	fmt.Fprintf(&b, "exists (%s)\n", p.condition(s))
	return b.String()
}

func (p Program) condition(s syntax) string {
	var atoms []string
	for _, a := range p.Exists {
		if a.Thread < 0 {
			atoms = append(atoms, fmt.Sprintf("%s=%d", a.Loc, a.Value))
		} else {
			atoms = append(atoms, s.atom(a.Thread, a.Load, a.Value))
		}
	}
	return strings.Join(atoms, ` /\ `)
}

// locations returns the locations of the program, in the order of their first use.
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

// Program returns the test of a given size.
func (f Family) Program(n int) Program {
	p := f.Make(n)
	p.Name = fmt.Sprintf("%s-%d", f.Name, n)
	return p
}
