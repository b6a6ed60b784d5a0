package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp checks that each verb has help, and that each file of help has a verb.
func TestHelp(t *testing.T) {
	files, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, f := range files {
		missing[strings.TrimSuffix(f.Name(), ".txt")] = true
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		page := strings.TrimPrefix(path, "muster-")
		if page != "hw-devices" && (!missing[page] || cmd.Long == "" || cmd.Example == "" && page != "campaign") {
			t.Errorf("%s has no help of its own, or no example", cmd.CommandPath())
		}
		delete(missing, page)
		for _, c := range cmd.Commands() {
			if c.Name() != "help" && c.Name() != "completion" { // which are cobra's
				visit(c)
			}
		}
	}
	visit((&app{}).root())
	if len(missing) > 0 {
		t.Errorf("nobody shows the help of %v", missing)
	}
}
