package ptx

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestErrors reads the tests of testdata/errors. Each error that New must report is
// described on its line: ### "a regexp for the message; the hint".
func TestErrors(t *testing.T) {
	names, err := filepath.Glob("testdata/errors/*.litmus")
	if err != nil || len(names) == 0 {
		t.Fatal("no tests", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		test, err := litmus.Parse(src.NewFile(name, string(text)), Formats())
		if err != nil {
			t.Error(err)
			continue
		}
		prog, err := New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
		diags, ok := err.(src.Diagnostics)
		if !ok || prog != nil {
			t.Errorf("%s: %v, want src.Diagnostics", name, err)
		}
		matchErrors(t, name, wanted(t, string(text)), diags)
	}
}

// wanted finds the regexps of a text, by line.
func wanted(t *testing.T, text string) map[int][]string {
	want := map[int][]string{}
	for i, line := range strings.Split(text, "\n") {
		for {
			_, rest, ok := strings.Cut(line, "### ")
			if !ok {
				break
			}
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			pattern, _ := strconv.Unquote(quoted)
			want[i+1] = append(want[i+1], pattern)
			line = rest[len(quoted):]
		}
	}
	return want
}

// matchErrors finds for each diagnostic a regexp of its line, and the other way round.
func matchErrors(t *testing.T, name string, want map[int][]string, diags src.Diagnostics) {
	for _, d := range diags {
		line, message := d.Span.Pos().Line, d.Message
		if d.Hint != "" {
			message += "; " + d.Hint
		}
		found := false
		for i, pattern := range want[line] {
			if found = regexp.MustCompile(pattern).MatchString(message); found {
				want[line] = append(want[line][:i:i], want[line][i+1:]...)
				break
			}
		}
		if !found {
			t.Errorf("not expected: %v", d)
		}
	}
	for line, patterns := range want {
		for _, p := range patterns {
			t.Errorf("%s:%d: nothing reported matches %q", name, line, p)
		}
	}
}
