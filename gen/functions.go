package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
)

// writeFunctions writes the threads as functions in C.
func writeFunctions(l *layout, w *litmus.Writer) (held []litmus.Held) {
	for t, events := range l.threads {
		f := &function{code: newCode(l, t), indent: "  "}
		for _, e := range events {
			f.event(e)
		}
		for f.indent = f.indent[2:]; f.indent != ""; f.indent = f.indent[2:] {
			f.line("}")
		}
		var place *litmus.HeaderPlace
		if l.ISA.c.placed {
			place = l.headerPlace(t)
		}
		w.Function(l.threadName(t), t, place, strings.Join(l.parameters(events), ", "), "\n"+f.text.String())
		held = append(held, f.held...)
	}
	return held
}

// parameters returns the locations that a thread's events access, with their types.
func (l *layout) parameters(events []int) (all []string) {
	for loc := range l.writers {
		if slices.ContainsFunc(events, func(e int) bool { return l.nodes[e].loc == loc }) {
			all = append(all, l.ISA.c.parameter(l.accesses(loc), l.shared[loc])+" "+locationName(loc))
		}
	}
	return all
}

// accesses returns the distinct accesses to a location.
func (l *layout) accesses(loc int) (all []*Access) {
	for _, n := range l.nodes {
		if n.loc == loc && !slices.Contains(all, n.access) {
			all = append(all, n.access)
		}
	}
	return all
}

// function is the code of a thread in C.
type function struct {
	code
	text   strings.Builder
	indent string
}

func (f *function) line(format string, args ...any) {
	fmt.Fprintf(&f.text, f.indent+format+"\n", args...)
}

// event writes the statement of an event, and before it the code for the preceding edge.
func (f *function) event(e int) {
	n := f.nodes[e]
	address, stored := locationName(n.loc), f.stored(n)
	switch before := f.before(e); before.Kind {
	case Addr:
		address = "(" + address + " + " + f.zero(e-1) + ")"
	case Data:
		stored = f.zero(e-1) + " + " + stored
	case Ctrl:
		f.line("if (%s == 0) {", f.zero(e-1))
		f.indent += "  "
	case Fence, Barrier:
		f.line("%s;", f.ISA.c.between(before.Instr))
	}
	f.access(e, object{address, f.accesses(n.loc)}, stored)
}

// access writes the access itself.
func (f *function) access(e int, at object, stored string) {
	n, c := f.nodes[e], f.ISA.c
	a := n.access
	if !a.Atomic() && n.writes {
		f.line("%s;", c.store(a, at, stored))
		return
	}
	r := f.read(e)
	switch {
	case !a.Atomic():
		f.line("int %s = %s;", r, c.load(a, at))
	case a.op == "cas":
		f.line("%s;", c.swap(a, at, r, strconv.Itoa(f.valueRead(n)), stored))
	default:
		f.line("int %s = %s;", r, c.update(a, at, stored))
	}
}

// zero computes a 0 from the value of a read, which no compiler can know to be 0.
func (f *function) zero(e int) string {
	r := f.register()
	f.line("int %s = %s & 0x80000000;", r, f.value[e])
	return r
}
