package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// tableParts are the parts of a model that have rows, unless all mutants are listed.
var tableParts = []probe.Part{probe.Check, probe.Definition, probe.Base}

// Coverage prints a row for each part of a model or for each mutant, and the totals.
func (t *Text) Coverage(c *probe.Coverage, all bool) {
	rows := [][]string{{"part", "", "place", "tests", "for example"}}
	if all {
		for i := range c.Mutants {
			rows = append(rows, mutantRow(c, i))
		}
	} else {
		for _, part := range tableParts {
			for i, m := range c.Mutants {
				if m.Part == part {
					rows = append(rows, mutantRow(c, i))
				}
			}
		}
	}
	const tests = 3 // index of the column of numbers
	t.lines(src.Columns(rows, "  ", tests))
	t.printf("\n%s\n", coverTotals(c))
}

// nameWidth bounds the width of a change, or of the text of an unnamed check, in a row.
const nameWidth = 50

// mutantRow returns a row of the table.
func mutantRow(c *probe.Coverage, i int) []string {
	m, e := c.Mutants[i], &c.Entries[i]
	example := strings.Join(e.By[:min(len(e.By), 1)], "")
	if m.Same {
		example = "no effect"
	}
	at := m.At.Pos()
	return []string{
		m.Part.String(), shortened(cmp.Or(m.Name, m.What), nameWidth), fmt.Sprintf("%s:%d", m.At.File.Name, at.Line),
		span(e.Killed, e.Killed+e.Unknown), cmp.Or(example, "–"),
	}
}

// span formats a range of numbers.
func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

func shortened(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

// fates are the words for the standings of mutants.
var fates = []struct {
	probe.Standing
	words string
}{
	{probe.Killed, "killed"}, {probe.Survives, "survive"}, {probe.Open, "unknown"}, {probe.Same, "without effect"},
}

// coverTotals returns the totals as one line.
func coverTotals(c *probe.Coverage) string {
	var parts []string
	n := c.Tally()
	for _, f := range fates {
		if n[f.Standing] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[f.Standing], f.words))
		}
	}
	line := fmt.Sprintf("%s of %s, %s: %s", Count(len(c.Mutants), "mutant"), c.Model.Name, Count(c.Tests, "test"),
		strings.Join(parts, ", "))
	if c.IllTyped > 0 {
		line += fmt.Sprintf("; %s not well typed", Count(c.IllTyped, "change"))
	}
	return line
}

// Suggest seeks a test that tells a mutant from the model and returns its text. If it finds none,
// looked reports whether all tests within reach were tried.
type Suggest func(*probe.Mutant) (text string, looked bool, err error)

// Survivors prints the mutants that no test kills, with the tests that suggest finds for them.
func (t *Text) Survivors(c *probe.Coverage, all bool, suggest Suggest, reach string) error {
	for n, s := range c.Survivors(all) {
		if n == 0 {
			t.printf("\nNo test kills these:\n")
		}
		hint, err := survivorHint(c, s, suggest, reach)
		if err != nil {
			return err
		}
		m := c.Mutants[s.Mutant]
		d := src.Errorf(m.At, "%s", oneLine(m.What))
		d.Hint = strings.ReplaceAll(hint, "\n", "\n    ")
		t.printf("\n%s\n", d)
	}
	return nil
}

// survivorHint returns the hint that is printed with a survivor.
func survivorHint(c *probe.Coverage, s probe.Survivor, suggest Suggest, reach string) (string, error) {
	if c.Standing(s.Mutant) == probe.Open {
		return "unknown: " + c.Entries[s.Mutant].Why, nil
	}
	hint, looked, err := suggest(c.Mutants[s.Mutant])
	if hint == "" && looked {
		hint = "no test " + reach + " has another outcome: it may mean the same"
	}
	if s.Inside > 0 {
		hint = "and " + Count(s.Inside, "change") + " inside it\n" + hint
	}
	return strings.TrimSuffix(hint, "\n"), err
}

// UnknownMutant says how many answers about a mutant are unknown and why. It returns "" if all are
// known.
func UnknownMutant(c *probe.Coverage, i int) string {
	e, m := c.Entries[i], c.Mutants[i]
	if e.Unknown == 0 {
		return ""
	}
	return src.Errorf(m.At, "%s: %s unknown: %s", oneLine(m.What), Count(e.Unknown, "answer"), e.Why).Header()
}

// CoverageJSON prints an object for each mutant and the totals.
func CoverageJSON(c *probe.Coverage, suggest Suggest, print func(any)) error {
	for i, m := range c.Mutants {
		e, at := &c.Entries[i], m.At.Pos()
		j := wire.Mutant{
			Type: "mutant", Part: m.Part.String(), Name: m.Name, What: oneLine(m.What),
			File: m.At.File.Name, Line: at.Line, Column: at.Col, Text: oneLine(m.At.Text()),
			Standing: c.Standing(i).String(), Tests: e.Killed, Examples: append([]string{}, e.By...),
			Unknown: e.Unknown, Why: e.Why,
		}
		if c.Standing(i) == probe.Survives {
			var err error
			if j.Suggestion, _, err = suggest(m); err != nil {
				return err
			}
		}
		print(j)
	}
	totals := wire.CoverTotals{
		Type:      "totals",
		Model:     c.Model.Name,
		Tests:     c.Tests,
		Mutants:   len(c.Mutants),
		Standings: map[string]int{},
		IllTyped:  c.IllTyped,
	}
	for s, n := range c.Tally() {
		totals.Standings[s.String()] = n
	}
	print(totals)
	return nil
}
