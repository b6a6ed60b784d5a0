package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/internal/store/journal"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

// Line is a line of a file of results. Exactly one of the first three fields is set.
type Line struct {
	Record   *Record
	End      *End
	Hardware *observe.Record

	Text   []byte // the text of the line, valid until the next one is read
	Number int
	Offset int64 // of the next line
}

// fatal reports whether an error ends the reading of a file.
func fatal(err error) bool {
	var d *src.Diagnostic
	return err != nil && !errors.As(err, &d)
}

// marker is the beginning of lines of simulations, and endMarker that of the lines at their ends.
var (
	marker    = []byte(`{"results":`)
	endMarker = fmt.Appendf(nil, `%s%d,"end":`, marker, Format)
)

// Lines reads a file of results. An invalid line, such as one that was cut when its writer was
// killed, yields a *src.Diagnostic, and reading goes on; any other error ends it. A first line that
// is not the beginning of a record ends it, too: the file is not of this kind.
func Lines(name string, from io.Reader) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		lines := journal.NewLines(from)
		for first := true; ; first = false {
			text, err := lines.Next()
			if err == io.EOF {
				return
			}
			var line *Line
			if err == nil {
				line, err = readLine(name, lines, text)
			}
			if first && err != nil && !journal.Begins(text, string(marker), `{"muster":`) {
				err = fmt.Errorf("%s: this is not a file of results: it begins with %.40q%s", name,
					text, instead(name, text))
			}
			if !yield(line, err) || fatal(err) {
				return
			}
		}
	}
}

func readLine(name string, lines *journal.Lines, text []byte) (*Line, error) {
	line := &Line{Text: text, Number: lines.Number(), Offset: lines.Offset()}
	if format, ok := formatOf(text); ok && format != Format {
		return nil,
			fmt.Errorf("%s:%d: a record of format %d; this muster reads and writes format %d", name,
				line.Number, format, Format)
	}
	var d *src.Diagnostic
	switch {
	case !bytes.HasPrefix(text, marker):
		line.Hardware, d = observe.Decode(name, lines, text)
	case bytes.HasPrefix(text, endMarker):
		line.End = &End{}
		d = lines.Decode(name, text, line.End)
	default:
		var usual bool
		if line.Record, usual = readRecord(text); usual {
			d = line.Record.check(lines, name, text)
			break
		}
		line.Record = &Record{}
		if d = lines.Decode(name, text, line.Record); d == nil {
			d = line.Record.check(lines, name, text)
		}
	}
	if d != nil {
		return nil, d.WithHint("this line is left out")
	}
	return line, nil
}

// formatOf returns the version of the format of a simulation's line, if the line is complete.
func formatOf(text []byte) (format int, ok bool) {
	digits, rest, ok := bytes.Cut(bytes.TrimPrefix(text, marker), []byte{','})
	if !ok || !bytes.HasPrefix(text, marker) || !bytes.HasSuffix(rest, []byte{'}'}) {
		return 0, false
	}
	format, err := strconv.Atoi(string(digits))
	return format, err == nil
}

// check reports values that no simulation writes.
func (r *Record) check(lines *journal.Lines, name string, text []byte) *src.Diagnostic {
	for _, field := range []struct{ name, value string }{
		{"test", r.Test},
		{"hash", r.Hash},
		{"model", r.Model},
		{"modelHash", r.ModelHash},
		{"verdict", r.Verdict},
		{"outcome", r.Outcome},
	} {
		if field.value == "" {
			return src.Errorf(lines.Span(name, text), "expected %q", field.name)
		}
	}
	return nil
}

// instead says what a file of another kind is, given its first line, as the end of a sentence.
func instead(name string, line []byte) string {
	if what := inputs.Instead(name, string(line), inputs.Records); what != "" {
		return "; " + what
	}
	return ""
}
