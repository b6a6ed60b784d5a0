package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// evidence is what explain and draw are asked for besides what the condition asks.
type evidence struct {
	execution int    // which of those that explain lists, from 1; 0 for all
	show      string // names of relations, with commas between them; "" for the usual ones
}

func (s *simulation) evidenceFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.config.State, "state", "", "ask about this final `STATE` in place of the condition: a proposition, or as run prints it")
	f.IntVar(&s.evidence.execution, "execution", 0, "only the `N`-th execution that explain lists: one for each allowed state, one for each axiom")
	f.StringVar(&s.evidence.show, "show", "", "show these `RELATIONS`, such as rf,co,fr or what the model defines")
}

// check validates the flags.
func (v *evidence) check() error {
	if v.execution < 0 {
		return fmt.Errorf("--execution counts from 1, not %d", v.execution)
	}
	return nil
}

// showing is the model with the relations to show, and their names; nil if none are asked for.
func (v *evidence) showing(m *cat.Model) (*cat.Model, []string, error) {
	if v.show == "" {
		return m, nil, nil
	}
	return m.Showing(src.NewFile("--show", "show "+v.show), sim.Vocabulary())
}

// pick leaves of an explanation what the execution that is asked for shows.
func (v *evidence) pick(e *sim.Explanation) (*sim.Explanation, error) {
	if v.execution == 0 {
		return e, nil
	}
	all := e.Executions()
	if v.execution > len(all) {
		return nil, fmt.Errorf("%s: there is no execution %d: explain lists %s", e.Test.Name.Text, v.execution, count(len(all), "execution"))
	}
	x, only := all[v.execution-1], *e
	only.Outcomes, only.Hang = nil, nil
	switch {
	case x.State == nil:
		only.Hang = x.Witness
	case x.Reason == nil:
		only.Outcomes = []sim.ExplainedState{*x.State}
	default:
		s := *x.State
		s.Reasons = []*sim.Reason{x.Reason}
		only.Outcomes = []sim.ExplainedState{s}
	}
	return &only, nil
}

// relations lists the relations that are shown of an execution, each on a line:
// "cause: a:W[x]=1 → c:R[y]=1, …".
func relations(m *cat.Model, names []string, w *sim.Witness) ([]string, error) {
	shown, err := m.Shows(w.Execution, w.Choices)
	if err != nil {
		return nil, err
	}
	letters := w.Names()
	event := func(e int) string { return letters[e] + ":" + w.Action(e) }
	var lines []string
	for _, name := range names {
		i := slices.IndexFunc(shown, func(s cat.Shown) bool { return s.Name == name && !s.Hidden })
		if i < 0 {
			continue // what is chosen after the check that rejects the execution
		}
		var pairs []string
		for a, b := range shown[i].Rel.Pairs() {
			if a == b {
				pairs = append(pairs, event(a))
			} else {
				pairs = append(pairs, event(a)+" → "+event(b))
			}
		}
		if len(pairs) == 0 {
			pairs = []string{"none"}
		}
		lines = append(lines, name+": "+strings.Join(pairs, ", "))
	}
	return lines, nil
}
