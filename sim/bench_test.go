package sim_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/sim"
)

// BenchmarkRun simulates single tests of the corpus: a small one, one with atomics and
// two control paths, one with a value out of thin air.
func BenchmarkRun(b *testing.B) {
	m := simtest.LoadModel(b, "ptx-asplos15")
	for _, name := range []string{"sb-inter-cta", "cas-sl+fences", "lb+copies-inter-cta"} {
		b.Run(name, func(b *testing.B) {
			test := simtest.Load(b, shipped(b, name), sim.Defaults())
			b.ReportAllocs()
			for b.Loop() {
				simtest.Run(b, test, m)
			}
		})
	}
}

// BenchmarkScoped simulates the tests of scoped PTX under NVIDIA's model of today, one
// after the other.
func BenchmarkScoped(b *testing.B) {
	m := simtest.LoadModel(b, "ptx")
	var tests []*sim.Test
	for _, f := range simtest.Corpus(b) {
		if strings.HasPrefix(f.Name, "ptx/") {
			tests = append(tests, simtest.Load(b, f.Text, sim.Defaults()))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, test := range tests {
			simtest.Run(b, test, m)
		}
	}
	b.ReportMetric(float64(b.N*len(tests))/b.Elapsed().Seconds(), "tests/s")
}

// BenchmarkLoad reads and unwinds a test.
func BenchmarkLoad(b *testing.B) {
	text := shipped(b, "cas-sl+fences")
	b.ReportAllocs()
	for b.Loop() {
		simtest.Load(b, text, sim.Defaults())
	}
}

func shipped(b *testing.B, name string) string {
	b.Helper()
	text, err := litmustests.FS.ReadFile("asplos15/" + name + ".litmus")
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}
