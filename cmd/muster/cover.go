package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/internal/probe"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// covering is the cover verb.
type covering struct {
	simulation
	byStates bool // final states count too
	all      bool // the table has every mutant
	size     int  // of the cycles among which a test is looked for that kills a survivor; 0 for none
	// suggest finds a test that tells a mutant from the model, as a text; "" says that there is
	// none within reach. nil asks for none.
	suggest func(ctx context.Context, mutant *cat.Model) (text string, err error)
	reach   string // how far suggest looks

	*probe.Coverage
}

const coverHelp = `Cover says how many tests depend on each part of a model. It changes the model in one
place after the other, and counts the tests that kill such a mutant, by telling it from the
model: their outcome, their flags, or whether their behaviour is undefined, is another. The
mutants are

  check       without the check
  definition  with the name that the model defines, or chooses, empty
  base name   with the name empty wherever the model uses it; the names that tests derive
              from it, as fr from rf, keep what they have
  operand     without an operand of | & ; or what \ takes away, or without + * ? ^-1
  scope       with the next narrower or wider scope in one place

The table has a row for each check, definition and base name: its place (of a base name,
the first use), how many tests depend on it, and one of them. --all has a row for every
mutant. A row that ends in "no effect" is of something that no verdict can depend on: a
definition that is not used, or a variant that is off.

Behind the table come the mutants that survive, which no test kills: here a test is missing,
or the model says the same twice. With each comes the smallest test that would kill it, found
as muster distinguish finds it among cycles of up to --size edges, if there is one. Those that
are inside another survivor are only counted, unless --all is given.

Without tests, those shipped tests are meant whose header makes MODEL the default, if there
are any (ptx, ptx-asplos15); for other models, and for files, all shipped tests.

A mutant may take very long where the model does not, so --timeout is 2s here. What a mutant
answers too late, or not at all, is unknown: then 2–5 tests are two, and three more that may
depend on the part.

Exit status 1 if some mutant survives; 3 if some answer is unknown.`

func (a *app) coverCommand() *cobra.Command {
	c := &covering{simulation: simulation{app: a}}
	cmd := &cobra.Command{
		Use:   "cover -m MODEL [TEST…]",
		Short: "Say which parts of a model the tests depend on",
		Long:  coverHelp,
		Example: `  muster cover -m ptx-asplos15
  muster cover -m mymodel.cat --all tests/
  muster cover -m mymodel.cat --json | jq 'select(.standing == "survives") | .what'`,
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	c.modelFlag(cmd, "the `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file", 1)
	c.configFlags(cmd)
	c.engineFlag(cmd)
	timeout := f.Lookup("timeout")
	timeout.Usage, timeout.DefValue = "stop a test under a mutant after this `TIME`; 0 for no limit", "2s"
	_ = timeout.Value.Set(timeout.DefValue)
	f.BoolVar(&c.byStates, "states", false, "a test also depends on what changes its final states")
	f.BoolVar(&c.all, "all", false, "list every mutant, in the order of the text")
	f.IntVar(&c.size, "size", 4, "look for a test that kills a survivor among cycles of up to `N` edges; 0 for not")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each mutant and the totals (docs/json.md)")
	return cmd
}

// check validates the flags and makes the mutants.
func (c *covering) check() error {
	c.states = true // how many executions end in a state matters to no one here
	if len(c.refs) == 0 {
		return fmt.Errorf("cover takes a model: -m MODEL")
	}
	if err := c.simulation.check(); err != nil {
		return err
	}
	mutation, err := probe.Mutate(models.Ref(c.refs[0], c.reading))
	if err != nil {
		return err
	}
	c.Coverage = probe.NewCoverage(mutation, c.byStates)
	if c.size > 0 {
		c.suggest, c.reach = c.killer, fmt.Sprintf("from a cycle of up to %d edges", c.size)
	}
	return nil
}

// killer looks for the smallest test whose outcome tells a mutant from the model.
func (c *covering) killer(ctx context.Context, mutant *cat.Model) (text string, err error) {
	d, err := c.telling(nil, gen.Words{}, c.Model.Model, mutant)
	if err != nil {
		return "", err
	}
	d.Enough, d.Either, d.Marks = 1, true, killerMarks
	d.Cycles.Size.Max = c.size
	found, err := d.Run(ctx)
	if err != nil {
		return "", err
	}
	for _, tests := range found.Allowed {
		for _, t := range tests {
			return t.Test.String(), nil
		}
	}
	if found.Unknown > 0 {
		return "", found.Limit
	}
	return "", context.Cause(ctx)
}

// killerMarks is how many marks the cycles of suggested tests have at most.
const killerMarks = 2

// tried is a test under the model and its mutants.
type tried struct {
	trial *probe.Trial // nil if the test is not meant
	err   error
}

func (c *covering) run(ctx context.Context, args []string) error {
	meant := func(*sim.Test) bool { return true }
	if len(args) == 0 {
		meant = c.byDefault()
	}
	tests, total := c.app.finder().CountedOr(args...)
	bar := c.app.progress("running mutants", total*len(c.Mutants))
	work := func(in corpus.Test) tried { return c.try(ctx, in, meant) }
	err := batch.Each(ctx, c.workers, tests, work, func(t tried) {
		for range c.Mutants {
			bar.step()
		}
		c.add(t)
	})
	bar.done()
	if err != nil {
		return err
	}
	c.settleStatus()
	if c.json {
		return c.printAllJSON(ctx)
	}
	c.printTable()
	return c.printSurvivors(ctx)
}

// byDefault tells the shipped tests that are meant when none is named.
func (c *covering) byDefault() func(*sim.Test) bool {
	isDefault := slices.ContainsFunc(frontends.Formats(), func(f *litmus.Format) bool { return f.Model == c.refs[0] })
	return func(t *sim.Test) bool { return !isDefault || t.Format.Model == c.refs[0] }
}

func (c *covering) try(ctx context.Context, in corpus.Test, meant func(*sim.Test) bool) tried {
	t, err := c.load(ctx, in)
	if err != nil || !meant(t) {
		return tried{err: err}
	}
	trial, err := c.Try(ctx, t)
	return tried{trial, err}
}

// add takes in what a test tells.
func (c *covering) add(t tried) {
	switch {
	case t.err != nil:
		c.app.report(t.err)
	case t.trial != nil:
		if why := t.trial.Incomplete; why != "" {
			c.app.status(exitLimit)
			fmt.Fprintf(c.app.err, "%s: incomplete: %s\n", t.trial.Test.Name.Text, why)
		}
		c.Add(t.trial)
	}
}

// settleStatus notes what the mutants mean for the exit status, and tells what is unknown.
func (c *covering) settleStatus() {
	for i, e := range c.Entries {
		if c.Standing(i) == probe.Survives {
			c.app.status(exitContradicted)
		}
		if e.Unknown > 0 {
			c.app.status(exitLimit)
			m := c.Mutants[i]
			said := src.Errorf(m.At, "%s: %s unknown: %s", oneLine(m.What), count(e.Unknown, "answer"), e.Why)
			fmt.Fprintln(c.app.err, said.Header())
		}
	}
}

// tableParts are the parts that have rows without --all.
var tableParts = []probe.Part{probe.Check, probe.Definition, probe.Base}

// printTable prints a row for each part, or for each mutant.
func (c *covering) printTable() {
	rows := [][]string{{"part", "", "place", "tests", "for example"}}
	if c.all {
		for i := range c.Mutants {
			rows = append(rows, c.row(i))
		}
	} else {
		for _, part := range tableParts {
			for i, m := range c.Mutants {
				if m.Part == part {
					rows = append(rows, c.row(i))
				}
			}
		}
	}
	numbers := 0
	for _, row := range rows {
		numbers = max(numbers, utf8.RuneCountInString(row[3]))
	}
	w := tabwriter.NewWriter(c.app.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%*s\t%s\n", row[0], row[1], row[2], numbers, row[3], row[4])
	}
	_ = w.Flush()
	fmt.Fprintf(c.app.out, "\n%s\n", c.totals())
}

// nameWidth is how much of a change or of the text of an unnamed check a row shows.
const nameWidth = 50

// row is a row of the table.
func (c *covering) row(i int) []string {
	m, e := c.Mutants[i], &c.Entries[i]
	example := strings.Join(e.By[:min(len(e.By), 1)], "")
	if m.Same {
		example = "no effect"
	}
	at := m.At.Pos()
	return []string{
		m.Part.String(), shortened(nonEmpty(m.Name, m.What), nameWidth), fmt.Sprintf("%s:%d", m.At.File.Name, at.Line),
		span(e.Killed, e.Killed+e.Unknown), nonEmpty(example, "–"),
	}
}

// span is a number between two.
func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

func shortened(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

// standings are the words for how many mutants stand how.
var standings = []struct {
	probe.Standing
	words string
}{
	{probe.Killed, "killed"}, {probe.Survives, "survive"}, {probe.Open, "unknown"}, {probe.Same, "without effect"},
}

// tally counts the mutants by standing.
func (c *covering) tally() map[probe.Standing]int {
	n := map[probe.Standing]int{}
	for i := range c.Mutants {
		n[c.Standing(i)]++
	}
	return n
}

// totals sums up in a line.
func (c *covering) totals() string {
	var parts []string
	n := c.tally()
	for _, s := range standings {
		if n[s.Standing] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s.Standing], s.words))
		}
	}
	line := fmt.Sprintf("%s of %s, %s: %s", count(len(c.Mutants), "mutant"), c.Model.Name, count(c.Tests, "test"), strings.Join(parts, ", "))
	if c.IllTyped > 0 {
		line += fmt.Sprintf("; %s not well typed", count(c.IllTyped, "change"))
	}
	return line
}

// printSurvivors prints the mutants that no test kills, with what may kill them.
func (c *covering) printSurvivors(ctx context.Context) error {
	for n, s := range c.survivors() {
		if n == 0 {
			fmt.Fprint(c.app.out, "\nNo test kills these:\n")
		}
		hint, err := c.hint(ctx, s)
		if err != nil {
			return err
		}
		m := c.Mutants[s.mutant]
		d := src.Errorf(m.At, "%s", oneLine(m.What))
		d.Hint = strings.ReplaceAll(hint, "\n", "\n    ")
		fmt.Fprintf(c.app.out, "\n%s\n", d)
	}
	return nil
}

// survivor is a mutant that no test is known to kill, and how many others are inside it.
type survivor struct{ mutant, inside int }

// survivors lists those that are to be printed.
func (c *covering) survivors() []survivor {
	var list []survivor
	for i, m := range c.Mutants {
		standing := c.Standing(i)
		if standing != probe.Survives && standing != probe.Open {
			continue
		}
		outer := slices.IndexFunc(list, func(s survivor) bool {
			return c.Mutants[s.mutant].Contains(m)
		})
		if outer < 0 || c.all || standing == probe.Open {
			list = append(list, survivor{mutant: i})
		} else {
			list[outer].inside++
		}
	}
	return list
}

// hint is what else there is to say of a survivor.
func (c *covering) hint(ctx context.Context, s survivor) (string, error) {
	if c.Standing(s.mutant) == probe.Open {
		return "unknown: " + c.Entries[s.mutant].Why, nil
	}
	hint, looked, err := c.suggestion(ctx, c.Mutants[s.mutant])
	if hint == "" && looked {
		hint = "no test " + c.reach + " has another outcome: it may mean the same"
	}
	if s.inside > 0 {
		hint = "and " + count(s.inside, "change") + " inside it\n" + hint
	}
	return strings.TrimSuffix(hint, "\n"), err
}

// suggestion is a test that kills a mutant. looked says that, if there is none, all within reach
// have been looked at. A limit ends the search for this mutant only.
func (c *covering) suggestion(ctx context.Context, m *probe.Mutant) (text string, looked bool, err error) {
	if c.suggest == nil {
		return "", false, nil
	}
	text, err = c.suggest(ctx, m.Model)
	if sim.IsLimit(err) && ctx.Err() == nil {
		c.app.report(err)
		return "", false, nil
	}
	return strings.TrimRight(text, "\n"), err == nil, err
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (c *covering) printAllJSON(ctx context.Context) error {
	for i, m := range c.Mutants {
		e, at := &c.Entries[i], m.At.Pos()
		j := wire.Mutant{
			Type: "mutant", Part: m.Part.String(), Name: m.Name, What: oneLine(m.What),
			File: m.At.File.Name, Line: at.Line, Column: at.Col, Text: oneLine(m.At.Text()),
			Standing: c.Standing(i).String(), Tests: e.Killed, Examples: append([]string{}, e.By...),
			Unknown: e.Unknown, Why: e.Why,
		}
		if c.Standing(i) == probe.Survives {
			var err error
			if j.Suggestion, _, err = c.suggestion(ctx, m); err != nil {
				return err
			}
		}
		c.app.printJSON(j)
	}
	totals := wire.CoverTotals{
		Type: "totals", Model: c.Model.Name, Tests: c.Tests, Mutants: len(c.Mutants), Standings: map[string]int{}, IllTyped: c.IllTyped,
	}
	for s, n := range c.tally() {
		totals.Standings[s.String()] = n
	}
	c.app.printJSON(totals)
	return nil
}
