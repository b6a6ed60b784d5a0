package cat

import (
	"os"
	"strings"
	"testing"
)

// TestManualHasFunctions checks that docs/cat.md describes every function that models
// have.
func TestManualHasFunctions(t *testing.T) {
	content, err := os.ReadFile("../docs/cat.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range builtins {
		names = append(names, name)
	}
	for e := standardLibrary(); e != nil; e = e.outer {
		names = append(names, e.name)
	}
	for _, name := range names {
		for _, start := range []string{"`" + name, "`call " + name} {
			if strings.Contains(string(content), start+"(") || strings.Contains(string(content), start+" ") {
				name = ""
			}
		}
		if name != "" {
			t.Errorf("docs/cat.md does not describe %s", name)
		}
	}
}
