package ptxtext

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
)

// Final states.

// An Answer is what the text says of a program.
type Answer struct {
	Test   *sim.Test
	Refs   []litmus.Ref            // what a state shows
	States map[string]litmus.State // by how a log shows them
	Race   bool                    // some execution has one
	Hang   bool                    // some execution never ends
}

// NewAnswer returns the answer about a test of which no execution has been added.
func NewAnswer(test *sim.Test) *Answer {
	return &Answer{Test: test, Refs: test.Observables(), States: map[string]litmus.State{}}
}

// Add counts the executions of one candidate in.
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
		default: // it goes on, as another candidate does
			continue
		}
		a.Race = a.Race || c.Races()
	}
}

// state returns a final state as the test shows it. A register that was never set holds 0, and a
// location holds the same by each of its names.
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
