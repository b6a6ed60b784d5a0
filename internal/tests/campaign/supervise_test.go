package campaign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/cli/supervise"
	"github.com/muster-gpu/muster/observe"
)

// newSupervisor returns a supervisor that records into a file of its own.
func newSupervisor(t *testing.T) *supervisor {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	to, err := observe.Append(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	return &supervisor{to: to, file: file, notes: io.Discard, most: mostFaults}
}

// text returns a message of a child.
func text(t *testing.T, what any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBroken: after a child that names the test that broke the GPU, the next child continues as
// usual. After a child that dies silently, the next one does one thing at a time until it has
// passed all tests that may have been prepared, and only a test that dies then is to blame.
func TestBroken(t *testing.T) {
	died := errors.New("signal: segmentation fault")
	for _, test := range []struct {
		name        string
		doing       bool
		fault       string
		next, alone int // the progress of the child
		want        progress
		err         string
	}{
		{"says it", true, "the GPU is broken", 7, 0, progress{Totals{11, 1, 3}, 8, 0, 2, 2}, ""},
		{"says it, alone", true, "the GPU is broken", 7, 9, progress{Totals{11, 1, 3}, 8, 9, 2, 2}, ""},
		{"dies in a test", true, "", 7, 0, progress{Totals{10, 0, 3}, 7, 10, 2, 2}, ""},
		{"dies in a test behind those that ran alone", true, "", 7, 7, progress{Totals{10, 0, 3}, 7, 10, 2, 2}, ""},
		{"dies in a test, alone", true, "", 7, 10, progress{Totals{11, 1, 3}, 8, 10, 2, 2}, ""},
		{"dies between tests", false, "", 7, 0, progress{Totals{10, 0, 3}, 7, 10, 2, 2}, ""},
		{
			"dies between tests, alone", false, "", 7, 8,
			progress{Totals{10, 0, 3}, 7, 8, 2, 2},
			"between two tests, the process ended: signal: segmentation fault",
		},
	} {
		b := supervise.Broken{How: died, Far: text(t, progress{Totals{10, 0, 3}, test.next, test.alone, 2, 2})}
		if test.doing {
			b.Doing = text(t,
				&observe.Record{Test: "t", Hash: "h", Device: observe.Device{Name: "d"}, Fault: test.fault})
		}
		got, err := newSupervisor(t).broken(b)
		if got != test.want || fmt.Sprint(err) != cmp.Or(test.err, "<nil>") {
			t.Errorf("%s: %+v, %v, want %+v, %s", test.name, got, err, test.want, test.err)
		}
	}
}

// TestBrokenInARow: if nothing was ever recorded, a few consecutive tests that break the GPU end
// the campaign. All of them are counted.
func TestBrokenInARow(t *testing.T) {
	s := newSupervisor(t)
	var p progress
	for n := 1; n <= mostFaults; n++ {
		doing := text(t, &observe.Record{Test: "t", Hash: "h", Device: observe.Device{Name: "d"}, Fault: "broken"})
		far, err := s.broken(supervise.Broken{Doing: doing, Far: text(t, p)})
		p = far.(progress)
		if p.Faults != n || p.Recorded != n || p.Next != n || (err != nil) != (n == mostFaults) {
			t.Errorf("%d faults: %+v, %v", n, p, err)
		}
		if err != nil && !strings.Contains(err.Error(), "it is hardly the tests") {
			t.Error(err)
		}
	}
}

// trialsIn returns a file of trials with the given lines.
func trialsIn(t *testing.T, lines ...any) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trials.jsonl")
	var all []byte
	for _, l := range lines {
		all = append(append(all, text(t, l)...), '\n')
	}
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSearchBroken: a trial during which a process broke down is recorded as one that breaks the
// GPU, with the error. Between two trials, one process may end.
func TestSearchBroken(t *testing.T) {
	died := errors.New("signal: segmentation fault")
	file := trialsIn(t, began{time.Now(), 90}, harness.Trial{Test: "a", Ended: time.Now()})
	var notes strings.Builder
	s := &searcher{file: file, notes: &notes, breaks: map[string]int{}}
	for _, b := range []supervise.Broken{
		{How: died},
		{Doing: text(t, harness.Trial{Test: "a", Round: 1}), How: died},
		{Doing: text(t, harness.Trial{Test: "a", Round: 2, Why: "the kernel hangs"})},
	} {
		if far, err := s.broken(b); err != nil || far != (searched{Trials: file}) {
			t.Errorf("%+v: goes on with %v, %v", b, far, err)
		}
	}
	if _, err := s.broken(supervise.Broken{How: died}); err == nil ||
		!strings.Contains(err.Error(), "between two trials") {
		t.Error(err)
	}
	first, past, err := readTrials(file)
	if err != nil || first.Target != 90 || len(past) != 3 || past[0].Broke || !past[1].Broke ||
		past[1].Why != "the process ended: signal: segmentation fault" ||
		past[2].Why != "the kernel hangs" || past[2].Ended.IsZero() {
		t.Errorf("%v: %+v", err, past)
	}
	if !strings.Contains(notes.String(), "the kernel hangs; a is left out, with {") {
		t.Error(notes.String())
	}
}

// TestTrialsCut: a line that a killed process left incomplete does not prevent the trials from
// being read.
func TestTrialsCut(t *testing.T) {
	file := trialsIn(t, began{time.Now(), 90}, harness.Trial{Test: "a"})
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"test":"b","sett`)
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	s := &searcher{file: file, notes: io.Discard, breaks: map[string]int{}}
	if err := s.note(harness.Trial{Test: "c"}); err != nil {
		t.Fatal(err)
	}
	if _, past, err := readTrials(file); err != nil || len(past) != 2 || past[1].Test != "c" {
		t.Errorf("%v: %+v", err, past)
	}
}
