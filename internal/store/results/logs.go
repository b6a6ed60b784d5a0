package results

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// Entry is a record of a log or of a file of results.
type Entry struct {
	*litmus.Record
	Model   string // or the chip; "" if the log does not say
	Content string // litmus.Test.Hash; "" if unknown, because tools hash tests in different ways
}

// id distinguishes tests of one name in one file.
func (e *Entry) id() string { return cmp.Or(e.Content, e.Hash) }

// EntryOf returns the answer of a model about a test as an Entry.
func EntryOf(model string, r *sim.Result) Entry {
	return Entry{r.Record(), model, r.Test.Hash()}
}

// Read reads a log of herd, litmus7 or muster, the output of `muster run --json`, or a file of
// results or of records of hardware, as its content tells. The error is about invalid records; the
// others are returned with it.
func Read(name string) ([]Entry, error) {
	text, err := readRecords(name)
	if err != nil {
		return nil, err
	}
	var d src.Diagnostics
	head := bytes.TrimLeft(text, " \t\r\n")
	var all []Entry
	switch {
	case bytes.HasPrefix(head, []byte(`{"test":`)):
		all = readWire(name, text, &d)
	case bytes.HasPrefix(head, []byte("{")):
		all, err = readResults(name, text, &d)
	default:
		all = readLog(src.NewFile(name, string(text)), &d)
	}
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && d.Err() == nil {
		return nil, noRecords(name, text)
	}
	return all, d.Err()
}

// aRecord matches the beginning of a record of any kind.
var aRecord = regexp.MustCompile(`(?m)^\s*(?:\{|Test\s)`)

// peekSize bounds the bytes before the first record.
const peekSize = 1 << 16

// readRecords reads a file that begins with records. Other files are refused before they are read,
// because they may be endless.
func readRecords(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, peekSize)
	head, err := in.Peek(peekSize)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case !aRecord.Match(head):
		return nil, noRecords(name, head)
	}
	return io.ReadAll(in)
}

func noRecords(name string, text []byte) error {
	return src.Errorf(src.NewFile(name, string(text)).Span(0, 0), "no records here").
		WithHint("%s", cmp.Or(inputs.Instead(name, string(text), inputs.Log, inputs.Records),
			"expected a log of herd, litmus7 or muster, or what run --json or run -o writes"))
}

func readResults(name string, text []byte, bad *src.Diagnostics) ([]Entry, error) {
	var all []Entry
	for line, err := range Lines(name, bytes.NewReader(text)) {
		switch {
		case fatal(err):
			return nil, err
		case err != nil:
			bad.Add(err)
		case line.Record != nil:
			logged, err := line.Record.Logged()
			if err != nil {
				return nil, err
			}
			all = append(all, Entry{logged, line.Record.Model, line.Record.Hash})
		case line.Hardware != nil:
			all = append(all, hardwareEntry(line.Hardware))
		}
	}
	return all, nil
}

// hardwareEntry returns a run on a chip as an Entry. It does not know which of its states the
// condition asks for.
func hardwareEntry(r *observe.Record) Entry {
	logged := &litmus.Record{
		Test:        r.Test,
		Hash:        r.Hash,
		Verdict:     litmus.Undef,
		Observation: litmus.Undecided,
		Histogram:   true,
	}
	for _, b := range r.Histogram {
		if o, err := litmus.NewOutcome(b.State); err == nil && b.Count > 0 {
			o.Count = b.Count
			logged.States = append(logged.States, o)
		}
	}
	return Entry{logged, r.Device.Name, r.Hash}
}

func readWire(name string, text []byte, bad *src.Diagnostics) []Entry {
	var all []Entry
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var r wire.Result
		err := d.Decode(&r)
		if err == io.EOF {
			return all
		}
		logged := &litmus.Record{
			Test:      r.Test,
			Hash:      r.Hash,
			Condition: r.Condition,
			Positive:  int64(r.Positive),
			Negative:  int64(r.Negative),
			Flags:     r.Flags,
		}
		if err == nil {
			err = logged.SetWords(r.Kind, r.Verdict, r.Observation)
		}
		for _, s := range r.States {
			o, e := litmus.NewOutcome(s.Values)
			err = cmp.Or(err, e)
			o.Count = int64(s.Count)
			logged.States = append(logged.States, o)
		}
		if err != nil {
			bad.Errorf(src.NewFile(name, string(text)).Span(int(d.InputOffset()), int(d.InputOffset())),
				"not what run --json prints: %v", err)
			return all
		}
		all = append(all, Entry{logged, r.Model, r.Hash})
	}
}

// readLog reads a log. Logs of muster have a line "Model NAME" before the records of each of
// several models.
func readLog(f *src.File, bad *src.Diagnostics) []Entry {
	records, err := litmus.ReadLog(f)
	bad.Add(err)
	var all []Entry
	for _, r := range records {
		before := f.Text[:r.At.Start]
		model := ""
		if i := strings.LastIndexByte(strings.TrimSuffix(before, "\n"), '\n') +
			1; strings.HasPrefix(before[i:], "Model ") {
			model = strings.TrimSpace(before[i+len("Model "):])
		}
		all = append(all, Entry{Record: r, Model: model})
	}
	return all
}
