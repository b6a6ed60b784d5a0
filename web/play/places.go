package play

import (
	"errors"
	"path"
	"unicode/utf16"

	"github.com/muster-gpu/muster/src"
)

// Diagnostic is something that is wrong with a test or a model.
type Diagnostic struct {
	Of       string `json:"of"`    // "test" or "model"
	Model    int    `json:"model"` // which model of the request
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Place
}

// Place is a range of a text, as pages count: in units of UTF-16, from 0 on.
type Place struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Line int    `json:"line"` // from 1 on, as people count
	Col  int    `json:"col"`
}

// testFile is the name that the text of a test has in messages.
const testFile = "test"

func placeOf(s src.Span) Place {
	if !s.Valid() {
		return Place{Line: 1, Col: 1}
	}
	pos := s.Pos()
	return Place{
		File: path.Base(s.File.Name), Line: pos.Line, Col: pos.Col,
		From: units(s.File.Text[:s.Start]), To: units(s.File.Text[:s.End]),
	}
}

// units is the length of a text in UTF-16.
func units(text string) (n int) {
	for _, c := range text {
		n += utf16.RuneLen(c)
	}
	return n
}

// innermost is an error without the names of files and tests that have been put around it: the
// page knows what it asked about.
func innermost(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}

// diagnose is an error as diagnostics of a test, or of a model of the request. An error that has
// no place is at the start.
func diagnose(err error, of string, model int) []Diagnostic {
	var list src.Diagnostics
	var one *src.Diagnostic
	switch {
	case err == nil:
		return nil
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = src.Diagnostics{one}
	default:
		list = src.Diagnostics{src.Errorf(src.Span{}, "%s", innermost(err))}
	}
	all := make([]Diagnostic, len(list))
	for i, d := range list {
		all[i] = Diagnostic{of, model, d.Severity.String(), d.Message, d.Hint, placeOf(d.Span)}
	}
	return all
}
