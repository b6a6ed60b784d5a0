package sim_test

import (
	"context"
	"testing"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// BenchmarkRun simulates single tests of the corpus: the smallest, one with atomics
// and two control paths, one with a value out of thin air.
func BenchmarkRun(b *testing.B) {
	m, err := models.Load("ptx-asplos15")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"sb-inter-cta", "cas-sl+fences", "lb+copies-inter-cta"} {
		b.Run(name, func(b *testing.B) {
			t := load(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := t.Run(context.Background(), m.Model); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad reads and unwinds a test.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		load(b, "cas-sl+fences")
	}
}

func load(b *testing.B, name string) *sim.Test {
	b.Helper()
	file := "asplos15/" + name + ".litmus"
	text, err := litmustests.FS.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	t, err := sim.Load(src.NewFile(file, string(text)), sim.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	return t
}
