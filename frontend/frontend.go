// Package frontend is the interface that muster asks of a language in which tests are written.
// Package ptx is a front end. Package frontends lists them all; no other package depends on the
// list.
//
//	Frontend   the headers of its tests, how it reads them, what executions have for models
//	Program    what it makes of a test
//	Options    how to read a program
//	Shared     what tests of one run have in common
//	Key        what a part of a test depends on
//	Memory     the locations of a program, by name
//	Seat       where a thread is among the others
//	Smaller    what can be tried to make a test smaller
//	PathLimitError  a thread has more control paths than muster follows
package frontend

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Frontend is a language in which tests are written.
type Frontend struct {
	// Formats are the headers of its tests, and the positions of the threads in them. Headers with
	// the same instructions may differ in their default model.
	Formats []*litmus.Format
	// Read parses, resolves and checks the program of a test, and unrolls its control paths. The
	// error is a src.Diagnostics with all errors, a *PathLimitError, or that of Options.Stop.
	Read func(*litmus.Test, Options) (Program, error)
	// Names are the sets and relations that executions of its tests have for models, besides those
	// of package event.
	Names []event.Name
	// Label returns the description of an event in labels of accesses, such as ".relaxed.gpu"; nil
	// is event.Plain.
	Label func(*event.Event) string
	// Words returns the completions of an editor in a program, sorted.
	Words func() []string
}

// Options say how to read a program.
type Options struct {
	// Unroll bounds how often a path takes each backward branch. Iterations without a trace do not
	// count, nor do the first iterations of a loop whose counter is known (package path).
	Unroll int
	// CASFailWrites makes a failed compare-and-swap write the old value back, as herd 2015
	// and Dartagnan do. The paper's model and NVIDIA's text have no such write.
	CASFailWrites bool
	// Vocabulary is the names that executions have for models: those of the front end, and those of
	// all others, which are empty. nil is the front end's own vocabulary.
	Vocabulary *event.Vocabulary
	// Shared is what was read of other tests with the same options, or nil.
	Shared *Shared
	// Stop, unless it is nil, is asked now and then; an error ends the unwinding of paths.
	Stop func() error
}

// DefaultUnroll is the unroll bound of the command line; herd has the same.
const DefaultUnroll = 2

// Program is the program of a test, ready to be enumerated.
type Program interface {
	enumerate.Program
	// MaxEvents is the number of events of the largest structure, initial writes included.
	MaxEvents() int
	// Combinations returns the approximate number of combinations of control paths that Structures
	// goes through.
	Combinations() int
	// Family returns all structures that Structures yields as a family. It may also contain
	// combinations that Structures leaves out because others cover them. It is nil if threads on
	// certain paths can meet in several ways, if too many threads meet, or if the context is done.
	Family(context.Context) *event.Family
	// Observable is what a reference of the test's text is to an execution: a register, or a
	// physical location (then the register has no name).
	Observable(litmus.Ref) (event.Reg, event.Loc)
	// Value translates a value of an execution into the words of the test's text.
	Value(event.Value) litmus.Value
	// Normalize returns a proposition whose constants look as values do.
	Normalize(litmus.Prop) litmus.Prop
	// Rules returns checks of the language that follow those of the model, as the text of a model,
	// or nil if this program needs none. The same text is always the same file.
	Rules() *src.File
	// Source is the instruction, or the call, that an event of a thread comes from.
	Source(*event.Event) src.Span
	// Locate finds what in the text does something that has no meaning; false if nothing does.
	Locate(*event.Fault) (src.Span, bool)
}

// PathLimitError is the error of a thread with more control paths than muster follows.
type PathLimitError struct {
	Thread string
	What   string
	Hint   string // what helps; "" for a smaller unroll bound
}

func (e *PathLimitError) Error() string {
	return fmt.Sprintf("thread %s has more than %s; %s", e.Thread, e.What, cmp.Or(e.Hint, "a smaller unroll bound helps"))
}

// States returns the final values of what a test observes, in each way that an execution of its
// program can end: writes that race leave any of their values.
func States(p Program, x *event.Execution, refs []litmus.Ref) []litmus.State {
	states := []litmus.State{nil}
	chosen := map[event.Loc]int{} // by location: the index in a state of its value
	for i, r := range refs {
		reg, l := p.Observable(r)
		if at, ok := chosen[l]; ok {
			for j, s := range states {
				states[j] = append(s, s[at])
			}
			continue
		}
		if l != event.NoLoc {
			chosen[l] = i
		}
		var next []litmus.State
		for _, s := range states {
			for _, v := range finals(x, reg, l) {
				next = append(next, append(s[:len(s):len(s)], p.Value(v)))
			}
		}
		states = next
	}
	return states
}

// finals returns the possible final values of a register or location. A register that the path
// never sets is 0.
func finals(x *event.Execution, r event.Reg, l event.Loc) []event.Value {
	if l != event.NoLoc {
		return x.FinalValues(l)
	}
	if v, ok := x.Final(r); ok {
		return []event.Value{v}
	}
	return []event.Value{event.Int(0)}
}

// Smaller is the steps that can make a test smaller.
type Smaller struct {
	Instructions int            // of the test
	Steps        iter.Seq[Step] // always in the same order, the coarse ones first
}

// Step is one way to make a test smaller.
type Step struct {
	Words string // what it does: "dropped membar.gl of P0"
	// Test returns the smaller test, which has not been read yet, or nil if the step does not give
	// a test.
	Test func() *litmus.Test
}
