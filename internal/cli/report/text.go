// Package report says what muster found: to people, on a terminal or in a file, and to programs, as objects of package wire.
//
//	Text         prints results, explanations, verdicts, sightings, differences, coverage …
//	ResultJSON … the same as objects of package wire
//	Tally        what it took
//
// A file has what is said of one kind of finding.
package report

import (
	"fmt"
	"io"

	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Text prints what there is to say for people who read it on a terminal or in a file.
type Text struct {
	Out io.Writer
	// Alarm marks a word that must not be overlooked.
	Alarm func(word string) string
}

func (t *Text) printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Count is a number of things in words: 1 test, 2 tests.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// table prints rows: the first two columns to the left, the others to the
// right, a row of one cell across.
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

// Slow is why tests were left to the slow engine, as far as it has been said.
type Slow map[string]bool

// Tell says why a test was left to the slow engine, once for each reason; nothing if why is "".
func (s Slow) Tell(w io.Writer, t *sim.Test, why string) {
	if why != "" && !s[why] {
		s[why] = true
		fmt.Fprintf(w, "%s: the slow engine runs it: %s\n", t.Name.Text, why)
	}
}
