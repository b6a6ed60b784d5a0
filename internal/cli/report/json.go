package report

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/store/observedreport"
	"github.com/muster-gpu/muster/internal/tests/testfilter"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// JSON prints an object as one line.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// ResultJSON returns the answer of a model about a test as an object.
func ResultJSON(r *sim.Result, model string) wire.Result {
	rec := r.Record()
	j := wire.Result{
		Test: rec.Test, File: r.Test.File.Name, Model: model, Kind: rec.Kind.String(), Condition: rec.Condition,
		Verdict: rec.Verdict.String(), Outcome: r.Outcome().String(), Observation: rec.Observation.String(),
		Positive: r.Positive, Negative: r.Negative, Saturated: r.Saturated(), Uncounted: r.Uncounted,
		Flags:       append([]string{}, r.Flags...),
		Undefined:   r.Undefined,
		Vacuous:     r.Vacuous,
		Incomplete:  r.Incomplete(),
		SlowBecause: r.Work.Reason,
		Stats: wire.Stats{
			Paths:      r.Stats.Structures,
			Candidates: r.Stats.Candidates,
			ThinAir:    r.Stats.ThinAir,
			Truncated:  r.Stats.Truncated,
		},
		Seconds: r.Elapsed.Seconds(), Hash: rec.Hash, States: []wire.State{},
	}
	for _, o := range rec.States {
		j.States = append(j.States,
			wire.State{Values: observe.NewBar(o).State, Count: int(o.Count), Satisfies: o.Satisfies})
	}
	return j
}

// ExplanationJSON returns an explanation as an object.
func ExplanationJSON(e *sim.Explanation, model string) wire.Explanation {
	j := wire.Explanation{
		Test: e.Test.Name.Text, File: e.Test.File.Name, Model: model,
		Condition:  e.Test.Cond.String(),
		Outcomes:   []wire.Explained{},
		Uncounted:  e.Uncounted,
		Incomplete: e.Incomplete(),
		Alone:      e.Alone, SlowBecause: e.Reason, Absent: e.Absence.String(),
	}
	if e.Hang != nil {
		j.Hang = sim.Hanging(e.Hang.Execution)
	}
	j.Vacuous = e.Vacuous
	if e.Race != nil {
		j.Undefined = flags(e.Test, e.Race.Witness, e.Race.Flags)
	}
	for _, o := range e.Outcomes {
		x := wire.Explained{
			Values: map[string]string{}, Candidates: o.Candidates, Counted: o.Counted, Consistent: o.Consistent,
			Outcome: o.Outcome().String(), Reasons: []wire.Reason{}, Flags: flags(e.Test, o.Witness, o.Flags),
			Orders: orders(e.Test, o.Witness),
		}
		for i, r := range e.Refs {
			x.Values[r.String()] = o.State[i].String()
		}
		decisive := len(o.Decisive())
		for i, r := range o.Reasons {
			x.Reasons = append(x.Reasons, reasonJSON(e.Test, r))
			x.Reasons[i].Decisive = i < decisive
		}
		j.Outcomes = append(j.Outcomes, x)
	}
	return j
}

// orders returns the evaluation orders of an execution where the language leaves them open, or nil.
func orders(t *sim.Test, w *sim.Witness) (all []string) {
	if w == nil {
		return nil
	}
	for _, o := range t.Orders(w.Execution) {
		all = append(all, o.String())
	}
	return all
}

func reasonJSON(t *sim.Test, r *sim.Reason) wire.Reason {
	names := r.Execution.Names()
	label := func(e event.ID) string { return names[e] + ":" + r.Execution.Action(e) }
	j := wire.Reason{
		Axiom:      r.Name,
		File:       r.At.File.Name,
		Line:       r.At.Pos().Line,
		Text:       r.Axiom(),
		Rejects:    r.Rejects,
		RejectedBy: r.RejectedBy,
		Path:       sim.Steps(r.Execution, &r.Violation),
		Steps:      []wire.Step{},
		Events:     []string{},
		Sources:    sources(t, r),
		Orders:     orders(t, &r.Witness),
	}
	for _, s := range r.Steps {
		j.Steps = append(j.Steps, wire.Step{From: label(s.From), To: label(s.To), Label: s.Label, Inverse: s.Inverse})
	}
	for _, e := range r.Events {
		j.Events = append(j.Events, label(e))
	}
	return j
}

// SummaryJSON returns what a model defines, checks and uses as an object.
func SummaryJSON(info models.Info, s *cat.Summary) wire.Summary {
	j := wire.Summary{
		Model:       wire.Model(info),
		Definitions: []wire.Definition{},
		Checks:      checksJSON(s.Checks),
		Flags:       checksJSON(s.Flags),
		Choices:     s.Choices, Base: []wire.BaseName{}, Absent: s.Absent, Strata: s.Strata,
	}
	for _, d := range s.Definitions {
		j.Definitions = append(j.Definitions, wire.Definition{Name: d.Name, Type: d.Type, Line: d.Line, File: d.File})
	}
	for _, b := range s.Base {
		j.Base = append(j.Base, wire.BaseName(b))
	}
	return j
}

func checksJSON(checks []cat.CheckInfo) []wire.Check {
	all := []wire.Check{}
	for _, c := range checks {
		all = append(all, wire.Check(c))
	}
	return all
}

// ObservedJSON writes the objects of check --observations.
func ObservedJSON(r *observedreport.Report, print func(any)) {
	totals := wire.ObservedTotals{
		Type:    "totals",
		Tests:   len(r.Tests),
		Devices: len(r.Devices),
		Unsound: len(r.Unsound()),
		Unseen:  len(r.Unseen()),
	}
	for _, t := range r.Tests {
		for _, out := range t.Outcomes {
			print(outcomeJSON(r, out))
		}
	}
	for _, v := range r.Voids {
		print(wire.Void{Type: "void", Test: v.Test.Name, Device: v.Device.Label, Runs: v.Runs, Why: v.Why})
		totals.Void += v.Runs
	}
	for _, d := range r.Devices {
		print(deviceJSON(d))
	}
	for _, f := range r.Families() {
		print(wire.Family{
			Type: "family", Family: f.Name, Tests: len(f.Members), Allowed: f.Allowed, Unseen: len(f.Unseen),
			Asked: f.Asked, AskedUnseen: f.Asked - f.AskedSeen, Instances: f.Runs, Upper: f.Upper,
			Refused: len(f.Refused), RefusedInstances: f.RefusedLooked.Runs, RefusedUpper: f.RefusedLooked.Upper,
		})
	}
	print(totals)
}

func deviceJSON(d *observedreport.Device) wire.Device {
	return wire.Device{
		Type: "device", Label: d.Label,
		Name: d.Name, Vendor: d.Vendor, Architecture: d.Architecture, Chip: d.Chip, Year: d.Year,
		ComputeCapability: d.ComputeCapability, Driver: d.Driver, UUID: d.UUID,
		Tests: d.Tests, Runs: d.Runs, NotRun: d.NotRun, Unchecked: d.Unchecked, Void: d.Void,
		Instances: d.Instances, Outcomes: d.Outcomes, Standings: byWord(d.Standings),
	}
}

// byWord returns a tally whose keys are the words for the standings.
func byWord(tally map[observe.Standing]int) map[string]int {
	words := map[string]int{}
	for s, n := range tally {
		words[s.String()] = n
	}
	return words
}

func outcomeJSON(r *observedreport.Report, out *observedreport.Outcome) wire.Outcome {
	j := wire.Outcome{
		Type: "outcome", Test: out.Test.Name, Hash: out.Test.Hash, Model: out.Test.Model.Name, AskedFor: out.AskedFor,
		Outcome: out.Says.String(), Upper: out.Upper(), Devices: []wire.Cell{},
	}
	if out.Condition {
		j.Condition = out.Test.Condition
	} else {
		j.Values = observe.NewBar(out.State).State
	}
	j.Seen, j.Instances = out.Counted()
	for i, c := range out.Cells {
		if c.Instances > 0 {
			j.Devices = append(j.Devices, wire.Cell{
				Device:    r.Devices[i].Label,
				Count:     c.Count,
				Instances: c.Instances,
				Launches:  launchesJSON(c.Launches),
				Standing:  c.Standing.String(),
				Why:       c.Why,
			})
		}
	}
	if out.Explanation != nil {
		for _, s := range out.Explanation.Outcomes {
			for _, r := range s.Reasons {
				j.Reasons = append(j.Reasons, reasonJSON(out.Explanation.Test, r))
			}
		}
	}
	return j
}

func launchesJSON(l observe.Launches) *wire.Launches {
	if l.Of == 0 {
		return nil
	}
	return &wire.Launches{Seen: l.Seen, Of: l.Of}
}

// TestJSON returns the facts about a test as an object.
func TestJSON(t *litmus.Test, f *testfilter.Facts) wire.Test {
	j := wire.Test{
		Name:         t.Name.Text,
		Arch:         t.Arch,
		Doc:          t.Doc,
		Family:       f.Family,
		Threads:      f.Threads,
		Size:         f.Size,
		Instructions: f.Instructions,
		Scopes:       f.Scopes,
	}
	if i := slices.IndexFunc(t.Meta, func(m litmus.Meta) bool { return m.Key == "Source" }); i >= 0 {
		j.Source = t.Meta[i].Value
	}
	return j
}
