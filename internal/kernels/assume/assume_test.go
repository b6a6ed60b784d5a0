package assume_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/assume"
)

// verb matches a verb in a format.
var verb = regexp.MustCompile(`%\w`)

// TestDocumented: README.md lists each assumption with its printed text, in the order of All,
// and says when a verdict rests on it.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, a := range assume.All {
		row := fmt.Sprintf("| %s | %s |", verb.ReplaceAllString(a.Format(), "…"), a.When)
		next := strings.Index(string(text[at:]), row)
		if next < 0 {
			t.Errorf("README.md does not have, at its place, the row\n%s", row)
			continue
		}
		at += next + len(row)
	}
}

// TestWords: no assumption is stated twice, and none is without a condition.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range assume.All {
		if seen[a.Format()] || a.When == "" {
			t.Errorf("%q: stated twice, or always", a.Format())
		}
		seen[a.Format()] = true
	}
	if got := assume.DistinctArrays.Of([]string{"p", "q"}); got !=
		"the pointers [p q] lead to arrays that overlap neither each other nor any variable" {
		t.Error(got)
	}
}
