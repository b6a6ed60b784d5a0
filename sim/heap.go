//go:build !js

package sim

import "runtime/metrics"

// heap is how many bytes the last collection has left, and how many collections there were.
func heap() (live, collections uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}
