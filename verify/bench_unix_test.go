//go:build unix

package verify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/verify"
)

// cost is the processor time that a kernel took, reading it not counted.
type cost struct {
	name string
	time time.Duration
}

// processorTime returns what this process has used, all of its threads.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure verifies all kernels of a module, one after the other.
func measure(b *testing.B, name string, m *kernel.Module, c verify.Config) (costs []cost) {
	b.Helper()
	for _, f := range m.Funcs {
		if !f.Entry || f.Declared {
			continue
		}
		start := processorTime(b)
		_, err := verify.Verify(context.Background(), m, f, c)
		if took := processorTime(b) - start; err == nil {
			costs = append(costs, cost{name + " " + f.Name, took})
		}
	}
	return costs
}

// report reports the median, the 99th percentile, and the slowest by name.
func report(b *testing.B, costs []cost) {
	b.Helper()
	if len(costs) == 0 {
		b.Fatal("no kernels")
	}
	slices.SortFunc(costs, func(x, y cost) int { return int(x.time - y.time) })
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(costs[len(costs)/2].time), "median-ms")
	b.ReportMetric(ms(costs[(len(costs)*99+99)/100-1].time), "p99-ms")
	b.ReportMetric(ms(costs[len(costs)-1].time), "max-ms")
	b.ReportMetric(float64(len(costs)), "kernels")
	var peak runtime.MemStats
	runtime.ReadMemStats(&peak)
	b.ReportMetric(float64(peak.Sys)/(1<<20), "process-MiB")
	var slow strings.Builder
	for _, c := range costs[max(0, len(costs)-9):] {
		fmt.Fprintf(&slow, "\n%8.1f ms %s", ms(c.time), c.name)
	}
	b.Log("the slowest:" + slow.String())
}

// BenchmarkGPUVerify measures the processor time for each kernel of GPUVerify's test suite, if it
// is here.
func BenchmarkGPUVerify(b *testing.B) {
	tests := readSuite(b)
	for b.Loop() {
		var costs []cost
		for _, s := range tests {
			if s.ptx == "" {
				continue
			}
			m := readModule(b, s.ptx)
			if c, _, _, err := s.config(m); err == nil {
				costs = append(costs, measure(b, s.name, m, c)...)
			}
		}
		report(b, costs)
	}
}

// BenchmarkAnySize is the processor time for each kernel of testdata with any grid and any block.
func BenchmarkAnySize(b *testing.B) {
	files, err := filepath.Glob("testdata/kernels/*.ptx")
	if err != nil {
		b.Fatal(err)
	}
	any := verify.Dim{verify.Any, verify.Any, verify.Any}
	for b.Loop() {
		var costs []cost
		for _, file := range files {
			costs = append(costs, measure(b, filepath.Base(file), readModule(b, file), verify.Config{Launch: verify.Launch{Grid: any, Block: any}})...)
		}
		report(b, costs)
	}
}

// BenchmarkMutants measures the processor time to the first alarm of each kernel with a mistake
// that a launch shows to go wrong (TestMutants).
func BenchmarkMutants(b *testing.B) {
	for b.Loop() {
		var costs []cost
		for _, folder := range []string{"kernels", "opencl", "master"} {
			eachWrong(b, "testdata/"+folder, sample.Of(100, 5), func(name string, m *kernel.Module, c verify.Config) {
				start := processorTime(b)
				r, err := verify.Verify(context.Background(), m, m.Funcs[len(m.Funcs)-1], c)
				if took := processorTime(b) - start; err == nil && r.Verdict == verify.Alarmed {
					costs = append(costs, cost{name, took})
				}
			})
		}
		report(b, costs)
	}
}
