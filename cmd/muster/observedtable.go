package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/observe"
)

// print prints the tables of check --observations.
func (o *observing) print() {
	for _, m := range o.report.Models {
		n := 0
		for _, t := range o.report.Tests {
			if t.Model == m {
				n++
			}
		}
		fmt.Fprintf(o.app.out, "%s under %s: %s\n", count(n, "test"), m.Name, m.Title)
	}
	if len(o.report.Tests) == 0 {
		fmt.Fprintln(o.app.out, "Nothing was observed of any test")
		return
	}
	o.printDevices()
	o.printUnsound()
	o.printVoids()
	o.printFamilies()
	o.printStatement()
}

func (o *observing) printDevices() {
	table := [][]string{{"", "vendor", "tests", "runs", "instances", "outcomes", "sound", "outside", "unknown", "UNSOUND", "void runs"}}
	unchecked := 0
	for _, d := range o.report.Devices {
		vendor := d.Vendor
		if vendor == "" {
			vendor = "unknown"
		}
		row := []string{d.Label, vendor}
		for _, n := range []any{
			d.Tests, d.Runs, d.Instances, d.Outcomes, d.Standings[observe.Sound], d.Standings[observe.Outside],
			d.Standings[observe.Unknown], d.Standings[observe.Unsound], d.Void,
		} {
			row = append(row, fmt.Sprint(n))
		}
		table = append(table, row)
		unchecked += d.Unchecked
	}
	fmt.Fprint(o.app.out, "\nOutcomes seen, by device\n\n")
	o.app.printAligned(table)
	if unchecked > 0 {
		fmt.Fprintf(o.app.out, "\nNobody checked the machine code of %s\n", count(unchecked, "run"))
	}
}

func (o *observing) printUnsound() {
	for _, out := range o.report.Unsound() {
		var seen []string
		for _, s := range out.Sightings(o.report.Devices) {
			seen = append(seen, fmt.Sprintf("%d of %d on %s", s.Count, s.Instances, s.Device.Label))
		}
		fmt.Fprintf(o.app.out, "\n%s %s: %s is forbidden by %s, but was seen: %s\n", o.app.alarm("UNSOUND"),
			out.Test.Name, out, out.Test.Model.Name, strings.Join(seen, ", "))
		if out.Explanation == nil {
			continue
		}
		if len(out.Explanation.Outcomes) == 0 && out.Explanation.Incomplete() == "" {
			fmt.Fprintln(o.app.out, "    no candidate execution ends so, whatever the model")
		}
		for i := range out.Explanation.Outcomes {
			o.app.printReasons(&out.Explanation.Outcomes[i], nil)
		}
	}
}

// printVoids prints the runs that do not count, by why.
func (o *observing) printVoids() {
	runs, tests := map[string]int{}, map[string][]string{}
	var whys []string
	for _, v := range o.report.Voids {
		if runs[v.Why] == 0 {
			whys = append(whys, v.Why)
		}
		runs[v.Why] += v.Runs
		if !slices.Contains(tests[v.Why], v.Test.Name) {
			tests[v.Why] = append(tests[v.Why], v.Test.Name)
		}
	}
	if len(whys) > 0 {
		fmt.Fprint(o.app.out, "\nVoid, because the machine code is not the test\n\n")
	}
	for _, why := range whys {
		because := ""
		if why != "" {
			because = why + ": "
		}
		fmt.Fprintf(o.app.out, " %s%s of %s\n", because, count(runs[why], "run"), corpus.SomeOf(tests[why]))
	}
}

// printFamilies prints what the model allows and nobody has seen.
func (o *observing) printFamilies() {
	table := [][]string{{"family", "", "tests", "allowed", "not seen", "of those asked for", "fewest instances", "rate below"}}
	for _, f := range o.report.Families() {
		if len(f.Unseen) > 0 {
			table = append(table, familyRow(f))
		}
	}
	if len(table) == 1 {
		return
	}
	fmt.Fprintf(o.app.out, "\nOutcomes that the model allows and no chip has shown, with the upper bound of the rate (%g%%)\n\n", 100*observe.Confidence)
	o.app.printAligned(table)
}

func familyRow(f *report.Family) []string {
	return []string{
		f.Name, "", fmt.Sprint(len(f.Members)), fmt.Sprint(f.Allowed), fmt.Sprint(len(f.Unseen)),
		fmt.Sprintf("%d of %d", f.Asked-f.AskedSeen, f.Asked), fmt.Sprint(f.Runs), fmt.Sprintf("%.2g", f.Upper),
	}
}

// printStatement says whether the models are sound for what was seen.
func (o *observing) printStatement() {
	fmt.Fprintln(o.app.out)
	for _, m := range o.report.Models {
		n := o.report.Tally(m)
		seen := n[observe.Sound] + n[observe.Unknown] + n[observe.Unsound]
		switch {
		case n[observe.Unsound] > 0:
			fmt.Fprintf(o.app.out, "%s  %s forbids %s of %d that were seen\n", o.app.alarm("UNSOUND"), m.Name, count(n[observe.Unsound], "outcome"), seen)
		case n[observe.Unknown] > 0:
			fmt.Fprintf(o.app.out, "Unknown  a limit left open what %s says of %s of %d that were seen\n", m.Name, count(n[observe.Unknown], "outcome"), seen)
		case seen == 0:
			fmt.Fprintf(o.app.out, "%s covers nothing that was seen\n", m.Name)
		default:
			fmt.Fprintf(o.app.out, "Sound    %s allows what was seen, where it covers it: %s\n", m.Name, count(seen, "outcome"))
		}
	}
}
