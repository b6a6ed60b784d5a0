package simtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// said is the part of a result in which engines must agree.
type said struct {
	States    []string // with counts
	Flags     []string
	Undefined []string
	Loop      bool
	Error     string
}

// SaidBy returns the part of a result, or of an error, in which engines must agree.
func SaidBy(r *sim.Result, err error) said {
	if err != nil {
		return said{Error: err.Error()}
	}
	a := said{Flags: append([]string{}, r.Flags...), Undefined: append([]string{}, r.Undefined...), Loop: r.Loop()}
	for _, s := range r.States {
		a.States = append(a.States,
			fmt.Sprintf("%d× %s (%v)", s.Count, s.State().Format(r.Test.Observables()), s.Satisfies))
	}
	return a
}

// TooMany returns the number of candidates beyond which the naive engine takes too long. If the
// model chooses coherence, each candidate has many verdicts.
func TooMany(m *cat.Model) int {
	if m.Chooses("co") {
		return sample.Of(100, 50)
	}
	return sample.Of(1000, 500)
}

// AtRandom returns the configuration for random programs. Programs that exceed its timeout are not
// compared: under partial coherence there can be very many orders.
func AtRandom() sim.Config {
	return sim.Config{
		Reading: frontend.Options{Unroll: draw.Unroll},
		Timeout: time.Duration(sample.Of(1000, 250)) * time.Millisecond,
	}
}

// CompareEngines demands that the naive engine and the engine of config give the same answer to a
// test, and that the latter's witnesses are executions that the model allows and that end in their
// states.
func CompareEngines(t testing.TB, text string, config sim.Config, name string, m *cat.Model) {
	t.Helper()
	slow, fast := config, config
	slow.Engine, slow.Limits.MaxCandidates = sim.Naive, TooMany(m)
	test, err := sim.Load(src.NewFile("test.litmus", text), slow)
	if err != nil {
		return // both engines report the same error
	}
	want, errSlow := test.Run(context.Background(), m)
	if errSlow == nil && HitLimit(want) {
		return
	}
	test = Load(t, text, fast)
	got, errFast := test.Run(context.Background(), m)
	if errFast == nil && HitLimit(got) && config.Timeout > 0 {
		return // the machine may be slow
	}
	if errSlow != nil && errFast != nil {
		return // of several undefined executions, each engine may report another one first
	}
	if diff := cmp.Diff(SaidBy(want, errSlow), SaidBy(got, errFast)); diff != "" {
		t.Fatalf("under %s the engines differ (-naive +fast):\n%s\n%s", name, diff, text)
	}
	if errFast != nil || got.Work.Engine == sim.Naive {
		return
	}
	compareWants(t, text, fast, name, m, got)
	slow.Limits.MaxCandidates = 0 // it has terminated
	compareWants(t, text, slow, name, m, want)
	for i := range got.States {
		CheckWitness(t, text, name, m, test, &got.States[i])
	}
}

// compareWants demands the same states of an engine that need not count, each once, and the same
// verdict of one that may stop early.
func compareWants(t testing.TB, text string, config sim.Config, name string, m *cat.Model, all *sim.Result) {
	t.Helper()
	config.Want = sim.States
	r, err := Load(t, text, config).Run(context.Background(), m)
	if err != nil || !HitLimit(r) && (States(r) != States(all) || !slices.Equal(r.Flags, all.Flags)) {
		t.Fatalf("under %s, without counts: %s %v %v, want %s %v\n%s", name, States(r), r.Flags, err, States(all),
			all.Flags, text)
	}
	if !HitLimit(r) && r.Positive+r.Negative != len(r.States) {
		t.Fatalf("under %s, without counts: %d and %d in %d states\n%s", name, r.Positive, r.Negative, len(r.States),
			text)
	}
	config.Want = sim.Verdict
	r, err = Load(t, text, config).Run(context.Background(), m)
	if err != nil || !HitLimit(r) && !sameVerdict(r, all) {
		t.Fatalf("under %s, verdict only: %v %v, want %v\n%s", name, r.Outcome(), err, all.Outcome(), text)
	}
	// Whatever the search for an unreachable state skips must not raise a flag.
	if r.Outcome() == sim.Forbidden && r.Work.Left == 0 && r.Work.Engine == sim.Fast &&
		!slices.Equal(r.Flags, all.Flags) {
		t.Fatalf("under %s, verdict only: flags %q, want %q\n%s", name, r.Flags, all.Flags, text)
	}
}

// sameVerdict reports whether two results have the same verdict. Undefined behaviour makes the rest
// irrelevant.
func sameVerdict(r, all *sim.Result) bool {
	return r.Outcome() == all.Outcome() && (r.Outcome() == sim.Undefined || r.Holds() == all.Holds())
}

// CheckWitness demands that the witness of a state is an execution that the model allows and that
// ends in that state.
func CheckWitness(t rapid.TB, text, name string, m *cat.Model, test *sim.Test, s *sim.StateCount) {
	t.Helper()
	w := s.Witness()
	if err := w.Validate(); err != nil && !m.Chooses("co") { // coherence of the model's choice may be partial
		t.Fatalf("under %s a witness is no execution: %v\n%s", name, err, text)
	}
	failed, err := m.Failures(w.Execution, w.Choices)
	if err != nil || len(failed) > 0 {
		t.Fatalf("under %s the model rejects a witness: %v %v\n%s", name, failed, err, text)
	}
	refs := test.Observables()
	var ends []string
	for _, end := range frontend.States(test.Program, w.Execution, refs) {
		ends = append(ends, end.Format(refs))
	}
	if want := s.State().Format(refs); !slices.Contains(ends, want) {
		t.Fatalf("under %s the witness of %s ends in %v\n%s", name, want, ends, text)
	}
}
