package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/wire"
)

// contrasts are the tables of a contrast, one for each verdict.
var contrasts = []struct {
	of    check.Verdict
	asked bool // only outcomes that conditions ask for
	title string
}{
	{check.Alone, false, "Seen in one alone, although the other has runs enough"},
	{check.TooFew, false, "Seen in one; the other has too few runs to tell"},
	{check.RatesPart, false, "Seen in both, at rates that differ"},
	{check.Alike, true, "Alike, of what conditions ask for"},
}

// mostValues bounds how many values of a setting are listed: searches draw very many.
const mostValues = 5

// Contrast prints two sets of observations side by side.
func (t *Text) Contrast(c *check.Contrast) {
	names := c.Names
	t.printf("%s in both of %s and %s\n", Count(c.Tests, "test"), names[0], names[1])
	for side, absent := range c.Absent {
		t.absent(names[side], absent)
	}
	table := [][]string{{"", "", names[0], names[1]}}
	for _, o := range c.Ways {
		row := []string{o.What, ""}
		for _, values := range o.Sides {
			more := ""
			if len(values) > mostValues {
				values, more = values[:mostValues], ", …"
			}
			row = append(row, cmp.Or(strings.Join(values, ", "), "not said")+more)
		}
		table = append(table, row)
	}
	t.titled("How the runs differ", table)
	for _, kind := range contrasts {
		table := [][]string{{"", "", names[0], names[1]}}
		for _, p := range c.Pairs {
			if p.Verdict() == kind.of && (p.AskedFor || !kind.asked) {
				asked := map[bool]string{true: " (asked for)"}[p.AskedFor && p.Condition == "" && !kind.asked]
				table = append(table, []string{p.Test, p.String() + asked, rateText(p.Sides[0]), rateText(p.Sides[1])})
			}
		}
		t.titled(fmt.Sprintf("%s (rates with their intervals of %g%%)", kind.title, 100*observe.Confidence), table)
	}
	t.printf("\n%s in one alone, %d in one with too few runs in the other, %d at rates that differ, %d alike\n",
		Count(c.Count(check.Alone), "outcome"), c.Count(check.TooFew), c.Count(check.RatesPart), c.Count(check.Alike))
}

// absent prints the tests for which one side has no run that counts.
func (t *Text) absent(name string, absent []check.Absent) {
	if len(absent) == 0 {
		return
	}
	t.printf("%s not in %s:", Count(len(absent), "test"), name)
	for i, a := range absent {
		if i == mostValues {
			t.printf(" …")
			break
		}
		why := ""
		if a.Why != "" {
			why = fmt.Sprintf(" (%s)", a.Why)
		}
		t.printf(" %s%s", a.Test, why)
	}
	t.printf("\n")
}

// titled prints a table with a title, if it has rows below its head.
func (t *Text) titled(title string, table [][]string) {
	if len(table) > 1 {
		t.printf("\n%s\n\n", title)
		t.table(table)
	}
}

// rateText formats a rate with its confidence interval, or the upper bound of a rate of 0.
func rateText(r check.Rate) string {
	if r.Seen == 0 {
		return fmt.Sprintf("never in %d: below %.2g", r.Runs, r.High)
	}
	return fmt.Sprintf("%d of %d%s: %.2g (%.2g–%.2g)", r.Seen, r.Runs, launches(r.Launches),
		float64(r.Seen)/float64(r.Runs), r.Low, r.High)
}

// ContrastJSON prints the objects of check --observations --against.
func ContrastJSON(c *check.Contrast, print func(any)) {
	for _, p := range c.Pairs {
		j := wire.Contrasted{
			Type:         "contrast",
			Test:         p.Test,
			Hash:         p.Hash,
			Condition:    p.Condition,
			AskedFor:     p.AskedFor,
			Verdict:      string(p.Verdict()),
			Observations: rateJSON(p.Sides[0]), Against: rateJSON(p.Sides[1]),
		}
		if p.Condition == "" {
			j.Values = observe.NewBar(p.State).State
		}
		print(j)
	}
	for side, absent := range c.Absent {
		for _, a := range absent {
			print(wire.Absent{
				Type: "absent",
				Test: a.Test,
				From: [...]string{"observations", "against"}[side],
				Why:  a.Why,
			})
		}
	}
	for _, o := range c.Ways {
		print(wire.Otherwise{Type: "otherwise", What: o.What, Observations: o.Sides[0], Against: o.Sides[1]})
	}
	print(wire.ContrastTotals{
		Type: "totals", Tests: c.Tests, Alone: c.Count(check.Alone), TooFew: c.Count(check.TooFew),
		RatesPart: c.Count(check.RatesPart), Alike: c.Count(check.Alike),
	})
}

func rateJSON(r check.Rate) wire.Rate {
	return wire.Rate{Seen: r.Seen, Instances: r.Runs, Lower: r.Low, Upper: r.High, Launches: launchesJSON(r.Launches)}
}
