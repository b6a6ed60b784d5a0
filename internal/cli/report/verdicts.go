package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// Verdicts prints a corpus compared with its models: the table of counts, the unexpected verdicts,
// the totals.
func (t *Text) Verdicts(v *check.Verdicts) {
	for _, m := range v.Models() {
		n := 0
		for _, test := range v.Tests {
			if test.Model == m {
				n++
			}
		}
		t.printf("%s under %s: %s\n", Count(n, "test"), m.Name, m.Title)
	}
	if len(v.Counts) > 0 {
		t.counts(v)
	}
	for _, test := range v.Tests {
		if why := test.Unmet(); why != "" {
			t.printf("\n%s %s: %s %s\n", t.Alarm("WRONG"), test.Name(), test.Model.Name, why)
		}
	}
	if len(v.Unsound()) > 0 {
		t.printf("\n")
	}
	for _, test := range v.Unsound() {
		t.printf("%s %s: %s is forbidden by %s, but was seen on %s\n",
			t.Alarm("UNSOUND"), test.Name(), test.Test.Cond.Prop, test.Model.Name,
			strings.Join(showedBy(v, test), ", "))
	}
	t.totals(v)
}

// tableRow is a row of the table of counts: a test as one source reports it.
type tableRow struct {
	source   string
	test     *check.Test
	best     map[string]check.Count // the largest count, by device
	settings int                    // the largest number of counts of one device
}

// tableRows groups the counts by source and test, in the order of the record.
func tableRows(v *check.Verdicts) []*tableRow {
	type key struct {
		source string
		test   *check.Test
	}
	var rows []*tableRow
	index := map[key]*tableRow{}
	counts := map[string]int{}
	for _, c := range v.Counts {
		k := key{c.Source, c.Of}
		row := index[k]
		if row == nil {
			row = &tableRow{source: c.Source, test: c.Of, best: map[string]check.Count{}}
			index[k] = row
			rows = append(rows, row)
		}
		if old, ok := row.best[c.Device]; !ok || seen(c) > seen(old) {
			row.best[c.Device] = c
		}
		cell := fmt.Sprint(c.Source, c.Of.Name(), c.Device)
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

// seen returns a count for comparisons, or -1 if nothing was observed.
func seen(c check.Count) int {
	if c.Observed == nil {
		return -1
	}
	return *c.Observed
}

// counts prints the table of tests × chips.
func (t *Text) counts(v *check.Verdicts) {
	devices := v.Devices()
	table := [][]string{append([]string{"", "model"}, devices...)}
	source := ""
	met := map[observe.Standing]bool{}
	for _, row := range tableRows(v) {
		if row.source != source {
			source = row.source
			heading := source
			if row.settings > 1 {
				heading += fmt.Sprintf(" (largest of %d settings)", row.settings)
			}
			table = append(table, []string{heading})
		}
		cells := []string{" " + row.test.Name(), row.test.Outcome().Verb()}
		for _, d := range devices {
			cells = append(cells, cell(row, d, met))
		}
		table = append(table, cells)
	}
	t.printf("\nTimes seen on hardware%s\n\n", outOf(v))
	t.table(table)
	t.printf("\n")
	for _, l := range legends {
		if met[l.standing] {
			t.printf("%s\n", l.text)
		}
	}
}

// cellMarks follow counts that are not sound.
var cellMarks = map[observe.Standing]string{observe.Unsound: "!", observe.Outside: "~", observe.Unknown: "?"}

// cell formats a count with its mark.
func cell(row *tableRow, device string, met map[observe.Standing]bool) string {
	c, ok := row.best[device]
	if !ok {
		return ""
	}
	met[c.Standing] = true
	if c.Standing == observe.NotRun {
		return "-"
	}
	return fmt.Sprint(*c.Observed) + cellMarks[c.Standing]
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

// outOf says how many runs the counts are out of, if that is the same number for all.
func outOf(v *check.Verdicts) string {
	runs := v.Counts[0].Runs
	if slices.ContainsFunc(v.Counts, func(c check.Count) bool { return c.Runs != runs }) {
		return ""
	}
	return fmt.Sprintf(", out of %d runs", runs)
}

// showedBy says on which chips an outcome was seen that the model forbids, with the largest count
// of each.
func showedBy(v *check.Verdicts, t *check.Test) []string {
	var all []string
	for _, d := range v.Devices() {
		most := observe.Run{}
		for _, c := range v.Counts {
			if c.Of == t && c.Device == d && c.Standing == observe.Unsound &&
				(most.Observed == nil || *c.Observed > *most.Observed) {
				most = c.Run
			}
		}
		if most.Observed != nil {
			all = append(all, fmt.Sprintf("%s (%d, %s)", d, *most.Observed, most.Source))
		}
	}
	return all
}

// totals prints the totals.
func (t *Text) totals(v *check.Verdicts) {
	expected, good := 0, 0
	for _, test := range v.Tests {
		if test.Expected != nil && test.Outcome() != sim.Unknown {
			expected++
			if test.Unmet() == "" {
				good++
			}
		}
	}
	t.printf("\n")
	if expected > 0 {
		t.printf("Verdicts  %d of %d as expected\n", good, expected)
	} else {
		t.printf("Verdicts  none expected of this model: %s\n", outcomes(v))
	}
	if len(v.Counts) == 0 {
		return
	}
	n := v.Tally(nil)
	t.printf("Counts    %d: %d sound, %d outside the model, %d UNSOUND", len(v.Counts),
		n[observe.Sound], n[observe.Outside], n[observe.Unsound])
	for _, rest := range []observe.Standing{observe.Unknown, observe.NotRun} {
		if n[rest] > 0 {
			t.printf(", %d %s", n[rest], rest)
		}
	}
	t.printf("\n")
	for _, m := range v.Models() {
		if n := v.Tally(m); len(n) > 0 {
			t.printf("%s\n", t.statement(m, n))
		}
	}
}

// statement says whether a model is sound for the tallied counts.
func (t *Text) statement(m *models.Model, n map[observe.Standing]int) string {
	whose := "these chips"
	if m.Chips != "" {
		whose = m.Chips + " chips"
	}
	switch {
	case n[observe.Unsound] > 0:
		return t.Alarm("UNSOUND") +
			fmt.Sprintf("   %s forbids outcomes that were seen: %s", m.Name, Count(n[observe.Unsound], "count"))
	case n[observe.Sound] == 0:
		return fmt.Sprintf("%s covers none of these tests", m.Name)
	}
	return fmt.Sprintf("Sound     %s allows what %s showed, where it covers it", m.Name, whose)
}

// outcomes counts the models' outcomes: "5 allowed, 1 forbidden".
func outcomes(v *check.Verdicts) string {
	n := map[sim.Outcome]int{}
	for _, t := range v.Tests {
		n[t.Outcome()]++
	}
	var parts []string
	for _, o := range sim.Outcomes {
		if n[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[o], o))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no test")
}

// VerdictsJSON prints the objects of check.
func VerdictsJSON(v *check.Verdicts, print func(any)) {
	totals := wire.CheckTotals{Type: "totals", Tests: len(v.Tests), Counts: byWord(v.Tally(nil))}
	for _, t := range v.Tests {
		j := wire.Checked{Type: "test", Result: ResultJSON(t.Result, t.Model.Name), AsExpected: t.Unmet() == ""}
		if t.Expected != nil {
			j.Expected, j.ExpectedFlags, j.Reason = t.Expected.Verdict, t.Expected.Flags, t.Expected.Reason
		}
		if !j.AsExpected {
			totals.Unexpected++
		}
		print(j)
	}
	for _, c := range v.Counts {
		print(wire.Count{
			Type: "count", Model: c.Of.Model.Name, Test: c.Test, Device: c.Device, Runs: c.Runs, Observed: c.Observed,
			Source: c.Source, Setting: c.Setting, Note: c.Note, Standing: c.Standing.String(), Why: c.Why,
			Vendor: v.Tables.Device(c.Device).Vendor, Outcome: c.Of.Outcome().String(),
		})
	}
	print(totals)
}
