package cat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// herdSets and herdRels are the names that most models use.
var (
	herdSets = strings.Fields("M R W F IW FW A RMW")
	herdRels = strings.Fields("id po addr data ctrl rmw loc int ext rf co fr rfe rfi coe coi fre fri po-loc co0 cta amo lxsx")
)

// TestLanguageErrors checks the files of testdata/language/errors. A comment
// ### "regexp" … tells the errors and warnings of its line, all of them; a regexp is for
// message (hint).
func TestLanguageErrors(t *testing.T) {
	paths, err := filepath.Glob("testdata/language/errors/*.cat")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files of errors (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := src.NewFile(filepath.Base(path), string(content))
			got := problems(f, NamesOf(herdSets, herdRels))
			for line := 1; line <= f.Lines(); line++ {
				compareLine(t, f, line, got[line])
			}
		})
	}
}

// problems are the errors and warnings of a model, by line.
func problems(f *src.File, v *vocab.Vocabulary) map[int][]string {
	m, loadErr := Load(f, Config{Find: texts{}.find})
	summary, checkErr := m.Check(v)
	found := slices.Clone(summary.Warnings)
	for _, err := range []error{loadErr, checkErr} {
		var diags src.Diagnostics
		errors.As(err, &diags)
		found = append(found, diags...)
	}
	lines := map[int][]string{}
	for _, d := range found {
		text := d.Message
		if d.Severity == src.Warning {
			text = "warning: " + text
		}
		if d.Hint != "" {
			text += fmt.Sprintf(" (%s)", d.Hint)
		}
		line := d.Span.Pos().Line
		lines[line] = append(lines[line], text)
	}
	return lines
}

var wanted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// compareLine compares the problems of a line with those that its comment tells.
func compareLine(t *testing.T, f *src.File, line int, got []string) {
	t.Helper()
	_, comment, _ := strings.Cut(f.Line(line), "### ")
	for _, quoted := range wanted.FindAllString(comment, -1) {
		pattern := regexp.MustCompile(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`))
		i := slices.IndexFunc(got, pattern.MatchString)
		if i < 0 {
			t.Errorf("line %d: no error %s\n    %s", line, quoted, f.Line(line))
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	for _, text := range got {
		t.Errorf("line %d: unexpected: %s\n    %s", line, text, f.Line(line))
	}
}
