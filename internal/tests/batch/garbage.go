package batch

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/muster-gpu/muster/sim"
)

const (
	// gcPercent trades memory for time.
	gcPercent = 200
	// bytesOfTests is the approximate size of the live heap while tests run.
	bytesOfTests sim.Bytes = 4 << 20
)

// regime bounds the memory of a process whose live heap is small, consisting mostly of the
// program's own data and its models.
type regime struct {
	small sim.Bytes // the heap may grow to this size, however small the live heap
	// from this size of the live heap on, the heap grows by gcPercent, and process is no bound
	large   sim.Bytes
	process sim.Bytes // bounds the memory of the runtime: heap, stacks, free spans, its own tables
}

var (
	// anyWork is the regime of any command: collecting garbage rarely is worth some memory.
	anyWork = &regime{small: 64 << 20, large: 64 << 20, process: math.MaxInt64}
	// manyTests is the regime of a process that simulates tests. With the pages of the program's
	// file, 30 MB, it takes less than 64 MB.
	manyTests = &regime{small: 26 << 20, large: 32 << 20, process: 33 << 20}
)

// The garbage collector belongs to the process, and so do its settings.
var (
	current atomic.Pointer[regime] // nil unless garbage is collected rarely (CollectSeldom)
	bound   atomic.Int64           // bound on the memory of tests (CollectBy); 0 for none
)

// CollectBy tunes the garbage collector for a process that simulates tests with at most this
// memory. It collects before the heap is much larger than the bound, because only a collection
// tells how much is live.
func CollectBy(most sim.Bytes) {
	bound.Store(int64(most))
	current.CompareAndSwap(anyWork, manyTests)
	setLimit(current.Load().limit(0))
}

// setLimit bounds the memory of the runtime, unless the environment sets GOMEMLIMIT.
func setLimit(limit sim.Bytes) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(limit))
	}
}

// limit returns the memory of the runtime from which on garbage is collected continuously, for the
// given live heap.
func (r *regime) limit(live sim.Bytes) sim.Bytes {
	most := sim.Bytes(bound.Load())
	switch {
	case r != nil && live < r.large && (most == 0 || most > r.large) && r.process < math.MaxInt64:
		return max(r.process, live+live/2+r.process/4)
	case most == 0:
		return math.MaxInt64
	}
	return most + most/4
}

// percent returns the GOGC value for the given live heap; kept is the number of its bytes that are
// known not to be garbage (CollectBeside).
func (r *regime) percent(live, kept sim.Bytes) int {
	usual := gcPercent * bytesOfTests / (bytesOfTests + kept)
	if live >= r.large || live == 0 {
		return int(usual)
	}
	least := usual
	if r.small < r.large {
		least = min(usual, 100)
	}
	return int(max(least, 100*(r.small-live)/live))
}

// kept is the memory that is known not to be garbage (CollectBeside).
var kept atomic.Int64

// CollectBeside sets the amount of memory that is known not to be garbage. Collecting in proportion
// to it would allow as much garbage again; so the larger it is, the earlier garbage is collected.
func CollectBeside(bytes sim.Bytes) { kept.Store(int64(bytes)) }

// CollectBesideFiles does the same for files that are read as a whole: their text stays live, and
// much of what is made of it. A quarter of the largest file keeps collections from taking longer
// than reading.
func CollectBesideFiles(names []string) {
	most := int64(0)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			most = max(most, info.Size())
		}
	}
	CollectBeside(sim.Bytes(most / 4))
}

// CollectSeldom delays garbage collection until the heap reaches the small size of its regime, or
// else has grown by the usual percentage: collecting takes a tenth of the time of small tests. It
// does nothing if the environment sets GOGC.
func CollectSeldom() {
	if os.Getenv("GOGC") != "" {
		return
	}
	current.Store(anyWork)
	last, lastLimit := gcPercent, sim.Bytes(0)
	debug.SetGCPercent(last)
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	afterEachCollection(func() {
		metrics.Read(sample)
		live, r := sim.Bytes(sample[0].Value.Uint64()), current.Load()
		next := r.percent(live, sim.Bytes(kept.Load()))
		if d := next - last; d*d*100 > last*last { // setting it stops all threads, so skip small changes
			debug.SetGCPercent(next)
			last = next
		}
		if next := r.limit(live); next != lastLimit {
			setLimit(next)
			lastLimit = next
		}
	})
}

// afterEachCollection calls a function after each garbage collection, one call at a time.
func afterEachCollection(do func()) {
	type sign struct{ _ *byte } // becomes garbage, so that its finalizer runs
	var watch func(*sign)
	watch = func(*sign) {
		do()
		runtime.SetFinalizer(&sign{}, watch)
	}
	runtime.SetFinalizer(&sign{}, watch)
}
