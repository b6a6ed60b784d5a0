package main

import (
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/wire"
)

// printJSON prints one object on a line.
func (a *app) printJSON(v any) {
	if err := report.JSON(a.out, v); err != nil {
		a.fail(err)
	}
}

func (c *checking) printAllJSON() {
	totals := wire.CheckTotals{Type: "totals", Tests: len(c.checked), Counts: map[string]int{}}
	for _, t := range c.checked {
		j := wire.Checked{Type: "test", Result: report.ResultJSON(t.Result, t.Model.Name), AsExpected: t.asExpected()}
		if t.expected != nil {
			j.Expected, j.ExpectedFlags, j.Reason = t.expected.Verdict(), t.expected.Flags, t.expected.Reason
		}
		if !j.AsExpected {
			totals.Unexpected++
		}
		c.app.printJSON(j)
	}
	for _, f := range c.found {
		c.app.printJSON(wire.Count{
			Type: "count", Model: f.test.Model.Name, Test: f.Test, Device: f.Device, Runs: f.Runs, Observed: f.Observed,
			Source: f.Source, Setting: f.Setting, Note: f.Note, Standing: f.Standing.String(), Why: f.Why,
			Vendor: c.corpus.Device(f.Device).Vendor, Outcome: f.test.Outcome().String(),
		})
		totals.Counts[f.Standing.String()]++
	}
	c.app.printJSON(totals)
}
