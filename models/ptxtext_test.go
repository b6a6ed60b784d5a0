package models_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/oracle/ptxtext"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestPTXIsTheText compares the results of the model ptx for 200 random tests, 800 with
// MUSTER_ALL=1, or 50,000, with those of package ptxtext. To look longer:
//
//	MUSTER_NIGHTLY=1 go test ./models -run PTXIsTheText -timeout 1h
//
// -rapid.checks=N makes that N/100 times as many, -rapid.seed=N repeats a run.
func TestPTXIsTheText(t *testing.T) {
	sample.Checks(t, 8, 500)
	m := simtest.LoadModel(t, "ptx")
	rapid.Check(t, func(t *rapid.T) { compareWithText(t, m, draw.Scoped(t)) })
}

// compareWithText skips the few programs that have very many executions.
func compareWithText(t rapid.TB, m *cat.Model, text string) {
	limits := enumerate.Options{MaxCandidates: 300}
	test, err := sim.Load(src.NewFile("random.litmus", text),
		sim.Config{Reading: frontend.Options{Unroll: draw.Unroll}, Limits: limits})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	limits.OpenCo = true
	a := ptxtext.NewAnswer(test)
	for x, err := range enumerate.Executions(context.Background(), test.Program, limits, &enumerate.Stats{}) {
		if sim.IsLimit(err) {
			t.Skip("too many candidates")
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		choices := ptxtext.Read(x).Consistent()
		a.Add(choices)
		if err := sameExecutions(m, x, choices); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	result, err := test.Run(context.Background(), m)
	if err != nil || simtest.HitLimit(result) {
		t.Fatalf("%v\n%s", errors.Join(err, result.Limit), text)
	}
	if err := sameAnswer(result, a); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// sameExecutions compares the choices for one candidate. Comparing the outcomes of a program would
// be weaker, because another execution may end in the same state, or have a race, too.
func sameExecutions(m *cat.Model, x *event.Execution, choices []*ptxtext.Choice) error {
	describe := func(comesFirst func(a, b event.ID) bool, race bool) string {
		text := fmt.Sprintf("race: %v, co:", race)
		for a := range x.Events {
			for b := range x.Events {
				if comesFirst(a, b) {
					text += fmt.Sprintf(" %d-%d", a, b)
				}
			}
		}
		return text
	}
	got, want := map[string]bool{}, map[string]bool{}
	err := m.Eval(context.Background(), x, func(v *cat.Verdict) bool {
		if co, chosen := v.Choice("co"); chosen && v.Allowed() {
			got[describe(co.Has, slices.Contains(v.Flags, "race"))] = true
		}
		return true
	})
	for _, c := range choices {
		want[describe(func(a, b event.ID) bool { return c.Coherence[a][b] }, c.Races())] = true
	}
	if err == nil && !maps.Equal(got, want) {
		err = fmt.Errorf("the model allows a candidate with\n%v\nthe text allows it with\n%v", got, want)
	}
	return err
}

// sameAnswer returns an error if a result differs from the text.
func sameAnswer(got *sim.Result, want *ptxtext.Answer) error {
	refs := got.Test.Observables()
	var errs []error
	for _, s := range got.States {
		key := s.State().Format(refs)
		if want.States[key] == nil {
			errs = append(errs, fmt.Errorf("the model allows a state that the text forbids:\n%s", key))
		}
	}
	has := func(key string) bool {
		return slices.ContainsFunc(got.States, func(s sim.StateCount) bool { return s.State().Format(refs) == key })
	}
	for _, key := range slices.Sorted(maps.Keys(want.States)) {
		if !has(key) {
			errs = append(errs, fmt.Errorf("the model forbids a state that the text allows:\n%s", key))
		}
	}
	for flag, raised := range map[string]bool{"race": want.Race, sim.HangFlag: want.Hang} {
		if slices.Contains(got.Flags, flag) != raised {
			errs = append(errs, fmt.Errorf("the flag %s must be raised: %v", flag, raised))
		}
	}
	if want := outcome(want); got.Outcome() != want && (want == sim.Allowed || !sim.IsBound(got.Limit)) {
		errs = append(errs, fmt.Errorf("the verdict is %v, and must be %v", got.Outcome(), want))
	}
	return errors.Join(errs...)
}

// outcome returns the verdict on the condition of the test.
func outcome(a *ptxtext.Answer) sim.Outcome {
	cond := a.Test.Cond
	for _, state := range a.States {
		holds := cond.Prop.Eval(func(r litmus.Ref) litmus.Value {
			return state[slices.IndexFunc(a.Refs, func(o litmus.Ref) bool { return o.String() == r.String() })]
		})
		if holds != (cond.Quant == litmus.Forall) {
			return sim.Allowed
		}
	}
	if cond.Quant == litmus.Forall && len(a.States) == 0 {
		return sim.Undefined // a forall about no state
	}
	return sim.Forbidden
}
