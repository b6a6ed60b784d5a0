package play

import (
	"errors"
	"path"
	"strings"
	"unicode/utf16"

	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// testFile is the name of the text of a test in messages.
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

// units returns the length of a text in UTF-16.
func units(text string) (n int) {
	for _, c := range text {
		n += utf16.RuneLen(c)
	}
	return n
}

// innermost unwraps an error: the names of files and tests around it are useless to the page, which
// knows what it asked about.
func innermost(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}

// The subjects of a diagnostic.
const (
	ofTest  = "test"    // the text of the test
	ofModel = "model"   // a file of a model
	ofAll   = "general" // neither: a limit, or a fault of muster
)

// diagnose returns an error as diagnostics. A diagnostic with a place is about the text of that
// place; one without is about the model if of is ofModel, and else general.
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
		all[i] = wire.Diagnostic{
			Of:       about(d, of),
			Model:    model,
			Severity: d.Severity.String(),
			Message:  d.Message,
			Hint:     d.Hint,
			Range:    rangeOf(d.Span),
		}
	}
	return all
}

// about returns the subject of a diagnostic: of, unless its place says more.
func about(d *src.Diagnostic, of string) string {
	switch {
	case of == ofModel:
	case !d.Span.Valid():
		return ofAll
	case strings.HasSuffix(d.Span.File.Name, ".cat"):
		return ofModel
	}
	return of
}
