package batch

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/muster-gpu/muster/sim"
)

// CollectBy has garbage collected before the heap is much larger than tests may make it: only a
// collection tells what lives.
func CollectBy(bound sim.Bytes) {
	if bound > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(bound + bound/4))
	}
}

const (
	// gcPercent trades some memory for time.
	gcPercent = 200
	// smallHeap is a heap that nobody minds. Small tests leave little behind: what lives is mostly the program and its models.
	smallHeap sim.Bytes = 64 << 20
	// bytesOfTests live while tests run, about.
	bytesOfTests sim.Bytes = 4 << 20
)

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
	last := gcPercent
	debug.SetGCPercent(last)
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	afterEachCollection(func() {
		metrics.Read(sample)
		next := percent(sim.Bytes(sample[0].Value.Uint64()), sim.Bytes(kept.Load()))
		if d := next - last; d*d*100 > last*last { // else it is about the same: to set it stops all threads
			debug.SetGCPercent(next)
			last = next
		}
	})
}

// percent is how much garbage may come beside what lives, in percent of that, if so much of it is kept.
func percent(live, kept sim.Bytes) int {
	usual := gcPercent * bytesOfTests / (bytesOfTests + kept)
	if live >= smallHeap || live == 0 {
		return int(usual)
	}
	return int(max(usual, 100*(smallHeap-live)/live))
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
