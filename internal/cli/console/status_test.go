package console

import "testing"

// TestStatuses: the order of the arguments decides, not the order in which statuses were noted.
func TestStatuses(t *testing.T) {
	for _, tt := range []struct {
		seen Statuses
		want int
	}{
		{nil, 0},
		{Statuses{3: true}, 3},
		{Statuses{3: true, 1: true}, 1},
		{Statuses{1: true, 2: true, 3: true}, 2},
		{Statuses{2: false, 3: true}, 3},
	} {
		if got := tt.seen.First(2, 1, 3); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.seen, got, tt.want)
		}
	}
}
