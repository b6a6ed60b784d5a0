package console

import (
	"testing"

	"github.com/muster-gpu/muster/internal/cli/progress"
)

// TestBarText: an unknown rate is left out, and a slow one is not printed as 0.
func TestBarText(t *testing.T) {
	for want, s := range map[string]progress.State{
		" 1MiB":                            {Memory: 1 << 20},
		" 0.25/s, 8s left, 1MiB":           {Rate: 0.25, ETA: 8, Memory: 1 << 20},
		" 1234/s, 2s left, 1 failed, 1MiB": {Rate: 1234.4, ETA: 2, Failed: 1, Memory: 1 << 20},
	} {
		if got := barText(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
