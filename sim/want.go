package sim

import "github.com/muster-gpu/muster/internal/engine"

// Want is how much of the answer Run finds. Less takes less time.
type Want uint8

// What Config.Want may be.
const (
	Counts  = Want(engine.Counts)  // final states, and how many executions end in each
	States  = Want(engine.States)  // final states; each counts once
	Verdict = Want(engine.Verdict) // whether the condition holds: the search ends at the first state that decides it
)

// WantFor is what a run wants that is to find the verdict only, or states without counts.
func WantFor(quick, states bool) Want {
	switch {
	case quick:
		return Verdict
	case states:
		return States
	}
	return Counts
}
