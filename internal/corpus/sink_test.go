package corpus

import (
	"context"
	"path/filepath"
	"testing"
)

// TestEnded: a folder that would have too many files says how many, and of a collection that was cut short that there are more.
func TestEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	fill := func(tests int) error {
		s := NewFolder(dir, 2)
		for i := range tests {
			if err := s.Write(string(rune('a'+i)), "text"); err != nil {
				t.Fatal(err)
			}
		}
		return s.Close()
	}
	const rest = " tests would be as many files in "
	advice := dir + ", and nothing is written: --files 0 writes them, -o " + dir + ".tar makes one file of them"
	for _, tt := range []struct {
		tests int
		cause error
		want  string
	}{
		{3, nil, "3" + rest + advice},
		{3, context.Canceled, "context canceled\nmore than 3" + rest + advice},
		{2, context.Canceled, "context canceled"},
	} {
		if got := Ended(fill(tt.tests), tt.cause); got == nil || got.Error() != tt.want {
			t.Errorf("%d tests, %v: got %q, want %q", tt.tests, tt.cause, got, tt.want)
		}
	}
	if err := Ended(fill(2), nil); err != nil {
		t.Error(err)
	}
}
