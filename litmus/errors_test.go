package litmus

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// expectations finds the comments ### "regexp" of a text, by line.
func expectations(t *testing.T, text string) map[int][]*regexp.Regexp {
	t.Helper()
	want := make(map[int][]*regexp.Regexp)
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
			want[i+1] = append(want[i+1], regexp.MustCompile(pattern))
			line = rest[len(quoted):]
		}
	}
	return want
}

// checkDiagnostics matches what was reported, message and hint, against the comments
// on its lines: each must be expected, and each expected one reported.
func checkDiagnostics(t *testing.T, file *src.File, err error) {
	t.Helper()
	want := expectations(t, file.Text)
	reported, _ := err.(src.Diagnostics)
	for _, d := range reported {
		line := d.Span.Pos().Line
		found := false
		for i, re := range want[line] {
			if found = re.MatchString(d.Message + "; " + d.Hint); found {
				want[line] = append(want[line][:i:i], want[line][i+1:]...)
				break
			}
		}
		if !found {
			t.Errorf("not expected: %v", d)
		}
	}
	for line, res := range want {
		for _, re := range res {
			t.Errorf("%s:%d: nothing reported matches %q", file.Name, line, re)
		}
	}
}

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
		file := src.NewFile(name, string(text))
		test, err := Parse(file, formats)
		if test != nil || err == nil {
			t.Errorf("%s: no error", name)
		}
		checkDiagnostics(t, file, err)
	}
}

// Limits are errors of their own.
func TestLimits(t *testing.T) {
	tests := map[string]string{
		"{}\nP0" + strings.Repeat("|", MaxThreads) + ";":                    "1025 columns: a program has at most 1024",
		"{}\nP0;\nexists " + strings.Repeat("(", maxDepth+1) + "true":       "nested more than 1000 deep",
		"{}\nP0;\nexists " + strings.Repeat("~", maxDepth+1) + "true":       "nested more than 1000 deep",
		"{}\nP0;\nexists " + strings.Repeat("true =>", maxDepth+1) + "true": "nested more than 1000 deep",
		"{}\nP0;\n" + strings.Repeat("(", maxDepth+1):                       "nested more than 1000 deep",
		"{}\nP0;\n" + strings.Repeat("| |;\n", maxErrors+1):                 "too many errors: no more are reported",
		"{}\nP0;\nexists 0:r1=" + strings.Repeat("x", 2*maxMessage):         "xxx…",
	}
	for text, want := range tests {
		_, err := Parse(src.NewFile("limits", "PTX x\n"+text), formats)
		ds, _ := err.(src.Diagnostics)
		if len(ds) == 0 || !strings.HasSuffix(ds[len(ds)-1].Message, want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	many := "{}\nP0;\nexists " + strings.Repeat("true /\\ ", 20*maxDepth) + "true"
	if _, err := Parse(src.NewFile("limits", "PTX x\n"+many), formats); err != nil {
		t.Errorf("a long conjunction: %v", err)
	}
}
