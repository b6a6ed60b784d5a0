package frontends_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/frontends"
)

// TestHeaders: a header says which front end reads a test, and which model judges it.
func TestHeaders(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range frontends.Formats() {
		if seen[f.Arch] || f.Arch == "" || f.Model == "" || f.Layout == nil {
			t.Errorf("the format %+v is a second one of its header, or lacks something", *f)
		}
		seen[f.Arch] = true
	}
}
