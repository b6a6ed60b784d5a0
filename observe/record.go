package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/muster-gpu/muster/internal/store/journal"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Record is one run of one test on one chip. A file of records has one on each line, as JSON
// (docs/json.md); records that agree in everything but the time are separate runs.
type Record struct {
	Muster    string          `json:"muster"` // the version that ran the test
	Time      time.Time       `json:"time"`
	Test      string          `json:"test"`
	Hash      string          `json:"hash"` // litmus.Test.Hash
	Text      string          `json:"text,omitempty"`
	Device    Device          `json:"device"`
	Toolkit   string          `json:"toolkit,omitempty"`  // what compiled the test
	Settings  json.RawMessage `json:"settings,omitempty"` // of the harness, an object; kept as it is
	Seed      uint64          `json:"seed"`
	Instances int64           `json:"instances"`          // number of instances that were run
	Launches  int64           `json:"launches,omitempty"` // number of launches that ran them
	Seconds   float64         `json:"seconds"`
	Histogram []Bar           `json:"histogram"`
	Optcheck  Optcheck        `json:"optcheck"`
	Fault     string          `json:"fault,omitempty"` // why the run did not end: it has no histogram then

	// Asked counts the outcome that the condition asks for, in a record made from a row of a table,
	// which has no histogram. nil for others.
	Asked *int64 `json:"-"`
	// At is where the record was read.
	At src.Span `json:"-"`
}

// Bar is a final state with its count.
type Bar struct {
	State map[string]string `json:"state"` // names as litmus.Ref writes them: 0:r1, [x], a[0]
	Count int64             `json:"count"`
	// Launches is the number of launches in which it was seen, if recorded: instances of one launch
	// are not quite independent.
	Launches int64 `json:"launches,omitempty"`
}

// NewBar returns the bar of an outcome with its count.
func NewBar(o litmus.Outcome) Bar {
	b := Bar{State: make(map[string]string, len(o.Values)), Count: o.Count}
	for _, v := range o.Values {
		b.State[v.Name] = v.Value.String()
	}
	return b
}

// Optcheck is whether the machine code of a test does what the test says: otherwise a count says
// nothing about the test (ASPLOS 2015, Sec. 4.4).
type Optcheck struct {
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`
}

// Verdict is the outcome of a check of machine code.
type Verdict uint8

// The verdicts.
const (
	NotChecked Verdict = iota
	Passed
	Failed // the record is void
)

var verdicts = []string{"not checked", "passed", "failed"}

func (v Verdict) String() string { return verdicts[v] }

// MarshalText writes the verdict as words.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	i := slices.Index(verdicts, string(text))
	if i < 0 {
		return fmt.Errorf("unknown verdict %q: expected passed, failed or not checked", text)
	}
	*v = Verdict(i)
	return nil
}

// outcomes returns the histogram, with each state in canonical form, and the sum of its counts. The
// error reports what no run of a test can have shown.
func (r *Record) outcomes() (all []litmus.Outcome, sum int64, err error) {
	seen := make(map[string]bool, len(r.Histogram))
	for i, b := range r.Histogram {
		o, err := litmus.NewOutcome(b.State)
		if err != nil {
			return nil, 0, fmt.Errorf("histogram: %w", err)
		}
		o.Count = b.Count
		switch key := o.String(); {
		case seen[key]:
			return nil, 0, fmt.Errorf("histogram: the state %s is there twice", key)
		case i > 0 && !sameNames(all[0], o):
			return nil, 0, fmt.Errorf("histogram: the states %s and %s show different things", all[0], key)
		case b.Count < 0:
			return nil, 0, fmt.Errorf("histogram: %s was seen %d times", key, b.Count)
		case b.Count > math.MaxInt64-sum:
			return nil, 0, errors.New("histogram: the counts add up to more than 64 bits hold")
		default:
			seen[key] = true
		}
		sum += b.Count
		all = append(all, o)
	}
	return all, sum, nil
}

// sameNames reports whether two states have the same registers and locations.
func sameNames(o, p litmus.Outcome) bool {
	return slices.EqualFunc(o.Values, p.Values, func(a, b litmus.Binding) bool { return a.Name == b.Name })
}

// check reports what is wrong with a line of a file of records, or with a record to be written.
func (r *Record) check() error {
	_, sum, err := r.outcomes()
	switch {
	case r.Test == "":
		return errors.New(`expected the name of the test: "test"`)
	case r.Hash == "":
		return errors.New(`expected the content hash of the test: "hash"`)
	case r.Device.Name == "":
		return errors.New(`expected the name of the device: "device"`)
	case len(r.Settings) > 0 && r.Settings[0] != '{' && string(r.Settings) != "null":
		return errors.New("settings: expected an object")
	case r.Instances < 0 || !(r.Seconds >= 0):
		return errors.New("instances and seconds must not be negative")
	case !utf8.ValidString(r.Text):
		return errors.New("text: expected UTF-8")
	case err != nil:
		return err
	case sum > r.Instances:
		return fmt.Errorf("histogram: %d states of %d instances", sum, r.Instances)
	}
	return nil
}

// Run returns the key of a run: records with the same test, device, driver, settings and seed
// belong to one run.
func (r *Record) Run() string {
	return fmt.Sprintf("%s %s %s %s %s %d", r.Hash, r.Device.Name, r.Device.UUID, r.Device.Driver, r.Settings, r.Seed)
}

// Done is how much of a run a file has: a run may be recorded in parts.
type Done struct {
	Instances int64
	Parts     int
	Fault     bool // it did not terminate, and would not terminate again
}

// ReadDone sums up a file of records by run (Record.Run); a missing file has none. The instances of
// records that are to be repeated do not count, but the records count as parts, so that their
// random numbers are not drawn again. Errors in the file are reported, and the file is not changed;
// a file that does not begin as a file of records, or of results (internal/store/results), is an
// error.
func ReadDone(name string, again func(*Record) bool, report func(error)) (map[string]Done, error) {
	done := map[string]Done{}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	first := true
	for record, err := range Records(name, f) {
		var bad *src.Diagnostic
		if first && errors.As(err, &bad) && !journal.Begins([]byte(bad.Span.File.Text), `{"muster":`, `{"results":`) {
			return nil, fmt.Errorf("%s: this is not a file of records: it begins with %.40q", name, bad.Span.File.Text)
		}
		first = false
		if err != nil {
			report(err)
			continue
		}
		run := record.Run()
		d := done[run]
		d.Parts++
		d.Fault = d.Fault || record.Fault != ""
		if !again(record) {
			d.Instances += record.Instances
		}
		done[run] = d
	}
	return done, nil
}
