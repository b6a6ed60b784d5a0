package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestSuggestionWithinLimits: a limit that ends the search for a test that kills one mutant is
// reported, and the searches for the other mutants go on.
func TestSuggestionWithinLimits(t *testing.T) {
	var out, errs bytes.Buffer
	c := &covering{app: &app{out: &out, err: &errs, seen: map[int]bool{}}, size: 4}
	c.flags.refs, c.flags.co, c.flags.workers = []string{"coherence"}, "total", 1
	c.flags.config.Limits.MaxCandidates = 1
	if err := c.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	limited := 0
	for _, m := range c.found.Mutants {
		text, looked, err := c.suggestion(t.Context())(m)
		if err != nil {
			t.Error(err)
		}
		if text == "" && !looked {
			limited++
		}
	}
	if limited == 0 || c.app.exit() != exitLimit || strings.Count(errs.String(), "stopped after") < limited {
		t.Errorf("%d searches were limited, exit status %d, said %q", limited, c.app.exit(), errs.String())
	}
}
