package simtest

import (
	"context"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// LoadModel loads a shipped model, or one from a file, and checks it.
func LoadModel(t testing.TB, name string, variants ...string) *cat.Model {
	t.Helper()
	m, err := models.Load(name, models.Config{Variants: variants})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		t.Fatal(err)
	}
	return m.Model
}

// NewModel loads a model from text.
func NewModel(t testing.TB, text string) *cat.Model {
	t.Helper()
	m, err := cat.Load(src.NewFile("test.cat", text), cat.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Load loads a litmus test.
func Load(t testing.TB, text string, c sim.Config) *sim.Test {
	t.Helper()
	test, err := sim.Load(src.NewFile("test.litmus", text), c)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// Run returns the result of a test under a model.
func Run(t testing.TB, test *sim.Test, m *cat.Model) *sim.Result {
	t.Helper()
	r, err := test.Run(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// HitLimit reports whether something other than the unroll bound cut an answer short.
func HitLimit(r *sim.Result) bool { return r.Limit != nil && !sim.IsBound(r.Limit) }

// States returns the final states of a result on one line.
func States(r *sim.Result) string {
	var all []string
	for _, s := range r.States {
		all = append(all, s.State().Format(r.Test.Observables()))
	}
	return strings.Join(all, " | ")
}
