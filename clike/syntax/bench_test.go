package syntax

import (
	"testing"

	"github.com/muster-gpu/muster/src"
)

// BenchmarkParseBody reads the body of a thread as generated tests have them.
func BenchmarkParseBody(b *testing.B) {
	const text = `
  int r0 = cuda::atomic_ref<int, cuda::thread_scope_device>(*x).load(cuda::memory_order_acquire);
  *y = r0 + 1;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  if (r0 == 1) z->store(1, cuda::memory_order_relaxed);
`
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseBody(src.NewFile("t", text).Span(0, len(text))); err != nil {
			b.Fatal(err)
		}
	}
}
