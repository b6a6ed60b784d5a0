package observe

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/internal/store/journal"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Records reads a file of records, line by line. An invalid line, such as one that was cut when its
// recorder was killed, yields a *src.Diagnostic, and reading goes on with the next; any other error
// ends it.
func Records(name string, from io.Reader) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		lines := journal.NewLines(from)
		for {
			line, err := lines.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			r, d := Decode(name, lines, line)
			if d != nil {
				err = d.WithHint("this line is left out")
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Lines are the lines of a file of JSON objects: they decode one, and return its place.
type Lines interface {
	Decode(name string, line []byte, into any) *src.Diagnostic
	Span(name string, line []byte) src.Span
}

// Decode reads the record of a line of the file with a name.
func Decode(name string, lines Lines, line []byte) (*Record, *src.Diagnostic) {
	r := &Record{}
	if d := lines.Decode(name, line, r); d != nil {
		return nil, d
	}
	r.At = lines.Span(name, line)
	if err := r.check(); err != nil {
		return nil, src.Errorf(r.At, "%v", err)
	}
	return r, nil
}

// form is a kind of input with observations.
type form int

const (
	noForm form = iota
	recordForm
	logForm
	weakForm
	runTable
	deviceTable
)

var (
	recordLine = regexp.MustCompile(`^\s*\{\s*"`)
	logLine    = regexp.MustCompile(`^Test .*\b(?:Allowed|Required|Forbidden)\s*$`)
)

// peekSize bounds the bytes of an input before what shows its form.
const peekSize = 1 << 16

// detect determines the form of an input by the first line that only one form can have: a log may
// begin with anything, and a file of records with half a record.
func detect(head string) form {
	for i, line := range strings.Split(strings.TrimPrefix(head, src.ByteOrderMark), "\n") {
		switch {
		case i == 0 && hasColumns(line, runColumns):
			return runTable
		case i == 0 && hasColumns(line, deviceColumns):
			return deviceTable
		case recordLine.MatchString(line):
			return recordForm
		case logLine.MatchString(line):
			return logForm
		case weakLine.MatchString(line), totalLine.MatchString(line):
			return weakForm
		}
	}
	return noForm
}

// hasColumns reports whether a line is the header of a table with at least one of the columns and a
// column of devices.
func hasColumns(line string, columns []string) bool {
	fields := strings.Split(strings.TrimSpace(line), ",")
	for i, f := range fields {
		fields[i] = strings.TrimSpace(f)
	}
	others := slices.ContainsFunc(columns, func(c string) bool { return c != "device" && slices.Contains(fields, c) })
	return slices.Contains(fields, "device") && others
}

// compressed is the beginning of compressed input (RFC 1952).
const compressed = "\x1f\x8b"

// Read reads an input: records, a log with histograms or with counts of weak behaviours, a table of
// runs or a table of devices; it may be compressed (gzip). Its content tells which. The error is a
// src.Diagnostics about what cannot be used; everything else is added.
func (l *Ledger) Read(name string, from io.Reader) error {
	in := bufio.NewReaderSize(from, peekSize)
	head, err := in.Peek(peekSize)
	if err != nil && err != io.EOF && len(head) == 0 { // what comes before an error is read first
		return fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasPrefix(string(head), compressed) {
		inner, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return l.Read(name, inner)
	}
	what := detect(string(head))
	switch what {
	case recordForm:
		return l.readRecords(name, in)
	case noForm: // it may be endless
		return src.Errorf(src.NewFile(name, string(head)).Span(0, 0), "no observations here").
			WithHint("%s", cmp.Or(inputs.Instead(name, string(head), inputs.Log, inputs.Records, inputs.Table),
				"expected records (JSON lines), a log of litmus7 or cuda-litmus, or a table of runs or devices "+
					"(docs/observations.md)"))
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	f := src.NewFile(name, string(text))
	switch what {
	case logForm:
		return l.readLog(f)
	case weakForm:
		return l.readWeakLog(f)
	case runTable:
		return eachRun(f, func(r Run, at src.Span) error { return l.Add(r.record(at)) })
	}
	devices, err := ReadDevices(f)
	l.Describe(devices)
	return err
}

// maxBadLines bounds the bad lines of one file that are kept as errors: a file of noise can have
// any number.
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
			bad.Add(fmt.Errorf("%s: %w", name, err))
			break
		}
		if d != nil {
			if n++; n <= maxBadLines {
				bad.Add(d)
			}
		}
	}
	if n > maxBadLines {
		bad.Errorf(src.Span{}, "%s: %d more lines are not records", name, n-maxBadLines)
	}
	return bad.Err()
}

// readLog reads a log of litmus7, or a similar one.
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

// fromLog returns the record of an entry of a log. Logs do not name their device, and show the
// number of runs only by the histogram.
func (l *Ledger) fromLog(rec *litmus.Record) *Record {
	r := &Record{
		Test: rec.Test, Hash: rec.Hash, Device: l.Anonymous, Seconds: rec.Time.Seconds(), At: rec.At,
	}
	for _, o := range rec.States {
		r.Histogram = append(r.Histogram, NewBar(o))
	}
	return r
}

// record returns the record of a row of a table.
func (r *Run) record(at src.Span) *Record {
	rec := &Record{Test: r.Test, Device: Device{Name: r.Device}, Instances: int64(r.Runs), At: at}
	if r.Observed != nil {
		seen := int64(*r.Observed)
		rec.Asked = &seen
	}
	return rec
}
