package batch

import (
	"math"
	"testing"

	"github.com/muster-gpu/muster/sim"
)

// TestPercent: a small heap may grow to a fixed size; a large one by the usual percentage, and by
// less if much of it is kept.
func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		regime      *regime
		live, kept  int
		least, most int
	}{
		{anyWork, 0, 0, gcPercent, gcPercent},
		{anyWork, 16, 0, 300, 300},
		{anyWork, 32, 0, gcPercent, gcPercent},
		{anyWork, 1000, 0, gcPercent, gcPercent},
		{anyWork, 80, 32, 20, 25},
		{anyWork, 1000, 32, 20, 25},
		{manyTests, 0, 0, gcPercent, gcPercent},
		{manyTests, 4, 0, 550, 550},
		{manyTests, 16, 0, 100, 100},
		{manyTests, 32, 0, gcPercent, gcPercent},
		{manyTests, 1000, 32, 20, 25},
	} {
		if got := tt.regime.percent(sim.Bytes(tt.live)<<20, sim.Bytes(tt.kept)<<20); got < tt.least || got > tt.most {
			t.Errorf("%d MiB live, %d kept: %d percent, want %d to %d", tt.live, tt.kept, got, tt.least, tt.most)
		}
	}
}

// TestLimit: a process that simulates tests stays small while its live heap is small. A larger live
// heap, or a smaller bound on tests, changes the limit.
func TestLimit(t *testing.T) {
	defer bound.Store(bound.Load())
	for _, tt := range []struct {
		regime            *regime
		live, bound, want sim.Bytes
	}{
		{manyTests, 0, 0, manyTests.process},
		{manyTests, 12 << 20, 2 << 30, manyTests.process},
		{manyTests, 24 << 20, 2 << 30, 36<<20 + manyTests.process/4},
		{manyTests, 40 << 20, 2 << 30, 2<<30 + 2<<28},
		{manyTests, 40 << 20, 0, math.MaxInt64},
		{manyTests, 0, 16 << 20, 20 << 20},
		{anyWork, 0, 0, math.MaxInt64},
		{anyWork, 0, 2 << 30, 2<<30 + 2<<28},
		{nil, 0, 0, math.MaxInt64},
	} {
		bound.Store(int64(tt.bound))
		if got := tt.regime.limit(tt.live); got != tt.want {
			t.Errorf("%s live, %s bound: the limit is %s, want %s", tt.live, tt.bound, got, tt.want)
		}
	}
}
