package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// eachCompiler runs a test about CUDA sources with each installed compiler.
func eachCompiler(t *testing.T, test func(t *testing.T, compiler string)) {
	t.Helper()
	for _, compiler := range []string{compile.Clang, compile.NVCC} {
		t.Run(compiler, func(t *testing.T) {
			if missing := compile.Missing(compiler, ".cu"); missing != "" {
				t.Skip("sources are not compiled: ", missing)
			}
			test(t, compiler)
		})
	}
}

// from returns the results for the kernels in a file of that name, compiled by clang if installed.
func from(t *testing.T, name, text string) string {
	t.Helper()
	if missing := compile.Missing(compile.Clang, filepath.Ext(name)); missing != "" {
		t.Skip("sources are not compiled: ", missing)
	}
	return fromBy(t, compile.Clang, name, text)
}

// fromBy returns the results for the kernels in a file of that name.
func fromBy(t *testing.T, compiler, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	in := modules.Input{
		Config: verify.Config{Launch: verify.Launch{Grid: verify.Dim{4, 1, 1}, Block: verify.Dim{64, 1, 1}}},
		From:   true,
		By:     compiler,
	}
	m := in.Verify(t.Context(), file)
	if m.Err != nil {
		t.Fatal(m.Err)
	}
	return strings.Join(said(m), "; ")
}

// TestOpenCL: work items and atomics of OpenCL C need no library.
func TestOpenCL(t *testing.T) {
	got := from(t, "k.cl", `kernel void k(global int *a, global uint *n, local int *h) {
  h[get_local_id(0)] = a[get_global_id(0)] + get_num_groups(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = h[get_local_size(0) - 1 - get_local_id(0)];
  atomic_max(&n[1], atomic_inc(n));
}`)
	if got != "k verified" {
		t.Error(got)
	}
	got = from(t, "next.cl", `kernel void next(global int *a) {
  int i = get_local_id(0);
  a[i] = a[i + 1];
}`)
	if want := "next alarm race next.cl:3:10 next.cl:3:8"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCUDA: threads, barriers, atomics and warps of CUDA C++ need no CUDA.
func TestCUDA(t *testing.T) {
	eachCompiler(t, func(t *testing.T, compiler string) {
		got := fromBy(t, compiler, "k.cu", `#include <cuda_runtime.h>
extern "C" __global__ void __launch_bounds__(64) k(int *a, unsigned *n, float *f, int4 *v) {
  __shared__ int h[64];
  dim3 at = threadIdx;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  h[at.x] = a[i] + gridDim.x + min(a[i], 3);
  __syncthreads();
  a[i] = h[63 - at.x] + __shfl_down_sync(0xffffffff, (int)at.x, 1) + __ballot_sync(0xffffffff, at.x > 3);
  atomicMax_block(&n[1], atomicInc(n, 7));
  if (atomicCAS(&n[2], 0u, 1u) == 0) __threadfence();
  atomicAdd(f, 1.0f);
  v[i] = make_int4(1, 2, 3, __syncthreads_count(i));
}
extern "C" __global__ void next(int *a) { a[threadIdx.x] = a[threadIdx.x + 1]; }
int main() {
  int *a;
  cudaMalloc(&a, 1024);
  next<<<dim3(1, 2), 64>>>(a);
  return cudaDeviceSynchronize() != cudaSuccess;
}`)
		const ofBlocks = "k alarm race k.cu:9:3 k.cu:9:3" // each block has an atomic of its own scope
		if compiler == compile.Clang && !strings.HasPrefix(got, ofBlocks+"; next alarm race k.cu:14:60 k.cu:14:58") {
			t.Error(got)
		}
		if !strings.HasPrefix(got, "k alarm race") ||
			!strings.Contains(got, "; next alarm race k.cu:14:") { // nvcc inlines atomics from its headers
			t.Error(got)
		}
	})
}

// TestReadOnlyLoads: the kernel may not write what __ldg loads, of any size.
func TestReadOnlyLoads(t *testing.T) {
	got := from(t, "k.cu",
		`extern "C" __global__ void right(const char *a, const short *b, const float *c, const double2 *d, const float4 *e, int *const *f, float *out) {
  int i = threadIdx.x;
  out[i] = __ldg(a + i) + __ldg(b + i) + __ldg(c + i) + __ldg(d + i).y + __ldg(e + i).w + (__ldg(f) != nullptr);
}
extern "C" __global__ void own(float *c) {
  c[threadIdx.x] = __ldg(c + threadIdx.x) + 1;
}`)
	if !strings.HasPrefix(got, "right alarm race k.cu:3") || !strings.Contains(got, "; own alarm race k.cu:6:") {
		t.Error(got)
	}
}

// TestSources: realistic files, with host code and includes. Comments at the end of each state the
// results of its kernels, in the order of the PTX.
func TestSources(t *testing.T) {
	for i, source := range cudaSources(t) {
		if i%sample.Of(1, 9) > 0 {
			continue
		}
		text, want := readSaid(t, source)
		if got := from(t, filepath.Base(source), text); got != want {
			t.Errorf("%s: %s\nwant %s", source, got, want)
		}
	}
}

func cudaSources(t *testing.T) []string {
	t.Helper()
	sources, err := filepath.Glob("testdata/cuda/*.cu")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	return sources
}

// readSaid returns a source, and the results in its last comment.
func readSaid(t *testing.T, file string) (text, said string) {
	t.Helper()
	read, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, said, _ = strings.Cut(string(read), "\n// Said:\n// ")
	return string(read), strings.ReplaceAll(strings.TrimSpace(said), "\n// ", "; ")
}

// otherwise lists the sources of testdata/cuda whose verdicts with nvcc 13 differ from those with
// clang and muster's headers.
var otherwise = map[string]string{
	"groups.cu": "undecided verified alarm", // of_block passes its group on in memory
	"host.cu":   "",                         // CUDA 13 has no cudaThreadSynchronize
	"random.cu": "",                         // the wheels have no cuRAND
	"tiles.cu":  "alarm alarm alarm alarm",  // of_grid waits in memory that the driver provides
}

// TestSourcesByNVCC: nvcc's PTX of the same files has the same verdicts. Its positions are coarser.
func TestSourcesByNVCC(t *testing.T) {
	if missing := compile.Missing(compile.NVCC, ".cu"); missing != "" {
		t.Skip("sources are not compiled: ", missing)
	}
	verdicts := func(said string) string { // in the order of the PTX; the names of types of libcu++ have its version
		var all []string
		for _, kernel := range strings.Split(said, "; ") {
			all = append(all, strings.Fields(kernel)[1])
		}
		return strings.Join(all, " ")
	}
	for i, source := range cudaSources(t) {
		if i%sample.Rounds(1, 3, 9) > 0 {
			continue
		}
		text, want := readSaid(t, source)
		want = verdicts(want)
		other, differs := otherwise[filepath.Base(source)]
		switch {
		case differs && other == "":
			continue
		case differs:
			want = other
		}
		if got := verdicts(fromBy(t, compile.NVCC, filepath.Base(source), text)); got != want {
			t.Errorf("%s: %s\nwant %s", source, got, want)
		}
	}
}

// TestOpenCLLibrary: functions of numbers have no other effect, those that compute indices are
// known, and vector accesses are accesses of each component.
func TestOpenCLLibrary(t *testing.T) {
	got := from(t, "k.cl", `kernel void numbers(global float *a, float4 v) {
  int i = min((int)get_global_id(0), 1000);
  a[mad24(i, 2, 1)] = native_sin(a[2 * i + 1]) + dot(v, v) + convert_int_sat(a[2 * i + 1]) + select(1, 2, i);
}
kernel void last(global char *a, char8 v) { vstore8(v, get_global_id(0), a); a[8 * get_global_id(0) + 8] = 1; }
kernel void bounded(global float *a) { vstore3(clamp(vload3(get_global_id(0), a), 0.0f, 1.0f), get_global_id(0), a); }
kernel void apart(global int *a, int n) { a[max(clamp(n, 1, 5), 3) * get_global_id(0)] = 1; }
kernel void together(global int *a, int n) { a[clamp(n, 0, 5) * get_global_id(0)] = 1; }
kernel void data(global int *a, float x) { a[convert_int_sat(floor(x)) + get_local_id(0)] = 1; printf("%d", 1); }
void __assert(bool);
kernel void unknown(int4 a) { __assert(shuffle(a, as_uint4(a)).y == 0); }`)
	var verdicts []string
	for _, said := range strings.Split(got, "; ") {
		words := strings.Fields(said)
		verdicts = append(verdicts, strings.Join(words[:2], " "))
	}
	want := "numbers verified; last alarm; bounded verified; apart verified; together alarm; data alarm; " +
		"unknown undecided"
	if got := strings.Join(verdicts, "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCopiesOfMemory: memcpy, memmove and memset in a kernel are loops over bytes, or the
// compiler's expansion of them.
func TestCopiesOfMemory(t *testing.T) {
	got := from(t, "k.cu", `#include <string.h>
struct pixel { int colour[4]; short depth; };
extern "C" __global__ void k(pixel *a, pixel *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  pixel p;
  memcpy(&p, &b[i], sizeof p);
  p.depth++;
  memset(&b[i], 0, sizeof(pixel));
  a[i] = p;
}
extern "C" __global__ void shifted(char *a) { memmove(a + 8 * threadIdx.x, a + 8 * threadIdx.x + 1, 8); }
int main() { char a[4], b[4]; memcpy(a, b, 4); memset(a, 0, 4); }`)
	if !strings.HasPrefix(got, "k verified; shifted alarm race") {
		t.Error(got)
	}
}

// TestInline: an inline function has its body at its calls, for every form of inline in C.
func TestInline(t *testing.T) {
	for _, words := range []string{
		"inline", "extern inline", "static inline", "__inline", "__inline__",
		"inline __attribute__((always_inline))",
	} {
		got := from(t, "k.cl", words+` void put(global int *a, int v) { a[0] = v; }
kernel void k(global int *a) { put(a, get_local_id(0)); }`)
		if !strings.HasPrefix(got, "k alarm race") {
			t.Errorf("%s: %s", words, got)
		}
	}
}

// TestInlineThatRequires: a function that is not inlined, because it has a precondition, still has
// its body.
func TestInlineThatRequires(t *testing.T) {
	for _, words := range []string{"inline", "extern inline", "static inline"} {
		got := from(t, "k.cl", words+` void put(global int *a, int v) { __requires(v >= 0); a[0] = v; }
kernel void k(global int *a) { put(a, get_local_id(0)); }`)
		if !strings.HasPrefix(got, "k alarm race") {
			t.Errorf("%s: %s", words, got)
		}
	}
}

// TestKernelsThatAreCalled: a kernel calls another as a function.
func TestKernelsThatAreCalled(t *testing.T) {
	got := from(t, "k.cl", `kernel void one(global int *a) { a[0] = get_local_id(0); }
kernel void each(global int *a) { a[get_global_id(0)] = 1; }
kernel void calls(global int *a) { one(a); }
__kernel void twice(global int *a, global int *b) { each(a); each(b); }`)
	at := " k.cl:1:39 k.cl:1:39"
	if want := "one alarm race" + at + "; each verified; calls alarm race" + at + "; twice verified"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestBuiltins: the results of functions on integers, of relations and of conversions are known.
func TestBuiltins(t *testing.T) {
	text, err := os.ReadFile("testdata/opencl/builtins.cl")
	if err != nil {
		t.Fatal(err)
	}
	got := from(t, "k.cl", string(text))
	if want := "sums verified; products verified; bits verified; choices verified; conversions verified; " +
		"places verified"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSecondResults: storing a second result of a function is an access, as is storing half a
// number.
func TestSecondResults(t *testing.T) {
	got := from(t, "k.cl", `kernel void own(global float *a, global int *b, global float4 *c) {
  int i = get_global_id(0);
  float4 f, g;
  a[i] = sincos(a[i], (private float *)&f) + frexp(a[i], b + i) + remquo(a[i], 2.0f, b + i);
  c[i] = modf(fract(c[i], &f), &g) + f + g;
}
kernel void one(global float *a) { fract(0.3f, a); }
kernel void halves(global half *a, global half *b) { vstore_half(vload_half(get_global_id(0), b), get_global_id(0), a); }
kernel void overlap(global half *a) { vstorea_half3((float3)(1.0f), get_global_id(0), a); vstore_half(1.0f, 4 * get_global_id(0) + 4, a); }`)
	if want := "own verified; one alarm race k.cl:7:36 k.cl:7:36; halves verified; overlap " +
		"alarm race "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAtomicsOfOpenCL: atomics are accesses of their own kind, of numbers of 32 and of 64 bits.
func TestAtomicsOfOpenCL(t *testing.T) {
	got := from(t, "k.cl", `kernel void k(global long *a, local ulong *b, global float *c, global uint *d) {
  atom_add(a, 1L); atom_max(a, -3L); atom_cmpxchg(a, 1L, 2L); atom_min(b, 5ul); atom_inc(b);
  atomic_xchg(c, 1.0f); atomic_dec(d); atomic_xor(d, 3u); atom_add(d, 1u);
}`)
	if got != "k verified" {
		t.Error(got)
	}
}

// TestRequiredSize: the source gives the required size of a work group.
func TestRequiredSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.cl")
	text := `#define N 16
__attribute__((reqd_work_group_size(N, 4, 1))) kernel void k(global int *a) { a[get_global_id(1) * 16 + get_global_id(0)] = 1; }
kernel void any(global int *a) { a[get_global_id(0)] = 1; }`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if missing := compile.Missing(compile.Clang, ".cl"); missing != "" {
		t.Skip("sources are not compiled: ", missing)
	}
	in := modules.Input{From: true, Config: verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}}}}
	if m := in.Verify(t.Context(), file); m.Err != nil || len(m.Results) != 2 ||
		m.Results[0].Launch.Block != (verify.Dim{16, 4, 1}) {
		t.Errorf("%v, %v", said(m), m.Err)
	}
	in.Config.Launch.Block = verify.Dim{64, 1, 1}
	if m := in.Verify(t.Context(), file); m.Err == nil ||
		!strings.Contains(m.Err.Error(), "k requires blocks of 16,4 threads") || len(m.Results) != 1 {
		t.Errorf("%v, %v", said(m), m.Err)
	}
}

// TestAtomicObjects: atomics of OpenCL C 2.0 have orders and scopes, and some do not reach
// other groups; scopes that PTX lacks are undecided.
func TestAtomicObjects(t *testing.T) {
	got := from(t, "k.cl",
		`kernel void right(global atomic_int *a, local atomic_uint *b, global atomic_float *c, global atomic_flag *d, global int *e) {
  int old = 4;
  atomic_fetch_add(a, 1);
  atomic_store_explicit(a, 3, memory_order_release, memory_scope_device);
  atomic_fetch_max(b, 3);
  if (atomic_compare_exchange_strong(a, &old, 5)) atomic_exchange(c, 1.0f);
  if (!atomic_flag_test_and_set(d)) atomic_flag_clear(d);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  e[get_global_id(0)] = atomic_load(a) + old;
}
kernel void groups(global atomic_int *a) { atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group); }
kernel void item(global atomic_int *a) { atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_item); }`)
	if want := "right verified; groups alarm race k.cl:11:44 k.cl:11:44; item undecided"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestGather: all work items of a group must reach a group operation, which orders no memory.
func TestGather(t *testing.T) {
	got := from(t, "k.cl",
		`kernel void right(global int *a) { a[get_global_id(0)] = work_group_reduce_add(a[get_global_id(0)]); }
kernel void some(global int *a) { if (get_local_id(0) < 3) a[get_global_id(0)] = work_group_any(a[get_global_id(0)]); }
kernel void apart(local int *a) { a[get_local_id(0)] = 1; int x = work_group_all(1); a[63 - get_local_id(0)] = x; }
kernel void scan(global int *a) { a[work_group_scan_inclusive_add(1)] = 1; }`)
	if want := "right verified; some alarm barrier divergence k.cl:2:82 k.cl:2:82; apart alarm " +
		"race k.cl:3:"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "; scan undecided") {
		t.Errorf("%s, want %s …", got, want)
	}
}

// TestConversionsOfCUDA: conversions of numbers are PTX instructions, and integers are computed
// exactly.
func TestConversionsOfCUDA(t *testing.T) {
	got := from(t, "k.cu", `#include <cuda_fp16.h>
extern "C" __global__ void right(int *a, float *f, half2 *h, half *g, unsigned short *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  f[i] = __int2float_rz(i) + __ll2float_rd(3) + __double2float_rn(2.0);
  a[i] = __float2int_rd(f[i]) + __double2int_ru(1.5) + __double2hiint(f[i]);
  atomicAdd(h, half2{1.0f, 2.0f});
  atomicAdd(g, half(1.0f));
  atomicCAS(s, (unsigned short)1, (unsigned short)2);
  __assert(__hadd(i, i) == i && __usad(i, i, 3) == 3 && __mul64hi(1ll << 62, 8) == 2 && __umul64hi(~0ull, 2) == 1 && __rhadd(-3, 0) == -1);
  __assert(__double2loint(__hiloint2double(i, 7)) == 7);
}
extern "C" __global__ void blocks(unsigned short *s) { atomicCAS_block(s, (unsigned short)1, (unsigned short)2); }`)
	if want := "right verified; blocks alarm race k.cu:12:"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
