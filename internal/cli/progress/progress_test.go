package progress_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/muster-gpu/muster/internal/cli/progress"
)

// clock is a time that the test sets.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

// TestState: work that was done before does not count for the rate.
func TestState(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	m := progress.NewMeter(100, c.read)
	for i := range 40 {
		m.Step([]progress.Step{progress.Skipped, progress.Done}[i%2])
	}
	m.Step(progress.Failed)
	c.now = c.now.Add(7 * time.Second)
	got := m.State()
	want := progress.State{Done: 41, Total: 100, Skipped: 20, Failed: 1, Rate: 3, Seconds: 7, ETA: 59.0 / 3}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(progress.State{}, "Memory")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Memory < 1<<20 {
		t.Errorf("%d bytes of memory", got.Memory)
	}
}

// TestRunning: a piece of work that takes long is listed with its progress until it ends.
func TestRunning(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	m := progress.NewMeter(3, c.read)
	far := func(done int) func() progress.Part {
		return func() progress.Part { return progress.Part{Done: done, Total: 10} }
	}
	first, second := m.Begin("first", far(1)), m.Begin("second", far(2))
	c.now = c.now.Add(2 * time.Second)
	third := m.Begin("third", far(3))
	want := []progress.Part{
		{Name: "first", Seconds: 2, Done: 1, Total: 10}, {Name: "second", Seconds: 2, Done: 2, Total: 10},
	}
	if diff := cmp.Diff(want, m.State().Running); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	first()
	if diff := cmp.Diff(want[1:], m.State().Running); diff != "" {
		t.Errorf("after the first has ended (-want +got)\n%s", diff)
	}
	second()
	third()
	if running := m.State().Running; running != nil {
		t.Errorf("at the end: %v", running)
	}
}

// TestUnknownTotal: without a total there is no ETA.
func TestUnknownTotal(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	m := progress.NewMeter(progress.Unknown, c.read)
	m.Step(progress.Done)
	c.now = c.now.Add(time.Second)
	if s := m.State(); s.Total != 0 || s.ETA != 0 || s.Rate != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestWrite(t *testing.T) {
	m := progress.NewMeter(3, time.Now)
	when := make(chan time.Time)
	go func() {
		for range 2 {
			m.Step(progress.Done)
			when <- time.Time{}
		}
		m.Step(progress.Failed)
		close(when)
	}()
	var out strings.Builder
	if err := m.Write(&out, when); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last progress.State
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3 || last.Done != 3 || last.Failed != 1 {
		t.Errorf("%d lines, the last one %+v", len(lines), last)
	}
}
