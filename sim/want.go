package sim

import "github.com/muster-gpu/muster/internal/engine"

// Want is how much of the answer Run finds. Less takes less time.
type Want uint8

// The values of Config.Want.
const (
	Counts = Want(engine.Counts) // final states, and the number of executions that end in each
	States = Want(engine.States) // final states; each counts once
	// whether the condition holds; the search ends at the first state that decides it
	Verdict = Want(engine.Verdict)
)

// WantFor returns the Want of a run that finds the verdict only (quick), or states without counts
// (states).
func WantFor(quick, states bool) Want {
	switch {
	case quick:
		return Verdict
	case states:
		return States
	}
	return Counts
}
