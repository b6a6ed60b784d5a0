package play

import (
	"errors"
	"path"
	"unicode/utf16"

	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// testFile is the name that the text of a test has in messages.
const testFile = "test"

func rangeOf(s src.Span) wire.Range {
	if !s.Valid() {
		return wire.Range{Line: 1, Col: 1}
	}
	pos := s.Pos()
	return wire.Range{
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

// innermost unwraps an error: the names of files and tests around it tell the page nothing, for it knows
// what it asked about.
func innermost(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}

// diagnose is an error as diagnostics of a test, or of a model of the request. An error that has
// no place is at the start.
func diagnose(err error, of string, model int) []wire.Diagnostic {
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
	all := make([]wire.Diagnostic, len(list))
	for i, d := range list {
		all[i] = wire.Diagnostic{Of: of, Model: model, Severity: d.Severity.String(), Message: d.Message, Hint: d.Hint, Range: rangeOf(d.Span)}
	}
	return all
}
