// Package observe reads and records observations of real hardware, and compares them with what a
// model predicts.
//
//	Device    a chip on which tests were run
//	Run       how often a chip showed the outcome that a test asks about: a row of a table
//	Record    one run of one test on one chip, with all final states: a line of a file of records
//	Recorder  appends records to a file; it tolerates other recorders and being killed
//	Ledger    the sum of all records, tables and logs, by test and chip
//	Finding   a run compared with a model: sound, outside the model, or unsound
//
// A Ledger reads tables (CSV with a header line), the logs of litmus7 and cuda-litmus, and files of
// records, so that the tables of papers and the records of users are handled alike. UpperBound
// bounds the rate of an outcome that was never observed.
package observe

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Device is a chip on which tests were run.
type Device struct {
	Name         string `json:"name"` // the short name that runs use
	Vendor       string `json:"vendor,omitempty"`
	Architecture string `json:"architecture,omitempty"`
	Chip         string `json:"chip,omitempty"` // the full name
	Year         int    `json:"year,omitempty"`

	// As reported by the driver:
	ComputeCapability string `json:"computeCapability,omitempty"` // such as 9.0
	Driver            string `json:"driver,omitempty"`            // its version
	// of this very chip; those of several are separated by spaces
	UUID string `json:"uuid,omitempty"`
}

// Run is one row of a table: a test, run many times on a chip.
type Run struct {
	Test   string `json:"test"`
	Device string `json:"device"`
	Runs   int    `json:"runs"`
	// times the asked-for outcome was seen; nil if the test could not be run
	Observed *int   `json:"observed"`
	Source   string `json:"source"` // where the count is printed
	Setting  string `json:"setting,omitempty"`
	Note     string `json:"note,omitempty"`
}

// ReadDevices reads a table with the columns device, vendor, architecture, chip and year, and
// optionally driver. The error is a src.Diagnostics; the good rows are returned nevertheless.
func ReadDevices(f *src.File) ([]Device, error) {
	var devices []Device
	err := src.ReadTable(f, deviceColumns, func(row src.Row) error {
		year, err := row.Count("year")
		d := Device{
			Name: row.Get("device"), Vendor: row.Get("vendor"), Architecture: row.Get("architecture"),
			Chip: row.Get("chip"), Year: year, Driver: row.Get("driver"),
		}
		devices = append(devices, d)
		return err
	})
	return devices, err
}

// ReadRuns reads a table with the columns test, device, runs and observed, and optionally source,
// setting and note. An empty "observed" says that the test could not be run. The error is a
// src.Diagnostics; the good rows are returned nevertheless.
func ReadRuns(f *src.File) ([]Run, error) {
	var runs []Run
	err := eachRun(f, func(r Run, _ src.Span) error {
		runs = append(runs, r)
		return nil
	})
	return runs, err
}

// runColumns and deviceColumns are the columns that the tables must have.
var (
	runColumns    = []string{"test", "device", "runs", "observed"}
	deviceColumns = []string{"device", "vendor", "architecture", "chip", "year"}
)

// eachRun visits the good rows of a table of runs.
func eachRun(f *src.File, visit func(Run, src.Span) error) error {
	return src.ReadTable(f, runColumns, func(row src.Row) error {
		r := Run{
			Test: row.Get("test"), Device: row.Get("device"), Source: row.Get("source"),
			Setting: row.Get("setting"), Note: row.Get("note"),
		}
		var err error
		if r.Runs, err = row.Count("runs"); err != nil {
			return err
		}
		if row.Get("observed") != "" {
			n, err := row.Count("observed")
			if err != nil {
				return err
			}
			r.Observed = &n
		}
		return visit(r, row.At)
	})
}

// Prediction is what a model says about the outcome that a test asks about.
type Prediction struct {
	Allowed bool
	Outside bool // the test uses what the model does not cover
	Unknown bool // a limit cut the answer short
}

// Standing is how a run compares with a model.
type Standing uint8

// The standings.
const (
	Sound   Standing = iota // the model allows everything that was seen
	Outside                 // the model does not cover this test or this chip
	Unsound                 // seen, and forbidden by the model
	Unknown                 // seen, and the model has no complete answer
	NotRun                  // nothing to compare
)

func (s Standing) String() string {
	return [...]string{"sound", "outside the model", "UNSOUND", "unknown", "not run"}[s]
}

// MarshalText writes the standing as a word.
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is a run compared with a model.
type Finding struct {
	Run
	Standing Standing `json:"standing"`
	Why      string   `json:"why,omitempty"` // for Outside: what is outside
}

// Compare compares a run with a prediction. The model covers the chips of vendor, or all if it is
// ""; a device whose vendor is unknown counts as one of them.
func Compare(r Run, d Device, p Prediction, vendor string) Finding {
	f := Finding{Run: r}
	if r.Observed == nil {
		f.Standing = NotRun
		return f
	}
	f.Standing, f.Why = Judge(*r.Observed > 0, d, p, vendor)
	return f
}

// Judge compares whether a device showed an outcome with a prediction. For Outside it says why;
// vendor is as for Compare.
func Judge(seen bool, d Device, p Prediction, vendor string) (Standing, string) {
	switch {
	case vendor != "" && d.Vendor != "" && !strings.EqualFold(d.Vendor, vendor):
		return Outside, fmt.Sprintf("a model of %s chips does not cover %s", vendor, d.Vendor)
	case p.Outside:
		return Outside, "the test uses what the model does not cover"
	case seen && p.Unknown:
		return Unknown, ""
	case seen && !p.Allowed:
		return Unsound, ""
	}
	return Sound, ""
}
