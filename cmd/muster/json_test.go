package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/wire"
)

// TestJSONIsWire: the types of package wire read everything that --json prints, and print it
// unchanged.
func TestJSONIsWire(t *testing.T) {
	var records []*observe.Record
	for _, r := range simulated(t, some(t, 2)) {
		records = append(records, madeUp(r, chips[0], func(int) int64 { return 3 }))
	}
	observed := writeRecords(t, records)
	one := func(v any) map[string]any { return map[string]any{"": v} }
	for _, tt := range []struct {
		command string
		objects map[string]any // by type
	}{
		{"run sb-inter-cta", one(wire.Result{})},
		{"explain -m sc sb-inter-cta", one(wire.Explanation{})},
		{
			"check -m sc ../../litmus-tests/asplos15",
			map[string]any{"test": wire.Checked{}, "count": wire.Count{}, "totals": wire.CheckTotals{}},
		},
		{
			"check -m sc --observations " + observed,
			map[string]any{
				"outcome": wire.Outcome{},
				"device":  wire.Device{},
				"family":  wire.Family{},
				"totals":  wire.ObservedTotals{},
			},
		},
		{
			"compare -m sc -m tso --states sb-inter-cta",
			map[string]any{"difference": wire.Difference{}, "totals": wire.CompareTotals{}},
		},
		{"gen --edges Rfe,Fre,PodWW,PodRR", one(wire.Generated{})},
		{
			"distinguish sc tso --size 4 --max 1",
			map[string]any{"difference": wire.Distinguished{}, "totals": wire.DistinguishTotals{}},
		},
		{"minimize -m sc sb-inter-cta", one(wire.Minimized{})},
		{"cover -m sc --size 0 sb-inter-cta", map[string]any{"mutant": wire.Mutant{}, "totals": wire.CoverTotals{}}},
		{"cat sc ptx", one(wire.Summary{})},
		{"models", one(wire.Model{})},
		{"tests cuda", one(wire.Test{})},
	} {
		_, out, errs := command(strings.Split(tt.command+" --json", " ")...)
		seen := map[string]bool{}
		for line := range strings.Lines(out) {
			seen[again(t, tt.command, line, tt.objects)] = true
		}
		if len(seen) != len(tt.objects) {
			t.Errorf("%s: objects of %v only; %s", tt.command, seen, errs)
		}
	}
}

// again reads an object, checks that printing it gives the same text, and returns its type.
func again(t *testing.T, command, line string, objects map[string]any) string {
	t.Helper()
	var typed struct{ Type string }
	if err := json.Unmarshal([]byte(line), &typed); err != nil {
		t.Fatalf("%s: %v in %s", command, err, line)
	}
	kind := typed.Type
	if len(objects) == 1 {
		kind = ""
	}
	prototype := objects[kind]
	if prototype == nil {
		t.Fatalf("%s: no type for %s", command, line)
	}
	object := reflect.New(reflect.TypeOf(prototype)).Interface()
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(object); err != nil {
		t.Fatalf("%s: %v in %s", command, err, line)
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(object); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(line, b.String()); diff != "" {
		t.Errorf("%s: (-printed +printed again)\n%s", command, diff)
	}
	return kind
}
