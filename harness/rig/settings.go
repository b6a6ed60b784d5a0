package rig

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/src"
)

// maxSettings bounds the bytes of a file of settings. One with settings for each shipped test has a
// hundredth of that.
const maxSettings = 16 << 20

// readTunings reads settings: one JSON object, and nothing behind it. Fields that the object omits
// are unchanged. The error is a *src.Diagnostic.
func readTunings(f *src.File, t *harness.Tunings) error {
	d := json.NewDecoder(strings.NewReader(f.Text))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return wrongSettings(f, err, int(d.InputOffset()))
	}
	rest := strings.TrimLeft(f.Text[d.InputOffset():], " \t\r\n")
	if rest == "" {
		return nil
	}
	at := len(f.Text) - len(rest)
	return src.Errorf(f.Span(at, at+1), "there is text behind the settings").
		WithHint("settings are one JSON object: remove what follows its closing brace")
}

// wrongSettings returns an error about settings that were read up to an offset.
func wrongSettings(f *src.File, err error, offset int) *src.Diagnostic {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	why := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.As(err, &syntax):
		offset = int(syntax.Offset)
	case errors.As(err, &wrong):
		offset = int(wrong.Offset)
		field := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		why = fmt.Sprintf("%s is %s, and must be %s", cmp.Or(field, "this"), wrong.Value, wanted[wrong.Type.Kind()])
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, why = len(strings.TrimRight(f.Text, " \t\r\n")), "the settings end before their object does"
	}
	end := min(max(offset, 1), len(f.Text))
	return src.Errorf(f.Span(max(0, end-1), end), "%s",
		why).WithHint("settings are one JSON object, as muster hw tune prints them")
}

// wanted are the words for the types of settings.
var wanted = map[reflect.Kind]string{
	reflect.Int:    "a whole number of 64 bits",
	reflect.Bool:   "true or false",
	reflect.Struct: "an object",
	reflect.Map:    "an object",
}
