package main

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/viz"
)

// observing is the check verb with --observations, or with --report alone.
type observing struct {
	*simulation
	files          []string
	device, vendor string // of runs that do not say
	graphs         string // the folder for pictures; "" for none
	page           string // the file for the page; "" for none

	ledger *observe.Ledger
	report *report.Report
}

func (o *observing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.files, "observations", nil, "set what this `FILE` says was seen against the model (repeatable)")
	f.StringVar(&o.device, "device", "", "with --observations: the `NAME` of the device that logs are of (default \"unknown\")")
	f.StringVar(&o.vendor, "vendor", "", "with --observations: the `NAME` of its vendor")
	f.StringVar(&o.graphs, "graph", "", "with --observations: draw, into this `FOLDER`, an execution for each outcome that is UNSOUND")
	f.StringVar(&o.page, "report", "", "write a page of HTML about the observations to this `FILE`; without --observations, about the counts that lie beside the tests")
}

// args allows as many arguments as the form of the verb takes.
func (o *observing) args(cmd *cobra.Command, args []string) error {
	if len(o.files) > 0 {
		return nil
	}
	return cobra.MaximumNArgs(1)(cmd, args)
}

// wanted reports that the verb is about observations.
func (o *observing) wanted() bool { return len(o.files) > 0 || o.page != "" }

// check validates the flags, and says how to simulate.
func (o *observing) check() error {
	if len(o.files) == 0 && o.device+o.vendor+o.graphs != "" {
		return fmt.Errorf("--device, --vendor and --graph go with --observations FILE")
	}
	o.states = o.wanted()
	return nil
}

func (o *observing) run(ctx context.Context, args []string) error {
	if slices.Contains(o.files, "-") && slices.Contains(args, "-") {
		return fmt.Errorf("standard input holds tests or observations, not both")
	}
	if o.graphs != "" {
		if err := os.MkdirAll(o.graphs, 0o777); err != nil {
			return err
		}
	}
	tests := slices.Values(corpus.Shipped().Tests())
	if len(args) > 0 {
		tests = o.app.finder().Tests(args...)
	}
	if err := o.read(args); err != nil {
		return err
	}
	known, err := o.known(ctx, tests)
	if err != nil {
		return err
	}
	if err := o.simulateAll(ctx, o.pair(known)); err != nil {
		return err
	}
	if err := o.explainUnsound(ctx); err != nil {
		return err
	}
	if o.json {
		o.report.JSON(o.app.printJSON)
	} else {
		o.print()
	}
	if o.page == "" {
		return nil
	}
	return o.writePage(ctx)
}

// read takes in the observations: of the files, or else those beside the tests. What cannot be
// read is reported; the rest goes on.
func (o *observing) read(args []string) error {
	o.ledger = observe.NewLedger()
	o.ledger.Anonymous = observe.Device{Name: "unknown", Vendor: o.vendor}
	if o.device != "" {
		o.ledger.Anonymous.Name = o.device
	}
	for _, name := range o.files {
		if err := o.readFile(name); err != nil {
			o.app.fail(err)
		}
	}
	o.ledger.Describe(corpus.ShippedTables().Devices)
	if len(o.files) > 0 {
		return nil
	}
	return o.readCounts(args)
}

// readCounts takes in the counts that lie beside the tests: the shipped ones, or those of a
// folder.
func (o *observing) readCounts(args []string) error {
	tests, where := corpus.Shipped(), ""
	if len(args) > 0 {
		where = args[0]
		tests = corpus.Read(os.DirFS(where), where, o.app.fail)
		o.ledger.Describe(tests.Tables(o.app.fail).Devices)
	}
	files := tests.Counts()
	if len(files) == 0 {
		return fmt.Errorf("%s: no counts lie beside these tests: --observations FILE says what was seen", where)
	}
	for _, name := range files {
		f, err := tests.Open(name)
		if err == nil {
			err = o.ledger.Read(f.Name, strings.NewReader(f.Text))
		}
		if err != nil {
			o.app.fail(err)
		}
	}
	return nil
}

func (o *observing) readFile(name string) error {
	if name == "-" {
		return o.ledger.Read(name, o.app.in)
	}
	f, err := os.Open(name)
	if err != nil {
		return corpus.Placed(name, err)
	}
	defer f.Close()
	return o.ledger.Read(name, f)
}

// knownTest is a test that observations may be of.
type knownTest struct {
	file       *src.File
	name, hash string
}

// knownTests finds tests.
type knownTests struct {
	byHash, byName map[string][]*knownTest
}

// known reads the tests that are given.
func (o *observing) known(ctx context.Context, tests iter.Seq[corpus.Test]) (*knownTests, error) {
	known := &knownTests{map[string][]*knownTest{}, map[string][]*knownTest{}}
	type read struct {
		*knownTest
		err error
	}
	work := func(in corpus.Test) read {
		f, err := in.Open()
		if err != nil {
			return read{err: err}
		}
		t, err := parseKnown(f)
		return read{t, err}
	}
	return known, batch.Each(ctx, o.workers, tests, work, func(r read) {
		if r.err != nil {
			o.app.report(r.err)
			return
		}
		known.byHash[r.hash] = append(known.byHash[r.hash], r.knownTest)
		known.byName[r.name] = append(known.byName[r.name], r.knownTest)
	})
}

func parseKnown(f *src.File) (*knownTest, error) {
	t, err := frontends.Parse(f)
	if err != nil {
		return nil, err
	}
	return &knownTest{f, t.Name.Text, t.Hash()}, nil
}

// pairing is a test and what was observed of it.
type pairing struct {
	test   *knownTest
	tested []*observe.Tested
}

// pair finds the tests of the observations: by content among those given; else in the
// record; else by name.
func (o *observing) pair(known *knownTests) []*pairing {
	var pairs []*pairing
	index := map[*knownTest]*pairing{}
	var otherHash []string
	for _, tested := range o.ledger.Tests {
		t, err := known.find(tested)
		if err != nil {
			o.app.fail(err)
			continue
		}
		if tested.Hash != "" && t.hash != tested.Hash {
			otherHash = append(otherHash, tested.Name)
		}
		if index[t] == nil {
			index[t] = &pairing{test: t}
			pairs = append(pairs, index[t])
		}
		index[t].tested = append(index[t].tested, tested)
	}
	if len(otherHash) > 0 {
		fmt.Fprintf(o.app.err, "warning: %s taken by name although the hash is another: %s\n", count(len(otherHash), "test"), corpus.SomeOf(otherHash))
	}
	return pairs
}

func (k *knownTests) find(tested *observe.Tested) (*knownTest, error) {
	if same := k.byHash[tested.Hash]; len(same) > 0 {
		i := slices.IndexFunc(same, func(t *knownTest) bool { return t.name == tested.Name })
		return same[max(i, 0)], nil
	}
	at := fmt.Sprintf("%s:%d", tested.At.File.Name, tested.At.Pos().Line)
	if tested.Text != "" {
		return parseKnown(src.NewFile(fmt.Sprintf("%s (%s)", at, tested.Name), tested.Text))
	}
	switch same := k.byName[tested.Name]; len(same) {
	case 0:
		return nil, fmt.Errorf("%s: no test %s is given, and the record does not hold it", at, tested.Name)
	case 1:
		return same[0], nil
	default:
		return nil, fmt.Errorf("%s: %s and %s are both called %s", at, same[0].file.Name, same[1].file.Name, tested.Name)
	}
}

// simulateAll asks the models about the tests, and sets what was seen against the answers.
func (o *observing) simulateAll(ctx context.Context, pairs []*pairing) error {
	o.report = report.New(o.ledger.Devices)
	bar := o.app.progress("simulating", len(pairs))
	defer bar.done()
	inputs := func(yield func(corpus.Test) bool) {
		for _, p := range pairs {
			if !yield(corpus.TestIn(p.test.file)) {
				return
			}
		}
	}
	next := 0
	return batch.Each(ctx, o.workers, inputs, func(in corpus.Test) answer { return o.simulate(ctx, in) }, func(ans answer) {
		bar.step()
		tested := pairs[next].tested
		next++
		if ans.err != nil {
			o.app.report(ans.err)
			return
		}
		if why := ans.result.Incomplete(); why != "" {
			o.app.status(exitLimit)
			fmt.Fprintf(o.app.err, "%s: incomplete: %s\n", ans.result.Test.Name.Text, why)
		}
		if err := o.report.Add(ans.model, ans.result, tested); err != nil {
			o.app.fail(err)
		}
	})
}

// explainUnsound finds out why the model forbids what was seen.
func (o *observing) explainUnsound(ctx context.Context) error {
	unsound := o.report.Unsound()
	if len(unsound) > 0 {
		o.app.status(exitContradicted)
	}
	bar := o.app.progress("explaining", len(unsound))
	defer bar.done()
	inputs := func(yield func(corpus.Test) bool) {
		for _, out := range unsound {
			if !yield(corpus.TestBy(out.Question)) {
				return
			}
		}
	}
	next := 0
	drawn := map[string]int{}
	return batch.Each(ctx, o.workers, inputs, func(in corpus.Test) explained { return o.explainTest(ctx, in) }, func(e explained) {
		bar.step()
		out := unsound[next]
		next++
		if e.err != nil {
			o.app.report(e.err)
			return
		}
		out.Explanation = e.Explanation
		if why := e.Incomplete(); why != "" {
			o.app.status(exitLimit)
			fmt.Fprintf(o.app.err, "%s: the explanation is incomplete: %s\n", out.Test.Name, why)
		}
		if o.graphs == "" && o.page == "" || len(e.Outcomes) == 0 {
			return
		}
		g, err := (&drawing{}).choose(e.Explanation, out.Test.Model)
		if err != nil {
			o.app.fail(err)
			return
		}
		if o.page != "" && next <= maxPictures {
			out.Picture = g
		}
		o.draw(g, out.Test.Name, drawn)
	})
}

// maxPictures bounds the outcomes that have a picture on the page (docs/observations.md): each
// takes some ten kilobytes.
const maxPictures = 200

// draw writes a picture of a test, which may have several.
func (o *observing) draw(g *viz.Graph, test string, drawn map[string]int) {
	if o.graphs == "" {
		return
	}
	drawn[test]++
	name := safeName(test)
	if n := drawn[test]; n > 1 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	if err := writeSVG(g, filepath.Join(o.graphs, name+".svg")); err != nil {
		o.app.fail(err)
	}
}

// exampleCandidates bounds the search for an example: it is there to be looked at, not to
// be waited for.
const exampleCandidates = 100_000

// examples draws, for each family, an execution of the first test whose weak outcome was
// seen, or else of its first test.
func (o *observing) examples(ctx context.Context) (map[string]*report.Example, error) {
	families := o.report.Families()
	quick := *o.simulation
	quick.config.Limits.MaxCandidates = exampleCandidates
	inputs := func(yield func(corpus.Test) bool) {
		for _, f := range families {
			if !yield(corpus.TestIn(exampleOf(f).Source)) {
				return
			}
		}
	}
	all := map[string]*report.Example{}
	next := 0
	return all, batch.Each(ctx, o.workers, inputs, func(in corpus.Test) explained { return quick.explainTest(ctx, in) }, func(e explained) {
		f := families[next]
		next++
		if e.err != nil || e.Limit != nil && !sim.IsBound(e.Limit) || len(e.Outcomes) == 0 {
			return // there is nothing to look at
		}
		t := exampleOf(f)
		if g, err := (&drawing{}).choose(e.Explanation, t.Model); err == nil {
			all[f.Name] = &report.Example{Caption: "An execution of " + t.Name, Picture: g}
		}
	})
}

func exampleOf(f *report.Family) *report.Test {
	i := slices.IndexFunc(f.Members, func(t *report.Test) bool {
		return slices.ContainsFunc(t.Outcomes, func(out *report.Outcome) bool {
			seen, _ := out.Counted()
			return out.AskedFor && seen > 0 && out.Says == sim.Allowed
		})
	})
	return f.Members[max(i, 0)]
}

// writePage writes the report as HTML.
func (o *observing) writePage(ctx context.Context) error {
	examples, err := o.examples(ctx)
	if err != nil {
		return err
	}
	f, err := os.Create(o.page)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	page := &report.Page{Report: o.report, Muster: version(), Examples: examples}
	for _, step := range []func() error{func() error { return page.HTML(w) }, w.Flush, f.Close} {
		if err := step(); err != nil {
			_ = f.Close()
			return err
		}
	}
	return nil
}
