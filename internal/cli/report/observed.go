package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/store/observedreport"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/observe"
)

// Observed prints the tables of observations compared with models.
func (t *Text) Observed(r *observedreport.Report) {
	for _, m := range r.Models {
		n := 0
		for _, test := range r.Tests {
			if test.Model == m {
				n++
			}
		}
		t.printf("%s under %s: %s\n", Count(n, "test"), m.Name, m.Title)
	}
	if len(r.Tests) == 0 {
		t.printf("Nothing was observed of any test\n")
		return
	}
	t.devices(r)
	t.unsound(r)
	t.voids(r)
	t.families(r)
	t.statements(r)
}

func (t *Text) devices(r *observedreport.Report) {
	table := [][]string{
		{"", "vendor", "tests", "runs", "instances", "outcomes", "sound", "outside", "unknown", "UNSOUND", "void runs"},
	}
	unchecked, notRun := 0, 0
	for _, d := range r.Devices {
		row := []string{d.Label, cmp.Or(d.Vendor, "unknown")}
		for _, n := range []any{
			d.Tests, d.Runs, d.Instances, d.Outcomes, d.Standings[observe.Sound], d.Standings[observe.Outside],
			d.Standings[observe.Unknown], d.Standings[observe.Unsound], d.Void,
		} {
			row = append(row, fmt.Sprint(n))
		}
		table = append(table, row)
		unchecked += d.Unchecked
		notRun += d.NotRun
	}
	t.printf("\nOutcomes seen, by device\n\n")
	t.table(table)
	if unchecked > 0 {
		t.printf("\nThe machine code was not checked in %s\n", Count(unchecked, "run"))
	}
	if notRun > 0 {
		t.printf("\nNot made, or without an end: %s\n", Count(notRun, "run"))
	}
}

func (t *Text) unsound(r *observedreport.Report) {
	for _, out := range r.Unsound() {
		var seen []string
		for _, s := range out.Sightings(r.Devices) {
			seen = append(seen,
				fmt.Sprintf("%d of %d%s on %s", s.Count, s.Instances, launches(s.Launches), s.Device.Label))
		}
		t.printf("\n%s %s: %s is forbidden by %s, but was seen: %s\n", t.Alarm("UNSOUND"),
			out.Test.Name, out, out.Test.Model.Name, strings.Join(seen, ", "))
		if out.Explanation == nil {
			continue
		}
		if len(out.Explanation.Outcomes) == 0 && out.Explanation.Incomplete() == "" {
			t.printf("    no candidate execution ends so, whatever the model\n")
		}
		for i := range out.Explanation.Outcomes {
			t.reasons(out.Explanation.Test, &out.Explanation.Outcomes[i], nil)
		}
	}
}

// launches says in how many launches an outcome was seen, if that is known.
func launches(l observe.Launches) string {
	switch l.Of {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (in %d of 1 launch)", l.Seen)
	}
	return fmt.Sprintf(" (in %d of %d launches)", l.Seen, l.Of)
}

// voids prints the runs that do not count, grouped by the reason.
func (t *Text) voids(r *observedreport.Report) {
	runs, tests := map[string]int{}, map[string][]string{}
	var whys []string
	for _, v := range r.Voids {
		if runs[v.Why] == 0 {
			whys = append(whys, v.Why)
		}
		runs[v.Why] += v.Runs
		if !slices.Contains(tests[v.Why], v.Test.Name) {
			tests[v.Why] = append(tests[v.Why], v.Test.Name)
		}
	}
	if len(whys) > 0 {
		t.printf("\nVoid, because the machine code is not the test\n\n")
	}
	for _, why := range whys {
		because := ""
		if why != "" {
			because = why + ": "
		}
		t.printf(" %s%s of %s\n", because, Count(runs[why], "run"), corpus.SomeOf(tests[why]))
	}
}

// families prints the outcomes that were never seen: those that the models allow, and those that
// conditions ask for and the models forbid.
func (t *Text) families(r *observedreport.Report) {
	table := [][]string{
		{"family", "", "tests", "allowed", "not seen", "of those asked for", "fewest instances", "rate below"},
	}
	for _, f := range r.Families() {
		if len(f.Unseen) > 0 {
			table = append(table, []string{
				f.Name, "", fmt.Sprint(len(f.Members)), fmt.Sprint(f.Allowed), fmt.Sprint(len(f.Unseen)),
				fmt.Sprintf("%d of %d", f.Asked-f.AskedSeen, f.Asked), fmt.Sprint(f.Runs), fmt.Sprintf("%.2g", f.Upper),
			})
		}
	}
	t.bounds("allows", table)
	table = [][]string{{"family", "", "tests", "not seen", "fewest instances", "rate below"}}
	for _, f := range r.Families() {
		if n := len(f.Refused); n > 0 {
			look := f.RefusedLooked
			table = append(table,
				[]string{
					f.Name, "", fmt.Sprint(len(f.Members)), fmt.Sprint(n), fmt.Sprint(look.Runs),
					fmt.Sprintf("%.2g", look.Upper),
				})
		}
	}
	t.bounds("forbids", table)
}

// bounds prints a table of outcomes that were not seen, if it has rows.
func (t *Text) bounds(says string, table [][]string) {
	if len(table) == 1 {
		return
	}
	t.printf("\nOutcomes that the model %s and no chip has shown, with the upper bound of the rate (%g%%)\n\n",
		says, 100*observe.Confidence)
	t.table(table)
}

// statements says for each model whether it is sound for the observations.
func (t *Text) statements(r *observedreport.Report) {
	t.printf("\n")
	for _, m := range r.Models {
		n := r.Tally(m)
		seen := n[observe.Sound] + n[observe.Unknown] + n[observe.Unsound]
		switch {
		case n[observe.Unsound] > 0:
			t.printf("%s  %s forbids %s of %d that were seen\n", t.Alarm("UNSOUND"), m.Name,
				Count(n[observe.Unsound], "outcome"), seen)
		case n[observe.Unknown] > 0:
			t.printf("Unknown  a limit left open what %s says of %s of %d that were seen\n", m.Name,
				Count(n[observe.Unknown], "outcome"), seen)
		case seen == 0:
			t.printf("%s covers nothing that was seen\n", m.Name)
		default:
			t.printf("Sound    %s allows what was seen, where it covers it: %s\n", m.Name, Count(seen, "outcome"))
		}
	}
}
