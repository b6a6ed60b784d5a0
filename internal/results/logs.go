package results

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// Entry is what a log or a file of results says of a test.
type Entry struct {
	*litmus.Record
	Model   string // or the chip; "" if the log does not say
	Content string // litmus.Test.Hash; "" if that is not known: tools hash tests in different ways
}

// EntryOf is what a model says of a test.
func EntryOf(model string, r *sim.Result) Entry {
	return Entry{r.Record(), model, r.Test.Hash()}
}

// Read reads a log of herd's, litmus7's or ours, what `muster run --json` prints, or a file of results or of
// records of hardware; its content tells which. The error is about records that cannot be used; the others
// are returned next to it.
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

// aRecord is how a record begins, of whatever kind.
var aRecord = regexp.MustCompile(`(?m)^\s*(?:\{|Test\s)`)

// peekSize is how much may come before the first record.
const peekSize = 1 << 16

// readRecords reads a file that begins with records. What does not, may be without end.
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
		WithHint("expected a log of herd, litmus7 or muster, or what run --json or run -o writes")
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

// hardwareEntry is a run on a chip: its states, of which nobody has said which the condition asks for.
func hardwareEntry(r *observe.Record) Entry {
	logged := &litmus.Record{Test: r.Test, Hash: r.Hash, Verdict: litmus.Undef, Observation: litmus.Undecided, Histogram: true}
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
		logged := &litmus.Record{Test: r.Test, Hash: r.Hash, Condition: r.Condition, Positive: int64(r.Positive), Negative: int64(r.Negative), Flags: r.Flags}
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
			bad.Errorf(src.NewFile(name, string(text)).Span(int(d.InputOffset()), int(d.InputOffset())), "not what run --json prints: %v", err)
			return all
		}
		all = append(all, Entry{logged, r.Model, r.Hash})
	}
}

// readLog reads a log. Ours has lines "Model NAME" before the records of several models.
func readLog(f *src.File, bad *src.Diagnostics) []Entry {
	records, err := litmus.ReadLog(f)
	bad.Add(err)
	var all []Entry
	for _, r := range records {
		before := f.Text[:r.At.Start]
		model := ""
		if i := strings.LastIndexByte(strings.TrimSuffix(before, "\n"), '\n') + 1; strings.HasPrefix(before[i:], "Model ") {
			model = strings.TrimSpace(before[i+len("Model "):])
		}
		all = append(all, Entry{Record: r, Model: model})
	}
	return all
}

// Difference is a test of which two logs say different things, or which only one of them has.
type Difference struct {
	Test, Model  string
	A, B         *Entry // nil if the log does not have the test
	OnlyA, OnlyB []litmus.Outcome
}

// Verdicts reports that the verdicts differ.
func (d *Difference) Verdicts() bool { return d.A != nil && d.B != nil && d.A.contradicts(d.B) }

// Changed reports that the test itself is another.
func (d *Difference) Changed() bool {
	return d.A != nil && d.B != nil && d.A.Content != "" && d.B.Content != "" && d.A.Content != d.B.Content
}

// contradicts reports that verdicts, or how often the proposition was so, differ. What a limit left open, or a chip
// was not asked, contradicts nothing.
func (e *Entry) contradicts(f *Entry) bool {
	decided := e.Observation != litmus.Undecided && f.Observation != litmus.Undecided
	return e.Verdict != f.Verdict && e.Verdict != litmus.Undef && f.Verdict != litmus.Undef ||
		decided && e.Observation != f.Observation && !e.VerdictOnly && !f.VerdictOnly
}

// Compare lists what differs between two logs, sorted by test. Tests are the same if their names are, and if both logs
// have several models, those too. States of which a log says only the verdict are not compared.
func Compare(a, b []Entry) []Difference {
	several := modelsIn(a) > 1 && modelsIn(b) > 1
	type pair struct{ a, b *Entry }
	type key struct{ test, model string }
	pairs := map[key]*pair{}
	put := func(all []Entry, at func(*pair) **Entry) {
		for i := range all {
			k := key{test: all[i].Test}
			if several {
				k.model = all[i].Model
			}
			if pairs[k] == nil {
				pairs[k] = &pair{}
			}
			*at(pairs[k]) = &all[i] // of several, the last one counts
		}
	}
	put(a, func(p *pair) **Entry { return &p.a })
	put(b, func(p *pair) **Entry { return &p.b })
	var all []Difference
	for k, p := range pairs {
		d := Difference{Test: k.test, Model: k.model, A: p.a, B: p.b}
		if p.a != nil && p.b != nil {
			if !p.a.VerdictOnly && !p.b.VerdictOnly {
				d.OnlyA, d.OnlyB = without(p.a.States, p.b.States), without(p.b.States, p.a.States)
			}
			if !d.Verdicts() && !d.Changed() && len(d.OnlyA)+len(d.OnlyB) == 0 {
				continue
			}
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(d, e Difference) int {
		return cmp.Or(strings.Compare(d.Test, e.Test), strings.Compare(d.Model, e.Model))
	})
	return all
}

// modelsIn is how many models a log has.
func modelsIn(all []Entry) int {
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.Model] = true
	}
	return len(seen)
}

// without is the states that are not among others.
func without(states, others []litmus.Outcome) []litmus.Outcome {
	has := map[string]bool{}
	for _, o := range others {
		has[o.String()] = true
	}
	return slices.DeleteFunc(slices.Clone(states), func(o litmus.Outcome) bool { return has[o.String()] })
}

// Changed lists what is said otherwise now than it was before: other verdicts, and tests that are gone. What is new is no change, nor
// are other states of the same verdict.
func Changed(old, now []Entry) []Difference {
	asked := map[string]bool{}
	for _, e := range now {
		asked[e.Model] = true
	}
	old = slices.DeleteFunc(slices.Clone(old), func(e Entry) bool { return e.Model != "" && !asked[e.Model] })
	return slices.DeleteFunc(Compare(old, now), func(d Difference) bool { return d.A == nil || d.B != nil && !d.Verdicts() })
}
