package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/picture"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/wire"
)

// comparison is the compare verb.
type comparison struct {
	simulation
	graphs string // the folder for pictures; "" for none

	tests, differ, open int
	only                []int      // how often each model alone allows the outcome
	table               [][]string // one row for each test that differs or is open
}

// compared is one test under every model.
type compared struct {
	test    *sim.Test
	results []*sim.Result
	err     error
}

func (a *app) compareCommand() *cobra.Command {
	c := &comparison{simulation: simulation{app: a}}
	cmd := &cobra.Command{
		Use:   "compare -m MODEL -m MODEL [TEST…]",
		Short: "List the tests on which models differ",
		Long: `Compare simulates each test (by default every shipped one) under two models or more, and
lists those of whose outcome they say different things. A MODEL is a shipped name or a
.cat file, perhaps with variants after a colon. Only outcomes are looked for, so compare is
as fast as run --quick; --states finds all final states.

A limit, such as the unroll bound, may leave open what a model says. Then the test is listed
as unknown, and differs only if the others contradict each other.

Exit status 1 if some test differs, 3 if none does but some answer is cut short.`,
		Example: `  muster compare -m ptx-6.0 -m ptx
  muster compare -m ptx-7.5 -m ptx-7.5:dartagnan ptx
  muster compare -m sc -m mymodel.cat --states --graph pictures/ tests/`,
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	c.modelFlag(cmd, "a `MODEL` to compare: NAME or NAME:VARIANT,VARIANT (two or more)", anyNumber)
	c.configFlags(cmd)
	c.engineFlag(cmd)
	f.BoolVar(&c.states, "states", false, "list also the tests that differ in their final states only")
	f.StringVar(&c.graphs, "graph", "", "draw, into this `FOLDER`, an execution for each outcome that only some allow")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each difference and the totals (docs/json.md)")
	return cmd
}

// check validates the flags and loads the models.
func (c *comparison) check() error {
	c.quick = !c.states
	if len(c.refs) < 2 {
		return fmt.Errorf("compare takes two models or more: -m MODEL -m MODEL")
	}
	if err := c.simulation.check(); err != nil {
		return err
	}
	c.only = make([]int, len(c.models))
	if c.graphs == "" {
		return nil
	}
	return os.MkdirAll(c.graphs, 0o777)
}

func (c *comparison) run(ctx context.Context, args []string) error {
	tests, total := c.app.finder().CountedOr(args...)
	c.table = [][]string{append([]string{""}, c.refs...)}
	bar := c.app.progress("comparing", total)
	err := batch.Each(ctx, c.workers, tests, func(in corpus.Test) compared { return c.simulateAll(ctx, in) }, func(t compared) {
		bar.step()
		c.add(t)
	})
	bar.done()
	if err != nil {
		return err
	}
	c.print()
	return nil
}

// simulateAll runs a test under every model.
func (c *comparison) simulateAll(ctx context.Context, in corpus.Test) compared {
	t, err := c.load(ctx, in)
	if err != nil {
		return compared{err: err}
	}
	all := compared{test: t}
	for _, m := range c.models {
		r, err := t.Run(ctx, m.Model)
		if err != nil {
			return compared{err: err}
		}
		all.results = append(all.results, r)
	}
	return all
}

// add takes in what the models say of a test.
func (c *comparison) add(t compared) {
	if t.err != nil {
		c.app.report(t.err)
		return
	}
	c.tests++
	for _, r := range t.results {
		if why := r.Incomplete(); why != "" {
			c.app.status(exitLimit)
			fmt.Fprintf(c.app.err, "%s: incomplete: %s\n", t.test.Name.Text, why)
		}
	}
	switch {
	case t.differs(c.states):
		c.differ++
		c.app.status(exitContradicted)
		c.list(t, "difference")
		c.draw(t)
	case t.isOpen(c.states):
		c.open++
		c.list(t, "open")
	}
}

// list adds a test to what is printed.
func (c *comparison) list(t compared, kind string) {
	if i := t.alone(); i >= 0 {
		c.only[i]++
	}
	if c.json {
		c.app.printJSON(c.differenceJSON(t, kind))
	} else {
		c.table = append(c.table, c.row(t))
	}
}

// differs reports that the models contradict each other in the outcome, or in the states if
// they count: one allows what another, of which all is known, does not.
func (t compared) differs(states bool) bool {
	if sim.Contradict(t.outcomes()...) {
		return true
	}
	for _, r := range t.results {
		for _, other := range t.results {
			if states && other.Limit == nil && slices.ContainsFunc(r.States, lacking(other)) {
				return true
			}
		}
	}
	return false
}

// isOpen reports that the models may differ, for all that is known.
func (t compared) isOpen(states bool) bool {
	return slices.ContainsFunc(t.results, func(r *sim.Result) bool {
		return r.Outcome() == sim.Unknown || states && r.Limit != nil
	})
}

func (t compared) outcomes() []sim.Outcome {
	var all []sim.Outcome
	for _, r := range t.results {
		all = append(all, r.Outcome())
	}
	return all
}

// alone is the model that alone allows the outcome while all others forbid it; -1 if there is
// none.
func (t compared) alone() int {
	outcomes := t.outcomes()
	i := slices.Index(outcomes, sim.Allowed)
	if i < 0 {
		return -1
	}
	others := slices.Delete(slices.Clone(outcomes), i, i+1)
	if slices.ContainsFunc(others, func(o sim.Outcome) bool { return o != sim.Forbidden }) {
		return -1
	}
	return i
}

// lacking reports of a state that it is none of those of the result.
func lacking(r *sim.Result) func(sim.StateCount) bool {
	return func(s sim.StateCount) bool {
		return !slices.ContainsFunc(r.States, func(t sim.StateCount) bool { return litmus.CompareStates(s.State, t.State) == 0 })
	}
}

func (c *comparison) row(t compared) []string {
	row := []string{strings.Clone(t.test.Name.Text)} // a part of the test's text would keep it all
	for _, r := range t.results {
		cell := r.Outcome().String()
		if c.states {
			cell += fmt.Sprintf(" (%s)", count(len(r.States), "state"))
		}
		row = append(row, cell)
	}
	return row
}

// draw draws an execution by which a model allows the outcome that others forbid.
func (c *comparison) draw(t compared) {
	outcomes := t.outcomes()
	if c.graphs == "" || !sim.Contradict(outcomes...) {
		return
	}
	model := slices.Index(outcomes, sim.Allowed)
	m, r := c.models[model], t.results[model]
	var forbid []string
	for i, o := range outcomes {
		if o == sim.Forbidden {
			forbid = append(forbid, c.refs[i])
		}
	}
	i := slices.IndexFunc(r.States, func(s sim.StateCount) bool {
		return s.Satisfies != (t.test.Cond.Quant == litmus.Forall)
	})
	state := r.States[i]
	g, err := picture.Of(m.Model, state.Witness(), viz.Options{
		Title:    t.test.Name.Text,
		Subtitle: fmt.Sprintf("%s allowed by %s, forbidden by %s", state.State.Format(t.test.Observables()), c.refs[model], strings.Join(forbid, ", ")),
	})
	if err == nil {
		err = writeSVG(g, filepath.Join(c.graphs, safeName(t.test.Name.Text)+".svg"))
	}
	if err != nil {
		c.app.fail(err)
	}
}

func writeSVG(g *viz.Graph, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := g.SVG(f, viz.Style{}); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// print prints the table and the totals.
func (c *comparison) print() {
	if c.json {
		c.app.printJSON(c.totalsJSON())
		return
	}
	if c.differ+c.open > 0 {
		c.app.printAligned(c.table)
		fmt.Fprintln(c.app.out)
	}
	var only []string
	for i, n := range c.only {
		if n > 0 {
			only = append(only, fmt.Sprintf("%d allowed by %s alone", n, c.refs[i]))
		}
	}
	fmt.Fprintf(c.app.out, "%d of %s differ", c.differ, count(c.tests, "test"))
	if len(only) > 0 {
		fmt.Fprintf(c.app.out, ": %s", strings.Join(only, ", "))
	}
	if c.open > 0 {
		fmt.Fprintf(c.app.out, "; of %s it is not known", count(c.open, "other"))
	}
	fmt.Fprintln(c.app.out)
}

func (c *comparison) differenceJSON(t compared, kind string) wire.Difference {
	d := wire.Difference{
		Type: kind, Test: t.test.Name.Text, File: t.test.File.Name,
		Outcomes: map[string]string{},
	}
	for i, r := range t.results {
		d.Outcomes[c.refs[i]] = r.Outcome().String()
	}
	if c.states {
		d.States = map[string]int{}
		for i, r := range t.results {
			d.States[c.refs[i]] = len(r.States)
		}
	}
	return d
}

func (c *comparison) totalsJSON() wire.CompareTotals {
	totals := wire.CompareTotals{Type: "totals", Tests: c.tests, Differ: c.differ, Open: c.open, Only: map[string]int{}}
	for i, n := range c.only {
		totals.Only[c.refs[i]] = n
	}
	return totals
}
