package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/observe"
)

// counted returns a ledger with one run of an unknown test; the run has ended with r0=1 the given
// number of times.
func counted(t *testing.T, seen, runs int) *observe.Ledger {
	t.Helper()
	l := observe.NewLedger()
	l.Anonymous.Name = "chip"
	log := fmt.Sprintf(
		"Test MP Allowed\nHistogram (2 states)\n%d :>0:r0=0;\n%d *>0:r0=1;\nOk\nWitnesses\nPositive: %d Negative: "+
			"%d\nCondition exists (0:r0=1)\n", runs-seen, seen, seen, runs-seen)
	if err := l.Read("log", strings.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestContrastVerdict compares rates whose relation is evident.
func TestContrastVerdict(t *testing.T) {
	tests := []struct {
		seen, runs, otherSeen, otherRuns int
		want                             check.Verdict
	}{
		{500, 1000, 510, 1000, check.Alike},
		{500, 1000, 100, 1000, check.RatesPart},
		{500, 1000, 0, 1000, check.Alone},
		{0, 1000, 500, 1000, check.Alone},
		{1, 1000, 0, 1000, check.TooFew},
		{1, 1000000, 0, 10, check.TooFew},
		// at a rate of one half, three runs without it have a probability of one in eight
		{500, 1000, 0, 3, check.TooFew},
		{500, 1000, 0, 30, check.Alone},
	}
	for _, tt := range tests {
		sides := [2]*observe.Ledger{counted(t, tt.seen, tt.runs), counted(t, tt.otherSeen, tt.otherRuns)}
		c := check.NewKnown().Contrast(sides, func(err error) { t.Error(err) })
		if len(c.Pairs) != 2 || c.Tests != 1 || c.Pairs[1].String() != "0:r0=1;" {
			t.Fatalf("%v: %v", tt, c.Pairs)
		}
		if got := c.Pairs[1].Verdict(); got != tt.want {
			t.Errorf("%d of %d against %d of %d: got %s, want %s", tt.seen, tt.runs, tt.otherSeen,
				tt.otherRuns, got, tt.want)
		}
	}
}

// TestContrastOfOtherThings: states with different observables are not compared.
func TestContrastOfOtherThings(t *testing.T) {
	other := observe.NewLedger()
	if err := other.Read("other",
		strings.NewReader(
			"Test MP Allowed\nHistogram (1 states)\n5 :>1:r7=0;\nOk\nWitnesses\nPositive: 0 Negative: 5\nCondition "+
				"exists (1:r7=0)\n")); err != nil {
		t.Fatal(err)
	}
	var errs []string
	c := check.NewKnown().Contrast([2]*observe.Ledger{counted(t, 1, 10), other}, func(err error) {
		errs = append(errs, err.Error())
	})
	if c.Tests != 0 || len(errs) != 1 || !strings.Contains(errs[0], "does not show 0:r0, as the others do") {
		t.Errorf("%d tests, %q", c.Tests, errs)
	}
}
