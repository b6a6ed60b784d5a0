package main

import (
	"encoding/json"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// printJSON prints one object on a line.
func (a *app) printJSON(v any) {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		a.fail(err)
	}
}

// The objects of --json. docs/json.md describes them; fields are only ever added.
type (
	testJSON struct {
		Test        string      `json:"test"`
		File        string      `json:"file"`
		Model       string      `json:"model"`
		Kind        string      `json:"kind"`
		Condition   string      `json:"condition"`
		Verdict     string      `json:"verdict"` // Ok, No or Undef
		Outcome     string      `json:"outcome"` // allowed, forbidden or unknown
		Observation string      `json:"observation"`
		Positive    int         `json:"positive"`
		Negative    int         `json:"negative"`
		Saturated   bool        `json:"saturated,omitempty"`
		States      []stateJSON `json:"states"`
		Flags       []string    `json:"flags"`
		Incomplete  string      `json:"incomplete,omitempty"`
		SlowBecause string      `json:"slowBecause,omitempty"`
		Stats       statsJSON   `json:"stats"`
		Seconds     float64     `json:"seconds"`
		Hash        string      `json:"hash"`
	}

	stateJSON struct {
		Values    map[string]string `json:"values"`
		Count     int               `json:"count"`
		Satisfies bool              `json:"satisfies"`
	}

	statsJSON struct {
		Paths      int `json:"paths"`
		Candidates int `json:"candidates"`
		ThinAir    int `json:"thinAir"`
		Truncated  int `json:"truncated"`
	}

	stepJSON struct {
		From    string `json:"from"`
		To      string `json:"to"`
		Label   string `json:"label"`
		Inverse bool   `json:"inverse,omitempty"`
	}

	reasonJSON struct {
		Axiom      string     `json:"axiom"`
		File       string     `json:"file"`
		Line       int        `json:"line"`
		Text       string     `json:"text"`
		Rejects    int        `json:"rejects"`
		Decisive   bool       `json:"decisive"`
		RejectedBy int        `json:"rejectedBy"`
		Path       string     `json:"path"`
		Steps      []stepJSON `json:"steps"`
		Events     []string   `json:"events"`
	}

	explainedJSON struct {
		Values     map[string]string `json:"values"`
		Candidates int               `json:"candidates"`
		Counted    bool              `json:"counted"`
		Consistent int               `json:"consistent"`
		Outcome    string            `json:"outcome"`
		Reasons    []reasonJSON      `json:"reasons"`
	}

	// checkedJSON is what check says of a test.
	checkedJSON struct {
		Type string `json:"type"` // "test"
		testJSON
		Expected      string   `json:"expected,omitempty"`
		ExpectedFlags []string `json:"expectedFlags,omitempty"`
		Reason        string   `json:"reason,omitempty"`
		AsExpected    bool     `json:"asExpected"`
	}

	// countJSON is what check says of a hardware count.
	countJSON struct {
		Type  string `json:"type"` // "count"
		Model string `json:"model"`
		observe.Finding
		Vendor  string `json:"vendor,omitempty"`
		Outcome string `json:"outcome"`
	}

	// totalsJSON is the last line of check.
	totalsJSON struct {
		Type       string         `json:"type"` // "totals"
		Tests      int            `json:"tests"`
		Unexpected int            `json:"unexpected"`
		Counts     map[string]int `json:"counts"`
	}

	explanationJSON struct {
		Test       string          `json:"test"`
		File       string          `json:"file"`
		Model      string          `json:"model"`
		Condition  string          `json:"condition"`
		Outcomes   []explainedJSON `json:"outcomes"`
		Hang       string          `json:"hang,omitempty"`
		Incomplete string          `json:"incomplete,omitempty"`
	}
)

func resultJSON(r *sim.Result, model string) testJSON {
	rec := r.Record()
	j := testJSON{
		Test: rec.Test, File: r.Test.File.Name, Model: model, Kind: rec.Kind.String(), Condition: rec.Condition,
		Verdict: rec.Verdict.String(), Outcome: r.Outcome().String(), Observation: rec.Observation.String(),
		Positive: r.Positive, Negative: r.Negative, Saturated: r.Saturated(),
		Flags: r.Flags, Incomplete: r.Incomplete(), SlowBecause: r.Work.Reason,
		Stats:   statsJSON{r.Stats.Structures, r.Stats.Candidates, r.Stats.ThinAir, r.Stats.Truncated},
		Seconds: r.Elapsed.Seconds(), Hash: rec.Hash, States: []stateJSON{},
	}
	if j.Flags == nil {
		j.Flags = []string{}
	}
	for _, o := range rec.States {
		values := map[string]string{}
		for _, b := range o.Values {
			values[b.Name] = b.Value.String()
		}
		j.States = append(j.States, stateJSON{values, int(o.Count), o.Satisfies})
	}
	return j
}

func explanationToJSON(e *sim.Explanation, model string) explanationJSON {
	j := explanationJSON{
		Test: e.Test.Name.Text, File: e.Test.File.Name, Model: model,
		Condition: e.Test.Cond.String(), Outcomes: []explainedJSON{},
	}
	j.Incomplete = e.Incomplete()
	if e.Hang != nil {
		j.Hang = sim.Hanging(e.Hang.Execution)
	}
	for _, o := range e.Outcomes {
		x := explainedJSON{
			Values: map[string]string{}, Candidates: o.Candidates, Counted: o.Counted, Consistent: o.Consistent,
			Outcome: o.Outcome().String(), Reasons: []reasonJSON{},
		}
		for i, r := range e.Refs {
			x.Values[r.String()] = o.State[i].String()
		}
		decisive := len(o.Decisive())
		for i, r := range o.Reasons {
			x.Reasons = append(x.Reasons, reasonToJSON(r))
			x.Reasons[i].Decisive = i < decisive
		}
		j.Outcomes = append(j.Outcomes, x)
	}
	return j
}

func reasonToJSON(r *sim.Reason) reasonJSON {
	names := r.Execution.Names()
	label := func(e event.ID) string { return names[e] + ":" + r.Execution.Action(e) }
	j := reasonJSON{
		Axiom: r.Name, File: r.At.File.Name, Line: r.At.Pos().Line, Text: checkText(r), Rejects: r.Rejects, RejectedBy: r.RejectedBy,
		Path: sim.Steps(r.Execution, &r.Violation), Steps: []stepJSON{}, Events: []string{},
	}
	for _, s := range r.Steps {
		j.Steps = append(j.Steps, stepJSON{label(s.From), label(s.To), s.Label, s.Inverse})
	}
	for _, e := range r.Events {
		j.Events = append(j.Events, label(e))
	}
	return j
}

func (c *checking) printAllJSON() {
	totals := totalsJSON{Type: "totals", Tests: len(c.checked), Counts: map[string]int{}}
	for _, t := range c.checked {
		j := checkedJSON{Type: "test", testJSON: resultJSON(t.Result, t.Model.Name), AsExpected: t.asExpected()}
		if t.expected != nil {
			j.Expected, j.ExpectedFlags, j.Reason = t.expected.Verdict(), t.expected.Flags, t.expected.Reason
		}
		if !j.AsExpected {
			totals.Unexpected++
		}
		c.app.printJSON(j)
	}
	for _, f := range c.found {
		c.app.printJSON(countJSON{"count", f.test.Model.Name, f.Finding, c.corpus.Device(f.Device).Vendor, f.test.Outcome().String()})
		totals.Counts[f.Standing.String()]++
	}
	c.app.printJSON(totals)
}
