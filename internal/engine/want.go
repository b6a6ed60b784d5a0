package engine

// Want is how much of the answer is wanted.
type Want uint8

// What may be wanted of final states.
const (
	Counts Want = iota // states, and how many executions end in each
	States             // states; each counts once
	// the first state that satisfies the question, if the behaviour is defined, or cannot become
	// undefined
	Verdict
)
