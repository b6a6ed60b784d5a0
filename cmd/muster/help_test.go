package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpNamesWhatIsShipped: examples work wherever muster is, so they name shipped tests by
// their folder (ptx) and not by where a checkout has it (litmus-tests/ptx).
func TestHelpNamesWhatIsShipped(t *testing.T) {
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		if strings.Contains(c.Example+c.Long, "litmus-tests/") {
			t.Errorf("muster %s --help names a folder of the sources:\n%s", c.Name(), c.Example)
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look((&app{}).root())
}
