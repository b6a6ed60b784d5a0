package rules_test

import (
	"os"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/rules"
)

// TestRules: each rule has a name of its own and a paragraph of docs/design/kernels.md.
func TestRules(t *testing.T) {
	page, err := os.ReadFile("../../../docs/design/kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ToLower(string(page))
	seen := map[string]bool{}
	for _, r := range rules.All {
		if seen[r.Name] {
			t.Errorf("two rules are called %s", r.Name)
		}
		seen[r.Name] = true
		if !strings.Contains(text, "**"+r.Name+".**") && !strings.Contains(text, "**"+r.Name+"**") && !strings.Contains(text, "**"+r.Name+":**") {
			t.Errorf("docs/design/kernels.md has no paragraph about %s", r.Name)
		}
	}
}
