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
	// gcPercent trades some memory for time.
	gcPercent = 200
	// bytesOfTests live while tests run, about.
	bytesOfTests sim.Bytes = 4 << 20
)

// regime is how much memory a process may have in which little lives: mostly the program and its models.
type regime struct {
	small   sim.Bytes // the heap may grow to this, however little lives
	large   sim.Bytes // from this on, what lives is much: the heap grows by gcPercent, and process is no bound
	process sim.Bytes // bounds the memory of the runtime: the heap, stacks, free spans, its own tables
}

var (
	// anyWork is of a process that does anything: to collect garbage seldom is worth some memory.
	anyWork = &regime{small: 64 << 20, large: 64 << 20, process: math.MaxInt64}
	// manyTests is of a process that simulates tests. With the pages of the program's file, 30 MB, it takes less than 64 MB.
	manyTests = &regime{small: 26 << 20, large: 32 << 20, process: 33 << 20}
)

// The collector is one of the process, and so is what it is told.
var (
	current atomic.Pointer[regime] // nil unless garbage is collected seldom (CollectSeldom)
	bound   atomic.Int64           // the memory that tests may have (CollectBy); 0 for no bound
)

// CollectBy has garbage collected as is right for a process that simulates tests, before the heap is much larger than tests may make it:
// only a collection tells what lives.
func CollectBy(most sim.Bytes) {
	bound.Store(int64(most))
	current.CompareAndSwap(anyWork, manyTests)
	setLimit(current.Load().limit(0))
}

// setLimit bounds the memory of the runtime, unless the environment has a say.
func setLimit(limit sim.Bytes) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(limit))
	}
}

// limit is the memory of the runtime from which on garbage is collected without a pause, if an amount of the heap lives.
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

// percent is how much garbage may come beside what lives, in percent of that, if an amount of it is kept (CollectBeside).
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

// kept is how much memory is no garbage for certain (CollectBeside).
var kept atomic.Int64

// CollectBeside has garbage collected as if some memory that is not garbage were not there. Collecting in
// proportion to it would let as much again lie about; so the more there is of it, the sooner garbage is collected.
func CollectBeside(bytes sim.Bytes) { kept.Store(int64(bytes)) }

// CollectBesideFiles does so beside files that are read as a whole: their text lives, and much of what is made of it. A quarter
// of the largest keeps collections from taking longer than reading.
func CollectBesideFiles(names []string) {
	most := int64(0)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			most = max(most, info.Size())
		}
	}
	CollectBeside(sim.Bytes(most / 4))
}

// CollectSeldom has garbage collected when the heap is about to be larger than a small one (regime), or else when it has grown by as much as
// usual: collecting is a tenth of the time of small tests. Where the environment has a say (GOGC), it does nothing.
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
		if d := next - last; d*d*100 > last*last { // else it is about the same: to set it stops all threads
			debug.SetGCPercent(next)
			last = next
		}
		if next := r.limit(live); next != lastLimit {
			setLimit(next)
			lastLimit = next
		}
	})
}

// afterEachCollection calls a function after each collection, one call after the other.
func afterEachCollection(do func()) {
	type sign struct{ _ *byte } // that a collection finds
	var watch func(*sign)
	watch = func(*sign) {
		do()
		runtime.SetFinalizer(&sign{}, watch)
	}
	runtime.SetFinalizer(&sign{}, watch)
}
