package bench_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
)

// live returns the number of live bytes on the heap.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemoryPerState: the memory kept for a test with many final states grows by less than 300
// bytes for each.
func TestMemoryPerState(t *testing.T) {
	const most = 300
	m := model(t, "sc")
	n := []int{13, 17}[sample.Of(2, 1)-1]
	i := slices.IndexFunc(bench.Families, func(f bench.Family) bool { return f.Name == "sb" })
	test := load(t, bench.Families[i].Program(n), sim.Defaults())
	before := live()
	r := run(t, test, m)
	each := float64(live()-before) / float64(len(r.States))
	t.Logf("%d states, %.0f bytes each", len(r.States), each)
	if len(r.States) != 1<<n-1 || each > most {
		t.Errorf("%d states, %.0f bytes each; want %d at most", len(r.States), each, most)
	}
	runtime.KeepAlive(r)
}
