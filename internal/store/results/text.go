package results

import (
	"fmt"
	"io"

	"github.com/muster-gpu/muster/litmus"
)

// Write writes a difference for people; a and b are the names of the logs.
func (d *Difference) Write(w io.Writer, a, b string) {
	name := d.Test
	if d.Hash != "" {
		name += fmt.Sprintf(" (%.12s)", d.Hash)
	}
	if d.Model != "" {
		name += " under " + d.Model
	}
	switch {
	case d.A == nil:
		fmt.Fprintf(w, "%s: only in %s\n", name, b)
		return
	case d.B == nil:
		fmt.Fprintf(w, "%s: only in %s\n", name, a)
		return
	case d.Verdicts():
		fmt.Fprintf(w, "%s: %s, %s\n", name, d.A.says(), d.B.says())
	default:
		fmt.Fprintf(w, "%s\n", name)
	}
	if d.Changed() {
		fmt.Fprintln(w, "  the tests of this name differ")
	}
	writeStates(w, a, d.OnlyA)
	writeStates(w, b, d.OnlyB)
}

// says formats the verdict, and how often the proposition held.
func (e *Entry) says() string {
	if e.Observation == litmus.Undecided {
		return e.Verdict.String()
	}
	return fmt.Sprintf("%s (%s)", e.Verdict, e.Observation)
}

func writeStates(w io.Writer, log string, states []litmus.Outcome) {
	for _, o := range states {
		fmt.Fprintf(w, "  only in %s: %s\n", log, o)
	}
}
