package clike_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestDialectsOfC reads and runs tests in the dialects of herd, Dartagnan, OpenCL C and CUDA C++:
// each is about a construct, and says what the model of its header makes of it.
func TestDialectsOfC(t *testing.T) { expectations(t, "testdata/dialects.txtar") }

// TestStandardsOfC runs programs whose meaning standards and papers settle.
func TestStandardsOfC(t *testing.T) { expectations(t, "testdata/standard.txtar") }

// expectations runs tests that say what to expect, and under which models.
func expectations(t *testing.T, archive string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		test, err := sim.Load(src.NewFile(f.Name, string(f.Data)), sim.Defaults())
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		want, names := meta(test, "Expect"), meta(test, "Under")
		if want == "" {
			t.Errorf("%s does not say what to expect", f.Name)
		}
		for _, model := range strings.Fields(cmp.Or(names, test.Format.Model)) {
			m := simtest.LoadModel(t, model)
			judged, err := test.For(target(t, model))
			if err != nil {
				t.Fatal(err)
			}
			r := simtest.Run(t, judged, m)
			got := r.Record().Observation.String()
			if len(r.Undefined) > 0 {
				got = "Undef"
			}
			if got != want {
				t.Errorf("%s under %s: %s, want %s (limit %v, undefined %v, states %s)", f.Name, model, got, want, r.Limit, r.Undefined, simtest.States(r))
			}
		}
	}
}

// target returns the language that a model judges; "" for any.
func target(t *testing.T, model string) string {
	t.Helper()
	m, err := models.Load(model, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Info.Target
}

// meta returns what a test says behind a key; "" if it says nothing.
func meta(test *sim.Test, key string) string {
	if i := slices.IndexFunc(test.Meta, func(m litmus.Meta) bool { return m.Key == key }); i >= 0 {
		return test.Meta[i].Value
	}
	return ""
}
