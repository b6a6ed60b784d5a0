package gen

import (
	"strings"
	"unicode"
)

// Dir is the direction of an event at the end of an edge: read or write.
type Dir uint8

// The directions.
const (
	W Dir = iota // it writes
	R            // it reads
)

func (d Dir) String() string { return "WR"[d : d+1] }

// Kind is the relation of an edge between its two events.
type Kind uint8

// The kinds of edges. The first three are communication, the others are part of program
// order.
const (
	Rf      Kind = iota // the read reads from the write
	Fr                  // the read reads from a write coherence-before the write
	Co                  // the first write is coherence-before the second
	Po                  // program order only
	Addr                // an address dependency
	Data                // a data dependency
	Ctrl                // a control dependency, by a branch
	Fence               // program order with a fence between the events
	Barrier             // program order with a barrier between the events
	// from the read of an asynchronous operation to its write, or from there to its write in
	// another CTA
	Copy
	Wait     // program order from an asynchronous operation to an event that waits for it
	Handover // to an event of the next thread, which waits for the previous thread
)

// Edge is one step of a cycle, from an event to the next.
type Edge struct {
	Kind     Kind
	External bool  // between two threads
	Level    Level // of an external edge: the smallest level that the threads share; AnyLevel if open
	Diff     bool  // between different locations
	Src, Dst Dir
	// the fence or barrier in PTX's spelling; the operation of a copy; the steps of a wait or
	// handover
	Instr string
}

// Communicates reports whether the edge is rf, fr or co.
func (e Edge) Communicates() bool { return e.Kind <= Co }

// dependency reports whether the edge is a dependency on a value that was read.
func (e Edge) dependency() bool { return e.Kind == Addr || e.Kind == Data || e.Kind == Ctrl }

// marked reports whether the edge is something other than communication or program order.
func (e Edge) marked() bool { return e.Kind > Po }

// String returns the edge in the syntax of cycles: Rfe@cta, PodWR, DpAddrdR, Fence.sc.gpudWW. No
// level stands for one GPU.
func (e Edge) String() string { return string(e.append(nil)) }

func (e *Edge) append(b []byte) []byte {
	b = e.appendStem(b)
	if !e.Communicates() && e.Kind != Copy {
		b = append(b, "sd"[boolIndex(e.Diff)])
		if !e.dependency() {
			b = append(b, e.Src.String()...)
		}
		b = append(b, e.Dst.String()...)
	}
	if e.External && e.Level != AnyLevel && e.Level != SameGPU {
		b = append(append(b, '@'), e.Level.String()...)
	}
	return b
}

// stem returns the name of the edge without level, locations and directions.
func (e Edge) stem() string { return string(e.appendStem(nil)) }

func (e *Edge) appendStem(b []byte) []byte {
	switch {
	case e.Communicates():
		return append(append(b, stems[e.Kind]...), "ie"[boolIndex(e.External)])
	case e.Instr != "":
		return append(append(b, byte(unicode.ToUpper(rune(e.Instr[0])))), e.Instr[1:]...)
	}
	return append(b, stems[e.Kind]...)
}

// stems are the names of edges without an instruction.
var stems = [...]string{
	Rf:       "Rf",
	Fr:       "Fr",
	Co:       "Co",
	Po:       "Po",
	Addr:     "DpAddr",
	Data:     "DpData",
	Ctrl:     "DpCtrl",
	Handover: "",
}

// label returns the edge as names of tests spell it: po, pos, rfi, addr, membar.gl.
func (e Edge) label() string {
	switch {
	case e.Communicates():
		return strings.ToLower(e.stem())
	case e.Kind == Po && !e.Diff:
		return "pos"
	}
	label := strings.ToLower(strings.TrimPrefix(e.stem(), "Dp"))
	if !e.Diff {
		label += ".loc"
	}
	return label
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reducible reports whether two consecutive edges are equivalent to one, so that a cycle with both
// is a longer spelling of a shorter one: co;co and fr;co are co and fr; rf;fr between threads is
// co; program order is transitive; a fence orders everything before it with everything after it,
// and so does a handover; an event ordered with both halves of a copy is ordered with one of them.
// However, a wait in one CTA for a multicast copy does not cover the other CTAs.
func reducible(e, f Edge) bool {
	if e.Kind == Copy && e.Src == W && (f.Kind == Wait || f.Kind == Handover) {
		return false
	}
	if e.Communicates() && f.Communicates() {
		switch {
		case f.Kind == Co:
			return true // co;co, fr;co
		case e.Kind == Rf: // rf;fr
			return e.External == f.External
		}
		return false // co;rf, fr;rf
	}
	if e.External || f.External {
		return e.Kind == Handover && !f.External && !f.Communicates() || f.Kind == Handover && e.Kind == Copy
	}
	separates := func(e Edge) bool { return e.Kind == Fence || e.Kind == Barrier || e.Kind == Copy || e.Kind == Wait }
	return separates(e) || separates(f) || e.Kind == Po && f.Kind == Po
}
