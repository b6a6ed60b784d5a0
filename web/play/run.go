package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
		ran.Diagnostics = append(ran.Diagnostics, diagnose(t.err, "test", 0)...)
	} else {
		ran.Test = infoOf(t.Test)
	}
	results := make([]*sim.Result, len(r.Models))
	for i, ref := range r.Models {
		m := e.loadModel(ref)
		ran.Diagnostics = append(ran.Diagnostics, m.diagnostics(i)...)
		answer := wire.ModelAnswer{Model: ref.Name, Flags: []string{}, Undefined: []string{}}
		if m.err == nil && t.err == nil {
			result, err := t.ask(within(r.share(len(r.Models)-i)), m)
			if err == nil {
				results[i] = result
				fill(&answer, result)
			}
			ran.Diagnostics = append(ran.Diagnostics, diagnose(err, blame(err), i)...)
		}
		ran.Answers = append(ran.Answers, answer)
	}
	var rows []row
	if t.err == nil {
		rows = states(t.Test, results)
	}
	ran.All, ran.Differing = len(rows), count(rows, (*row).differs)
	if ran.All > mostStates {
		rows = mostTelling(t.Test, rows)
		ran.Diagnostics = append(ran.Diagnostics, tooManyStates(t.Test, ran.All))
	}
	for _, s := range rows {
		ran.States = append(ran.States, s.Row)
	}
	return ran, nil
}

// blame says whether an error of a run is in the text of the model or of the test.
func blame(err error) string {
	for _, d := range diagnose(err, "", 0) {
		if strings.HasSuffix(d.File, ".cat") {
			return "model"
		}
	}
	return "test"
}

func infoOf(t *sim.Test) *wire.TestInfo {
	info := &wire.TestInfo{
		Name: t.Name.Text, Arch: t.Arch, Kind: t.Cond.Quant.Kind().String(),
		Condition: t.Cond.String(), DefaultModel: t.Format.Model,
		Levels: []string{},
	}
	for _, p := range t.Places() {
		info.Places = append(info.Places, wire.Place(p))
	}
	for _, th := range t.Threads {
		info.Threads = append(info.Threads, th.Name.Text)
	}
	for _, l := range t.Levels() {
		info.Levels = append(info.Levels, l.String())
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

// incomplete says in a line what cut an answer short; "" if nothing did.
func incomplete(t *sim.Test, limit error, stats *enumerate.Stats) string {
	var inModel *src.Diagnostic
	if errors.As(limit, &inModel) {
		return inModel.Message
	}
	return t.Incomplete(limit, stats)
}

// mostStates bounds how many final states are listed. The shipped tests have
// 2187 at most.
const mostStates = 3000

// mostTelling are as many states as can be listed: what the condition asks about, if it can happen or
// is to be ruled out, before states on which models differ, those that a model allows, and others.
func mostTelling(t *sim.Test, states []row) []row {
	isForall := t.Cond.Quant == litmus.Forall
	rank := func(s row) int {
		switch {
		case isForall && !s.Satisfies && s.isAllowed(), !isForall && s.Satisfies:
			return 0
		case s.differs():
			return 1
		case s.isAllowed():
			return 2
		}
		return 3
	}
	slices.SortStableFunc(states, func(a, b row) int { return cmp.Compare(rank(a), rank(b)) })
	states = states[:mostStates]
	sortStates(states)
	return states
}

// row is a state that some candidate execution ends in, for the table of states and models.
type row struct {
	wire.Row
	state litmus.State
}

// isAllowed reports that some model allows the state.
func (s *row) isAllowed() bool {
	return slices.ContainsFunc(s.Counts, func(n *int) bool { return n != nil && *n > 0 })
}

// differs reports that one model allows the state and another forbids it.
func (s *row) differs() bool {
	return s.isAllowed() && slices.ContainsFunc(s.Counts, func(n *int) bool { return n != nil && *n == 0 })
}

func sortStates(states []row) {
	slices.SortStableFunc(states, func(a, b row) int { return litmus.CompareStates(a.state, b.state) })
}

func tooManyStates(t *sim.Test, all int) wire.Diagnostic {
	return wire.Diagnostic{
		Of: "test", Severity: src.Warning.String(), Range: rangeOf(t.Cond.At),
		Message: fmt.Sprintf("the test has %d final states or more, of which %d are listed", all, mostStates),
	}
}

// everything is a model that allows every candidate.
var everything = sync.OnceValue(func() *loadedModel {
	return newModel(wire.ModelRef{Name: "everything", Edits: map[string]string{"everything.cat": `"Everything"`}}, nil)
})

// states lists the final states of the candidates, with the counts of the models. Those that no
// model allows are an extra: what is allowed is known by then.
func states(t *sim.Test, results []*sim.Result) []row {
	all := []row{}
	index := map[string]int{}
	at := func(r *sim.Result, i int) *row {
		state := r.Test.Original(r.States[i].State())
		key := state.Format(t.Observables())
		n, ok := index[key]
		if !ok {
			n = len(all)
			index[key] = n
			all = append(all, newState(t, key, state, r.States[i].Satisfies, results))
		}
		return &all[n]
	}
	judged := map[*litmus.Format]*sim.Test{} // the test, or its translation
	for m, r := range results {
		if r == nil {
			continue
		}
		judged[r.Test.Format] = r.Test
		for i := range r.States {
			at(r, i).Counts[m] = &r.States[i].Count
		}
	}
	if len(judged) == 0 {
		judged[t.Format] = t
	}
	for _, as := range judged {
		if candidates, err := as.Run(within(extraTime), everything().Model.Model); err == nil {
			for i := range candidates.States {
				at(candidates, i)
			}
		}
	}
	sortStates(all)
	return all
}

// newState is a state that no model allows so far.
func newState(t *sim.Test, key string, state litmus.State, satisfies bool, results []*sim.Result) row {
	s := row{Row: wire.Row{Key: key, Values: []wire.Value{}, Satisfies: satisfies, Counts: make([]*int, len(results))}, state: state}
	for i, ref := range t.Observables() {
		s.Values = append(s.Values, wire.Value{Name: ref.String(), Value: state[i].String()})
	}
	for m, r := range results {
		if r != nil && r.NotFound() == sim.Forbidden {
			s.Counts[m] = new(int)
		}
	}
	return s
}
