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
	// smallHeap is a heap that small tests may use: what they leave behind is little, and what lives is mostly the program and its
	// models. A heap of which more than half of that lives is no small one.
	smallHeap sim.Bytes = 26 << 20
	// largeHeap is a heap that grows by gcPercent; a smaller one grows by less.
	largeHeap sim.Bytes = 32 << 20
	// smallProcess bounds what the runtime has beside a small heap, that included: stacks, free spans, its own tables. With the
	// pages of the program's file, a process takes less than 64 MB.
	smallProcess sim.Bytes = 33 << 20
	// bytesOfTests live while tests run, about.
	bytesOfTests sim.Bytes = 4 << 20
)

// bound is the memory that tests may have (CollectBy); 0 for no bound. A process has one collector.
var bound atomic.Int64

// CollectBy has garbage collected before the heap is much larger than tests may make it: only a
// collection tells what lives.
func CollectBy(most sim.Bytes) {
	bound.Store(int64(most))
	setLimit(limit(0))
}

// setLimit bounds the memory of the runtime, unless the environment has a say.
func setLimit(limit sim.Bytes) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(limit))
	}
}

// limit is from which memory of the runtime on garbage is collected without a pause, if so much of the heap lives.
func limit(live sim.Bytes) sim.Bytes {
	most := sim.Bytes(bound.Load())
	switch {
	case live < largeHeap && (most == 0 || most > largeHeap):
		return max(smallProcess, live+live/2+smallProcess/4)
	case most == 0:
		return math.MaxInt64
	}
	return most + most/4
}

// kept is how much memory is no garbage for certain (CollectBeside). A process has one collector.
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

// CollectSeldom has garbage collected when the heap is about to be larger than smallHeap, or else when it has grown by as much as
// usual: collecting is a tenth of the time of small tests. Where the environment has a say (GOGC), it does nothing.
func CollectSeldom() {
	if os.Getenv("GOGC") != "" {
		return
	}
	last, lastLimit := gcPercent, limit(0)
	debug.SetGCPercent(last)
	setLimit(lastLimit)
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	afterEachCollection(func() {
		metrics.Read(sample)
		live := sim.Bytes(sample[0].Value.Uint64())
		next := percent(live, sim.Bytes(kept.Load()))
		if d := next - last; d*d*100 > last*last { // else it is about the same: to set it stops all threads
			debug.SetGCPercent(next)
			last = next
		}
		if next := limit(live); next != lastLimit {
			setLimit(next)
			lastLimit = next
		}
	})
}

// percent is how much garbage may come beside what lives, in percent of that, if so much of it is kept.
func percent(live, kept sim.Bytes) int {
	usual := gcPercent * bytesOfTests / (bytesOfTests + kept)
	if live >= largeHeap || live == 0 {
		return int(usual)
	}
	return int(max(min(usual, 100), 100*(smallHeap-live)/live))
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
