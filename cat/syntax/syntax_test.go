package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/muster-gpu/muster/src"
)

// sameTree compares trees without the positions of their nodes.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(At{}),
	cmpopts.IgnoreFields(File{}, "Source", "Comments"),
	cmpopts.EquateEmpty(),
}

// models returns the example models of testdata.
func models(tb testing.TB) []*src.File {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.cat")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no example models (%v)", err)
	}
	var files []*src.File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, src.NewFile(path, string(text)))
	}
	return files
}

// tester is the common interface of tests, benchmarks and random tests.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// mustParse reads text, which has no errors.
func mustParse(tb tester, text string) *File {
	tb.Helper()
	f, err := Parse(src.NewFile("test.cat", text))
	if err != nil {
		tb.Fatalf("%s\nin:\n%s", err, text)
	}
	return f
}

// roundTrip demands that f, printed and parsed again, has the same tree and prints as the same
// text.
func roundTrip(tb tester, f *File) {
	tb.Helper()
	text := f.String()
	again := mustParse(tb, text)
	if diff := cmp.Diff(f, again, sameTree); diff != "" {
		tb.Fatalf("the tree changed (-before +after):\n%s\ntext:\n%s", diff, text)
	}
	if diff := cmp.Diff(commentWords(f), commentWords(again)); diff != "" {
		tb.Fatalf("the comments changed (-before +after):\n%s\ntext:\n%s", diff, text)
	}
	if diff := cmp.Diff(text, again.String()); diff != "" {
		tb.Fatalf("the text changed (-before +after):\n%s", diff)
	}
}

// commentWords returns the words of the comments of a file: their lines may move.
func commentWords(f *File) string {
	var words []string
	for _, c := range f.Comments {
		words = append(words, strings.Fields(c.Text)...)
	}
	return strings.Join(words, " ")
}

// goodSpans demands that the span of each expression that is defined or checked in f, and of each
// subexpression, parses as that expression.
func goodSpans(tb tester, f *File) {
	tb.Helper()
	check := func(n Node) bool {
		if x, ok := n.(Expr); ok {
			if got := parseExpr(tb, x.Span().Text()); Print(got) != Print(x) {
				tb.Fatalf("the text of %s is %q", Print(x), x.Span().Text())
			}
		}
		return true
	}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *LetStmt:
			for _, b := range s.Bindings {
				Walk(b.Body, check)
			}
		case *Check:
			Walk(s.X, check)
		}
	}
}

func TestModels(t *testing.T) {
	for _, m := range models(t) {
		t.Run(filepath.Base(m.Name), func(t *testing.T) {
			f := mustParse(t, m.Text)
			roundTrip(t, f)
			goodSpans(t, f)
		})
	}
}
