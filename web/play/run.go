package play

import (
	"errors"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// run simulates a test under models.
func (e *Engine) run(r *request) (any, error) {
	ran := &wire.Ran{Diagnostics: []wire.Diagnostic{}, Answers: []wire.ModelAnswer{}, States: []wire.Row{}}
	t := e.load(r.reading())
	if t.err != nil {
		ran.Diagnostics = append(ran.Diagnostics, diagnose(t.err, ofTest, 0)...)
	} else {
		ran.Test = infoOf(t.Test)
	}
	results := make([]*sim.Result, len(r.Models))
	for i, ref := range r.Models {
		m := e.loadModel(ref)
		ran.Diagnostics = append(ran.Diagnostics, m.diagnostics(i)...)
		answer := wire.ModelAnswer{Model: ref.Name, Flags: []string{}, Undefined: []string{}}
		if m.err == nil && t.err == nil {
			result, err := e.ask(within(r.share(len(r.Models)-i)), t, ref, m)
			if err == nil {
				results[i] = result
				fill(&answer, result)
				ran.Diagnostics = append(ran.Diagnostics, leftOut(m, result, i)...)
			}
			ran.Diagnostics = append(ran.Diagnostics, diagnose(err, ofTest, i)...)
		}
		ran.Answers = append(ran.Answers, answer)
	}
	if t.err == nil {
		e.addStates(r, ran, t.Test, results)
	}
	return ran, nil
}

// addStates adds the table of final states to an answer. To each model that forbids the condition's
// outcome, although no row has it, it adds the reason.
func (e *Engine) addStates(r *request, ran *wire.Ran, t *sim.Test, results []*sim.Result) {
	table := newTable(t, results)
	table.addAllowed()
	err := table.addCandidates()
	for i, result := range results {
		if result != nil && result.Outcome() == sim.Forbidden && !table.hasAsked() {
			reason, failed := table.explain(within(max(r.share(1), explainTime)), result,
				e.loadModel(r.Models[i]).Model)
			ran.Answers[i].Reason = reason
			ran.Diagnostics = append(ran.Diagnostics, diagnose(failed, ofTest, i)...)
		}
	}
	if sim.IsLimit(err) {
		ran.Incomplete, err = innermost(err).Error(), nil
	}
	ran.Diagnostics = append(ran.Diagnostics, diagnose(err, ofTest, 0)...)
	rows := table.sorted()
	ran.All, ran.Differing = len(rows), count(rows, (*row).differs)
	if ran.All > mostStates {
		rows = mostTelling(t, rows)
		ran.Diagnostics = append(ran.Diagnostics, tooManyStates(t, ran.All))
	}
	for _, s := range rows {
		ran.States = append(ran.States, s.Row)
	}
}

func infoOf(t *sim.Test) *wire.TestInfo {
	info := &wire.TestInfo{
		Name: t.Name.Text, Arch: t.Arch, Kind: t.Cond.Quant.Kind().String(),
		Condition: t.Cond.String(), DefaultModel: t.Format.Model,
		Levels: []string{},
	}
	for _, p := range t.Places() {
		info.Places = append(info.Places, wire.Place{
			Device: p[litmus.Device], Kernel: p[litmus.Kernel], Cluster: p[litmus.Cluster], CTA: p[litmus.CTA], Warp: p[litmus.Warp],
		})
	}
	for _, th := range t.Threads {
		info.Threads = append(info.Threads, th.Name.Text)
	}
	for _, l := range t.Levels() {
		info.Levels = append(info.Levels, t.Machine.Levels[l].Name)
	}
	return info
}

func fill(a *wire.ModelAnswer, r *sim.Result) {
	rec := r.Record()
	a.Usable = true
	a.Verdict, a.Outcome, a.Observation = rec.Verdict.String(), r.Outcome().String(), rec.Observation.String()
	a.Positive, a.Negative = r.Positive, r.Negative
	a.States, a.Having = len(r.States), count(r.States, func(s *sim.StateCount) bool { return s.Satisfies })
	a.Flags, a.Undefined = append(a.Flags, r.Flags...), append(a.Undefined, r.Undefined...)
	a.Vacuous = r.Vacuous
	a.Incomplete = incomplete(r.Test, r.Limit, &r.Stats)
}

func count[T any](list []T, counts func(*T) bool) int {
	n := 0
	for i := range list {
		if counts(&list[i]) {
			n++
		}
	}
	return n
}

// incomplete describes what cut an answer short as one line, or returns "".
func incomplete(t *sim.Test, limit error, stats *enumerate.Stats) string {
	var inModel *src.Diagnostic
	if errors.As(limit, &inModel) {
		return inModel.Message
	}
	return t.Incomplete(limit, stats)
}
