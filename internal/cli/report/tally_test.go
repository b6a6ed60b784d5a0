package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/sim"
)

// TestTallyOfMany: sums too large for an integer stop at the largest number.
func TestTallyOfMany(t *testing.T) {
	tally, many := report.NewTally(), &sim.Result{}
	many.Stats.Structures, many.Work.Left = math.MaxInt, math.MaxInt-1
	tally.Add(many, 0, 0)
	tally.Add(many, 0, 0)
	var out strings.Builder
	tally.Print(&out)
	for _, want := range []string{
		"2 tests, 9223372036854775807 combinations of control paths\n", "9223372036854775807 combinations left",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
