package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/picture"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// comparison is the compare verb.
type comparison struct {
	simulation
	names  []string // of the models, as given
	models []*models.Model
	states bool
	graphs string // the folder for pictures; "" for none

	tests, differ int
	only          []int      // how often each model alone allows the outcome
	table         [][]string // one row for each difference
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
.cat file, perhaps with variants after a colon.

Exit status 1 if some test differs.`,
		Example: `  muster compare -m ptx-6.0 -m ptx
  muster compare -m ptx-7.5 -m ptx-7.5:dartagnan litmus-tests/ptx
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
	f.StringArrayVarP(&c.names, "model", "m", nil, "a `MODEL` to compare: NAME or NAME:VARIANT,VARIANT (two or more)")
	_ = cmd.RegisterFlagCompletionFunc("model", completeModels)
	c.configFlags(cmd)
	c.engineFlag(cmd)
	f.BoolVar(&c.states, "states", false, "list also the tests that differ in their final states only")
	f.StringVar(&c.graphs, "graph", "", "draw, into this `FOLDER`, an execution for each outcome that only some allow")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each difference and the totals (docs/json.md)")
	return cmd
}

// check validates the flags and loads the models.
func (c *comparison) check() error {
	if err := c.checkConfig(); err != nil {
		return err
	}
	if len(c.names) < 2 {
		return fmt.Errorf("compare takes two models or more: -m MODEL -m MODEL")
	}
	for _, name := range c.names {
		m, err := c.namedModel(name)
		if err != nil {
			return err
		}
		c.models = append(c.models, m)
	}
	c.only = make([]int, len(c.models))
	if c.graphs == "" {
		return nil
	}
	return os.MkdirAll(c.graphs, 0o777)
}

func (c *comparison) run(ctx context.Context, args []string) error {
	tests := slices.Collect(c.app.inputs(args))
	if len(args) == 0 {
		tests = shippedInputs()
	}
	c.table = [][]string{append([]string{""}, c.names...)}
	bar := c.app.progress("comparing", len(tests))
	err := each(ctx, c.workers, slices.Values(tests), func(in input) compared { return c.simulateAll(ctx, in) }, func(t compared) {
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
func (c *comparison) simulateAll(ctx context.Context, in input) compared {
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
	var allow []int
	for i, r := range t.results {
		if why := r.Incomplete(); why != "" {
			c.app.status(exitLimit)
			fmt.Fprintf(c.app.err, "%s: incomplete: %s\n", t.test.Name.Text, why)
		}
		if r.Outcome() == sim.Allowed {
			allow = append(allow, i)
		}
	}
	if !t.differs(c.states) {
		return
	}
	c.differ++
	c.app.status(exitContradicted)
	if len(allow) == 1 {
		c.only[allow[0]]++
	}
	if c.json {
		c.app.printJSON(c.differenceJSON(t))
	} else {
		c.table = append(c.table, c.row(t))
	}
	if c.graphs != "" && len(allow) > 0 && len(allow) < len(c.models) {
		c.draw(t, allow[0])
	}
}

// differs reports that the models say different things of the outcome, or of the states
// if they count.
func (t compared) differs(states bool) bool {
	first := t.results[0]
	return slices.ContainsFunc(t.results[1:], func(r *sim.Result) bool {
		return r.Outcome() != first.Outcome() || states && !slices.EqualFunc(r.States, first.States, sameState)
	})
}

func sameState(s, t sim.StateCount) bool { return litmus.CompareStates(s.State, t.State) == 0 }

func (c *comparison) row(t compared) []string {
	row := []string{t.test.Name.Text}
	for _, r := range t.results {
		cell := r.Outcome().String()
		if c.states {
			cell += fmt.Sprintf(" (%s)", count(len(r.States), "state"))
		}
		row = append(row, cell)
	}
	return row
}

// draw draws an execution by which a model allows the outcome.
func (c *comparison) draw(t compared, model int) {
	m, r := c.models[model], t.results[model]
	var forbid []string
	for i, other := range t.results {
		if other.Outcome() == sim.Forbidden {
			forbid = append(forbid, c.names[i])
		}
	}
	against := ""
	if len(forbid) > 0 {
		against = ", forbidden by " + strings.Join(forbid, ", ")
	}
	i := slices.IndexFunc(r.States, func(s sim.StateCount) bool {
		return s.Satisfies != (t.test.Cond.Quant == litmus.Forall)
	})
	state := r.States[i]
	g, err := picture.Of(m.Model, state.Witness(), viz.Options{
		Title:    t.test.Name.Text,
		Subtitle: fmt.Sprintf("%s allowed by %s%s", state.State.Format(t.test.Observables()), c.names[model], against),
	})
	if err == nil {
		err = writeSVG(g, filepath.Join(c.graphs, t.test.Name.Text+".svg"))
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
	if c.differ > 0 {
		c.app.printAligned(c.table)
		fmt.Fprintln(c.app.out)
	}
	var only []string
	for i, n := range c.only {
		if n > 0 {
			only = append(only, fmt.Sprintf("%d allowed by %s alone", n, c.names[i]))
		}
	}
	fmt.Fprintf(c.app.out, "%d of %s differ", c.differ, count(c.tests, "test"))
	if len(only) > 0 {
		fmt.Fprintf(c.app.out, ": %s", strings.Join(only, ", "))
	}
	fmt.Fprintln(c.app.out)
}

// The objects of --json (docs/json.md).
type (
	differenceJSON struct {
		Type     string            `json:"type"` // "difference"
		Test     string            `json:"test"`
		File     string            `json:"file"`
		Outcomes map[string]string `json:"outcomes"` // by model
		States   map[string]int    `json:"states"`   // how many, by model
	}

	comparedJSON struct {
		Type   string         `json:"type"` // "totals"
		Tests  int            `json:"tests"`
		Differ int            `json:"differ"`
		Only   map[string]int `json:"only"` // by model, the tests whose outcome it alone allows
	}
)

func (c *comparison) differenceJSON(t compared) differenceJSON {
	d := differenceJSON{
		Type: "difference", Test: t.test.Name.Text, File: t.test.File.Name,
		Outcomes: map[string]string{}, States: map[string]int{},
	}
	for i, r := range t.results {
		d.Outcomes[c.names[i]] = r.Outcome().String()
		d.States[c.names[i]] = len(r.States)
	}
	return d
}

func (c *comparison) totalsJSON() comparedJSON {
	totals := comparedJSON{Type: "totals", Tests: c.tests, Differ: c.differ, Only: map[string]int{}}
	for i, n := range c.only {
		totals.Only[c.names[i]] = n
	}
	return totals
}
