package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Contrast compares two sets of observations of the same tests, side by side.
type Contrast struct {
	Names  [2]string
	Tests  int // tests for which both sides have runs that count
	Pairs  []*Pair
	Absent [2][]Absent // by side: the tests for which only the other side has such runs
	Ways   []Otherwise // differences in how the runs of Tests were made
}

// Pair is how often each side has seen an outcome: a final state, or all that the condition asks
// for, as tables count it.
type Pair struct {
	Test, Hash string
	State      litmus.Outcome
	Condition  string // instead of a state
	AskedFor   bool   // by the condition, if the test is known
	Sides      [2]Rate
}

// Rate is how often an outcome was seen, and a confidence interval of its rate
// (observe.Confidence).
type Rate struct {
	Seen, Runs int64
	Low, High  float64
	Launches   observe.Launches // unknown for a condition: one launch may show several of its states
}

// Absent is a test for which a side has no run that counts, and why.
type Absent struct{ Test, Why string }

// Verdict is the relation between the two rates of an outcome.
type Verdict string

// The verdicts.
const (
	Alike     Verdict = "alike"      // no difference is known
	RatesPart Verdict = "rates part" // both have seen it, at rates whose intervals are disjoint
	Alone     Verdict = "alone"      // one has seen it, at a rate at which the other would have
	TooFew    Verdict = "too few"    // one has seen it; the other has too few runs to tell
)

// Verdict compares the intervals of the rates.
func (p *Pair) Verdict() Verdict {
	a, b := p.Sides[0], p.Sides[1]
	apart := a.High < b.Low || b.High < a.Low
	switch once := (a.Seen == 0) != (b.Seen == 0); {
	case once && apart:
		return Alone
	case once:
		return TooFew
	case apart:
		return RatesPart
	}
	return Alike
}

// String returns the state as logs write it, or the condition.
func (p *Pair) String() string {
	if p.Condition != "" {
		return p.Condition
	}
	return p.State.String()
}

// Count returns the number of outcomes with a verdict.
func (c *Contrast) Count(v Verdict) (n int) {
	for _, p := range c.Pairs {
		if p.Verdict() == v {
			n++
		}
	}
	return n
}

// about is what one side's observations say of a test.
type about struct {
	key, name string
	test      *KnownTest // nil if it is not known
	shown     []*observe.Shown
	at        src.Span

	runs, asked, askedRuns int64
	states                 map[string]litmus.Outcome
	launched               observe.Launched
	came                   map[string]int64 // number of launches with each state
}

// Contrast compares observations test by test. A test without content in the observations is
// identified by its name. Invalid observations are reported and left out.
func (k *Known) Contrast(sides [2]*observe.Ledger, report func(error)) *Contrast {
	c := &Contrast{}
	first, second := k.about(sides[0]), k.about(sides[1])
	theirs := map[string]*about{}
	for _, b := range second {
		theirs[b.key] = b
	}
	ways := [2]made{{}, {}}
	for _, a := range first {
		b := theirs[a.key]
		delete(theirs, a.key)
		if !c.absent(1, a, b) && !c.absent(0, b, a) && a.counts() {
			if err := c.add(a, b); err != nil {
				report(err)
				continue
			}
			c.Tests++
			ways[0].add(a)
			ways[1].add(b)
		}
	}
	for _, b := range second {
		if theirs[b.key] != nil {
			c.absent(0, b, nil)
		}
	}
	c.Ways = otherwise(ways[0], ways[1])
	return c
}

// absent records that one side has no run that counts of a test although the other has. It reports
// whether that is so.
func (c *Contrast) absent(side int, there, here *about) bool {
	if !there.counts() || here.counts() {
		return false
	}
	c.Absent[side] = append(c.Absent[side], Absent{there.name, here.nothing()})
	return true
}

// about sums up one side by test, in the order in which tests first appear.
func (k *Known) about(l *observe.Ledger) (all []*about) {
	index := map[string]*about{}
	for _, tested := range l.Tests {
		key := cmp.Or(tested.Hash, tested.Name)
		test, err := k.find(tested)
		if err == nil {
			key = test.hash
		}
		a := index[key]
		if a == nil {
			a = &about{
				key:    key,
				name:   tested.Name,
				test:   test,
				at:     tested.At,
				states: map[string]litmus.Outcome{},
				came:   map[string]int64{},
			}
			index[key] = a
			all = append(all, a)
		}
		for _, s := range tested.Shown {
			a.add(s)
		}
	}
	return all
}

func (a *about) add(s *observe.Shown) {
	a.shown = append(a.shown, s)
	a.runs += s.Instances
	a.asked += s.Asked
	a.askedRuns += s.AskedInstances
	a.launched.Add(s.Launched)
	for i, o := range s.Histogram {
		key := o.String()
		o.Count += a.states[key].Count
		a.states[key] = o
		a.came[key] += s.Came[i]
	}
}

// counts reports whether any run counts.
func (a *about) counts() bool { return a != nil && a.runs+a.askedRuns > 0 }

// nothing says why no run counts, or returns "" if there are no runs.
func (a *about) nothing() string {
	if a == nil {
		return ""
	}
	void := ""
	for _, s := range a.shown {
		for why := range s.Void {
			void = cmp.Or(void, "void: "+why)
		}
	}
	return cmp.Or(void, "the runs came to no end")
}

// add adds a test of both sides.
func (c *Contrast) add(a, b *about) error {
	test, err := cmp.Or(a.test, b.test).load()
	if err != nil {
		return err
	}
	asked := false
	if a.runs > 0 && b.runs > 0 {
		if asked, err = c.addStates(test, a, b); err != nil {
			return err
		}
	}
	if a.askedRuns+b.askedRuns > 0 || test != nil && !asked {
		return c.addCondition(test, a, b)
	}
	return nil
}

// addCondition adds the outcomes that the condition asks for, taken together: tables count nothing
// else, and an outcome that was never seen has no state.
func (c *Contrast) addCondition(test *sim.Test, a, b *about) error {
	p := &Pair{Test: a.name, Condition: "what the condition asks for", AskedFor: true}
	for i, side := range []*about{a, b} {
		if side.runs > 0 && test == nil {
			return src.Errorf(side.at,
				"the test %s is not known, and so the states that the table of the other side counts are not",
				side.name)
		}
		seen := side.asked
		for _, o := range side.states {
			if AskedFor(test, o) {
				seen += o.Count
			}
		}
		p.Sides[i] = rate(seen, side.askedRuns+side.runs)
	}
	if test != nil {
		p.Hash, p.Condition = test.Hash(), test.Cond.String()
	}
	c.Pairs = append(c.Pairs, p)
	return nil
}

// load reads the test, or returns nil for a nil KnownTest.
func (t *KnownTest) load() (*sim.Test, error) {
	if t == nil {
		return nil, nil
	}
	return sim.Load(t.File, sim.Defaults())
}

// addStates adds the final states that either side has seen. It reports whether the condition asks
// for any of them.
func (c *Contrast) addStates(test *sim.Test, a, b *about) (asked bool, err error) {
	var states []litmus.Outcome
	for _, side := range []*about{a, b} {
		for key, o := range side.states {
			if _, both := a.states[key]; side == a || !both {
				states = append(states, o)
			}
		}
	}
	slices.SortFunc(states, litmus.Outcome.Compare)
	names := observables(test, states[0])
	for _, o := range states {
		if !slices.EqualFunc(o.Values, names, func(v litmus.Binding, name string) bool { return v.Name == name }) {
			return false,
				src.Errorf(a.at, "%s: the state %s does not show %s, as the others do", a.name, o,
					strings.Join(names, ", ")).
					WithHint("what both sides have of the test is left out")
		}
		p := &Pair{Test: a.name, State: o}
		if test != nil {
			p.Hash, p.AskedFor = test.Hash(), AskedFor(test, o)
			asked = asked || p.AskedFor
		}
		key := o.String()
		p.Sides = [2]Rate{a.rate(key), b.rate(key)}
		c.Pairs = append(c.Pairs, p)
	}
	return asked, nil
}

// observables returns the names of the values that the states of a test show; for an unknown test,
// those of the given state.
func observables(test *sim.Test, or litmus.Outcome) (names []string) {
	if test != nil {
		return litmus.Names(test.Observables())
	}
	for _, v := range or.Values {
		names = append(names, v.Name)
	}
	return names
}

func rate(seen, runs int64) Rate {
	low, high := observe.Interval(seen, runs, observe.Confidence)
	return Rate{Seen: seen, Runs: runs, Low: low, High: high}
}

// rate returns the rate of a state.
func (a *about) rate(key string) Rate {
	r := rate(a.states[key].Count, a.runs)
	r.Launches = a.launched.Seen(a.came[key])
	return r
}

// Contrast reads both sets of files and compares them. tests are the tests that observations may be
// of. Errors are reported, and the rest is compared.
func (o *Observed) Contrast(
	ctx context.Context, workers int, tests iter.Seq[corpus.Test], report func(error),
) (*Contrast, error) {
	if slices.Contains(o.Files, "-") && slices.Contains(o.Against, "-") {
		return nil, errors.New("standard input holds one side, not both")
	}
	known, err := ReadAll(ctx, workers, tests, report)
	if err != nil {
		return nil, err
	}
	var sides [2]*observe.Ledger
	for i, files := range [][]string{o.Files, o.Against} {
		if sides[i], err = (&Observed{Files: files, Anonymous: o.Anonymous, Stdin: o.Stdin}).Ledger(nil,
			report); err != nil {
			return nil, err
		}
		if o.Only {
			if err := known.Of(sides[i]); err != nil {
				return nil, err
			}
		}
	}
	c := known.Contrast(sides, report)
	c.Names = [2]string{strings.Join(o.Files, ", "), strings.Join(o.Against, ", ")}
	if c.Tests == 0 {
		return nil,
			fmt.Errorf("%s and %s have no test in common for which both have runs that count", c.Names[0], c.Names[1])
	}
	return c, nil
}
