package main

import (
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/observe"
)

// The objects of check --observations --json (docs/json.md).
type (
	outcomeJSON struct {
		Type      string            `json:"type"` // "outcome"
		Test      string            `json:"test"`
		Hash      string            `json:"hash"`
		Model     string            `json:"model"`
		Values    map[string]string `json:"values,omitempty"`
		Condition string            `json:"condition,omitempty"` // instead of values, for what tables count
		AskedFor  bool              `json:"askedFor"`
		Outcome   string            `json:"outcome"`
		Seen      int64             `json:"seen"`
		Instances int64             `json:"instances"`
		Upper     float64           `json:"upper"`
		Devices   []cellJSON        `json:"devices"`
		Reasons   []reasonJSON      `json:"reasons,omitempty"`
	}

	cellJSON struct {
		Device    string           `json:"device"`
		Count     int64            `json:"count"`
		Instances int64            `json:"instances"`
		Standing  observe.Standing `json:"standing"`
		Why       string           `json:"why,omitempty"`
	}

	voidJSON struct {
		Type   string `json:"type"` // "void"
		Test   string `json:"test"`
		Device string `json:"device"`
		Runs   int    `json:"runs"`
		Why    string `json:"why,omitempty"`
	}

	deviceJSON struct {
		Type  string `json:"type"` // "device"
		Label string `json:"device"`
		observe.Device
		Tests     int                      `json:"tests"`
		Runs      int                      `json:"runs"`
		NotRun    int                      `json:"notRun"`
		Unchecked int                      `json:"unchecked"`
		Void      int                      `json:"void"`
		Instances int64                    `json:"instances"`
		Outcomes  int                      `json:"outcomes"`
		Standings map[observe.Standing]int `json:"standings"`
	}

	familyJSON struct {
		Type        string  `json:"type"` // "family"
		Family      string  `json:"family"`
		Tests       int     `json:"tests"`
		Allowed     int     `json:"allowed"`
		Unseen      int     `json:"unseen"`
		Asked       int     `json:"asked"`
		AskedUnseen int     `json:"askedUnseen"`
		Instances   int64   `json:"instances,omitempty"`
		Upper       float64 `json:"upper,omitempty"`
	}

	observedTotalsJSON struct {
		Type    string `json:"type"` // "totals"
		Tests   int    `json:"tests"`
		Devices int    `json:"devices"`
		Unsound int    `json:"unsound"`
		Unseen  int    `json:"unseen"`
		Void    int    `json:"void"`
	}
)

func (o *observing) printJSON() {
	r, a := o.report, o.app
	for _, t := range r.Tests {
		for _, out := range t.Outcomes {
			a.printJSON(o.outcomeJSON(out))
		}
	}
	totals := observedTotalsJSON{
		Type: "totals", Tests: len(r.Tests), Devices: len(r.Devices), Unsound: len(r.Unsound()), Unseen: len(r.Unseen()),
	}
	for _, v := range r.Voids {
		a.printJSON(voidJSON{"void", v.Test.Name, v.Device.Label, v.Runs, v.Why})
		totals.Void += v.Runs
	}
	for _, d := range r.Devices {
		a.printJSON(deviceJSON{
			"device", d.Label, *d.Device, d.Tests, d.Runs, d.NotRun, d.Unchecked, d.Void, d.Instances, d.Outcomes, d.Standings,
		})
	}
	for _, f := range r.Families() {
		a.printJSON(familyJSON{"family", f.Name, len(f.Members), f.Allowed, len(f.Unseen), f.Asked, f.Asked - f.AskedSeen, f.Runs, f.Upper})
	}
	a.printJSON(totals)
}

func (o *observing) outcomeJSON(out *report.Outcome) outcomeJSON {
	j := outcomeJSON{
		Type: "outcome", Test: out.Test.Name, Hash: out.Test.Hash, Model: out.Test.Model.Name, AskedFor: out.AskedFor,
		Outcome: out.Says.String(), Upper: out.Upper(), Devices: []cellJSON{},
	}
	if out.Condition {
		j.Condition = out.Test.Condition
	} else {
		j.Values = observe.NewBar(out.State).State
	}
	j.Seen, j.Instances = out.Counted()
	for i, c := range out.Cells {
		if c.Instances > 0 {
			j.Devices = append(j.Devices, cellJSON{o.report.Devices[i].Label, c.Count, c.Instances, c.Standing, c.Why})
		}
	}
	if out.Explanation != nil {
		for _, s := range out.Explanation.Outcomes {
			for _, r := range s.Reasons {
				j.Reasons = append(j.Reasons, reasonToJSON(r))
			}
		}
	}
	return j
}
