package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/sim"
)

func (a *app) explainCommand() *cobra.Command {
	s := &simulation{app: a}
	cmd := &cobra.Command{
		Use:   "explain TEST…",
		Short: "Say why the model forbids what a condition asks for",
		Long: `Explain takes each final state that the condition asks for. If the model forbids it,
explain names every axiom that rules out one of its candidate executions: the line of
the .cat file, and a shortest cycle in base relations. Events are named by letters in
the order of the threads; x –r→ y says that x and y are related by r.`,
		Example: `  muster explain mp+membar.cta+membar.gl-intra-cta
  muster explain -m sc sb-shared-global`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return s.explain(cmd.Context(), args)
		},
	}
	s.flags(cmd)
	s.engineFlag(cmd)
	cmd.Flags().BoolVar(&s.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	return cmd
}

// explained is the explanation of one test, or why there is none.
type explained struct {
	*sim.Explanation
	model string
	err   error
}

func (s *simulation) explain(ctx context.Context, args []string) error {
	work := func(in input) explained { return s.explainTest(ctx, in) }
	return each(ctx, s.workers, s.app.inputs(args), work, s.printExplanation)
}

// explainTest reads and explains a test.
func (s *simulation) explainTest(ctx context.Context, in input) explained {
	t, err := s.load(ctx, in)
	if err != nil {
		return explained{err: err}
	}
	m := s.modelFor(t)
	e, err := t.Explain(ctx, m.Model)
	return explained{e, m.Name, err}
}

func (s *simulation) printExplanation(e explained) {
	a := s.app
	if e.err != nil {
		a.report(e.err)
		return
	}
	if why := e.Incomplete(); why != "" {
		a.status(exitLimit)
		fmt.Fprintf(a.err, "%s: incomplete: %s\n", e.Test.Name.Text, why)
	}
	if s.json {
		a.printJSON(explanationToJSON(e.Explanation, e.model))
		return
	}
	fmt.Fprintf(a.out, "Test %s, model %s\n%s\n", e.Test.Name.Text, e.model, e.Test.Cond)
	if len(e.Outcomes) == 0 {
		which := ""
		if e.Partial {
			which = " that was looked at"
		}
		fmt.Fprintf(a.out, "  no candidate execution%s ends in a state that the condition asks for\n", which)
	}
	for _, o := range e.Outcomes {
		a.printOutcome(e.Explanation, &o)
	}
	if e.Hang != nil {
		fmt.Fprintf(a.out, "  an execution that never ends is allowed: %s\n", sim.Hanging(e.Hang.Execution))
	}
	fmt.Fprintln(a.out)
}

func (a *app) printOutcome(e *sim.Explanation, o *sim.ExplainedState) {
	state := o.State.Format(e.Refs)
	if o.Outcome() == sim.Allowed {
		fmt.Fprintf(a.out, "  %s  allowed: %s\n", state, count(o.Consistent, "consistent execution"))
		return
	}
	fmt.Fprintf(a.out, "  %s  %s: %s\n", state, o.Outcome(), candidates(o))
	a.printReasons(o)
}

// candidates says how many candidate executions end in a state that is not allowed.
func candidates(o *sim.ExplainedState) string {
	n := count(o.Candidates, "candidate execution") + ", none consistent"
	switch {
	case o.Candidates == 0:
		return "no candidate execution has a coherence order"
	case !o.Counted:
		return "at least " + n
	}
	return n
}

// printReasons prints the axioms that rule a state out: the decisive ones with what they reject,
// the others by name.
func (a *app) printReasons(o *sim.ExplainedState) {
	decisive := o.Decisive()
	for _, r := range decisive {
		fmt.Fprintf(a.out, "    by %s%s, %s:%d: %s\n", r.Name, rejects(o, r), r.At.File.Name, r.At.Pos().Line, checkText(r))
		if path := sim.Steps(r.Execution, &r.Violation); path != "" {
			fmt.Fprintf(a.out, "      %s\n", path)
		}
	}
	var others []string
	for _, r := range o.Reasons[len(decisive):] {
		others = append(others, r.Name+rejects(o, r))
	}
	if len(others) > 0 {
		fmt.Fprintf(a.out, "    other axioms: %s\n", strings.Join(others, ", "))
	}
}

// rejects says how many candidates of a state an axiom rejects, if these are counted and some are
// left.
func rejects(o *sim.ExplainedState, r *sim.Reason) string {
	if !o.Counted || r.Rejects == 0 || r.Rejects == o.Candidates {
		return ""
	}
	return fmt.Sprintf(" (rejects %d of %d)", r.Rejects, o.Candidates)
}

// checkText is the axiom as the model writes it.
func checkText(r *sim.Reason) string { return strings.Join(strings.Fields(r.At.Text()), " ") }

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
