// Package litmus is the litmus text format for GPU tests: what tests of all front ends have in
// common, as in the format of Alglave et al., ASPLOS 2015 (Sec. 4.1, Fig. 12), final conditions,
// and the logs of herd and litmus7.
//
//	Test        a parsed test; what the threads do stays positioned text
//	Format      what the header of a test stands for: a front end has one for each
//	Layout      how tests write their programs: in columns, or as functions
//	Thread      one column of the program, or one function
//	Machine     where threads and memory can be: the levels and regions of a language, by name
//	GPU         the machine of GPUs: device ⊃ kernel ⊃ cluster ⊃ CTA ⊃ warp ⊃ threads
//	ScopeNode   the scope tree
//	Place       where the scope tree puts one thread
//	Location    a memory location: region and initial value
//	Register    a declared or initialised register of a thread
//	Cond, Prop  the final condition
//	Ref         a register or location that a condition mentions
//	State       the final values that a condition can see
//	Record      what a log says about one test
//	Outcome     a final state in a log
//	Content     what a test says, whatever it is called
//	Writer      writes a test that a program makes up, and knows what it says
//
// Parse reads a test and Test.String writes it; ReadLog and Record.WriteTo do the
// same for logs.
//
// The package knows no instruction: front ends give cells and functions their meaning.
package litmus

import (
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Test is a litmus test.
type Test struct {
	*Format   // of the header
	File      *src.File
	Name      Ident
	Doc       string // the doc string, or ""
	Meta      []Meta
	Locations []*Location // in order of first mention outside the program
	Registers []*Register // in order of declaration
	Threads   []*Thread
	Scopes    []*ScopeNode // roots of the scope tree; empty if the test has none
	ScopesAt  src.Span     // the scope tree, else the placements in the header, else where a tree is missing
	Observed  []Ref        // the locations clause
	Filter    Prop         // or nil
	Cond      Cond

	frame frame
}

// Ident is a name and where it stands.
type Ident struct {
	Text string
	src.Span
}

// Meta is a Key=Value line between the header and the initial state.
type Meta struct {
	Key, Value string
}

// Location is a memory location.
type Location struct {
	Name   Ident
	Region Region
	Init   Value    // of a scalar; 0 if the test does not say
	Size   int      // number of elements of an array; 0 for a scalar
	Elems  []Value  // initial elements of an array, the rest are 0; nil for a scalar
	Alias  *Alias   // nil unless the name is another name of a location
	Mapped src.Span // where the test names its region; nowhere if it does not
	// Undeclared reports whether the test names the location only as an address that another
	// location holds, as y in {x=y}.
	Undeclared bool
}

// Elem returns the initial value of element i, or of a scalar for i = 0.
func (l *Location) Elem(i int) Value {
	switch {
	case l.Size == 0:
		return l.Init
	case i < len(l.Elems):
		return l.Elems[i]
	}
	return Value{}
}

// Alias makes a location another name of Of, a location or an alias, reached through a proxy: "s @
// surface aliases x".
type Alias struct {
	Proxy Ident // generic, surface, texture or constant
	Of    Ident
}

// Register is a register that the initial state declares.
type Register struct {
	Thread int // index into Test.Threads
	Name   Ident
	Type   string // "s32", "b64", "pred", …; "" if not declared with .reg
	Init   *Value // nil if the test does not say
}

// Value is the contents of a register or location: an integer, or the address of a location plus an
// offset in bytes.
type Value struct {
	Loc string // "" for an integer
	Int int64  // the integer, or the offset
}

// Thread is one column of the program, or one function (Layout).
type Thread struct {
	Name  Ident // "T0" or "P0"
	ID    int   // the number in its name; conditions use it
	Place *HeaderPlace
	Cells []Cell // of a column, one per row; empty cells have no text

	Params, Body src.Span // of a function, what is within the parentheses and within the braces
}

// HeaderPlace is a placement behind a thread's name: "P0@cta 0,cluster 1,gpu 0".
type HeaderPlace struct {
	Numbers []int // by level; Nowhere for one that is not given
	At      src.Span
}

// Nowhere is the number of a level that a header does not give.
const Nowhere = -1

// Cell is the text of one instruction, trimmed of blanks and of the comments around it.
type Cell struct {
	src.Span
}

// Text returns the instruction; a comment in it counts as a blank.
func (c Cell) Text() string {
	text := c.Span.Text()
	if masked := c.Masked(); masked != text {
		return strings.Join(strings.Fields(masked), " ")
	}
	return text
}

// Masked returns the instruction with its comments blanked out, so that all other bytes keep their
// offsets.
func (c Cell) Masked() string {
	text := c.Span.Text()
	first := strings.IndexAny(text, beginsComment)
	if first < 0 {
		return text
	}
	for i := first; i < len(text); i++ {
		if end, _ := src.CommentEnd(text, i); end > i {
			text = text[:i] + strings.Repeat(" ", end-i) + text[end:]
			i = end - 1
		}
	}
	return text
}

// ScopeNode is a node of the scope tree. Its threads come before its children.
type ScopeNode struct {
	Level    Level
	Threads  []int // indices into Test.Threads
	Children []*ScopeNode
	At       src.Span
}
