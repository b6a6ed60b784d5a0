// Package results keeps what simulations found in files. A run that was stopped continues its file,
// shards of a campaign write separate files, and files can be compared with each other, with logs
// and with hardware.
//
//	Record  the answer of a model about a test: a line of a file of results
//	Key     identifies the subject of a record; a record with a known key need not be found again
//	File    a file that a run appends to and continues
//	Run     a run whose answers are kept in a file
//	Shard   a part of all tests, determined by their content
//	Merge   joins the files of shards, and reports what is missing
//	Entry   a record of a simulation, of hardware, or of a log, which Compare compares with others
//
// Records of hardware (observe.Record) may be in the same files: both kinds name a test and its
// content the same way, and have the states that were found with their counts. docs/campaigns.md is
// the user's view.
package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Format is the version of the format of files. It changes when a reader of the previous version
// would misunderstand what is written.
const Format = 1

// Record is the answer of a model about a test. Its fields are those of a line (docs/json.md).
type Record struct {
	// Format; it comes first, and distinguishes a line of results from one of hardware
	Format int `json:"results"`
	Subject
	Kind        string    `json:"kind"`
	Condition   string    `json:"condition"`
	Verdict     string    `json:"verdict"` // Ok, No or Undef
	Outcome     string    `json:"outcome"` // allowed, forbidden or unknown
	Observation string    `json:"observation"`
	Positive    int64     `json:"positive"`
	Negative    int64     `json:"negative"`
	Histogram   Histogram `json:"histogram"` // of the consistent executions, as hardware's is of runs
	Flags       []string  `json:"flags,omitempty"`
	Loop        bool      `json:"loop,omitempty"`
	Incomplete  string    `json:"incomplete,omitempty"` // what cut the answer short

	// These change from run to run. They are absent if not wanted.
	Time    time.Time `json:"time,omitzero"`
	Seconds float64   `json:"seconds,omitempty"`
}

// Subject is what a record is about.
type Subject struct {
	Test      string  `json:"test"`
	Hash      string  `json:"hash"` // litmus.Test.Hash
	Model     string  `json:"model"`
	ModelHash string  `json:"modelHash"` // ModelHash
	Options   Options `json:"options"`
	Muster    string  `json:"muster"` // the version that found it
}

// Options are the options of a simulation on which its answer may depend. The memory of the machine
// is not among them: an answer that it cut short says so in the record.
type Options struct {
	Unroll        int    `json:"unroll"`
	CASFailWrites bool   `json:"casFailWrites,omitempty"`
	Effort        string `json:"effort,omitempty"` // "states" or "quick"; "" for all counts
	Engine        string `json:"engine,omitempty"` // "naive"; "" for the fast one
	MaxCandidates int    `json:"maxCandidates,omitempty"`
	Timeout       string `json:"timeout,omitempty"`
}

var efforts = map[sim.Want]string{sim.Counts: "", sim.States: "states", sim.Verdict: "quick"}

// OptionsOf returns the options of a configuration.
func OptionsOf(c sim.Config) Options {
	o := Options{
		Unroll:        c.Reading.Unroll,
		CASFailWrites: c.Reading.CASFailWrites,
		Effort:        efforts[c.Want],
		MaxCandidates: c.Limits.MaxCandidates,
	}
	if c.Engine == sim.Naive {
		o.Engine = "naive"
	}
	if c.Timeout > 0 {
		o.Timeout = c.Timeout.String()
	}
	return o
}

// ModelHash identifies the meaning of a model: the first 16 bytes, in hexadecimal, of the SHA-256
// of its texts, including included files, and of the variants that are switched on.
func ModelHash(m *models.Model) string {
	var b []byte
	for _, f := range m.Files {
		b = append(binary.AppendUvarint(b, uint64(len(f.Text))), f.Text...)
	}
	for _, v := range m.On {
		b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Key identifies what a record is about.
type Key [16]byte

// Key returns the key of the subject.
func (s *Subject) Key() Key {
	b := make([]byte, 0, 256)
	for _, part := range []string{
		s.Test, s.Hash, s.Model, s.ModelHash, s.Muster, s.Options.Effort, s.Options.Engine, s.Options.Timeout,
	} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	b = binary.AppendVarint(b, int64(s.Options.Unroll))
	b = binary.AppendVarint(b, int64(s.Options.MaxCandidates))
	if s.Options.CASFailWrites {
		b = append(b, 1)
	}
	sum := sha256.Sum256(b)
	return Key(sum[:16])
}

// NewRecord returns the record of a result.
func NewRecord(s Subject, r *sim.Result) *Record {
	logged := r.Record()
	return &Record{
		Format: Format, Subject: s,
		Kind:        logged.Kind.String(),
		Condition:   logged.Condition,
		Verdict:     logged.Verdict.String(),
		Outcome:     r.Outcome().String(),
		Observation: logged.Observation.String(), Positive: logged.Positive, Negative: logged.Negative,
		Flags: logged.Flags, Loop: logged.Loop, Incomplete: r.Incomplete(), Histogram: logged.States,
	}
}

// Timed sets the time when the record was found, and how long that took, and returns the record.
func (r *Record) Timed(now time.Time, took time.Duration) *Record {
	r.Time, r.Seconds = now.UTC().Truncate(time.Millisecond), took.Seconds()
	return r
}

// Logged returns the record in the form of a log.
func (r *Record) Logged() (*litmus.Record, error) {
	logged := &litmus.Record{
		Test: r.Test, Positive: r.Positive, Negative: r.Negative, Flags: r.Flags, Loop: r.Loop, Condition: r.Condition,
		Time: time.Duration(r.Seconds * float64(time.Second)), Hash: r.Hash, VerdictOnly: r.Options.Effort == "quick",
	}
	if err := logged.SetWords(r.Kind, r.Verdict, r.Observation); err != nil {
		return nil, err
	}
	logged.States = r.Histogram
	return logged, nil
}
