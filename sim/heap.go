//go:build !js

package sim

import "runtime/metrics"

// heap returns the live bytes after the last garbage collection, and the number of collections.
func heap() (live, collections uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}
