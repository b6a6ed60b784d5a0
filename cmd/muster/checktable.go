package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// tableRow is a row of the table of counts: a test as one source printed it.
type tableRow struct {
	source   string
	test     *checkedTest
	best     map[string]finding // by device, the largest count
	settings int                // most counts that any device has here
}

// rows groups the findings by source and test, in the order of the record.
func (c *checking) rows() []*tableRow {
	type key struct {
		source string
		test   *checkedTest
	}
	var rows []*tableRow
	index := map[key]*tableRow{}
	counts := map[string]int{}
	for _, f := range c.found {
		k := key{f.Source, f.test}
		row := index[k]
		if row == nil {
			row = &tableRow{source: f.Source, test: f.test, best: map[string]finding{}}
			index[k] = row
			rows = append(rows, row)
		}
		if old, ok := row.best[f.Device]; !ok || seen(f) > seen(old) {
			row.best[f.Device] = f
		}
		cell := fmt.Sprint(f.Source, f.test.name(), f.Device)
		counts[cell]++
		row.settings = max(row.settings, counts[cell])
	}
	// Each source is one block, wherever its rows stand.
	order := map[string]int{}
	for i, r := range rows {
		if _, ok := order[r.source]; !ok {
			order[r.source] = i
		}
	}
	slices.SortStableFunc(rows, func(a, b *tableRow) int { return cmp.Compare(order[a.source], order[b.source]) })
	return rows
}

// seen is a count for comparison; -1 if there is none.
func seen(f finding) int {
	if f.Observed == nil {
		return -1
	}
	return *f.Observed
}

// devices lists the chips with counts, in the order of the table of devices.
func (c *checking) devices() []string {
	var names []string
	has := map[string]bool{}
	for _, f := range c.found {
		has[f.Device] = true
	}
	for _, d := range c.corpus.Devices {
		if has[d.Name] {
			names = append(names, d.Name)
			delete(has, d.Name)
		}
	}
	for _, f := range c.found {
		if has[f.Device] {
			names = append(names, f.Device)
			delete(has, f.Device)
		}
	}
	return names
}

func (c *checking) printTables() {
	out := c.app.out
	for _, m := range c.models() {
		fmt.Fprintf(out, "%s under %s: %s\n", count(c.testsOf(m), "test"), m.Name, m.Title)
	}
	if len(c.found) > 0 {
		c.printCounts()
	}
	c.printVerdicts()
	c.printTotals()
}

// testsOf counts the tests that a model has judged.
func (c *checking) testsOf(m *models.Model) int {
	n := 0
	for _, t := range c.checked {
		if t.Model == m {
			n++
		}
	}
	return n
}

// models lists the models in use.
func (c *checking) models() []*models.Model {
	var ms []*models.Model
	for _, t := range c.checked {
		if !slices.Contains(ms, t.Model) {
			ms = append(ms, t.Model)
		}
	}
	return ms
}

// printCounts prints the table of tests × chips.
func (c *checking) printCounts() {
	devices := c.devices()
	table := [][]string{append([]string{"", "model"}, devices...)}
	source := ""
	standings := map[observe.Standing]bool{}
	for _, row := range c.rows() {
		if row.source != source {
			source = row.source
			heading := source
			if row.settings > 1 {
				heading += fmt.Sprintf(" (largest of %d settings)", row.settings)
			}
			table = append(table, []string{heading})
		}
		cells := []string{" " + row.test.name(), says[row.test.Outcome()]}
		for _, d := range devices {
			cells = append(cells, cell(row, d, standings))
		}
		table = append(table, cells)
	}
	fmt.Fprintf(c.app.out, "\nTimes seen on hardware%s\n\n", c.outOf())
	c.app.printAligned(table)
	fmt.Fprintln(c.app.out)
	for _, l := range legends {
		if standings[l.standing] {
			fmt.Fprintln(c.app.out, l.text)
		}
	}
}

// says is what the model does with the outcome that a test asks about.
var says = map[sim.Outcome]string{sim.Allowed: "allows", sim.Forbidden: "forbids", sim.Unknown: "?"}

// standingMarks are put behind a count that is not sound.
var standingMarks = map[observe.Standing]string{observe.Unsound: "!", observe.Outside: "~", observe.Unknown: "?"}

// cell is a count with a mark.
func cell(row *tableRow, device string, seen map[observe.Standing]bool) string {
	f, ok := row.best[device]
	if !ok {
		return ""
	}
	seen[f.Standing] = true
	if f.Standing == observe.NotRun {
		return "-"
	}
	return fmt.Sprint(*f.Observed) + standingMarks[f.Standing]
}

// legends explain the marks.
var legends = []struct {
	standing observe.Standing
	text     string
}{
	{observe.Unsound, "!  UNSOUND: seen, and forbidden by the model"},
	{observe.Outside, "~  outside the model: it does not cover this test, or this vendor's chips"},
	{observe.Unknown, "?  seen, but a limit left the model's answer open"},
	{observe.NotRun, "-  could not be run on this chip"},
}

// outOf says how many runs the counts are out of, if that is one number.
func (c *checking) outOf() string {
	runs := c.found[0].Runs
	for _, f := range c.found {
		if f.Runs != runs {
			return ""
		}
	}
	return fmt.Sprintf(", out of %d runs", runs)
}

// printAligned prints a table: the first two columns to the left, the others to the
// right, a row of one cell across.
func (a *app) printAligned(table [][]string) {
	var widths []int
	for _, row := range table {
		if len(row) == 1 {
			continue
		}
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, row := range table {
		if len(row) == 1 {
			fmt.Fprintln(a.out, row[0])
			continue
		}
		var line strings.Builder
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if i > 0 {
				line.WriteByte(' ')
			}
			if i < 2 {
				line.WriteString(text + pad)
			} else {
				line.WriteString(pad + text)
			}
		}
		fmt.Fprintln(a.out, strings.TrimRight(line.String(), " "))
	}
}

// printVerdicts prints the verdicts that are not as expected, and the observations
// that contradict the model.
func (c *checking) printVerdicts() {
	for _, t := range c.checked {
		if !t.asExpected() {
			fmt.Fprintf(c.app.out, "\n%s %s: %s %s\n", c.app.alarm("WRONG"), t.name(), t.Model.Name, unmet(*t.expected, t.Result))
		}
		if why := t.Incomplete(); why != "" {
			fmt.Fprintf(c.app.err, "%s: incomplete: %s\n", t.name(), why)
		}
	}
	if len(c.unsound()) > 0 {
		fmt.Fprintln(c.app.out)
	}
	for _, t := range c.unsound() {
		fmt.Fprintf(c.app.out, "%s %s: %s is forbidden by %s, but was seen on %s\n",
			c.app.alarm("UNSOUND"), t.name(), t.Test.Cond.Prop, t.Model.Name, strings.Join(c.sightings(t), ", "))
	}
}

// unsound lists the tests whose outcome was seen though the model forbids it.
func (c *checking) unsound() []*checkedTest {
	var tests []*checkedTest
	for _, f := range c.found {
		if f.Standing == observe.Unsound && !slices.Contains(tests, f.test) {
			tests = append(tests, f.test)
		}
	}
	return tests
}

// sightings says on which chips an outcome was seen that the model forbids, and how
// often at most.
func (c *checking) sightings(t *checkedTest) []string {
	var seen []string
	for _, d := range c.devices() {
		most := observe.Run{}
		for _, f := range c.found {
			if f.test == t && f.Device == d && f.Standing == observe.Unsound && (most.Observed == nil || *f.Observed > *most.Observed) {
				most = f.Run
			}
		}
		if most.Observed != nil {
			seen = append(seen, fmt.Sprintf("%s (%d, %s)", d, *most.Observed, most.Source))
		}
	}
	return seen
}

// printTotals sums up.
func (c *checking) printTotals() {
	out := c.app.out
	expected, good := 0, 0
	for _, t := range c.checked {
		if t.expected != nil && t.Outcome() != sim.Unknown {
			expected++
			if t.asExpected() {
				good++
			}
		}
	}
	fmt.Fprintln(out)
	if expected > 0 {
		fmt.Fprintf(out, "Verdicts  %d of %d as expected\n", good, expected)
	} else {
		fmt.Fprintf(out, "Verdicts  none expected of this model: %s\n", c.outcomes())
	}
	if len(c.found) == 0 {
		return
	}
	n := c.tally()
	fmt.Fprintf(out, "Counts    %d: %d sound, %d outside the model, %d UNSOUND", len(c.found),
		n[observe.Sound], n[observe.Outside], n[observe.Unsound])
	for _, rest := range []observe.Standing{observe.Unknown, observe.NotRun} {
		if n[rest] > 0 {
			fmt.Fprintf(out, ", %d %s", n[rest], rest)
		}
	}
	fmt.Fprintln(out)
	for _, m := range c.models() {
		if slices.ContainsFunc(c.found, func(f finding) bool { return f.test.Model == m }) {
			fmt.Fprintln(out, c.statement(m))
		}
	}
}

// statement says whether a model is sound for what was seen.
func (c *checking) statement(m *models.Model) string {
	whose := "these chips"
	if m.Chips != "" {
		whose = m.Chips + " chips"
	}
	sound, unsound := 0, 0
	for _, f := range c.found {
		if f.test.Model != m {
			continue
		}
		switch f.Standing {
		case observe.Sound:
			sound++
		case observe.Unsound:
			unsound++
		}
	}
	switch {
	case unsound > 0:
		return c.app.alarm("UNSOUND") + fmt.Sprintf("   %s forbids outcomes that were seen: %s", m.Name, count(unsound, "count"))
	case sound == 0:
		return fmt.Sprintf("%s covers none of these tests", m.Name)
	}
	return fmt.Sprintf("Sound     %s allows what %s showed, where it covers it", m.Name, whose)
}

// outcomes counts what the model says: "5 allowed, 1 forbidden".
func (c *checking) outcomes() string {
	n := map[sim.Outcome]int{}
	for _, t := range c.checked {
		n[t.Outcome()]++
	}
	var parts []string
	for _, o := range []sim.Outcome{sim.Allowed, sim.Forbidden, sim.Unknown} {
		if n[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[o], o))
		}
	}
	return nonEmpty(strings.Join(parts, ", "), "no test")
}
