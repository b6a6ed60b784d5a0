// Package report presents results: as text for people, on a terminal or in a file, and as objects
// of package wire for programs.
//
//	Text          prints results, explanations, verdicts, observations, differences, coverage …
//	ResultJSON …  the same as objects of package wire
//	Tally         sums up the work
//
// Each file presents one kind of result.
package report

import (
	"fmt"
	"io"

	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Text prints results for people, on a terminal or in a file.
type Text struct {
	Out io.Writer
	// Alarm marks a word that must not be overlooked.
	Alarm func(word string) string
}

func (t *Text) printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Count formats a number of things: 1 test, 2 tests.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// table prints rows: the first two columns aligned left, the others right, and a row of one cell
// across all columns.
func (t *Text) table(rows [][]string) {
	var right []int
	for _, row := range rows {
		for i := 2 + len(right); i < len(row); i++ {
			right = append(right, i)
		}
	}
	t.lines(src.Columns(rows, " ", right...))
}

func (t *Text) lines(lines []string) {
	for _, line := range lines {
		t.printf("%s\n", line)
	}
}

// Slow is the set of reasons, reported so far, for which tests were left to the slow engine.
type Slow map[string]bool

// Tell reports why a test was left to the slow engine, once for each reason. An empty reason is not
// reported.
func (s Slow) Tell(w io.Writer, t *sim.Test, why string) {
	if why != "" && !s[why] {
		s[why] = true
		fmt.Fprintf(w, "%s: the slow engine runs it: %s\n", t.Name.Text, why)
	}
}
