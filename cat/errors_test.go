package cat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/expect"
	"github.com/muster-gpu/muster/src"
)

// TestErrors reads the files of testdata/errors: models separated by ---, whose comments state
// their errors.
func TestErrors(t *testing.T) {
	expect.Files(t, "testdata/errors/*.cat", func(t *testing.T, f *src.File) { expect.Errors(t, f, errorsOf(f)) })
}

// errorsOf returns the errors of loading a model, or else of checking it, or else of evaluating it.
func errorsOf(f *src.File) src.Diagnostics {
	m, err := cat.Load(f, cat.Config{Find: noInclude})
	if err == nil {
		_, err = m.Check(mp.vocabulary())
	}
	if err == nil {
		_, err = verdict(m, mp)
	}
	var ds src.Diagnostics
	ds.Add(err)
	return ds
}

// TestErrorText shows some errors in full: the column, and what the caret is under.
func TestErrorText(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"unknown name in a definition that nothing uses", "acyclic r\nlet unused = r | (s & domian(q))\n", `
test.cat:2:23: unknown name domian
    let unused = r | (s & domian(q))
                          ^^^^^^
    did you mean domain?`},
		{"all of them", "let a = qq | b\nlet f(x) = y", `
test.cat:1:9: unknown name qq
    let a = qq | b
            ^^
    did you mean q?
test.cat:1:14: unknown name b
    let a = qq | b
                 ^
    did you mean B?
test.cat:2:12: unknown name y
    let f(x) = y
               ^`},
		{"a set for a relation", "let a = r;\n  (A | B); s", `
test.cat:2:4: ; takes a relation, not a set of events
      (A | B); s
       ^^^^^
    [S] is the identity on a set S, S * T the product of two`},
		{"a relation for a set", "let f(x) = [x]\nacyclic f(r+)", `
test.cat:1:13: [ ] takes a set of events, not a relation
    let f(x) = [x]
                ^
    in the call at test.cat:2:9`},
		{"no function", "let a = (r; s)(A)", `
test.cat:1:10: expected a function, found a relation
    let a = (r; s)(A)
             ^^^^`},
		{"not monotone", "let rec a = b\nand b = ~a\nacyclic r", `
test.cat:2:10: a is defined by this recursion and may only make it grow
    and b = ~a
             ^
    it must not stand under ~, to the right of \, in a condition or in an argument in which a function may not be monotone`},
		{
			"a type that only an execution tells",
			"let a = match {r} with || {} -> r || x ++ rest -> A end\nacyclic r | a", `
test.cat:2:9: expected a set of events, found a relation
    acyclic r | a
            ^`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := errorsOf(src.NewFile("test.cat", tt.model)).Error()
			if want := strings.TrimPrefix(tt.want, "\n"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestSmallVocabulary evaluates on a candidate that defines no names.
func TestSmallVocabulary(t *testing.T) {
	tests := []struct{ model, want string }{
		{"acyclic 0", ""},
		{"acyclic WW(_)", "test.cat:1:12: this needs W, which the execution does not define"},
		{"acyclic fencerel(_)", "test.cat:1:18: this needs po, which the execution does not define"},
		{"acyclic rf", "test.cat:1:9: unknown name rf"},
	}
	for _, tt := range tests {
		_, err := verdict(load(t, tt.model), fake{})
		got := ""
		if d, ok := err.(*src.Diagnostic); ok {
			got = d.Header()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.model, got, tt.want)
		}
	}
}

// TestNotMonotone evaluates a recursion that Check rejects: evaluation terminates.
func TestNotMonotone(t *testing.T) {
	_, err := verdict(load(t, "let rec a = b\nand b = ~a\nacyclic r"), mp)
	want := `test.cat:1:9: this recursion does not settle: what it defines must only grow with itself
    let rec a = b
            ^^^^^`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

// TestNoise hangs if the time grows with the square of the number of names.
func TestNoise(t *testing.T) {
	const definitions = 10_000
	var b strings.Builder
	for i := range definitions {
		fmt.Fprintf(&b, "let name%d = nome%d | nume%d\n", i, i, i)
	}
	if got := len(errorsOf(src.NewFile("test.cat", b.String()))); got != 2*definitions {
		t.Errorf("got %d errors, want %d", got, 2*definitions)
	}
	b.WriteString("let one-more = r")
	got := errorsOf(src.NewFile("test.cat", b.String()))
	if len(got) != 1 || got[0].Message != "the model has more than 10000 statements" ||
		got[0].Span.Pos().Line != definitions+1 {
		t.Errorf("got %d errors, want one for too many statements:\n%v", len(got), got[0])
	}
}

// TestDeep evaluates expressions that are nearly as deep as the parser allows, and more expressions
// in sequence than may be nested.
func TestDeep(t *testing.T) {
	const n = 60_000
	tests := map[string]string{
		"postfix":  "r" + strings.Repeat("^-1", n),
		"sequence": strings.Repeat("r*;", n/6) + "r",
		"union":    strings.Repeat("r|", n/6) + "r",
		"brackets": strings.Repeat("(", 900) + "r" + strings.Repeat(")", 900),
		"let in":   strings.Repeat("let a = r in ", 900) + "a",
	}
	for name, expr := range tests {
		t.Run(name, func(t *testing.T) {
			m := load(t, strings.Repeat("let a = "+expr+"\n", 4)+"empty a as c")
			if _, err := m.Check(mp.vocabulary()); err != nil {
				t.Error(err)
			}
			v, err := verdict(m, mp)
			if err != nil || v.Allowed() {
				t.Errorf("got the verdict %+v, error %v", v, err)
			}
		})
	}
}
