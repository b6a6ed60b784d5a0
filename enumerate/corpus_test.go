package enumerate_test

import (
	"context"
	"testing"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestCorpusExecutionsAreValid checks candidates of each test of the corpus, and each of the ways
// to model a failed cas.
func TestCorpusExecutionsAreValid(t *testing.T) {
	enough := sample.Of(2000, 200)
	for _, f := range simtest.Corpus(t) {
		for _, writes := range []bool{false, true} {
			c := sim.Defaults()
			c.Reading.CASFailWrites = writes
			if writes {
				// otherwise a round with a failed cas has a trace, and spin locks have too many
				// executions
				c.Reading.Unroll = 0
			}
			test, err := sim.Load(f, c)
			if err != nil {
				t.Fatal(err)
			}
			var stats enumerate.Stats
			for x, err := range enumerate.Executions(context.Background(), test.Program,
				enumerate.Options{MaxCandidates: enough}, &stats) {
				if err == nil && x.Wrong == nil { // a computation without meaning has no value
					err = x.Validate()
				}
				if err != nil && !sim.IsLimit(err) {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
			if stats.Candidates == 0 && stats.Truncated == 0 {
				t.Errorf("%s has no candidate execution", f.Name)
			}
		}
	}
}
