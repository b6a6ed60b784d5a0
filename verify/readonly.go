package verify

import "github.com/muster-gpu/muster/internal/kernels/symbolic"

// What is loaded past the caches that are kept coherent (ld.global.nc, which __ldg is, and ldu) must be read-only as long as the kernel runs
// (CUDA C++ Programming Guide, "Read-Only Data Cache Load Function"): a proxy of its own, which neither barriers nor fences order, not even with
// what the thread itself has written.

// unordered is what is known of such a load and a write.
const unordered = "what the read takes to be read-only while the kernel runs is written: no barrier and no fence orders that"

// readOnly reports that one of two accesses takes the other not to be there.
func readOnly(a, b *symbolic.Access) bool { return a.ReadOnly || b.ReadOnly }

// itself is the thread as the second one: in any rounds of loops that are cut.
func (q *questions) itself(a, b *symbolic.Access) *second {
	if len(a.Rounds)+len(b.Rounds) > 0 {
		return q.self
	}
	return q.same
}
