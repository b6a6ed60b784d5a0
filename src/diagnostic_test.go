package src_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// TestExcerpt compares errors as users see them. In the text, « and » mark the ends of the span.
func TestExcerpt(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string // the error, after its header
	}{
		{"one word", "let «po» = rf", `
    let po = rf
        ^^`},
		{"zero width", "let «» = rf", `
    let  = rf
        ^`},
		{"zero width at the end of the file", "let x =«»", `
    let x =
           ^`},
		{"to the end of the line", "let «po = rf»\nshow po", `
    let po = rf
        ^^^^^^^`},
		{"the line break alone", "let po«\n»show po", `
    let po
          ^`},
		{"the line break of Windows", "let po«\r\n»show po", `
    let po
          ^`},
		{"between the halves of that line break", "let po\r«\n»show po", `
    let po
          ^`},
		{"several lines", "let «po =\n  rf |\n  co»", `
    let po =
        ^^^^`},
		{"tabs before and inside", "\t\tlet «a\tb»\tc", `
      let a b c
          ^^^`},
		{"characters of several bytes", "∀é «∃ü» x", `
    ∀é ∃ü x
       ^^`},
		{"not UTF-8", "\xff\xfe«x\xff»y", `
    ..x.y
      ^^`},
		{"what terminals obey or hide", "\x1b[31m \u009b \u202e \u200b \x7f «x»", `
    .[31m . . . . x
                  ^`},
		{"last line without newline", "a\n«b»", `
    b
    ^`},
		{"an empty line has no excerpt", "a\n«»\nb", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := src.Errorf(marked(tt.text), "oops")
			_, got, _ := strings.Cut(err.Error(), "oops")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// marked removes « and » from a text and returns the span between them.
func marked(text string) src.Span {
	before, rest, _ := strings.Cut(text, "«")
	inside, after, _ := strings.Cut(rest, "»")
	return src.NewFile("f", before+inside+after).Span(len(before), len(before)+len(inside))
}

// TestLongLine: for a line of a megabyte, the excerpt is short and the caret still stands under the
// error.
func TestLongLine(t *testing.T) {
	const half = 500_000
	tests := []struct{ name, text, under string }{
		{"start", "«XY»" + strings.Repeat("é", 2*half), "XY"},
		{"middle", strings.Repeat("é", half) + "«XY»" + strings.Repeat("é", half), "XY"},
		{"near the start", "ab«XY»" + strings.Repeat("é", half), "XY"},
		{"end", strings.Repeat("é", half) + "«XY»", "XY"},
		{
			"wider than the excerpt", strings.Repeat("é", half) + "«" + strings.Repeat("X", half) + "»é",
			strings.Repeat("X", 50),
		},
		{
			"on to the next line", strings.Repeat("é", half) + "«" + strings.Repeat("X", half) + "\n»é",
			strings.Repeat("X", 50),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(src.Errorf(marked(tt.text), "oops").Error(), "\n")
			if len(lines) != 3 {
				t.Fatalf("got %d lines, want 3", len(lines))
			}
			text, caret := []rune(lines[1]), []rune(lines[2])
			if want := 104; len(text) != want || len(caret) > want {
				t.Errorf("the excerpt has %d columns, its caret %d, want %d", len(text), len(caret), want)
			}
			first := strings.IndexByte(lines[2], '^')
			if got := string(text[first:len(caret)]); got != tt.under {
				t.Errorf("the caret is under %q, want %q", got, tt.under)
			}
		})
	}
}

func TestDiagnostic(t *testing.T) {
	f := src.NewFile("sc.cat", "acyclic poo\n")
	at := f.Span(8, 11)
	tests := []struct {
		name         string
		d            *src.Diagnostic
		header, full string
	}{
		{"error", src.Errorf(at, "unknown name %s", "poo"), "sc.cat:1:9: unknown name poo", `
    acyclic poo
            ^^^`},
		{"warning", src.Warnf(at, "unused"), "sc.cat:1:9: warning: unused", `
    acyclic poo
            ^^^`},
		{"hint", src.Errorf(at, "unknown name").WithHint("did you mean %s?", "po"), "sc.cat:1:9: unknown name", `
    acyclic poo
            ^^^
    did you mean po?`},
		{"nowhere", src.Errorf(src.Span{}, "no tests"), "no tests", ""},
		{"warning nowhere, with a hint", src.Warnf(src.Span{}, "no tests").WithHint("name some"), "warning: no tests", `
    name some`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.d.Header(); got != tt.header {
				t.Errorf("header %q, want %q", got, tt.header)
			}
			if diff := cmp.Diff(tt.header+tt.full, tt.d.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// headers returns the headers of the diagnostics of an error in their order.
func headers(err error) []string {
	var hs []string
	ds, _ := err.(src.Diagnostics)
	for _, d := range ds {
		hs = append(hs, d.Header())
	}
	return hs
}

func TestErrSorts(t *testing.T) {
	f, g := src.NewFile("f", "0123456789"), src.NewFile("g", "0123456789")
	at := func(f *src.File, offset int, message string) *src.Diagnostic {
		return src.Errorf(f.Span(offset, offset+1), "%s", message)
	}
	nowhere := src.Errorf(src.Span{}, "nowhere")
	tests := []struct {
		name string
		in   src.Diagnostics
		want []string
	}{
		{
			"by position",
			src.Diagnostics{at(f, 7, "c"), at(f, 2, "a"), at(f, 4, "b")},
			[]string{"f:1:3: a", "f:1:5: b", "f:1:8: c"},
		},
		{
			"those of one place as they came",
			src.Diagnostics{at(f, 7, "last"), at(f, 2, "first"), at(f, 2, "second")},
			[]string{"f:1:3: first", "f:1:3: second", "f:1:8: last"},
		},
		{
			"file by file, as the files came",
			src.Diagnostics{at(g, 7, "b"), at(f, 5, "d"), at(g, 2, "a"), at(f, 1, "c")},
			[]string{"g:1:3: a", "g:1:8: b", "f:1:2: c", "f:1:6: d"},
		},
		{
			"around one that has no place",
			src.Diagnostics{at(f, 7, "b"), nowhere, at(f, 2, "a")},
			[]string{"f:1:3: a", "f:1:8: b", "nowhere"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, headers(tt.in.Err())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrIsStable has more diagnostics than a sort handles by insertion.
func TestErrIsStable(t *testing.T) {
	f := src.NewFile("f", "0123456789")
	var ds src.Diagnostics
	var want []string
	for place := range 4 {
		for i := place; i < 200; i += 4 {
			want = append(want, fmt.Sprintf("f:1:%d: %d", place+1, i))
		}
	}
	for i := range 200 {
		ds.Errorf(f.Span(i%4, i%4), "%d", i)
	}
	if diff := cmp.Diff(want, headers(ds.Err())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrAndWarnings(t *testing.T) {
	at := src.NewFile("f", "0123456789").Span(0, 1)
	bad, odd := src.Errorf(at, "bad"), src.Warnf(at, "odd")
	tests := []struct {
		name     string
		ds       src.Diagnostics
		fails    bool
		warnings int
	}{
		{"none", nil, false, 0},
		{"empty", src.Diagnostics{}, false, 0},
		{"warnings alone are no error", src.Diagnostics{odd, odd}, false, 2},
		{"an error", src.Diagnostics{bad}, true, 0},
		{"an error after warnings", src.Diagnostics{odd, bad, odd}, true, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.ds.Err()
			if (err != nil) != tt.fails {
				t.Errorf("Err is %v", err)
			}
			if err != nil && len(headers(err)) != len(tt.ds) {
				t.Errorf("Err lost some of %d diagnostics: %q", len(tt.ds), headers(err))
			}
			if got := tt.ds.Warnings(); len(got) != tt.warnings {
				t.Errorf("got %d warnings, want %d", len(got), tt.warnings)
			}
		})
	}
}

func TestAdd(t *testing.T) {
	at := src.NewFile("f", "0123456789").Span(3, 4)
	var ds src.Diagnostics
	ds.Add(nil, src.Errorf(at, "one"), src.Diagnostics{src.Errorf(at, "two"), src.Warnf(at, "three")})
	ds.Add(fmt.Errorf("four: %w", fs.ErrNotExist))
	ds.Errorf(at, "five").WithHint("hint")
	ds.Add()
	want := []string{"f:1:4: one", "f:1:4: two", "f:1:4: warning: three", "four: file does not exist", "f:1:4: five"}
	if diff := cmp.Diff(want, headers(ds)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ds[4].Hint != "hint" {
		t.Errorf("the hint is lost: %v", ds[4])
	}
}

func TestDiagnosticsAsError(t *testing.T) {
	at := src.NewFile("f", "x").Span(0, 1)
	err := fmt.Errorf("while reading: %w", src.Diagnostics{src.Errorf(at, "oops")}.Err())
	var ds src.Diagnostics
	if !errors.As(err, &ds) || len(ds) != 1 {
		t.Errorf("no diagnostics in %v", err)
	}
}

func TestDiagnosticsShowTwenty(t *testing.T) {
	tests := []struct {
		n    int
		last string
	}{
		{1, "error 0"},
		{20, "error 19"},
		{21, "… and 1 more"},
		{100_000, "… and 99980 more"},
	}
	for _, tt := range tests {
		var ds src.Diagnostics
		for i := range tt.n {
			ds.Errorf(src.Span{}, "error %d", i)
		}
		lines := strings.Split(ds.Err().Error(), "\n")
		if want := min(tt.n, 21); len(lines) != want {
			t.Errorf("%d errors: shown in %d lines, want %d", tt.n, len(lines), want)
		}
		if got := lines[len(lines)-1]; got != tt.last {
			t.Errorf("%d errors: the last line is %q, want %q", tt.n, got, tt.last)
		}
	}
}

func TestSeverityString(t *testing.T) {
	if got := fmt.Sprint(src.Error, " ", src.Warning); got != "error warning" {
		t.Error(got)
	}
}
