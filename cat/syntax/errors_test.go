package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// TestErrors reads the files of testdata/errors. They are made of parts with --- in
// between, each read as a file of its own. A comment ### "regexp" … tells the errors
// of its line; a regexp is for message (hint).
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.cat")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files of errors (%v)", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := 1
		for part := range strings.SplitSeq(string(text), "---\n") {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(path), line), func(t *testing.T) {
				checkErrors(t, part)
			})
			line += strings.Count(part, "\n") + 1
		}
	}
}

// checkErrors demands that text has the errors that its comments tell, and no other.
func checkErrors(t *testing.T, text string) {
	t.Helper()
	f := src.NewFile("input", text)
	want := wantedErrors(t, f)
	_, err := Parse(f)
	got, _ := err.(src.Diagnostics)
	for _, d := range got {
		line := d.Span.Pos().Line
		rest, ok := take(want[line], explain(d))
		if !ok {
			t.Errorf("unexpected error:\n%s", d)
		}
		want[line] = rest
	}
	for line, wants := range want {
		for _, w := range wants {
			t.Errorf("missing error in line %d: %s\n    %s", line, w, f.Line(line))
		}
	}
}

// explain is what a regexp of the expected errors is matched with.
func explain(d *src.Diagnostic) string {
	if d.Hint == "" {
		return d.Message
	}
	return fmt.Sprintf("%s (%s)", d.Message, d.Hint)
}

// take removes the first of the regexps that matches text.
func take(wants []*regexp.Regexp, text string) ([]*regexp.Regexp, bool) {
	for i, w := range wants {
		if w.MatchString(text) {
			return append(wants[:i:i], wants[i+1:]...), true
		}
	}
	return wants, false
}

// wantedErrors reads the comments ### "regexp" …, by line.
func wantedErrors(t *testing.T, f *src.File) map[int][]*regexp.Regexp {
	t.Helper()
	quoted := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	want := map[int][]*regexp.Regexp{}
	for line := 1; line <= f.Lines(); line++ {
		_, comment, ok := strings.Cut(f.Line(line), "###")
		if !ok {
			continue
		}
		for _, q := range quoted.FindAllString(comment, -1) {
			q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
			want[line] = append(want[line], regexp.MustCompile(q))
		}
		if len(want[line]) == 0 {
			t.Errorf("line %d tells no error: %s", line, strconv.Quote(comment))
		}
	}
	return want
}

// TestUnclosedString is apart: the comment would be inside the string.
func TestUnclosedString(t *testing.T) {
	f := src.NewFile("test.cat", "include \"cos.cat\nlet a = b ) c\n include \"")
	_, err := Parse(f)
	want := `test.cat:1:9: expected " to go with this string, found the end of the line
    include "cos.cat
            ^
test.cat:2:11: expected an operator or a statement, found )
    let a = b ) c
              ^
test.cat:3:10: expected " to go with this string, found the end of the line
     include "
             ^`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}
