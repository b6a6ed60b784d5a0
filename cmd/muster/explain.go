package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/sim"
)

func (a *app) explainCommand() *cobra.Command {
	s := &simulation{app: a}
	cmd := &cobra.Command{
		Use:   "explain TEST…",
		Short: "Say why the model forbids what a condition asks for",
		Long: `Explain takes each final state that the condition asks for, or --state. If the model
forbids it, explain names the axioms without which it would be allowed: the line of the
.cat file, and a cycle in base relations, of an execution that no other axiom rejects if
there is one. Events are named by letters in the order of the threads; x –r→ y says that
x and y are related by r.`,
		Example: `  muster explain mp+membar.cta+membar.gl-intra-cta
  muster explain -m sc sb-shared-global
  muster explain --state '1:r0=1; 1:r1=0;' --show rf,cause atomic-ref-mp-release-acquire`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(s.evidence.check(), s.check()); err != nil {
				return err
			}
			return s.explain(cmd.Context(), args)
		},
	}
	s.flags(cmd)
	s.engineFlag(cmd)
	s.evidenceFlags(cmd)
	cmd.Flags().BoolVar(&s.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	return cmd
}

// explained is the explanation of one test, or why there is none.
type explained struct {
	*sim.Explanation
	model  string
	listed map[*sim.Witness][]string // the relations that are shown of each execution
	err    error
}

func (s *simulation) explain(ctx context.Context, args []string) error {
	work := func(in corpus.Test) explained { return s.explainTest(ctx, in) }
	return batch.Each(ctx, s.workers, s.app.finder().Tests(args...), work, s.printExplanation)
}

// explainTest reads and explains a test.
func (s *simulation) explainTest(ctx context.Context, in corpus.Test) explained {
	t, err := s.load(ctx, in)
	if err != nil {
		return explained{err: err}
	}
	m := s.modelFor(t)
	showing, names, err := s.evidence.showing(m.Model)
	if err != nil {
		return explained{err: err}
	}
	e, err := t.Explain(ctx, m.Model)
	if err == nil {
		e, err = s.evidence.pick(e)
	}
	if err != nil {
		return explained{err: err}
	}
	listed := map[*sim.Witness][]string{}
	for _, x := range e.Executions() {
		lines, failure := relations(showing, names, x.Witness)
		listed[x.Witness], err = lines, cmp.Or(err, failure)
	}
	return explained{e, m.Name, listed, err}
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
		a.printJSON(report.ExplanationJSON(e.Explanation, e.model))
		return
	}
	fmt.Fprintf(a.out, "Test %s, model %s\n%s\n", e.Test.Name.Text, e.model, e.Test.Cond)
	if len(e.Outcomes) == 0 {
		which := ""
		if e.Partial || e.Limit != nil {
			which = " that was looked at"
		}
		fmt.Fprintf(a.out, "  no candidate execution%s ends in a state that the condition asks for\n", which)
	}
	for _, o := range e.Outcomes {
		s.printOutcome(&e, &o)
	}
	if e.Hang != nil {
		fmt.Fprintf(a.out, "  an execution that never ends is allowed: %s\n", sim.Hanging(e.Hang.Execution))
		s.printDetails(&e, e.Hang)
	}
	fmt.Fprintln(a.out)
}

func (s *simulation) printOutcome(e *explained, o *sim.ExplainedState) {
	a := s.app
	state := o.State.Format(e.Refs)
	if o.Outcome() == sim.Allowed {
		fmt.Fprintf(a.out, "  %s  allowed: %s\n", state, count(o.Consistent, "consistent execution"))
		s.printDetails(e, o.Witness)
		return
	}
	fmt.Fprintf(a.out, "  %s  %s: %s\n", state, o.Outcome(), candidates(o))
	a.printReasons(o, func(w *sim.Witness) { s.printDetails(e, w) })
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
// the others by name. more says what else there is to say of an execution; nil for nothing.
func (a *app) printReasons(o *sim.ExplainedState, more func(*sim.Witness)) {
	decisive := o.Decisive()
	for _, r := range decisive {
		fmt.Fprintf(a.out, "    by %s%s, %s:%d: %s\n", r.Name, rejects(o, r), r.At.File.Name, r.At.Pos().Line, report.CheckText(r))
		if path := sim.Steps(r.Execution, &r.Violation); path != "" {
			fmt.Fprintf(a.out, "      %s\n", path)
		}
		if more != nil {
			more(&r.Witness)
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

// printDetails says more of an execution, if that is asked for.
func (s *simulation) printDetails(e *explained, w *sim.Witness) {
	if s.evidence.execution > 0 {
		fmt.Fprintf(s.app.out, "      %s\n", sim.Communication(w.Execution))
	}
	for _, line := range e.listed[w] {
		fmt.Fprintf(s.app.out, "      %s\n", line)
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

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
