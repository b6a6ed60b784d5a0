// Package expect checks the errors that readers report for faulty files. The files state them in
// comments:
//
//	acyclic (po | rff)  ### "^unknown name rff; did you mean rf\?$"
//
// A comment has a regular expression for each error and warning of its line, between quotation
// marks, with \" for one inside it, or between backquotes.
package expect

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// Files reads the files that match a pattern and runs test for each part of each, as a subtest
// named after its first line. A line --- separates parts.
func Files(t *testing.T, pattern string, test func(t *testing.T, f *src.File)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := 1
		for part := range strings.SplitSeq(string(text), "---\n") {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(path), line), func(t *testing.T) {
				test(t, src.NewFile(filepath.Base(path), part))
			})
			line += strings.Count(part, "\n") + 1
		}
	}
}

// Errors demands that got are the errors and warnings in the comments of a file.
func Errors(t *testing.T, f *src.File, got src.Diagnostics) {
	t.Helper()
	want := wanted(t, f)
	for _, d := range got {
		line := d.Span.Pos().Line
		i := slices.IndexFunc(want[line], func(r *regexp.Regexp) bool { return r.MatchString(Text(d)) })
		if i < 0 {
			t.Errorf("unexpected:\n%s", d)
			continue
		}
		want[line] = slices.Delete(want[line], i, i+1)
	}
	for line, missing := range want {
		for _, r := range missing {
			t.Errorf("%s:%d: no error %s\n    %s", f.Name, line, r, f.Line(line))
		}
	}
}

// Text returns the text to match: message; hint, with warning: in front of a warning.
func Text(d *src.Diagnostic) string {
	text := d.Message
	if d.Severity == src.Warning {
		text = "warning: " + text
	}
	if d.Hint != "" {
		text += "; " + d.Hint
	}
	return text
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|` + "`[^`]*`")

// wanted are the expressions of the comments, by line.
func wanted(t *testing.T, f *src.File) map[int][]*regexp.Regexp {
	t.Helper()
	want := map[int][]*regexp.Regexp{}
	for line := 1; line <= f.Lines(); line++ {
		_, comment, ok := strings.Cut(f.Line(line), "### ")
		if !ok {
			continue
		}
		for _, q := range quoted.FindAllString(comment, -1) {
			want[line] = append(want[line], regexp.MustCompile(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)))
		}
		if len(want[line]) == 0 {
			t.Errorf("%s:%d: the comment tells no error: %s", f.Name, line, comment)
		}
	}
	return want
}
