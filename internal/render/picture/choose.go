package picture

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// Telling draws the most informative execution of an explanation: one that the named axiom rejects,
// or, without a name, one that the model allows or else rejects. model is the name of the model.
// showing determines the relations to show, and only their names; nil for the defaults.
func Telling(e *sim.Explanation, model, axiom string, showing *cat.Model, only []string) (*viz.Graph, error) {
	x, err := choose(e, axiom)
	if err != nil {
		return nil, err
	}
	opts := About(e.Test.Name.Text, e.Test)
	opts.Only = only
	switch {
	case x.State == nil:
		opts.Subtitle = fmt.Sprintf("allowed by %s, never ends: %s", model, sim.Hanging(x.Execution))
	case x.Reason == nil:
		opts.Subtitle = fmt.Sprintf("%s allowed by %s", x.State.State.Format(e.Refs), model)
	default:
		said := "%s forbidden by %s of %s"
		if x.State.Outcome() == sim.Unknown { // the limit has cut off executions that might be allowed
			said = "%s unknown, so far forbidden by %s of %s"
		}
		opts.Subtitle = fmt.Sprintf(said, x.State.State.Format(e.Refs), x.Reason.Name, model)
		opts.Highlight = Evidence(&x.Reason.Violation)
	}
	opts.Subtitle += undefined(e)
	return Of(showing, x.Witness, opts)
}

// undefined says why the behaviour of a program is undefined, or returns "".
func undefined(e *sim.Explanation) string {
	if e.Race == nil {
		return ""
	}
	var names []string
	for _, f := range e.Race.Flags {
		names = append(names, f.Name)
	}
	return "; the behaviour is undefined: " + strings.Join(names, ", ")
}

// choose returns the execution to draw.
func choose(e *sim.Explanation, axiom string) (sim.Shown, error) {
	all := e.Executions()
	switch {
	case len(e.Outcomes) > 0 && axiom != "":
		return rejected(e, axiom)
	case len(all) > 0 && axiom == "":
	case e.Limit != nil:
		return sim.Shown{}, fmt.Errorf("%s: nothing to draw was found: %w", e.Test.Name.Text, e.Limit)
	default:
		return sim.Shown{}, fmt.Errorf("%s: no candidate execution ends in a state that the condition asks for%s",
			e.Test.Name.Text, undefined(e))
	}
	allowed := slices.IndexFunc(all, func(x sim.Shown) bool { return x.State != nil && x.Reason == nil })
	return all[max(0, allowed)], nil
}

// rejected returns an execution that an axiom rejects.
func rejected(e *sim.Explanation, axiom string) (sim.Shown, error) {
	name := e.Test.Name.Text
	var axioms []string
	for i := range e.Outcomes {
		for _, r := range e.Outcomes[i].Reasons {
			if r.Name == axiom {
				return sim.Shown{Witness: &r.Witness, State: &e.Outcomes[i], Reason: r}, nil
			}
			axioms = append(axioms, r.Name)
		}
	}
	if len(axioms) == 0 {
		return sim.Shown{}, fmt.Errorf("%s: the model allows what the condition asks for, so no axiom forbids it%s",
			name, undefined(e))
	}
	slices.Sort(axioms)
	return sim.Shown{}, fmt.Errorf("%s: no axiom %s forbids this; those that do: %s",
		name, axiom, strings.Join(slices.Compact(axioms), ", "))
}

// States draws, as text, an execution for each final state of a result.
func States(w io.Writer, m *cat.Model, r *sim.Result) error {
	for _, s := range r.States {
		opts := About(r.Test.Name.Text, r.Test)
		opts.Subtitle = s.State().Format(r.Test.Observables())
		g, err := Of(m, s.Witness(), opts)
		if err == nil {
			err = g.Text(w)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
