package observe

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Records reads a file of records, line by line. A line that is no record, such as one that
// was cut when its recorder was killed, yields a *src.Diagnostic, and reading goes on with
// the next; any other error ends it.
func Records(name string, from io.Reader) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		lines := lineReader{from: bufio.NewReaderSize(from, peekSize)}
		for {
			text, err := lines.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if strings.TrimSpace(text) == "" {
				continue
			}
			r, d := parseRecord(src.NewFileAt(name, text, lines.read), lines.cut)
			if d != nil {
				err = d.WithHint("this line is left out")
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// maxLine is how long a line of a record file may be, in bytes.
const maxLine = 64 << 20

// lineReader reads lines.
type lineReader struct {
	from *bufio.Reader
	read int  // lines
	cut  bool // the last line that was read is longer than maxLine: this is its beginning
	buf  []byte
}

// next reads a line, without its end.
func (l *lineReader) next() (string, error) {
	l.buf, l.cut = l.buf[:0], false
	l.read++
	for {
		piece, err := l.from.ReadSlice('\n')
		if l.cut = l.cut || len(l.buf)+len(piece) > maxLine; !l.cut {
			l.buf = append(l.buf, piece...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.buf) == 0, err != nil && err != io.EOF:
			return "", err
		}
		if l.cut {
			l.buf = l.buf[:peekSize]
		}
		return strings.TrimRight(string(l.buf), "\r\n"), nil
	}
}

// parseRecord reads one line.
func parseRecord(f *src.File, cut bool) (*Record, *src.Diagnostic) {
	whole := f.Span(0, len(f.Text))
	if cut {
		return nil, src.Errorf(f.Span(0, 0), "a line of more than %d MiB is no record", maxLine>>20)
	}
	r := &Record{At: whole}
	err := json.Unmarshal([]byte(f.Text), r)
	if err == nil {
		err = r.check()
	}
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return r, nil
	case errors.As(err, &syntax) && endsEarly(f.Text):
		return nil, src.Errorf(f.Span(len(f.Text), len(f.Text)), "this record is cut short")
	case errors.As(err, &syntax):
		return nil, src.Errorf(before(f, syntax.Offset), "not a record: %v", err)
	case errors.As(err, &wrongType):
		return nil, src.Errorf(before(f, wrongType.Offset), "%s: expected %s, found %s",
			cmp.Or(wrongType.Field, "a record"), jsonType(wrongType.Type), wrongType.Value)
	}
	return nil, src.Errorf(whole, "%v", err)
}

// endsEarly reports that a text is the beginning of a JSON value.
func endsEarly(text string) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(strings.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// before is the byte that ends at an offset.
func before(f *src.File, offset int64) src.Span {
	end := min(max(int(offset), 1), len(f.Text))
	return f.Span(end-1, end)
}

// jsonType names what JSON must have for a value of a type.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int64:
		return "an integer of 64 bits"
	case reflect.Uint64:
		return "an integer of 64 bits, not negative"
	case reflect.Int:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// form is a kind of input with observations.
type form int

const (
	noForm form = iota
	recordForm
	logForm
	runTable
	deviceTable
)

var (
	recordLine = regexp.MustCompile(`^\s*\{\s*"`)
	logLine    = regexp.MustCompile(`^Test .*\b(?:Allowed|Required|Forbidden)\s*$`)
)

// peekSize is how much of an input may come before what shows its form.
const peekSize = 1 << 16

// detect says what an input holds, by the first line that only one form can have: a log may
// begin with anything, and a file of records with half a record.
func detect(head string) form {
	for i, line := range strings.Split(head, "\n") {
		switch {
		case i == 0 && hasColumns(line, runColumns):
			return runTable
		case i == 0 && hasColumns(line, deviceColumns):
			return deviceTable
		case recordLine.MatchString(line):
			return recordForm
		case logLine.MatchString(line):
			return logForm
		}
	}
	return noForm
}

// hasColumns reports that a line is the header of a table with at least one of the columns
// and a column of devices.
func hasColumns(line string, columns []string) bool {
	fields := strings.Split(strings.TrimSpace(line), ",")
	for i, f := range fields {
		fields[i] = strings.TrimSpace(f)
	}
	others := slices.ContainsFunc(columns, func(c string) bool { return c != "device" && slices.Contains(fields, c) })
	return slices.Contains(fields, "device") && others
}

// Read takes in all that an input says: records, a log with histograms, a table of runs or a
// table of devices. Its content tells which. The error is a src.Diagnostics with whatever
// cannot be used; all else is taken in.
func (l *Ledger) Read(name string, from io.Reader) error {
	in := bufio.NewReaderSize(from, peekSize)
	head, err := in.Peek(peekSize)
	if err != nil && err != io.EOF {
		return err
	}
	what := detect(string(head))
	if what == recordForm {
		return l.readRecords(name, in)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	f := src.NewFile(name, string(text))
	switch what {
	case logForm:
		return l.readLog(f)
	case runTable:
		return eachRun(f, func(r Run, at src.Span) error { return l.Add(r.record(at)) })
	case deviceTable:
		devices, err := ReadDevices(f)
		l.Describe(devices)
		return err
	}
	return src.Errorf(f.Span(0, 0), "no observations here").
		WithHint("expected records (JSON lines), a log of litmus7 or a table of runs or devices (docs/observations.md)")
}

// maxBadLines bounds how many bad lines of one file are kept as errors: a file of noise can
// have any number.
const maxBadLines = 1000

func (l *Ledger) readRecords(name string, from io.Reader) error {
	var bad src.Diagnostics
	n := 0
	for r, err := range Records(name, from) {
		var d *src.Diagnostic
		if err == nil {
			err = l.Add(r)
		}
		if err != nil && !errors.As(err, &d) {
			bad.Add(err)
			break
		}
		if d != nil {
			if n++; n <= maxBadLines {
				bad.Add(d)
			}
		}
	}
	if n > maxBadLines {
		bad.Errorf(src.Span{}, "%s: %d more lines are no records", name, n-maxBadLines)
	}
	return bad.Err()
}

// readLog takes in a log of litmus7, or one that looks like it.
func (l *Ledger) readLog(f *src.File) error {
	var bad src.Diagnostics
	logged, err := litmus.ReadLog(f)
	bad.Add(err)
	for _, rec := range logged {
		if !rec.Histogram {
			bad.Errorf(rec.At.Sub(0, len("Test ")+len(rec.Test)), "the states of %s have no counts", rec.Test).
				WithHint("observations are logs with a Histogram, as litmus7 writes them")
			continue
		}
		bad.Add(l.Add(l.fromLog(rec)))
	}
	return bad.Err()
}

// fromLog is a record of a log. Logs do not say what they were made on, nor how often a test
// was run other than by its histogram.
func (l *Ledger) fromLog(rec *litmus.Record) *Record {
	r := &Record{
		Test: rec.Test, Hash: rec.Hash, Device: l.Anonymous, Seconds: rec.Time.Seconds(), At: rec.At,
	}
	for _, o := range rec.States {
		r.Histogram = append(r.Histogram, NewBar(o))
	}
	return r
}

// record is the record of a row of a table.
func (r *Run) record(at src.Span) *Record {
	rec := &Record{Test: r.Test, Device: Device{Name: r.Device}, Instances: int64(r.Runs), At: at}
	if r.Observed != nil {
		seen := int64(*r.Observed)
		rec.Asked = &seen
	}
	return rec
}
