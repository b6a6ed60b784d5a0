package batch

import (
	"testing"

	"github.com/muster-gpu/muster/sim"
)

// TestPercent: a small heap may grow to smallHeap; a large one by as much as usual, and by less if much of it is kept.
func TestPercent(t *testing.T) {
	for _, tt := range []struct{ live, kept, least, most int }{
		{0, 0, gcPercent, gcPercent},
		{16, 0, 300, 300},
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
