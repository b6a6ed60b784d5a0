package toptx_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/clike/toptx"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/litmus"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// parse reads a test, but not its program.
func parse(t *testing.T, name, text string) *litmus.Test {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// translated returns the translation of a test, and the same read again.
func translated(t *testing.T, test *litmus.Test, e *toptx.Edition) (string, *sim.Test) {
	t.Helper()
	made, err := toptx.Translate(test, e)
	if err != nil {
		t.Fatalf("%s: %v", test.Name.Text, err)
	}
	read, err := sim.Load(src.NewFile("translation", made.Text), sim.Defaults())
	if err != nil {
		t.Fatalf("the translation cannot be read: %v\n%s", err, made.Text)
	}
	return made.Text, read
}

// states returns the final states that a model allows, as text.
func states(t *testing.T, test *sim.Test, model string) (all []string, r *sim.Result) {
	t.Helper()
	m, err := models.LoadAll([]string{model}, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err = test.Run(t.Context(), m[0].Model)
	if err != nil {
		t.Fatalf("%s: %v", test.Name.Text, err)
	}
	for _, s := range r.States {
		var words []string
		for _, v := range s.State() {
			words = append(words, v.String())
		}
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return slices.Compact(all), r
}

// instructions returns the rows of the only thread of a translation.
func instructions(test *sim.Test) (all []string) {
	for _, c := range test.Threads[0].Cells {
		all = append(all, c.Text())
	}
	return all
}

// parameters are those of the programs in the tables below.
const parameters = `int* d, volatile int* v, long* l, unsigned char* c, int* a,
  cuda::atomic<int, cuda::thread_scope_block>* b, cuda::atomic<int, cuda::thread_scope_cluster>* k,
  cuda::atomic<int, cuda::thread_scope_device>* x, cuda::atomic<int>* s, cuda::atomic<unsigned, cuda::thread_scope_device>* u,
  cuda::atomic<long long, cuda::thread_scope_device>* w, int** q`

// program returns a test with one thread.
func program(body string) string {
	return "CUDA program\n{ d=0; v=0; l=0; c=0; int a[2]; b=0; k=0; x=0; s=0; u=0; w=0; int* q=&d; }\n" +
		"P0@cta 0,gpu 0 (" + parameters + ") {\n" + body + "\n}\nexists (d=0)\n"
}

// TestMapping is the table "Atomics ABI": what becomes of each operation, in each edition.
func TestMapping(t *testing.T) {
	for _, c := range []struct{ body, current, cuda12, hopper string }{
		{"int r = x->load();", "fence.sc.gpu; ld.acquire.gpu r, x", "", "fence.sc.gpu; ld.relaxed.gpu r, x"},
		{"x->store(1);", "fence.sc.gpu; st.relaxed.gpu x, 1", "fence.sc.gpu; st.release.gpu x, 1", ""},
		{"int r = x->exchange(1);", "fence.sc.gpu; atom.acquire.gpu.exch r, x, 1", "fence.sc.gpu; atom.acq_rel.gpu.exch r, x, 1", ""},
		{"int r = x->load(cuda::memory_order_relaxed);", "ld.relaxed.gpu r, x", "", ""},
		{"int r = x->load(cuda::memory_order_acquire);", "ld.acquire.gpu r, x", "", ""},
		{"int r = x->load(cuda::memory_order_consume);", "ld.acquire.gpu r, x", "", ""},
		{"x->store(1, cuda::memory_order_relaxed);", "st.relaxed.gpu x, 1", "", ""},
		{"x->store(1, cuda::memory_order_release);", "st.release.gpu x, 1", "", ""},
		{"int r = x->fetch_add(2, cuda::memory_order_relaxed);", "atom.relaxed.gpu.add r, x, 2", "", ""},
		{"int r = x->fetch_and(2, cuda::memory_order_acquire);", "atom.acquire.gpu.and r, x, 2", "", ""},
		{"int r = x->fetch_or(2, cuda::memory_order_release);", "atom.release.gpu.or r, x, 2", "", ""},
		{"int r = x->fetch_xor(2, cuda::memory_order_acq_rel);", "atom.acq_rel.gpu.xor r, x, 2", "", ""},
		{"int r = x->fetch_min(2, cuda::memory_order_relaxed);", "atom.relaxed.gpu.min r, x, 2", "", ""},
		{"unsigned r = u->fetch_max(2, cuda::memory_order_relaxed);", "atom.relaxed.gpu.max.u32 r, u, 2", "", ""},
		{"int r = x->fetch_sub(2, cuda::memory_order_relaxed);", "atom.relaxed.gpu.add r, x, -2", "", ""},
		{"long r = w->fetch_add(2, cuda::memory_order_relaxed);", "atom.relaxed.gpu.add.u64 r, w, 2", "", ""},
		{"long r = w->load(cuda::memory_order_relaxed);", "ld.relaxed.gpu.s64 r, w", "", ""},
		{"cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);", "fence.acq_rel.cta", "", ""},
		{"cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_cluster);", "fence.acq_rel.cluster", "", ""},
		{"cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);", "fence.acq_rel.gpu", "", ""},
		{"cuda::atomic_thread_fence(cuda::memory_order_seq_cst);", "fence.sc.sys", "", ""},
		{"cuda::atomic_thread_fence(cuda::memory_order_relaxed, cuda::thread_scope_device);", "", "", ""},
		{"b->store(1, cuda::memory_order_release);", "st.release.cta b, 1", "", ""},
		{"k->store(1, cuda::memory_order_release);", "st.release.cluster k, 1", "", ""},
		{"s->store(1, cuda::memory_order_release);", "st.release.sys s, 1", "", ""},
		{"*d = 1;", "st.weak d, 1", "", ""},
		{"int r = *d;", "ld.weak r, d", "", ""},
		{"*v = 1; int r = *v;", "st.volatile v, 1; ld.volatile r, v", "", ""},
		{"int r = atomicAdd(d, 1);", "atom.relaxed.gpu.add r, d, 1", "", ""},
		{"int r = atomicSub_block(d, 1);", "atom.relaxed.cta.add r, d, -1", "", ""},
		{"int r = atomicExch_system(d, 1);", "atom.relaxed.sys.exch r, d, 1", "", ""},
		{"int r = atomicCAS(d, 0, 1);", "atom.relaxed.gpu.cas r, d, 0, 1", "", ""},
		{"unsigned r = atomicInc((unsigned*)d, 7);", "atom.relaxed.gpu.inc r, d, 7", "", ""},
		{"__threadfence_block(); __threadfence(); __threadfence_system();", "membar.cta; membar.gl; membar.sys", "", ""},
		{"__syncthreads(); __syncwarp();", "bar.sync 0; bar.warp.sync 0xffffffff", "", ""},
		{"int r = __syncthreads_count(*d == 1);", "ld.weak r0, d; setp.eq p0, r0, 1; bar.red.popc.u32 r, 0, p0", "", ""},
		{"int r = __syncthreads_or(1);", "setp.ne p0, 1, 0; bar.red.or.pred p1, 0, p0; selp r, 1, 0, p1", "", ""},
		{
			"int e = 0; bool ok = x->compare_exchange_strong(e, 1, cuda::memory_order_release, cuda::memory_order_acquire);",
			"mov e, 0; atom.acq_rel.gpu.cas r0, x, e, 1; setp.eq p0, r0, e; selp r1, 1, 0, p0; setp.ne p1, r1, 0; @p1 bra L0; mov e, r0; L0:; " +
				"setp.ne p2, r1, 0; selp ok, 1, 0, p2", "", "",
		},
		{
			"int e = 0; x->compare_exchange_weak(e, 1);",
			"mov e, 0; fence.sc.gpu; atom.acquire.gpu.cas r0, x, e, 1; setp.eq p0, r0, e; selp r1, 1, 0, p0; setp.ne p1, r1, 0; @p1 bra L0; mov e, r0; L0:",
			"mov e, 0; fence.sc.gpu; atom.acq_rel.gpu.cas r0, x, e, 1; setp.eq p0, r0, e; selp r1, 1, 0, p0; setp.ne p1, r1, 0; @p1 bra L0; mov e, r0; L0:", "",
		},
	} {
		for i, want := range []string{c.current, c.cuda12, c.hopper} {
			if want == "" {
				want = c.current
			}
			_, test := translated(t, parse(t, "mapping", program(c.body)), toptx.Editions[i])
			if got := strings.Join(instructions(test), "; "); got != want {
				t.Errorf("%s in %s: %s, not %s", c.body, toptx.Editions[i].Name, got, want)
			}
		}
	}
}

// TestComputation: what a thread computes becomes instructions that compute it, in their order.
func TestComputation(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"int r = *d; *x = r + 1;", "ld.weak r, d; add r0, r, 1; fence.sc.gpu; st.relaxed.gpu x, r0"},
		{"int r = *d; a[r] = 1;", "ld.weak r, d; mul.lo.s64 r1, r, 4; add.u64 r0, a, r1; st.weak [r0], 1"},
		{"a[1] = 1; *(a + 1) = 2;", "st.weak a[1], 1; st.weak a[1], 2"},
		{"int* p = a; ++p; *p = 1;", "mov.u64 p, a; add.u64 p, p, 4; st.weak [p], 1"},
		{"**q = 1;", "ld.weak.u64 r0, q; st.weak [r0], 1"},
		{"int& y = *d; y = 1;", "st.weak d, 1"},
		{"cuda::atomic_ref<int, cuda::thread_scope_block> y(*d); y.store(1, cuda::memory_order_relaxed);", "st.relaxed.cta d, 1"},
		{"cuda::atomic_ref<int, cuda::thread_scope_block>(*d).store(1, cuda::memory_order_relaxed);", "st.relaxed.cta d, 1"},
		{"int r = *d; (x + r)->store(1, cuda::memory_order_relaxed);", "ld.weak r, d; mul.lo.s64 r1, r, 4; add.u64 r0, x, r1; st.relaxed.gpu [r0], 1"},
		{"int r = *d < 3 ? 5 : 6;", "ld.weak r0, d; setp.lt p0, r0, 3; selp r, 5, 6, p0"},
		{"int r = (*d == 1) & (*v != 2);", "ld.weak r0, d; ld.volatile r1, v; setp.eq p0, r0, 1; selp r2, 1, 0, p0; setp.ne p1, r1, 2; selp r3, 1, 0, p1; and.b32 r, r2, r3"},
		{"if (*d > 1) *v = 1; else *v = 2;", "ld.weak r0, d; setp.le p0, r0, 1; @p0 bra L0; st.volatile v, 1; bra L1; L0:; st.volatile v, 2; L1:"},
		{"while (*v == 0) { }", "L0:; ld.volatile r0, v; setp.ne p0, r0, 0; @p0 bra L1; bra L0; L1:"},
		{"long n = *d; *l = n << 33;", "ld.weak n, d; shl.b64 r0, n, 33; st.weak.s64 l, r0"},
		{"*c = *d;", "ld.weak r0, d; cvt.u8.s32 r1, r0; st.weak.u8 c, r1"},
		{"unsigned n = *d; long m = n; *l = m / 2;", "ld.weak n, d; cvt.u64.u32 m, n; div.s64 r0, m, 2; st.weak.s64 l, r0"},
		{"cg::thread_block b = cg::this_thread_block(); b.sync(); cg::sync(b);", "bar.sync 0; bar.sync 0"},
		{"auto c = cooperative_groups::this_cluster(); c.sync();", "barrier.cluster.arrive; barrier.cluster.wait"},
		{"if (*d) { } *v = 1;", "ld.weak r0, d; st.volatile v, 1"},
		{"int d2 = 7; *d = d2; d2 = 8;", "mov d2, 7; st.weak d, d2; mov d2, 8"},
	} {
		_, test := translated(t, parse(t, "computation", program(c.body)), toptx.Editions[0])
		if got := strings.Join(instructions(test), "; "); got != c.want {
			t.Errorf("%s:\n%s, not\n%s", c.body, got, c.want)
		}
	}
}

// TestWholeTest: name, place, regions, arrays, initial values and the question stay; a variable
// with the name of a location, and one that is read before it is set, have to be told apart and
// declared.
func TestWholeTest(t *testing.T) {
	text, _ := translated(t, parse(t, "whole", `CUDA whole
"what stays"
{ int a[2] = {1, 2}; int* p = &a; flag = 3; 1:n = 4; }
P0@cta 1,cluster 0,gpu 1 (int* a, cuda::atomic<int>* flag, int* other) { int flag_1 = a[1]; *other = 1; }
P1@cta 1,cluster 0,gpu 1 (int** p, __shared__ int* tile) { int a = **p; int n; *tile = n; int unset; }
locations [other;]
filter (1:unset=0)
exists (1:a=1 /\ 0:flag_1=2 /\ a[0]=1 /\ 1:n=4)
`), toptx.Editions[2])
	want := `PTX whole
"what stays"
Mapping=the mapping of the Hopper guide
{
 a[2]={1,2}; p=a; flag=3; other=0; tile=0;
 1:n=4; 1:unset=0;
}
 P0@cta 1,cluster 0,gpu 1 | P1@cta 1,cluster 0,gpu 1 ;
 ld.weak flag_1, a[1]     | ld.weak.u64 r0, p        ;
 st.weak other, 1         | ld.weak r1, [r0]         ;
                          | st.weak tile, n          ;
a: global, p: global, flag: global, other: global, tile: shared
locations [other;]
filter 1:unset=0
exists (1:r1=1 /\ 0:flag_1=2 /\ a[0]=1 /\ 1:n=4)
`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
}

// TestRefused: what has no translation is an error that says what and where.
func TestRefused(t *testing.T) {
	const atomic8 = "cuda::atomic<char, cuda::thread_scope_device>* y"
	for _, c := range []struct{ parameters, body, want string }{
		{atomic8, "y->fetch_add(1);", "NVIDIA's mapping to PTX has no entry for fetch_add of 8 bits"},
		{atomic8, "char e = 0; y->compare_exchange_strong(e, 1);", "NVIDIA's mapping to PTX has no entry for compare_exchange_strong of 8 bits"},
		{"cuda::atomic<int, cuda::thread_scope_thread>* y", "y->store(1);", "NVIDIA's mapping to PTX has no entry for the scope of one thread"},
		{"cuda::barrier<cuda::thread_scope_block>* y", "y->wait(0);", "NVIDIA's mapping to PTX has no entry for wait for an arrival of another thread"},
		{"cuda::barrier<cuda::thread_scope_thread>* y", "y->arrive();", "NVIDIA's mapping to PTX has no entry for a barrier of one thread"},
		{"int* y", "L: __syncthreads();", "NVIDIA's mapping to PTX has no entry for __syncthreads with a label"},
	} {
		test := parse(t, "refused", "CUDA refused\n{ }\nP0@cta 0,gpu 0 ("+c.parameters+") {\n"+c.body+"\n}\nexists (y=0)\n")
		_, err := toptx.Translate(test, toptx.Editions[0])
		var diags src.Diagnostics
		if !asDiagnostics(err, &diags) || len(diags) != 1 || diags[0].Message != c.want || diags[0].Span.Pos().Line != 4 {
			t.Errorf("%s: %v, not %s", c.body, err, c.want)
		}
	}
	test := parse(t, "opencl", "OPENCL other\n{ }\nP0@wg 0, dev 0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_item); }\nexists (x=0)\n")
	if _, err := toptx.Translate(test, toptx.Editions[0]); err == nil || !strings.Contains(err.Error(), "no entry for the scope of one thread") {
		t.Errorf("the scope of a work item: %v", err)
	}
	test = parse(t, "ptx", "PTX other\n{ x=0; }\nP0@cta 0 ;\nst.weak x, 1 ;\nexists (x=0)\n")
	if _, err := toptx.Translate(test, toptx.Editions[0]); err == nil || !strings.Contains(err.Error(), "only tests in C can") {
		t.Errorf("a PTX test: %v", err)
	}
}

// TestBarriers: a cuda::barrier in memory lets threads go on in the same states as the one of the
// source does.
func TestBarriers(t *testing.T) {
	const two = `CUDA barrier
{ d=0; e=0; b=%d; }
P0@cta 0,gpu 0 (int* d, int* e, cuda::barrier<cuda::thread_scope_block>* b) { %s }
P1@cta 0,gpu 0 (int* d, int* e, cuda::barrier<cuda::thread_scope_block>* b) { int r0 = 0; int r1 = 0; %s }
exists (1:r0=1 /\ 1:r1=1)
`
	for _, c := range []struct {
		count         int
		first, second string
	}{
		{0, "*d = 1; b->arrive_and_wait();", "b->arrive_and_wait(); r0 = *d;"},
		{1, "*d = 1; b->arrive_and_wait();", "r0 = 0;"},
		{2, "*d = 1; b->arrive_and_wait();", "r0 = 0;"},
		{2, "*d = 1; auto t = b->arrive(); b->wait(t); r: *e = 1;", "auto t = b->arrive(); b->wait(t); r0 = *d;"},
	} {
		text := fmt.Sprintf(two, c.count, c.first, c.second)
		loaded, err := sim.Load(src.NewFile("barrier", text), sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		source, r := states(t, loaded, "rc11-scoped")
		_, ptx := translated(t, loaded.Test, toptx.Editions[0])
		target, q := states(t, ptx, "ptx")
		if diff := cmp.Diff(source, target); diff != "" || slices.Contains(r.Flags, sim.HangFlag) != slices.Contains(q.Flags, sim.HangFlag) {
			t.Errorf("%s | %s: flags %v and %v, states -source +translation\n%s", c.first, c.second, r.Flags, q.Flags, diff)
		}
	}
}

func asDiagnostics(err error, to *src.Diagnostics) (ok bool) {
	*to, ok = err.(src.Diagnostics)
	return ok
}

// shipped returns the shipped tests in C, but for those that have no entry in the mapping.
func shipped(t *testing.T) (all []*litmus.Test) {
	t.Helper()
	names, err := fs.Glob(litmustests.FS, "*/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(litmustests.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if test := parse(t, name, string(text)); toptx.Takes(test) && !slices.Contains(refused, test.Name.Text) {
			all = append(all, test)
		}
	}
	return all
}

// refused are the shipped tests that name a scope, or a barrier, that PTX does not have.
var refused = []string{"cl-barrier-labels", "cl-mp-work_item-same-group", "cl-mp-work_item-two-devices", "cl-mp-work_item-two-groups"}

// weaker are the shipped tests that can do more once they are translated, by edition. RC11 forbids
// load buffering even without dependencies, and PTX does not; and a seq_cst load of the Hopper
// guide acquires nothing, because nothing comes after its ld.relaxed.
var (
	buffering = []string{"c-lb+acqs", "c-lb+rlxs", "cl-dlb-lb", "cl-lb", "cl-lb-inter-cta", "cl-sl-future", "cpp-lb-relaxed"}
	weaker    = map[string][]string{
		"current": buffering, "12.8": buffering, "hopper": slices.Concat(buffering, []string{"c-mp+rel+sc", "c-mp+sc+sc", "cpp-mp-default"}),
	}
)

// TestShippedTests: whatever a race-free shipped test can do translated, under ptx, it can do under
// rc11-scoped (Lustig, Sahasrabuddhe, Giroux, ASPLOS 2019: the mapping is sound), but for those
// that are known to be weaker.
func TestShippedTests(t *testing.T) {
	tests := shipped(t)
	some := 0
	for i, test := range tests {
		loaded, err := sim.Load(test.File, sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		source, r := states(t, loaded, "rc11-scoped")
		for _, e := range editions(i) {
			_, ptx := translated(t, test, e)
			target, _ := states(t, ptx, "ptx")
			extra := beyond(target, source)
			if more, known := len(r.Undefined) == 0 && len(extra) > 0, slices.Contains(weaker[e.Name], test.Name.Text); more != known {
				t.Errorf("%s in %s: ptx allows %s besides what rc11-scoped does, %s", test.Name.Text, e.Name, extra, source)
			}
			some++
		}
	}
	if some < 216 {
		t.Errorf("only %d translations", some)
	}
}

// editions returns the editions that translate the i-th shipped test: for most tests, only the one
// of today.
func editions(i int) []*toptx.Edition {
	if i%4 == 0 || sample.All() {
		return toptx.Editions
	}
	return toptx.Editions[:1]
}

// beyond returns what is in one list and not in the other.
func beyond(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// TestShippedTwins: of an idiom in CUDA C++ the translation has the verdict and the states of the
// test that is written in PTX.
func TestShippedTwins(t *testing.T) {
	some := 0
	for _, test := range shipped(t) {
		i := slices.IndexFunc(test.Meta, func(m litmus.Meta) bool { return m.Key == "Twin" })
		if i < 0 || test.Arch != "CUDA" {
			continue
		}
		some++
		if some%sample.Of(1, 3) != 0 {
			continue
		}
		name := "cuda/" + test.Meta[i].Value + ".litmus"
		text, err := fs.ReadFile(litmustests.FS, name)
		if err != nil {
			t.Errorf("%s: %v", test.Name.Text, err)
			continue
		}
		twin, err := sim.Load(src.NewFile(name, string(text)), sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		_, want := states(t, twin, "ptx")
		for _, e := range editions(some) {
			_, translation := translated(t, test, e)
			if _, got := states(t, translation, "ptx"); got.Outcome() != want.Outcome() || len(got.States) != len(want.States) {
				t.Errorf("%s in %s is %v in %d states, its twin %v in %d", test.Name.Text, e.Name, got.Outcome(), len(got.States), want.Outcome(), len(want.States))
			}
		}
	}
	if idioms, _ := fs.Glob(litmustests.FS, "cuda/*.litmus"); some != len(idioms) {
		t.Errorf("%d twins of %d idioms", some, len(idioms))
	}
}

func ExampleTranslate() {
	test, err := frontends.Shipped().Parse(src.NewFile("mp.litmus", `CUDA mp
{ data = 0; flag = 0; }
P0@cta 0,gpu 0 (int* data, cuda::atomic<int, cuda::thread_scope_device>* flag) { *data = 1; flag->store(1, cuda::memory_order_release); }
P1@cta 1,gpu 0 (int* data, cuda::atomic<int, cuda::thread_scope_device>* flag) { int r0 = flag->load(); int r1 = *data; }
exists (1:r0=1 /\ 1:r1=0)
`))
	if err != nil {
		panic(err)
	}
	made, err := toptx.Translate(test, toptx.Editions[0])
	if err != nil {
		panic(err)
	}
	fmt.Print(made.Text)
	// Output:
	// PTX mp
	// Mapping=Atomics ABI, as of CUDA 13
	// {
	//  data=0; flag=0;
	// }
	//  P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
	//  st.weak data, 1        | fence.sc.gpu            ;
	//  st.release.gpu flag, 1 | ld.acquire.gpu r0, flag ;
	//                         | ld.weak r1, data        ;
	// exists (1:r0=1 /\ 1:r1=0)
}
