package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// Explained is the explanation of a test under a model, with further details of its executions.
type Explained struct {
	*sim.Explanation
	Model   string
	Details func(*sim.Witness) []string // or nil
}

// Explanation prints why a model forbids the outcome that a condition asks for, or an execution
// that has it.
func (t *Text) Explanation(e *Explained) {
	t.printf("Test %s, model %s\n%s\n", e.Test.Name.Text, e.Model, e.Test.Cond)
	if e.Race != nil {
		t.printf("  the behaviour is undefined: anything can happen\n")
		for _, line := range races(e.Test, e.Race) {
			t.printf("    %s\n", line)
		}
		t.orders(e.Test, e.Race.Witness)
	}
	if e.Vacuous {
		t.printf("  undefined: %s\n", Vacuous(e.Test, e.Model))
	}
	if len(e.Outcomes) == 0 {
		which := ""
		if e.Absence == sim.Present && (e.Partial || e.Limit != nil) {
			which = " that was looked at"
		}
		t.printf("  no candidate execution%s ends in a state that %s\n", which, asked(&e.Test.Cond))
		if e.Absence != sim.Present {
			t.printf("    %s\n", e.Absence)
		}
	}
	details := func(w *sim.Witness) {
		if e.Details == nil {
			return
		}
		for _, line := range e.Details(w) {
			t.printf("      %s\n", line)
		}
	}
	for i := range e.Outcomes {
		o := &e.Outcomes[i]
		state := o.State.Format(e.Refs)
		if o.Outcome() == sim.Allowed {
			atLeast := ""
			if e.Uncounted {
				atLeast = "at least "
			}
			t.printf("  %s  allowed%s: %s%s\n", state, breaking(&e.Test.Cond), atLeast,
				Count(o.Consistent, "consistent execution"))
			for _, f := range flags(e.Test, o.Witness, o.Flags) {
				t.printf("    flag %s, %s:%d%s\n", f.Name, f.File, f.Line, places(f.Places))
			}
			t.orders(e.Test, o.Witness)
			details(o.Witness)
			continue
		}
		t.printf("  %s  %s: %s\n", state, o.Outcome(), candidates(o))
		t.reasons(e.Test, o, details)
	}
	if e.Alone {
		t.printf("  other states were not looked for: there are too many values that reads may return\n")
	}
	if e.Hang != nil {
		t.printf("  an execution that never ends is allowed: %s\n", sim.Hanging(e.Hang.Execution))
		details(e.Hang)
	}
	t.printf("\n")
}

// Vacuous explains that the forall of a test is neither true nor false, because there are no final
// states.
func Vacuous(t *sim.Test, model string) string {
	which := ""
	if t.Filter != nil {
		which = " that the filter keeps"
	}
	return fmt.Sprintf("no execution that %s allows has a final state%s, so the forall is about nothing", model, which)
}

// asked describes the states that an explanation is about. For forall, these are the states that
// violate the condition.
func asked(c *litmus.Cond) string {
	if c.Quant == litmus.Forall {
		return "breaks the condition"
	}
	return "the condition asks for"
}

// breaking returns a clause that says that an allowed state breaks the condition, if it does.
func breaking(c *litmus.Cond) string {
	if c.Quant == litmus.Forall || c.Quant == litmus.NotExists {
		return ", which breaks the condition"
	}
	return ""
}

// orders prints the evaluation order that an execution has, where the language leaves it open.
func (t *Text) orders(test *sim.Test, w *sim.Witness) {
	for _, o := range test.Orders(w.Execution) {
		t.printf("    %s\n", o)
	}
}

// races returns lines that say what makes the behaviour undefined, and where.
func races(t *sim.Test, r *sim.Race) []string {
	var lines []string
	for _, f := range flags(t, r.Witness, r.Flags) {
		lines = append(lines, fmt.Sprintf("%s, %s:%d%s", f.Name, f.File, f.Line, places(f.Places)))
	}
	return lines
}

// places lists the places of a flag; of many, the first few.
func places(all []string) string {
	const most = 3
	switch n := len(all); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf(": %s; and %d more", strings.Join(all[:most], "; "), n-most)
	}
	return ": " + strings.Join(all, "; ")
}

// flags returns the flags that an execution raises, with their places.
func flags(t *sim.Test, w *sim.Witness, raised []cat.Raised) []wire.Flag {
	var all []wire.Flag
	if len(raised) == 0 {
		return all
	}
	names := w.Names()
	place := func(e int) string {
		ev := &w.Events[e]
		if ev.Thread == event.InitThread {
			return names[e] + ":" + w.Action(e)
		}
		if at, ok := t.Source(ev); ok {
			return fmt.Sprintf("%s:%s (%s, line %d: %s)", names[e], w.Action(e), w.Threads[ev.Thread].Name,
				at.Pos().Line, oneLine(at.Text()))
		}
		return fmt.Sprintf("%s:%s (%s: %s)", names[e], w.Action(e), w.Threads[ev.Thread].Name, ev.Mnemonic)
	}
	for _, r := range raised {
		at := r.Check.Span()
		f := wire.Flag{Name: r.Name, File: at.File.Name, Line: at.Pos().Line, Places: []string{}}
		for _, p := range r.Pairs {
			f.Places = append(f.Places, place(p[0])+" and "+place(p[1]))
		}
		for _, e := range r.Events {
			f.Places = append(f.Places, place(e))
		}
		all = append(all, f)
	}
	return all
}

// candidates says how many candidate executions end in a state that is not allowed.
func candidates(o *sim.ExplainedState) string {
	n := Count(o.Candidates, "candidate execution") + ", none consistent"
	switch {
	case o.Candidates == 0:
		if len(o.Reasons) > 0 && o.Reasons[0].Likelihood == sim.Disordered {
			return "no candidate execution has a coherence order that ends so"
		}
		return "no candidate execution has a coherence order"
	case !o.Counted:
		return "at least " + n
	}
	return n
}

// reasons prints the axioms that rule a state out: the decisive ones with what they reject, the
// others by name. details returns further lines about an execution; it may be nil.
func (t *Text) reasons(test *sim.Test, o *sim.ExplainedState, details func(*sim.Witness)) {
	decisive := o.Decisive()
	for _, r := range decisive {
		t.printf("    by %s%s, %s:%d: %s\n", r.Name, rejects(o, r), r.At.File.Name, r.At.Pos().Line, r.Axiom())
		if path := sim.Steps(r.Execution, &r.Violation); path != "" {
			t.printf("      %s\n", path)
		}
		for _, s := range sources(test, r) {
			t.printf("        %s: line %d: %s\n", strings.Join(s.Events, ", "), s.Line, s.Text)
		}
		t.orders(test, &r.Witness)
		if details != nil {
			details(&r.Witness)
		}
	}
	var others []string
	for _, r := range o.Reasons[len(decisive):] {
		others = append(others, r.Name+rejects(o, r))
	}
	if len(others) > 0 {
		t.printf("    other axioms: %s\n", strings.Join(others, ", "))
	}
}

// sources returns the lines of the test from which the events of a reason come.
func sources(t *sim.Test, r *sim.Reason) (all []wire.Source) {
	names := r.Execution.Names()
	for _, o := range t.Origins(r.Execution, &r.Violation) {
		s := wire.Source{Line: o.At.Pos().Line, Text: oneLine(o.At.Text())}
		for _, e := range o.Events {
			s.Events = append(s.Events, names[e])
		}
		all = append(all, s)
	}
	return all
}

// rejects says how many candidates of a state an axiom rejects. It returns "" if they are not
// counted, or if the axiom rejects none or all.
func rejects(o *sim.ExplainedState, r *sim.Reason) string {
	if !o.Counted || r.Rejects == 0 || r.Rejects == o.Candidates {
		return ""
	}
	return fmt.Sprintf(" (rejects %d of %d)", r.Rejects, o.Candidates)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Relations returns the relations of each execution of an explanation, as lines such as "cause:
// a:W[x]=1 → c:R[y]=1, …".
func Relations(m *cat.Model, names []string, e *sim.Explanation) (map[*sim.Witness][]string, error) {
	listed := map[*sim.Witness][]string{}
	var err error
	for _, x := range e.Executions() {
		lines, failure := relations(m, names, x.Witness)
		listed[x.Witness], err = lines, cmp.Or(err, failure)
	}
	return listed, err
}

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
			continue // chosen after the check that rejects the execution
		}
		var pairs []string
		for a, b := range shown[i].Rel.Pairs() {
			if a == b {
				pairs = append(pairs, event(a))
			} else {
				pairs = append(pairs, event(a)+" → "+event(b))
			}
		}
		lines = append(lines, name+": "+cmp.Or(strings.Join(pairs, ", "), "none"))
	}
	return lines, nil
}

// VerdictLines says in words what a model says of the final states of an explanation. Of undefined
// behaviour it says only that, because no state is more allowed than another.
func VerdictLines(model string, e *sim.Explanation) []string {
	var lines []string
	if e.Race != nil {
		lines = append(lines, model+" leaves the behaviour undefined")
		for _, line := range races(e.Test, e.Race) {
			lines = append(lines, "  by "+line)
		}
		return lines
	}
	for i := range e.Outcomes {
		o := &e.Outcomes[i]
		if o.Outcome() == sim.Allowed {
			lines = append(lines, fmt.Sprintf("%s allows %s", model, o.State.Format(e.Refs)),
				"  by an execution where "+sim.Communication(o.Witness.Execution))
			for _, order := range e.Test.Orders(o.Witness.Execution) {
				lines = append(lines, "    "+order.String())
			}
			continue
		}
		lines = append(lines, fmt.Sprintf("%s forbids %s", model, o.State.Format(e.Refs)))
		for _, r := range o.Reasons {
			lines = append(lines, fmt.Sprintf("  by %s, %s:%d: %s", r.Name, r.At.File.Name, r.At.Pos().Line, r.Axiom()))
			if path := sim.Steps(r.Execution, &r.Violation); path != "" {
				lines = append(lines, "    "+path)
			}
		}
	}
	return lines
}
