package gen

import (
	"strings"
	"unicode"
)

// Dir is what an event does where an edge begins or ends.
type Dir uint8

// The directions.
const (
	W Dir = iota // it writes
	R            // it reads
)

func (d Dir) String() string { return "WR"[d : d+1] }

// Kind is what an edge says of the two events that it joins.
type Kind uint8

// The kinds of edges. The first three are communication, the others are part of program
// order.
const (
	Rf      Kind = iota // the read reads from the write
	Fr                  // the read reads from a write that is coherence-before the write
	Co                  // the first write is coherence-before the second
	Po                  // program order, and nothing else
	Addr                // an address dependency
	Data                // a data dependency
	Ctrl                // a control dependency, by a branch
	Fence               // program order with a fence between
	Barrier             // program order with a barrier between
	// from what an asynchronous operation reads to what it writes; or from there to what it writes in another CTA
	Copy
	Wait     // program order from an asynchronous operation, which is waited for
	Handover // to the next thread, which waits for the one before
)

// Edge is one step of a cycle, from an event to the next.
type Edge struct {
	Kind     Kind
	External bool  // between two threads
	Level    Level // of an external edge: the smallest level that the threads share; AnyLevel if it is left open
	Diff     bool  // between different locations
	Src, Dst Dir
	Instr    string // the fence or barrier, as PTX spells it; the operation of a copy; the steps of a wait or handover
}

// Communicates reports whether the edge is rf, fr or co.
func (e Edge) Communicates() bool { return e.Kind <= Co }

// dependency reports whether the edge is a dependency on a value that was read.
func (e Edge) dependency() bool { return e.Kind == Addr || e.Kind == Data || e.Kind == Ctrl }

// marked reports whether the edge is more than communication or program order.
func (e Edge) marked() bool { return e.Kind > Po }

// String returns the edge as cycles spell it: Rfe@cta, PodWR, DpAddrdR, Fence.sc.gpudWW. Without a
// level the threads are on one GPU.
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

// stem returns the edge without its level, locations and directions.
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

// stems are those of edges that have no instruction.
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

// label returns the edge as the names of tests spell it: po, pos, rfi, addr, membar.gl.
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

// Reducible reports that two edges in a row say no more than one would, so that a cycle with both
// is a longer spelling of a shorter one: co;co and fr;co are co and fr, rf;fr between threads is
// co, program order is transitive, a fence orders whatever is before it with whatever is after it,
// and so does a handover; what comes before or after both halves of a copy does so for one of them.
// But who waits in one CTA for a copy to several has not waited for the others.
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
