package campaign_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// names are the tests: the third cannot be run, and the fourth is not a test.
var names = []string{"first", "second", "unable", "bad", "last"}

func testText(name string) string {
	other := map[string]string{"unable": "gpu 1", "bad": "gpu gpu"}[name]
	if other == "" {
		other = "gpu 0"
	}
	return fmt.Sprintf(
		"PTX %s\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,%s ;\n st.relaxed.gpu x,%d | st.relaxed.gpu y,1 ;\n"+
			" ld.relaxed.gpu r1,y | ld.relaxed.gpu r1,x ;\nexists (P0:r1=0 /\\ P1:r1=0)\n", name, other, len(name))
}

// tests returns the named tests; their problems are appended to problems.
func tests(problems *[]string, some ...string) campaign.Tests {
	return campaign.Tests{
		Found: func(yield func(corpus.Test) bool) {
			for _, name := range some {
				if !yield(corpus.TestIn(src.NewFile(name, testText(name)))) {
					return
				}
			}
		},
		Config: sim.Defaults(), Target: harness.SM90,
		Report: func(err error) { *problems = append(*problems, err.Error()) },
	}
}

// TestEach: tests come in order, and an error in one does not stop the others.
func TestEach(t *testing.T) {
	for _, ahead := range []int{0, 1, 8} {
		var problems, done []string
		all := tests(&problems, names...)
		all.Ahead = ahead
		err := all.Each(t.Context(), func(test *sim.Test, p *harness.Plan) error {
			done = append(done, test.Name.Text)
			if p.Test != test.Test {
				t.Error("the plan is of another test")
			}
			return errors.New("failed " + test.Name.Text)
		})
		if err != nil || !slices.Equal(done, []string{"first", "second", "last"}) || len(problems) != 5 ||
			problems[0] != "failed first" ||
			!strings.Contains(problems[2], "its threads are on 2 GPUs, and here 1 can play") {
			t.Errorf("%d ahead: %v, done %v, problems %v", ahead, err, done, problems)
		}
	}
}

// TestAhead: while the first test runs, the next is prepared; an error of the campaign ends
// everything.
func TestAhead(t *testing.T) {
	var problems []string
	all := tests(&problems, "first", "second", "last")
	second := make(chan bool)
	var prepared atomic.Int32
	all.Ahead = 1
	all.Prepare = func(_ context.Context, test *sim.Test, _ *harness.Plan) error {
		prepared.Add(1)
		if test.Name.Text == "second" {
			close(second)
		}
		return nil
	}
	lost := &rig.NotRecordedError{Err: errors.New("lost")}
	err := all.Each(t.Context(), func(test *sim.Test, _ *harness.Plan) error {
		if test.Name.Text == "first" {
			<-second // blocks for ever if tests are prepared only when they run
			return nil
		}
		return lost
	})
	if !errors.Is(err, lost) || len(problems) > 0 || prepared.Load() < 2 {
		t.Errorf("%v, problems %v, %d prepared", err, problems, prepared.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all.Prepare = nil
	if err := all.Each(ctx, func(*sim.Test, *harness.Plan) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the end", err)
	}
}

// TestAlone: a process that continues does not load tests that are done, and prepares nothing
// beside a test that may have broken the process before.
func TestAlone(t *testing.T) {
	var problems, done []string
	all := tests(&problems, "bad", "first", "second", "third", "last")
	all.Next, all.Alone, all.Ahead = 1, 3, 4
	var found, running atomic.Int32
	inner := all.Found
	all.Found = func(yield func(corpus.Test) bool) {
		for in := range inner {
			found.Add(1)
			if !yield(in) {
				return
			}
		}
	}
	all.Prepare = func(_ context.Context, test *sim.Test, _ *harness.Plan) error {
		if running.Load() != 0 || test.Name.Text == "first" || test.Name.Text == "second" {
			t.Errorf("%s is prepared", test.Name.Text)
		}
		return nil
	}
	err := all.Each(t.Context(), func(test *sim.Test, _ *harness.Plan) error {
		n := len(done)
		done = append(done, test.Name.Text)
		if n < 2 {
			running.Add(1)
			time.Sleep(10 * time.Millisecond)
			running.Add(-1)
			if int(found.Load()) != n+2 {
				t.Errorf("at %s %d tests are asked for", test.Name.Text, found.Load())
			}
		} else if found.Load() != 5 {
			t.Errorf("behind them, only %d are found", found.Load())
		}
		return nil
	})
	if err != nil || len(problems) != 0 || !slices.Equal(done, []string{"first", "second", "third", "last"}) {
		t.Errorf("%v, problems %v, done %v", err, problems, done)
	}
}

// record records tests on the interpreter.
func record(t *testing.T, file string, instances int, part time.Duration, some ...string) *campaign.Recording {
	t.Helper()
	return recordOn(t, &rig.Rig{Name: "interpreter", Instances: instances, Seed: 1}, file, part, some...)
}

func recordOn(t *testing.T, machine *rig.Rig, file string, part time.Duration, some ...string) *campaign.Recording {
	t.Helper()
	if err := errors.Join(
		machine.Settle(nil, "-",
			strings.NewReader(`{"ctas": 2, "threads": 32, "stressCTAs": 0, "preRounds": 0, "patience": 4}`)),
		machine.Open()); err != nil {
		t.Fatal(err)
	}
	defer machine.Close()
	var notes bytes.Buffer
	c := &campaign.Recording{
		Rig:      machine,
		File:     file,
		Muster:   "test",
		Notes:    &notes,
		Running:  func(int, string) {},
		PartTime: part,
	}
	var problems []string
	if err := c.Run(t.Context(), tests(&problems, some...)); err != nil || len(problems) > 0 ||
		strings.Count(notes.String(), "\n") != 1 || !strings.Contains(notes.String(), " appended to "+file+", ") {
		t.Fatal(err, problems, notes.String())
	}
	return c
}

// parts returns the instances of the records of a file.
func parts(t *testing.T, file string) (instances []int64, histograms map[string]bool) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	histograms = map[string]bool{}
	for r, err := range observe.Records(file, f) {
		if err != nil {
			t.Fatal(err)
		}
		instances = append(instances, r.Instances)
		histograms[fmt.Sprint(r.Histogram)] = true
	}
	return instances, histograms
}

// TestParts: a run is recorded in parts, and continues after those that the file has.
func TestParts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parts.jsonl")
	c := record(t, file, 200, 1, "first")
	all, different := parts(t, file)
	if c.Recorded != 4 || c.There != 0 || !slices.Equal(all, []int64{64, 64, 64, 64}) || len(different) < 2 {
		t.Errorf("%d records of %v instances, %d different", c.Recorded, all, len(different))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	// cut within the third
	if err := os.WriteFile(file, slices.Concat(lines[0], lines[1], lines[2][:10]), 0o666); err != nil {
		t.Fatal(err)
	}
	done, err := observe.ReadDone(file, func(*observe.Record) bool { return false }, func(error) {})
	if err != nil || len(done) != 1 {
		t.Fatal(done, err)
	}
	for _, d := range done {
		if d.Instances != 128 || d.Parts != 2 || d.Fault {
			t.Errorf("the file has %+v", d)
		}
	}
	again, err := observe.ReadDone(file, func(*observe.Record) bool { return true }, func(error) {})
	if err != nil || len(again) != 1 {
		t.Fatal(again, err)
	}
	for _, d := range again {
		if d.Instances != 0 || d.Parts != 2 {
			t.Errorf("what is to be made again counts: %+v", d)
		}
	}
}

// TestTestTime: a test that has used its time ends with the instances that it has, and the next one
// runs. Running again adds more instances.
func TestTestTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	for n := 1; n <= 2; n++ {
		c := recordOn(t, &rig.Rig{Name: "interpreter", Instances: 200, Seed: 1, TestTime: 1}, file,
			time.Hour, "first", "second")
		if all, _ := parts(t, file); c.Recorded != 2 || c.There != 0 || len(all) != 2*n || all[0] != 64 ||
			all[1] != 64 {
			t.Errorf("%d recorded, records of %v instances", c.Recorded, all)
		}
	}
	machine := &rig.Rig{Name: "interpreter", Instances: 200, Seed: 1, TestTime: time.Hour}
	if c := recordOn(t, machine, file, time.Hour, "first", "last"); c.Recorded != 2 {
		t.Errorf("%d recorded", c.Recorded)
	}
	if all, _ := parts(t, file); !slices.Equal(all[4:], []int64{128, 256}) {
		t.Errorf("records of %v instances", all)
	}
}

// TestResumes: runs that the file has are not repeated; missing ones are made.
func TestResumes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	if c := record(t, file, 64, time.Hour, "first"); c.Recorded != 1 || c.There != 0 {
		t.Errorf("%d recorded, %d there", c.Recorded, c.There)
	}
	if c := record(t, file, 64, time.Hour, "first", "second"); c.Recorded != 1 || c.There != 1 {
		t.Errorf("%d recorded, %d there", c.Recorded, c.There)
	}
	if c := record(t, file, 200, time.Hour, "first"); c.Recorded != 1 || c.There != 0 {
		t.Errorf("%d recorded, %d there", c.Recorded, c.There)
	}
	if all, _ := parts(t, file); !slices.Equal(all, []int64{64, 64, 192}) {
		t.Errorf("records of %v instances", all)
	}
}

// TestNotRecorded: a campaign whose records cannot be written does not begin.
func TestNotRecorded(t *testing.T) {
	c := &campaign.Recording{Rig: &rig.Rig{}, File: t.TempDir(), Notes: io.Discard}
	var problems []string
	if err := c.Run(t.Context(), tests(&problems, names...)); err == nil || len(problems) > 0 {
		t.Errorf("%v, %v", err, problems)
	}
}
