package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/observe"
)

// checking is the check verb.
type checking struct {
	simulation
	corpus  *collection
	checked []*checkedTest // in the order of the corpus
	byName  map[string]*checkedTest
	found   []finding
}

// checkedTest is a test of the corpus and what its model says.
type checkedTest struct {
	report.Judgement
	expected *corpus.Expectation // nil if the corpus expects nothing of this model
}

func (t *checkedTest) name() string { return t.Test.Name.Text }

// asExpected reports that the verdict is the expected one, or that there is none.
func (t *checkedTest) asExpected() bool {
	return t.expected == nil || unmet(*t.expected, t.Result) == ""
}

// finding is a hardware count against the model of its test.
type finding struct {
	observe.Finding
	test *checkedTest
}

func (a *app) checkCommand() *cobra.Command {
	c := &checking{simulation: simulation{app: a}, byName: map[string]*checkedTest{}}
	o := &observing{simulation: &c.simulation}
	cmd := &cobra.Command{
		Use:   "check [DIR|FILE] | check --observations FILE [TEST|DIR…]",
		Short: "Check verdicts and hardware counts against a model",
		Long: `Check simulates every test of a folder (by default the tests that muster ships) and
sets the answers against the tables beside the tests: expected verdicts (expected.csv)
and what hardware was seen to do (observations.csv, devices.csv). A file of many tests, a tar
archive and standard input (-) have no tables beside them: then check counts the outcomes.

A model is sound for a count if it allows the outcome, or if the outcome was not seen.
Tests that the model flags as outside-model, and chips of other vendors than the model
is about, are outside the model: neither sound nor unsound.

With --observations, check sets every final state that was seen against the model, and
lists what the model allows and nobody has seen. A FILE holds records of runs, a log of
litmus7 or a table of counts or devices (- is standard input); its content tells which. A
record is about the TEST of the same content, by default one that muster ships; else the
test that the record itself holds; else the TEST of the same name. --report alone does so with
the counts that lie beside the tests, by default those that muster ships.

Exit status 1 if a verdict is not the expected one, or an outcome was seen that the
model forbids.`,
		Example: `  muster check
  muster check -m sc
  muster check -m mymodel.cat mytests/
  muster check --report counts.html
  muster check --observations h100.jsonl --report h100.html
  muster check --observations mp.log --device "GTX 1080" --vendor Nvidia mytests/`,
		Args: o.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if err := c.simulation.check(); err != nil {
				return err
			}
			if o.wanted() {
				return o.run(cmd.Context(), args)
			}
			if len(args) == 0 {
				c.corpus = collect(corpus.ShippedTables(), corpus.Shipped().Tests())
			} else {
				var err error
				if c.corpus, err = a.openCollection(args[0]); err != nil {
					return err
				}
			}
			return c.run(cmd.Context())
		},
	}
	c.flags(cmd)
	c.engineFlag(cmd)
	cmd.Flags().BoolVar(&c.json, "json", false, "print one JSON object a line for each test, each count and the totals (docs/json.md)")
	o.flags(cmd)
	return cmd
}

func (c *checking) run(ctx context.Context) error {
	work := func(in corpus.Test) answer { return c.simulate(ctx, in) }
	bar := c.app.progress("simulating", c.corpus.total)
	err := batch.Each(ctx, c.workers, c.corpus.tests, work, func(ans answer) {
		bar.step()
		c.add(ans)
	})
	bar.done()
	if err != nil {
		return err
	}
	c.compare()
	if c.json {
		c.printAllJSON()
	} else {
		c.printTables()
	}
	c.settleStatus()
	return nil
}

// add takes in the answer for one test.
func (c *checking) add(ans answer) {
	if ans.err != nil {
		c.app.report(ans.err)
		return
	}
	t := &checkedTest{Judgement: report.Judgement{Result: ans.result, Model: ans.model}}
	if first, twice := c.byName[t.name()]; twice {
		c.app.fail(fmt.Errorf("%s: a test of the name %s is in %s already", t.Test.File.Name, t.name(), first.Test.File.Name))
		return
	}
	if e, ok := c.corpus.Expected(t.name(), t.Model.Name); ok {
		t.expected = &e
	}
	c.checked = append(c.checked, t)
	c.byName[t.name()] = t
}

// compare sets each hardware count against the model.
func (c *checking) compare() {
	for _, r := range c.corpus.Runs {
		t := c.byName[r.Test]
		if t == nil {
			c.app.fail(fmt.Errorf("observations.csv: no test %s in this corpus could be read", r.Test))
			continue
		}
		c.found = append(c.found, finding{t.Compare(r, c.corpus.Device(r.Device)), t})
	}
}

// settleStatus notes what the comparison means for the exit status.
func (c *checking) settleStatus() {
	for _, t := range c.checked {
		if !t.asExpected() {
			c.app.status(exitContradicted)
		}
		if t.Incomplete() != "" {
			c.app.status(exitLimit)
		}
	}
	for _, f := range c.found {
		if f.Standing == observe.Unsound {
			c.app.status(exitContradicted)
		}
	}
}

// tally counts findings by standing.
func (c *checking) tally() map[observe.Standing]int {
	n := map[observe.Standing]int{}
	for _, f := range c.found {
		n[f.Standing]++
	}
	return n
}
