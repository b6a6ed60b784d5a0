package models_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/oracle/asynctext"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestAsynchronousPTXIsTheText compares what the model ptx says of 1,000 random programs with
// asynchronous operations, of 4,000 with MUSTER_ALL=1, or of 20,000, with what package asynctext
// says. To look longer:
//
//	MUSTER_NIGHTLY=1 go test ./models -run PTXIsTheText -timeout 1h
func TestAsynchronousPTXIsTheText(t *testing.T) {
	sample.Checks(t, 40, 200)
	m := simtest.LoadModel(t, "ptx")
	rapid.Check(t, func(t *rapid.T) { compareAsync(t, m, draw.Async(t)) })
}

// TestVariantsOfAsynchronousPTX compares the variants of the model with the readings of package
// asynctext on 300 random programs, 1,200 with MUSTER_ALL=1, or 4,000.
func TestVariantsOfAsynchronousPTX(t *testing.T) {
	sample.Checks(t, 12, 40)
	readings := map[string]*cat.Model{}
	for _, variant := range []string{
		"war", "relaxed-wait", "scoped-arrivals", "bare-commit", "bare-read",
		"local-fence", "remote-fence",
	} {
		readings[variant] = simtest.LoadModel(t, "ptx", variant)
	}
	names := slices.Sorted(maps.Keys(readings))
	rapid.Check(t, func(t *rapid.T) {
		variant := rapid.SampledFrom(names).Draw(t, "variant")
		p := draw.Async(t)
		p.Variant = variant
		compareAsync(t, readings[variant], p)
	})
}

// fewReadings bounds the readings of a program that either engine examines.
const fewReadings = 20_000

func compareAsync(t *rapid.T, m *cat.Model, p *asynctext.Program) {
	want, err := p.Answer(fewReadings)
	if errors.Is(err, asynctext.ErrTooMany) || errors.Is(err, asynctext.ErrUndefined) {
		t.Skip(err)
	}
	text := p.String()
	config := sim.Defaults()
	config.Limits.MaxCandidates, config.Want = fewReadings, sim.States
	test, err := sim.Load(src.NewFile("random.litmus", text), config)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := test.Run(context.Background(), m)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got.Limit != nil { // two copies that repeatedly write one location have millions of orders and few states
		t.Skip(got.Limit)
	}
	if err := differs(want, got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// differs returns an error if a result differs from the answer of the text.
func differs(a *asynctext.Answer, got *sim.Result) (err error) {
	states := map[string]bool{}
	for _, s := range got.States {
		var b strings.Builder
		for i, ref := range got.Test.Observables() {
			fmt.Fprintf(&b, "%v=%v; ", ref, s.State()[i])
		}
		states[b.String()] = true
	}
	for _, s := range slices.Sorted(maps.Keys(states)) {
		if !a.States[s] {
			err = errors.Join(err, fmt.Errorf("the model allows %s", s))
		}
	}
	for _, s := range slices.Sorted(maps.Keys(a.States)) {
		if !states[s] {
			err = errors.Join(err, fmt.Errorf("the model forbids %s", s))
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(a.Flags)) {
		if slices.Contains(got.Flags, flag) != a.Flags[flag] {
			err = errors.Join(err, fmt.Errorf("the flag %s must be raised: %v", flag, a.Flags[flag]))
		}
	}
	return err
}
