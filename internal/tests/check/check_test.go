package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/store/observedreport"
	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// cautious is sc where no two threads share a warp; elsewhere it leaves the behaviour undefined.
const cautious = `"SC, where it is defined"
acyclic po | rf | co | fr as sc
undefined_unless empty (warp & ext) as apart`

// TestBothWaysAgree compares the shipped counts with models row by row, as check does, and added up
// by device, as check --observations does. Both ways must agree on which devices contradict a
// model.
func TestBothWaysAgree(t *testing.T) {
	ledger := observe.NewLedger()
	if !check.ReadCounts(ledger, corpus.Shipped(), func(err error) { t.Error(err) }) {
		t.Fatal("no counts are shipped")
	}
	ledger.Describe(corpus.ShippedTables().Devices)
	known, err := check.ReadAll(t.Context(), 2, slices.Values(corpus.Shipped().Tests()), func(err error) {
		t.Error(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	matches, _ := known.Match(ledger.Tests, func(err error) { t.Error(err) })
	for _, c := range []struct {
		name  string
		files map[string]string
	}{{"sc", nil}, {"ptx-asplos15", nil}, {"tso", nil}, {"cautious", map[string]string{"cautious.cat": cautious}}} {
		m, err := models.Load(c.name, models.Config{Files: c.files})
		if err != nil {
			t.Fatal(err)
		}
		byRow, added := check.NewVerdicts(corpus.ShippedTables()), observedreport.New(ledger.Devices)
		for _, match := range matches {
			loaded, err := sim.Load(match.File, sim.Defaults())
			if err != nil {
				t.Fatal(err)
			}
			r, err := loaded.Run(t.Context(), m.Model)
			if err != nil {
				t.Fatal(err)
			}
			if err := byRow.Add(m, r); err != nil {
				t.Fatal(err)
			}
			if err := added.Add(m, r, match.Tested); err != nil {
				t.Error(err)
			}
		}
		byRow.Compare(func(err error) { t.Error(err) }, t.Errorf)
		var one, other []string
		for _, n := range byRow.Counts {
			if n.Standing == observe.Unsound {
				one = append(one, n.Test+" "+n.Device)
			}
		}
		for _, out := range added.Unsound() {
			for i, cell := range out.Cells {
				if cell.Standing == observe.Unsound {
					other = append(other, out.Test.Name+" "+added.Devices[i].Name)
				}
			}
		}
		slices.Sort(one)
		slices.Sort(other)
		if one = slices.Compact(one); !slices.Equal(one, other) {
			t.Errorf("%s: row by row %q, added up %q", c.name, one, other)
		}
		if covers := len(byRow.Unsound()) > 0; covers == (c.name == "ptx-asplos15") {
			t.Errorf("%s: %d tests are UNSOUND", c.name, len(byRow.Unsound()))
		}
	}
}

// TestMatch: an observation belongs to the test with its content, else to the test in its record,
// else to the test with its name, if that is unique.
func TestMatch(t *testing.T) {
	text := func(name, value string) string {
		return "PTX " + name + "\n{ x=0; }\n P0 ;\n st.weak x, " + value + " ;\nexists (x=1)\n"
	}
	known := check.NewKnown()
	for file, content := range map[string]string{"a": text("one", "1"), "b": text("two", "1"), "c": text("two", "2")} {
		k, err := check.ReadKnown(src.NewFile(file, content))
		if err != nil {
			t.Fatal(err)
		}
		known.Add(k)
	}
	at := src.NewFile("runs", "\n").Span(0, 0)
	var said []string
	matches, byName := known.Match([]*observe.Tested{
		{Name: "one", At: at},
		{Name: "one", Hash: "0123", At: at},
		{Name: "two", At: at},
		{Name: "three", Text: text("three", "3"), At: at},
		{Name: "four", At: at},
	}, func(err error) { said = append(said, err.Error()) })
	var files []string
	for _, m := range matches {
		files = append(files, m.File.Name)
	}
	if want := []string{"a", "runs:1 (three)"}; !slices.Equal(files, want) || len(matches[0].Tested) != 2 {
		t.Errorf("matched %q, want %q", files, want)
	}
	if !slices.Equal(byName, []string{"one"}) {
		t.Errorf("taken by name: %q", byName)
	}
	if len(said) != 2 || !strings.Contains(said[0], "both called two") || !strings.Contains(said[1], "no test four") {
		t.Errorf("said %q", said)
	}
}
