package modules_test

import (
	"strings"
	"testing"
)

// TestAnnotated: sources for GPUVerify need no other header. Preconditions of a function are
// checked at its calls, and reads in annotations are no accesses.
func TestAnnotated(t *testing.T) {
	got := from(t, "k.cl", `int next(int x) {
  __requires(x > 5);
  __ensures(__return_val_int() > 6);
  return x + 1;
}
kernel void kept(global int *a, int n) {
  __requires(n == 4);
  for (int i = 0; __invariant(i <= n), __global_invariant(__implies(i > 0, n > 0)), i < n; i++) a[get_global_id(0)] = next(i + 6);
  __assert(a[0] == a[0] && __uniform_int(n) && __all(n > 3) && __ite(n > 5, false, true));
  __assert(__implies(__write(a), __write_offset_bytes(a) / sizeof(int) == get_global_id(0)) && __no_read(a));
}
kernel void broken(global int *a) { a[get_global_id(0)] = next(get_local_id(0)); }
kernel void invariants(local int *a) {
  __barrier_invariant_2(a[get_local_id(0)] == 0, get_local_id(0), 0);
  barrier(CLK_LOCAL_MEM_FENCE);
}
DECLARE_UF_BINARY(sum, int, int, int);
kernel void same(int x, int y) { __assert(sum(x, y) == sum(x, y)); }`)
	want := "kept verified; broken alarm assertion k.cl:2:3 assertion k.cl:3:3; invariants undecided; same verified"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAnnotatedCUDA: __assert is not the function of that name in the C library, whichever headers
// are included.
func TestAnnotatedCUDA(t *testing.T) {
	for _, headers := range []string{
		"", "#include <cuda.h>\n",
		"#include <assert.h>\n#include <cuda.h>\n#include <assert.h>\n",
		"extern \"C\" __device__ void __assert(bool);\n",
	} {
		got := from(t, "k.cu", headers+`__device__ int next(int x) {
  __requires(x > 5); __ensures(__return_val_int() > 6);
  return x + 1;
}
__global__ void k(int *a, int n) {
  __requires(n == 256);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __assert(i < n);
  for (int j = 0; __invariant(__uniform_int(j)), j < 4; j++) a[i] = next(j + 6);
  __assert(__implies(threadIdx.x == 4 & __same_group, __other_int(threadIdx.x) != 4) && __no_read(a));
}
__axiom(true)
__global__ void broken(int *a) { a[threadIdx.x] = next(threadIdx.x); }`)
		if !strings.HasPrefix(got, "_Z1kPii verified; _Z6brokenPi alarm assertion k.cu:") {
			t.Errorf("%q: %s", headers, got)
		}
	}
}
