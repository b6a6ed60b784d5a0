package syntax

import (
	"testing"

	"github.com/muster-gpu/muster/src"
)

func TestBodies(t *testing.T) {
	for _, text := range []string{
		`*x = 42; atomic_store_explicit(y, 1, memory_order_release);`,
		`int r = -1; if (atomic_load(y) == 1) { r = *x; } else if (r) ; else r++;`,
		`for (int i = 0; i < 3; i++) { a[i] = i * (int)2 + ~r; } while (1) break; do { ; } while (x && (*y == 1));`,
		`cuda::atomic_ref<int, cuda::thread_scope_block> r(*x); r.store(1, cuda::memory_order_relaxed); flag->fetch_add(1);`,
		`B1: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* done */ // ok`,
		`int r0 = cuda::atomic_ref<int>(*x).load(); unsigned long long z = (unsigned long long)r0, *p = &y;`,
		`int tmp = atomic_compare_exchange_strong(x, &e, 1) ? 1 : 2; x->y; a = b = c; *(x + 1) = 2; __syncthreads();`,
	} {
		b, err := ParseBody(src.NewFile("t", text).Span(0, len(text)))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, s := range b.List {
			t.Log(s.At(b.Source).Text())
		}
	}
	for _, text := range []string{
		`atomic_int* x, volatile int* y`, `global atomic_int *x, __local volatile uint * restrict z`, ``, `void`,
		`cuda::atomic<int, cuda::thread_scope_device>* flag, int *data, _Atomic(int)* p, _Atomic int *q, int a[4]`,
	} {
		if _, err := ParseParams(src.NewFile("t", text).Span(0, len(text))); err != nil {
			t.Errorf("%v", err)
		}
	}
	for _, text := range []string{
		`int r0 = 1 int r1 = 2;`, `if (x { }`, `int = 3;`, `goto L;`, `r0 = ;`, `f(1,;`, `while (1) }`, `int r0 = 3`, `@`, `r = 3 +* ;`, `{ r=1;`,
	} {
		_, err := ParseBody(src.NewFile("t", text).Span(0, len(text)))
		t.Log(err)
	}
}
