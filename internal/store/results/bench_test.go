package results_test

import (
	"io"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// found returns the answer of a model about a shipped test.
func found(t testing.TB, name string) *sim.Result {
	t.Helper()
	file, ok := corpus.Shipped().Find(name)
	if !ok {
		t.Fatalf("no test %s", name)
	}
	f, err := corpus.Shipped().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := sim.Load(f, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(test.Format.Model, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := test.Run(t.Context(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkAdd keeps a result; BenchmarkLog prints it.
func BenchmarkAdd(b *testing.B) {
	r := found(b, "mp-inter-cta")
	f, err := results.Open(filepath.Join(b.TempDir(), "r.jsonl"), func(err error) { b.Error(err) })
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := results.Subject{
			Test:      strconv.Itoa(i),
			Hash:      r.Test.Hash(),
			Model:     "ptx",
			ModelHash: "0123456789abcdef0123456789abcdef",
			Muster:    "v1",
		}
		if f.Has(s.Key()) {
			b.Fatal("a test is there twice")
		}
		if err := f.Add(results.NewRecord(s, r)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLog(b *testing.B) {
	r := found(b, "mp-inter-cta")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Record().WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
