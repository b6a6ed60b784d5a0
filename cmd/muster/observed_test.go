package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// command runs the command line and returns its exit status and output.
func command(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &o, err: &e, seen: map[int]bool{}}
	cmd := a.root()
	cmd.SetArgs(args)
	if err := cmd.Execute(); err != nil {
		a.usage(err)
	}
	return a.exit(), o.String(), e.String()
}

// chips are the devices of made-up records.
var chips = []observe.Device{
	{Name: "A", Vendor: "NVIDIA", ComputeCapability: "9.0", UUID: "GPU-a"},
	{Name: "B", Vendor: "NVIDIA", ComputeCapability: "8.0", UUID: "GPU-b"},
	{Name: "C", Vendor: "NVIDIA", ComputeCapability: "7.0", UUID: "GPU-c"},
}

// vocabulary yields the tests of the paper's vocabulary.
func vocabulary(t testing.TB) iter.Seq2[*gen.Test, error] {
	return gen.Distinct(gen.FindPreset("asplos15").Cycles(t.Context()), &gen.Counts{})
}

// some yields n tests, some with two and some with three threads.
func some(t testing.TB, n int) iter.Seq2[*gen.Test, error] {
	return func(yield func(*gen.Test, error) bool) {
		const first, every = 350, 9
		i := -first
		for test, err := range vocabulary(t) {
			if i >= 0 && i%every == 0 && (i == n*every || !yield(test, err)) {
				return
			}
			i++
		}
	}
}

// simulated returns the answers of the paper's model about tests.
func simulated(t testing.TB, tests iter.Seq2[*gen.Test, error]) []*sim.Result {
	t.Helper()
	m, err := models.Load("ptx-asplos15", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	config := sim.Defaults()
	config.Want = sim.States
	var all []*sim.Result
	for test, err := range tests {
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := sim.Load(src.NewFile(test.Name.Text, test.String()), config)
		if err != nil {
			t.Fatal(err)
		}
		r, err := loaded.Run(context.Background(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// madeUp returns a record with the states of a result; counted gives the count of each state.
func madeUp(r *sim.Result, device observe.Device, counted func(state int) int64) *observe.Record {
	rec := &observe.Record{
		Muster:  "test",
		Time:    time.Unix(0, 0).UTC(),
		Test:    r.Test.Name.Text,
		Hash:    r.Test.Hash(),
		Text:    r.Test.String(),
		Device:  device,
		Toolkit: "none", Settings: json.RawMessage(`{"stress":true}`), Seconds: 1,
		Optcheck: observe.Optcheck{Verdict: observe.Passed},
	}
	for i, s := range r.States {
		o := s.State().Outcome(litmus.Names(r.Test.Observables()))
		o.Count = counted(i)
		rec.Histogram = append(rec.Histogram, observe.NewBar(o))
		rec.Instances += o.Count
	}
	return rec
}

func writeRecords(t testing.TB, records []*observe.Record) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// outcomesOf reads the outcomes and the totals of --json.
func outcomesOf(t testing.TB, out string) (outcomes []wire.Outcome, totals wire.ObservedTotals) {
	t.Helper()
	for line := range strings.Lines(out) {
		var o wire.Outcome
		var err error
		switch {
		case strings.HasPrefix(line, `{"type":"outcome"`):
			if err = json.Unmarshal([]byte(line), &o); o.Condition == "" { // a final state
				outcomes = append(outcomes, o)
			}
		case strings.HasPrefix(line, `{"type":"totals"`):
			err = json.Unmarshal([]byte(line), &totals)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return outcomes, totals
}

// TestObservedOwnStates takes the model's own states as observations: all are sound, and exactly
// the states with a count of 0 on each device are unseen.
func TestObservedOwnStates(t *testing.T) {
	var records []*observe.Record
	unseen, states := 0, 0
	for _, r := range simulated(t, some(t, 40)) {
		for d, device := range chips {
			records = append(records,
				madeUp(r, device, func(state int) int64 { return int64(min(state, 1) * (100*d + state)) }))
		}
		states += len(r.States)
		unseen++ // state 0
	}
	name := writeRecords(t, records)
	for _, extra := range [][]string{nil, {"--engine", "naive"}, {"-j", "1"}} {
		status, out, errs := command(append([]string{"check", "--json", "--observations", name}, extra...)...)
		outcomes, totals := outcomesOf(t, out)
		if status != exitOK || errs != "" || totals.Unsound != 0 || totals.Unseen != unseen || len(outcomes) != states {
			t.Errorf("%v: status %d, %d of %d outcomes, %+v\n%s", extra, status, len(outcomes), states, totals, errs)
		}
		for _, o := range outcomes {
			if o.Seen == 0 && o.Upper != observe.UpperBound(0, o.Instances, observe.Confidence) ||
				o.Outcome != "allowed" {
				t.Errorf("%+v", o)
			}
		}
	}
}

// TestObservedOutsideOfModel observes exactly the states that the paper's model allows and sc
// forbids: under sc, each is UNSOUND and has a reason.
func TestObservedOutsideOfModel(t *testing.T) {
	sc, err := models.Load("sc", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var records []*observe.Record
	want := map[string]bool{}
	for _, r := range simulated(t, some(t, 40)) {
		records = append(records, madeUp(r, chips[0], func(int) int64 { return 7 }))
		strong, err := r.Test.Run(t.Context(), sc.Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.States {
			if !slices.ContainsFunc(strong.States, func(o sim.StateCount) bool {
				return litmus.CompareStates(o.State(), s.State()) == 0
			}) {
				want[r.Test.Name.Text+" "+s.State().Format(r.Test.Observables())] = true
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("nothing to find")
	}
	status, out, errs := command("check", "-m", "sc", "--json", "--observations", writeRecords(t, records))
	outcomes, totals := outcomesOf(t, out)
	if status != exitContradicted || errs != "" || totals.Unsound != len(want) {
		t.Errorf("status %d, %d UNSOUND, want %d\n%s", status, totals.Unsound, len(want), errs)
	}
	for _, o := range outcomes {
		state, err := litmus.NewOutcome(o.Values)
		if err != nil {
			t.Fatal(err)
		}
		key := o.Test + " " + state.String()
		if (o.Outcome == "forbidden") != want[key] || (len(o.Reasons) > 0) != want[key] {
			t.Errorf("%s: %s, reasons %v", key, o.Outcome, o.Reasons)
		}
	}
}

// TestObservedImpossible observes states in which no execution ends.
func TestObservedImpossible(t *testing.T) {
	rec := madeUp(simulated(t, some(t, 1))[0], chips[0], func(int) int64 { return 1 })
	impossible := observe.Bar{State: map[string]string{}, Count: 5}
	for name := range rec.Histogram[0].State {
		impossible.State[name] = "77"
	}
	rec.Histogram = append(rec.Histogram, impossible)
	rec.Instances += 5
	status, out, errs := command("check", "--observations", writeRecords(t, []*observe.Record{rec}))
	if status != exitContradicted || errs != "" ||
		!strings.Contains(out, "=77; is forbidden by ptx-asplos15, but was seen: 5 of") ||
		!strings.Contains(out, "no candidate execution ends so, whatever the model") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

// TestObservedLog writes what the model allows as litmus7's log. A second log doubles one count.
func TestObservedLog(t *testing.T) {
	var log bytes.Buffer
	states, seen := 0, map[string]int64{}
	all := simulated(t, some(t, 25))
	for _, r := range all {
		rec := r.Record()
		rec.Histogram, rec.Positive, rec.Negative = true, 0, 0
		for i, s := range rec.States {
			rec.States[i].Count = int64(1000*i + 1)
			*map[bool]*int64{true: &rec.Positive, false: &rec.Negative}[s.Satisfies] += int64(1000*i + 1)
			seen[rec.Test+" "+rec.States[i].String()] = 2 * rec.States[i].Count
			states++
		}
		if _, err := rec.WriteTo(&log); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for _, r := range all {
		if err := os.WriteFile(filepath.Join(dir, r.Test.Name.Text+corpus.Extension),
			[]byte(r.Test.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "runs.log")
	if err := os.WriteFile(name, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := command("check", "--json", "--observations", name, "--observations",
		name, "--device", "GTX", dir)
	outcomes, totals := outcomesOf(t, out)
	if status != exitOK || errs != "" || len(outcomes) != states || totals.Tests != len(all) {
		t.Errorf("status %d, %d of %d outcomes, %+v\n%s", status, len(outcomes), states, totals, errs)
	}
	for _, o := range outcomes {
		state, _ := litmus.NewOutcome(o.Values)
		if key := o.Test + " " + state.String(); o.Seen != seen[key] || o.Devices[0].Device != "GTX" {
			t.Errorf("%s: seen %d times on %s, want %d", key, o.Seen, o.Devices[0].Device, seen[key])
		}
	}
}

// BenchmarkObserved checks observations of three chips against the model, of as many tests as the
// paper's study has.
func BenchmarkObserved(b *testing.B) {
	var records []*observe.Record
	dir := b.TempDir()
	var tests bytes.Buffer
	for _, r := range simulated(b, gen.Sample(vocabulary(b), paperTests, 1)) {
		fmt.Fprintf(&tests, "%s\n", r.Test)
		for _, device := range chips {
			records = append(records, madeUp(r, device, func(state int) int64 {
				h := fnv.New32()
				fmt.Fprint(h, r.Test.Name.Text, device.Name, state)
				return int64(h.Sum32() % 1000 / 300 * 100_000)
			}))
		}
	}
	file := filepath.Join(dir, "tests")
	if err := os.WriteFile(file, tests.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	name := writeRecords(b, records)
	for _, bm := range []struct {
		name string
		args []string
	}{
		{"table", []string{"-m", "ptx-asplos15", file}},
		{"texts in the records", []string{"-m", "ptx-asplos15"}},
		{"json", []string{"-m", "ptx-asplos15", "--json", file}},
		{"page", []string{"-m", "ptx-asplos15", "--report", filepath.Join(dir, "page.html"), file}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			batch.CollectSeldom()
			for b.Loop() {
				a := &app{out: io.Discard, err: io.Discard, seen: map[int]bool{}}
				cmd := a.root()
				cmd.SetArgs(append([]string{"check", "--observations", name}, bm.args...))
				if err := cmd.Execute(); err != nil || a.exit() != exitOK {
					b.Fatal(err, a.seen)
				}
			}
			b.ReportMetric(float64(b.N*len(records))/b.Elapsed().Seconds(), "records/s")
		})
	}
}
