package batch

import (
	"math"
	"testing"

	"github.com/muster-gpu/muster/sim"
)

// TestPercent: a small heap may grow to smallHeap; a large one by as much as usual, and by less if much of it is kept.
func TestPercent(t *testing.T) {
	for _, tt := range []struct{ live, kept, least, most int }{
		{0, 0, gcPercent, gcPercent},
		{4, 0, 550, 550},
		{16, 0, 100, 100},
		{32, 0, gcPercent, gcPercent},
		{1000, 0, gcPercent, gcPercent},
		{80, 32, 20, 25},
		{1000, 32, 20, 25},
	} {
		if got := percent(sim.Bytes(tt.live)<<20, sim.Bytes(tt.kept)<<20); got < tt.least || got > tt.most {
			t.Errorf("%d MiB live, %d kept: %d percent, want %d to %d", tt.live, tt.kept, got, tt.least, tt.most)
		}
	}
}

// TestLimit: a process in which little lives is small. Where more lives, or tests may have less, that bounds it.
func TestLimit(t *testing.T) {
	defer bound.Store(bound.Load())
	for _, tt := range []struct{ live, bound, want sim.Bytes }{
		{0, 0, smallProcess},
		{12 << 20, 2 << 30, smallProcess},
		{24 << 20, 2 << 30, 36<<20 + smallProcess/4},
		{40 << 20, 2 << 30, 2<<30 + 2<<28},
		{40 << 20, 0, math.MaxInt64},
		{0, 16 << 20, 20 << 20},
	} {
		bound.Store(int64(tt.bound))
		if got := limit(tt.live); got != tt.want {
			t.Errorf("%s live, %s bound: the limit is %s, want %s", tt.live, tt.bound, got, tt.want)
		}
	}
}
