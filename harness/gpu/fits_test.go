package gpu

import (
	"testing"

	"github.com/muster-gpu/muster/harness"
)

// TestFits: steps that run at the same time are queued together, whatever the size of the queue.
func TestFits(t *testing.T) {
	var steps []harness.Step
	for _, stream := range []int{0, 1, 2, 0, 0, 1, 2} {
		steps = append(steps, harness.Step{Kernel: &harness.Launch{Stream: stream}})
	}
	for most, want := range map[int]int{1: 1, 2: 1, 3: 3, 4: 4, 5: 5, 6: 5, 7: 7, 9: 7} {
		if n := fits(steps, most); n != want {
			t.Errorf("%d of at most %d, want %d", n, most, want)
		}
	}
}
