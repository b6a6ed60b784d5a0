package observe_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/muster-gpu/muster/observe"
)

// recordInto, in the environment of this program, makes it a recorder instead of a test.
const recordInto = "MUSTER_TEST_RECORD_INTO"

func TestMain(m *testing.M) {
	if name := os.Getenv(recordInto); name != "" {
		if err := recordMany(name, uint64(os.Getpid())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// many is the number of records that each of several recorders writes.
const many = 25

// recordMany writes records of different lengths.
func recordMany(name string, seed uint64) error {
	rec, err := observe.Append(name)
	if err != nil {
		return err
	}
	for i := range many {
		r := sampleRecord()
		r.Seed, r.Text = seed, strings.Repeat("x", i*997)
		if err := rec.Write(r); err != nil {
			return err
		}
	}
	return rec.Close()
}

func sampleRecord() *observe.Record {
	return &observe.Record{
		Muster: "v0.5.0", Time: time.Date(2026, 7, 3, 14, 5, 6, 789, time.UTC),
		Test: "MP", Hash: "0123456789abcdef0123456789abcdef", Text: "GPU_PTX MP\n{x=0;}\n T0 ;\n<&>",
		Device: observe.Device{
			Name:              "H100",
			Vendor:            "Nvidia",
			ComputeCapability: "9.0",
			Driver:            "550.54",
			UUID:              "GPU-1",
		},
		Toolkit:  "ptxas 12.4",
		Settings: json.RawMessage(`{"stress":1.0,"a<b":[1e400,{"z":1,"y":2}]}`),
		Seed:     1<<64 - 1, Instances: 1 << 62, Seconds: 0.25,
		Histogram: []observe.Bar{
			{State: map[string]string{"1:r0": "0", "[x]": "-1"}, Count: 1<<53 + 1},
			{State: map[string]string{"1:r0": "y+4", "[x]": "1"}},
		},
		Optcheck: observe.Optcheck{Verdict: observe.Passed},
	}
}

func record(t testing.TB, name string, records ...*observe.Record) {
	t.Helper()
	rec, err := observe.Append(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := rec.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
}

// readRecords reads a file; errs are the headers of its errors.
func readRecords(t testing.TB, name string) (records []*observe.Record, errs []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r, err := range observe.Records("runs.jsonl", f) {
		if err != nil {
			header, _, _ := strings.Cut(err.Error(), "\n")
			errs = append(errs, header)
			continue
		}
		records = append(records, r)
	}
	return records, errs
}

var placeless = cmpopts.IgnoreFields(observe.Record{}, "At")

// TestRecordRoundTrip: records are read as they were written, settings byte for byte, and the file
// has the names of docs/json.md.
func TestRecordRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	void := sampleRecord()
	void.Optcheck = observe.Optcheck{Verdict: observe.Failed, Why: "two loads became one"}
	void.Settings = nil
	record(t, name, sampleRecord(), void)
	got, errs := readRecords(t, name)
	if diff := cmp.Diff([]*observe.Record{sampleRecord(), void}, got, placeless); diff != "" || errs != nil {
		t.Errorf("errors %q (-want +got)\n%s", errs, diff)
	}
	text, _ := os.ReadFile(name)
	const want = `{"muster":"v0.5.0","time":"2026-07-03T14:05:06.000000789Z","test":"MP",` +
		`"hash":"0123456789abcdef0123456789abcdef","text":"GPU_PTX MP\n{x=0;}\n T0 ;\n<&>",` +
		`"device":{"name":"H100","vendor":"Nvidia","computeCapability":"9.0","driver":"550.54","uuid":"GPU-1"},` +
		`"toolkit":"ptxas 12.4","settings":{"stress":1.0,"a<b":[1e400,{"z":1,"y":2}]},"seed":18446744073709551615,` +
		`"instances":4611686018427387904,"seconds":0.25,"histogram":[{"state":{"1:r0":"0","[x]":"-1"},"count":9007199254740993},` +
		`{"state":{"1:r0":"y+4","[x]":"1"},"count":0}],"optcheck":{"verdict":"passed"}}`
	if line, _, _ := strings.Cut(string(text), "\n"); line != want {
		t.Errorf("the line is\n%s\nwant\n%s", line, want)
	}
}

// TestRecordCut cuts the file after each byte of its last record, as a kill does, and records
// again: earlier and later records are complete, and the cut is reported.
func TestRecordCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	before, after := sampleRecord(), sampleRecord()
	before.Test, after.Test = "before", "after"
	record(t, name, before)
	first, _ := os.ReadFile(name)
	record(t, name, sampleRecord())
	both, _ := os.ReadFile(name)
	for end := len(first); end <= len(both); end++ {
		if err := os.WriteFile(name, both[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		record(t, name, after)
		got, errs := readRecords(t, name)
		want := []*observe.Record{before, after}
		var wantErrs []string
		switch {
		case end >= len(both)-1: // the record is complete, except for the line break
			want = []*observe.Record{before, sampleRecord(), after}
		case end > len(first):
			wantErrs = []string{fmt.Sprintf("runs.jsonl:2:%d: this record is cut short", end-len(first)+1)}
		}
		if diff := cmp.Diff(want, got, placeless); diff != "" {
			t.Fatalf("cut at %d (-want +got)\n%s", end, diff)
		}
		if diff := cmp.Diff(wantErrs, errs); diff != "" {
			t.Fatalf("cut at %d, errors (-want +got)\n%s", end, diff)
		}
	}
}

// TestRecordersTogether makes goroutines and processes record into one file.
func TestRecordersTogether(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(name, []byte(`{"cut":`), 0o666); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	const goroutines = 3
	for seed := range uint64(goroutines) {
		all.Go(func() {
			if err := recordMany(name, seed); err != nil {
				t.Error(err)
			}
		})
	}
	processes := 0
	if runtime.GOOS != "js" && runtime.GOOS != "windows" { // where there are processes, and locks
		processes = 2
	}
	for range processes {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), recordInto+"="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	got, errs := readRecords(t, name)
	if diff := cmp.Diff([]string{"runs.jsonl:1:8: this record is cut short"}, errs); diff != "" {
		t.Errorf("errors (-want +got)\n%s", diff)
	}
	next := map[uint64]int{} // by seed: each recorder's records are in order
	for _, r := range got {
		if want := next[r.Seed] * 997; len(r.Text) != want {
			t.Errorf("record %d of recorder %d has a text of %d bytes, want %d", next[r.Seed],
				r.Seed, len(r.Text), want)
		}
		next[r.Seed]++
	}
	if len(next) != goroutines+processes || len(got) != many*len(next) {
		t.Errorf("%d records of %d recorders, want %d of each of %d", len(got), len(next), many, goroutines+processes)
	}
}

// TestRecordSharedRecorder makes goroutines share a recorder.
func TestRecordSharedRecorder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	rec, err := observe.Append(name)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if err := rec.Write(sampleRecord()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if got, errs := readRecords(t, name); len(got) != many || errs != nil {
		t.Errorf("%d records, errors %q", len(got), errs)
	}
}

// TestRecordRefused has records that no reader would accept.
func TestRecordRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	rec, err := observe.Append(name)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	tests := []struct {
		edit func(*observe.Record)
		want string
	}{
		{func(r *observe.Record) { r.Hash = "" }, `cannot record MP: expected the content hash of the test: "hash"`},
		{func(r *observe.Record) {
			r.Instances = 1
		}, "cannot record MP: histogram: 9007199254740993 states of 1 instances"},
		{func(r *observe.Record) {
			r.Histogram[0].Count = -1
		}, "cannot record MP: histogram: 1:r0=0; [x]=-1; was seen -1 times"},
		{func(r *observe.Record) {
			r.Settings = json.RawMessage("5")
		}, "cannot record MP: settings: expected an object"},
		{func(r *observe.Record) { r.Text = "\xff" }, "cannot record MP: text: expected UTF-8"},
	}
	for _, tt := range tests {
		r := sampleRecord()
		tt.edit(r)
		if err := rec.Write(r); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Size() != 0 {
		t.Errorf("something was written: %v, %v", info, err)
	}
	if _, err := observe.Append(filepath.Join(name, "x")); err == nil {
		t.Error("a file within a file was opened")
	}
}
