package ptxtext

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
)

// Final states.

// Answer is the final states and flags of a program.
type Answer struct {
	Test   *sim.Test
	Refs   []litmus.Ref            // the registers and locations in a state
	States map[string]litmus.State // by their text in a log
	Race   bool                    // some execution has a race
	Hang   bool                    // some execution never ends
}

// NewAnswer returns the answer for a test before any execution has been added.
func NewAnswer(test *sim.Test) *Answer {
	return &Answer{Test: test, Refs: test.Observables(), States: map[string]litmus.State{}}
}

// Add adds the executions of one candidate.
func (a *Answer) Add(choices []*Choice) {
	for _, c := range choices {
		switch {
		case !c.Stuck:
			for _, memory := range c.memories() {
				state := a.state(c, memory)
				a.States[state.Format(a.Refs)] = state
			}
		case c.hangs():
			a.Hang = true
		default: // it continues, as another candidate shows
			continue
		}
		a.Race = a.Race || c.Races()
	}
}

// state returns a final state as the test shows it. A register that was never set holds 0, and a
// location holds the same value under each of its names.
func (a *Answer) state(c *Choice, memory map[event.Loc]event.Value) litmus.State {
	state := make(litmus.State, len(a.Refs))
	for i, ref := range a.Refs {
		v := event.Int(0)
		if ref.Thread >= 0 {
			if final, ok := c.Final(event.Reg{Thread: ref.Thread, Name: ref.Name}); ok {
				v = final
			}
		} else {
			_, l := a.Test.Program.Observable(ref)
			v = memory[l]
		}
		state[i] = a.Test.Program.Value(v)
	}
	return state
}
