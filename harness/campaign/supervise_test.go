package campaign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/afresh"
	"github.com/muster-gpu/muster/observe"
)

// supervise is a supervisor that records into a file of its own.
func supervise(t *testing.T) *supervisor {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	to, err := observe.Append(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	return &supervisor{to: to, file: file, notes: io.Discard, most: mostFaults}
}

// text is what a child tells.
func text(t *testing.T, what any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBroken: behind a child that says which test has broken the GPU, the next goes on with all it can; behind one that dies in silence, it does one
// thing at a time until it is through with all that may have been prepared, and only what dies then is to blame.
func TestBroken(t *testing.T) {
	died := errors.New("signal: segmentation fault")
	for _, test := range []struct {
		name        string
		doing       bool
		fault       string
		next, alone int // where the child was
		want        progress
		err         string
	}{
		{"says it", true, "the GPU is broken", 7, 0, progress{Totals{11, 1, 3}, 8, 0, 2, 2}, ""},
		{"says it, alone", true, "the GPU is broken", 7, 9, progress{Totals{11, 1, 3}, 8, 9, 2, 2}, ""},
		{"dies in a test", true, "", 7, 0, progress{Totals{10, 0, 3}, 7, 10, 2, 2}, ""},
		{"dies in a test behind those that ran alone", true, "", 7, 7, progress{Totals{10, 0, 3}, 7, 10, 2, 2}, ""},
		{"dies in a test, alone", true, "", 7, 10, progress{Totals{11, 1, 3}, 8, 10, 2, 2}, ""},
		{"dies between tests", false, "", 7, 0, progress{Totals{10, 0, 3}, 7, 10, 2, 2}, ""},
		{"dies between tests, alone", false, "", 7, 8, progress{Totals{10, 0, 3}, 7, 8, 2, 2}, "between two tests, the process ended: signal: segmentation fault"},
	} {
		b := afresh.Broken{How: died, Far: text(t, progress{Totals{10, 0, 3}, test.next, test.alone, 2, 2})}
		if test.doing {
			b.Doing = text(t, &observe.Record{Test: "t", Hash: "h", Device: observe.Device{Name: "d"}, Fault: test.fault})
		}
		got, err := supervise(t).broken(b)
		if got != test.want || fmt.Sprint(err) != cmp.Or(test.err, "<nil>") {
			t.Errorf("%s: %+v, %v, want %+v, %s", test.name, got, err, test.want, test.err)
		}
	}
}

// TestBrokenInARow: when nothing was ever recorded, a few tests in a row that break the GPU end the campaign, and all of them are counted.
func TestBrokenInARow(t *testing.T) {
	s := supervise(t)
	var p progress
	for n := 1; n <= mostFaults; n++ {
		doing := text(t, &observe.Record{Test: "t", Hash: "h", Device: observe.Device{Name: "d"}, Fault: "broken"})
		far, err := s.broken(afresh.Broken{Doing: doing, Far: text(t, p)})
		p = far.(progress)
		if p.Faults != n || p.Recorded != n || p.Next != n || (err != nil) != (n == mostFaults) {
			t.Errorf("%d faults: %+v, %v", n, p, err)
		}
		if err != nil && !strings.Contains(err.Error(), "it is hardly the tests") {
			t.Error(err)
		}
	}
}
