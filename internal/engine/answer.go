// Package engine is what the engines that look for consistent executions have in common: what
// they answer, and within which bounds they work.
//
//	Budget    the steps that an engine may take, and when all work must stop
//	Pool      the steps that engines on several cores may take together
//	Extent    how far an engine has come: done, decided, cut, or unsupported
//	Answer    final states, reports that are raised, executions that show something
//	State     a final state, how many executions end in it, and one that does
//	Table     final states while they are found
//	Evidence  an execution that is put together when it is asked for
//	Merge     the answers about several structures as one
package engine

import (
	"math"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// Most is the largest count of executions: what is counted may be more.
const Most = math.MaxInt

// Add returns the sum of two counts, Most if it is larger.
func Add(a, b int) int {
	if a > Most-b {
		return Most
	}
	return a + b
}

// Witness is a candidate execution with the choices that are made for it.
type Witness struct {
	Execution *event.Execution
	Choices   []rel.Rel // by choice of the plan
}

// Witness returns the witness itself: it is its own evidence.
func (w *Witness) Witness() *Witness { return w }

// Evidence is a witness that is put together when it is asked for. There may be a million of them.
type Evidence interface{ Witness() *Witness }

// Exhibit is evidence and the structure that it comes from.
type Exhibit struct {
	Evidence     // nil if nothing was found
	At       int // the number of the structure among those of the program
}

// earlier returns the exhibit of the earlier structure, x if both are of the same.
func (x Exhibit) earlier(y Exhibit) Exhibit {
	if x.Evidence == nil || y.Evidence != nil && y.At < x.At {
		return y
	}
	return x
}

// Answer is what an engine has found out.
type Answer struct {
	States []*State
	// by report of the plan, of some consistent execution; nil if it was not asked for
	Raised  []bool
	ThinAir bool    // a consistent execution has a value out of thin air
	Hang    Exhibit // a consistent execution that never ends
	Race    Exhibit // a consistent execution that makes the behaviour undefined, as a race does
}

// Merge returns what answers to one question about different structures of a program say together.
// If the states are counted, counts of one state add up; else each state counts once. Exhibits are
// those of the first structure that has any, whichever engine looked at it.
func Merge(counted bool, answers ...*Answer) *Answer {
	if len(answers) == 1 {
		return answers[0]
	}
	all, states := &Answer{}, Table{}
	for _, a := range answers {
		for _, s := range a.States {
			same := states.findKey(s.key)
			if same == nil {
				states.put(s)
				continue
			}
			if counted {
				same.Count = Add(same.Count, s.Count)
			}
			same.Exhibit = same.earlier(s.Exhibit)
		}
		if all.Raised == nil && a.Raised != nil {
			all.Raised = make([]bool, len(a.Raised))
		}
		for i, raised := range a.Raised {
			all.Raised[i] = all.Raised[i] || raised
		}
		all.ThinAir = all.ThinAir || a.ThinAir
		all.Hang, all.Race = all.Hang.earlier(a.Hang), all.Race.earlier(a.Race)
	}
	all.States = states.Counting()
	return all
}
