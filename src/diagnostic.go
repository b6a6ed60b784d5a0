package src

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Severity tells an error from a warning.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one error or warning about an input.
type Diagnostic struct {
	Span     Span
	Severity Severity
	Message  string // what is wrong and what was expected
	Hint     string // what to do about it; may be empty
}

// Errorf returns an error at s.
func Errorf(s Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Span: s, Message: fmt.Sprintf(format, args...)}
}

// Warnf returns a warning at s.
func Warnf(s Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Span: s, Severity: Warning, Message: fmt.Sprintf(format, args...)}
}

// WithHint adds advice to d and returns it.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// Header returns the first line of d: file:line:col: message.
func (d *Diagnostic) Header() string {
	msg := d.Message
	if d.Severity == Warning {
		msg = "warning: " + msg
	}
	if !d.Span.Valid() {
		return msg
	}
	p := d.Span.Pos()
	return fmt.Sprintf("%s:%d:%d: %s", d.Span.File.Name, p.Line, p.Col, msg)
}

// Error renders d in full: header, source line, caret, hint.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	b.WriteString(d.Header())
	if d.Span.Valid() {
		line, caret := excerpt(d.Span)
		if line != "" {
			fmt.Fprintf(&b, "\n    %s\n    %s", line, caret)
		}
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "\n    %s", d.Hint)
	}
	return b.String()
}

// excerptWidth is how much of a long line an error shows. Generated tests and noise can have lines
// of megabytes.
const excerptWidth = 100

// excerpt returns the line where s starts, cut to a readable width around it, and the carets for
// the line below it. Tabs become single spaces and unprintable characters become dots, so that both
// lines have the same columns.
func excerpt(s Span) (line, caret string) {
	p := s.Pos()
	text := []rune(s.File.Line(p.Line))
	from := 0
	if len(text) > excerptWidth {
		from = max(0, min(p.Col-1-excerptWidth/2, len(text)-excerptWidth))
		text = text[from:min(from+excerptWidth, len(text))]
	}
	for i, r := range text {
		switch {
		case r == '\t':
			text[i] = ' '
		case !unicode.IsPrint(r) || r == utf8.RuneError:
			text[i] = '.'
		}
	}
	col := min(p.Col-1-from, len(text)) // the line break has no column of its own
	width := 1
	if end := s.File.Pos(s.End); end.Line == p.Line {
		width = max(1, end.Col-p.Col)
	} else {
		width = max(1, len(text)-col)
	}
	width = max(1, min(width, len(text)-col))
	return string(text), strings.Repeat(" ", col) + strings.Repeat("^", width)
}

// maxShown bounds how many diagnostics of one input are printed: a file of noise can have hundreds
// of thousands.
const maxShown = 20

// Diagnostics are all errors and warnings about an input. It is an error if it holds one; use Err
// to get a proper nil.
type Diagnostics []*Diagnostic

// Add appends diagnostics, flattening lists.
func (ds *Diagnostics) Add(errs ...error) {
	for _, err := range errs {
		switch err := err.(type) {
		case nil:
		case *Diagnostic:
			*ds = append(*ds, err)
		case Diagnostics:
			*ds = append(*ds, err...)
		default:
			*ds = append(*ds, &Diagnostic{Message: err.Error()})
		}
	}
}

// Errorf appends an error at s.
func (ds *Diagnostics) Errorf(s Span, format string, args ...any) *Diagnostic {
	d := Errorf(s, format, args...)
	*ds = append(*ds, d)
	return d
}

// Err sorts ds by file and position and returns it if it holds an error, else nil. The same message
// twice at one place, for example from code that several threads share, becomes one diagnostic.
func (ds Diagnostics) Err() error {
	ds.sort()
	ds = slices.CompactFunc(slices.Clone(ds), func(a, b *Diagnostic) bool {
		return a.Span == b.Span && a.Message == b.Message
	})
	for _, d := range ds {
		if d.Severity == Error {
			return ds
		}
	}
	return nil
}

// Warnings returns the warnings of ds.
func (ds Diagnostics) Warnings() Diagnostics {
	var ws Diagnostics
	for _, d := range ds {
		if d.Severity == Warning {
			ws = append(ws, d)
		}
	}
	return ws
}

// sort orders ds file by file, in the order in which the files first occur.
func (ds Diagnostics) sort() {
	rank := map[*File]int{}
	for _, d := range ds {
		if _, ok := rank[d.Span.File]; !ok {
			rank[d.Span.File] = len(rank)
		}
	}
	slices.SortStableFunc(ds, func(a, b *Diagnostic) int {
		return cmp.Or(cmp.Compare(rank[a.Span.File], rank[b.Span.File]), cmp.Compare(a.Span.Start, b.Span.Start))
	})
}

// Error renders the diagnostics one below the other.
func (ds Diagnostics) Error() string {
	var b strings.Builder
	for i, d := range ds {
		if i == maxShown {
			fmt.Fprintf(&b, "\n… and %d more", len(ds)-maxShown)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.Error())
	}
	return b.String()
}
