package gen_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// tests makes the tests of a pattern.
func tests(t *testing.T, isa *gen.ISA, pattern string, levels ...gen.Level) []*gen.Test {
	t.Helper()
	p, err := gen.Parse(src.NewFile("cycle", pattern), isa)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	var found []*gen.Test
	err = p.Cycles(t.Context(), levels, nil, func(c *gen.Cycle) bool {
		test, err := c.Test()
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		found = append(found, test)
		return true
	})
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	return found
}

// TestNames names cycles as the literature does, for every rotation.
func TestNames(t *testing.T) {
	for cycle, want := range map[string]string{
		"Rfe PodRR Fre PodWW":                     "MP",
		"Fre PodWR Fre PodWR":                     "SB",
		"Rfe PodRW Rfe PodRW":                     "LB",
		"PodRW Coe PodWW Rfe":                     "S",
		"Coe PodWR Fre PodWW":                     "R",
		"Coe PodWW Coe PodWW":                     "2+2W",
		"Wse PodWW Wse PodWW":                     "2+2W",
		"Rfe PodRW Rfe PodRR Fre":                 "WRC",
		"Rfe PodRW Rfe PodRW Coe":                 "WWC",
		"Rfe PodRR Fre PodWR Fre":                 "RWC",
		"Rfe PodRR Fre PodWW Coe":                 "WRR+2W",
		"Rfe PodRW Coe PodWR Fre":                 "WRW+WR",
		"Rfe PodRW Coe PodWW Coe":                 "WRW+2W",
		"PodWW Rfe PodRW Rfe PodRR Fre":           "ISA2",
		"PodWR Fre PodWW Rfe PodRR Fre":           "W+RWC",
		"PodWW Rfe PodRW Coe PodWR Fre":           "Z6.0",
		"PodWW Coe PodWW Rfe PodRW Coe":           "Z6.1",
		"PodWW Rfe PodRW Rfe PodRW Coe":           "Z6.2",
		"PodWW Coe PodWW Rfe PodRR Fre":           "Z6.3",
		"PodWW Coe PodWR Fre PodWR Fre":           "Z6.4",
		"PodWW Coe PodWW Coe PodWR Fre":           "Z6.5",
		"PodWR Fre PodWR Fre PodWR Fre":           "3.SB",
		"PodRW Rfe PodRW Rfe PodRW Rfe":           "3.LB",
		"PodWW Coe PodWW Coe PodWW Coe":           "3.2W",
		"Rfe PodRR Fre Rfe PodRR Fre":             "IRIW",
		"Rfe PodRR Fre Rfe PodRW Coe":             "IRRWIW",
		"Rfe PodRW Coe Rfe PodRW Coe":             "IRWIW",
		"PodWR Fre PodWR Fre PodWR Fre PodWR Fre": "4.SB",
		"PodWW Rfe PodRW Rfe PodRW Rfe PodRR Fre": "WW+RW+RW+RR",
		"Rfe PosRR Fre":                           "CoRR",
		"Rfe PosRW Coe":                           "CoRW2",
		"Coe PosWR Fre":                           "CoWR",
		"PosWW Coi":                               "CoWW",
		"Rfi PosRW":                               "CoRW1",
		"PosWR Fri":                               "CoWR0",
		"PosWR Fre PosWR Fre":                     "CoSB",
		"Coe [atom.add] Fre":                      "CoWU+cg+add",

		"Rfe Membar.gldRR Fre Membar.gldWW":                               "MP+membar.gls",
		"Rfe DpAddrdR Fre Membar.ctadWW":                                  "MP+membar.cta+addr",
		"Rfe DpAddr Fre Membar.cta":                                       "MP+membar.cta+addr",
		"Rfe PodRR Fre Membar.gl":                                         "MP+membar.gl+po",
		"Rfe DpDatadW Rfe DpDatadW":                                       "LB+datas",
		"Rfe DpDatadW Rfe DpCtrldW":                                       "LB+ctrl+data",
		"Rfe PodRW Rfe DpAddrdR Fre":                                      "WRC+po+addr",
		"PodWR Fre Rfi PodRR Fre":                                         "SB+po+rfi-po",
		"Rfe DpAddrdW PosWR Fre PodWW":                                    "MP+po+addrW-pos",
		"Rfe Membar.glsRR Fre":                                            "CoRR+membar.gl.loc",
		"[volatile] PodWR [volatile] Fre [volatile] PodWR [volatile] Fre": "SB+volatiles",
		"PodWW [volatile] Rfe [volatile] PodRR Fre":                       "MP+po-volatile+volatile-po",
		"PodWW Rfe Rmw.add Rfe PodRR Fre":                                 "ISA2+po+add+po",
		"[volatile] Rfe PodRR Fre Rfe PodRR Fre":                          "IRIW+cg+po+volatile+po",

		"Rfe@cta PodRR Fre PodWW":                                             "MP-intra-cta",
		"Rfe@warp PodRR Fre PodWW":                                            "MP-intra-warp",
		"Rfe@sys PodRR Fre@sys PodWW":                                         "MP-inter-device",
		"Rfe@cta PodRW Rfe PodRR Fre":                                         "WRC-cta-gpu-gpu",
		"Rfe@cta [shared] PodRR Fre PodWW":                                    "MP-intra-cta-global-shared",
		"PodWR [atom.exch] Fre [atom.exch] PodWR [atom.exch] Fre [atom.exch]": "SB+exchs",
		"PodRW [volatile] Rfe PodRW [volatile] Rfe":                           "LB+po-volatiles",
		"Rfe DpAddrdR PodRW Coe PodWW":                                        "S+po+addr-po",
		"[shared] PodWR Fre@cta [shared] PodWR Fre":                           "SB-intra-cta-shared",
	} {
		found := tests(t, gen.GPUPTX, cycle)
		if len(found) != 1 || found[0].Name.Text != want {
			t.Errorf("%s: got %s, want %s", cycle, names(found), want)
		}
	}
	for cycle, want := range map[string]string{
		"PodWW [release.gpu] Rfe [acquire.gpu] PodRR Fre": "MP+po-rel.gpu+acq.gpu-po",
		"Fence.sc.gpudWR Fre Fence.sc.gpudWR Fre":         "SB+weaks+fence.sc.gpus",
		"Bar.syncdWW Rfe@cta Bar.syncdRR Fre":             "MP+weaks+bar.syncs-intra-cta",
		"Rfe@cluster PodRR Fre PodWW":                     "MP+weaks-intra-cluster",
		"Rfe [atom.acq_rel.gpu.exch] Rfe PodRR Fre PodWW": "ISA2+po+acq_rel.gpu.exch+po",

		"[bulk.load] MbarsWR Fre": "CoW+R+bulk.load-mbar.loc+weak-intra-cta-shared",
		"[cp.async] WaitsWR Fri":  "CoWR0+cp.async-wait.loc-shared",
		"Fence.proxy.asyncdWR [bulk.store] Fre@cta [weak] PodWR Fre@cta": "SB+fence.proxy.async-bulk.store+po-intra-cta-global-shared",
		"Rfe@cta Cp.async Rfe@cta PodRR Fre@cta":                         "WRC+cp.async+po-intra-cta-global-shared",
	} {
		found := tests(t, gen.PTX, cycle)
		if len(found) != 1 || found[0].Name.Text != want {
			t.Errorf("%s: got %s, want %s", cycle, names(found), want)
		}
	}
}

func names(tests []*gen.Test) []string {
	var names []string
	for _, t := range tests {
		names = append(names, t.Name.Text)
	}
	return names
}

// TestMP compares a whole test, in both spellings.
func TestMP(t *testing.T) {
	want := `GPU_PTX MP+membar.cta+addr-intra-cta
Generator=muster gen
Cycle=Membar.ctadWW Rfe@cta DpAddrdR Fre@cta
{
 x=0; y=0;
}
 T0              | T1                       ;
 st.cg.s32 [x],1 | ld.cg.s32 r0,[y]         ;
 membar.cta      | and.b32 r1,r0,0x80000000 ;
 st.cg.s32 [y],1 | cvt.u64.u32 r2,r1        ;
                 | mov.u64 r3,x             ;
                 | add.u64 r3,r3,r2         ;
                 | ld.cg.s32 r4,[r3]        ;
ScopeTree (cta (warp T0) (warp T1))
exists (1:r0=1 /\ 1:r4=0)
`
	if diff := cmp.Diff(want, tests(t, gen.GPUPTX, "Membar.cta Rfe@cta DpAddr Fre")[0].String()); diff != "" {
		t.Error(diff)
	}
	want = `PTX WRC+ctrl+acq.gpu-fence.sc.gpu-cta-gpu-gpu
Generator=muster gen
Cycle=Rfe@cta DpCtrldW Rfe [acquire.gpu] Fence.sc.gpudRR Fre
{
 x=0; y=0;
}
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0       | P2@cta 1,gpu 0      ;
 st.weak x,1    | ld.weak r0,x         | ld.acquire.gpu r0,y ;
                | and r1,r0,0x80000000 | fence.sc.gpu        ;
                | setp.ne p0,r1,0      | ld.weak r1,x        ;
                | @p0 bra END1         |                     ;
                | st.weak y,1          |                     ;
                | END1:                |                     ;
exists (1:r0=1 /\ 2:r0=1 /\ 2:r1=0)
`
	if diff := cmp.Diff(want,
		tests(t, gen.PTX, "Rfe@cta DpCtrl Rfe [acquire.gpu] Fence.sc.gpu Fre")[0].String()); diff != "" {
		t.Error(diff)
	}
}

// TestC: in C, accesses are calls with an order and a scope, or operators; a dependency uses a
// value that no compiler knows to be 0; after a control dependency, the rest of the thread is
// inside the branch.
func TestC(t *testing.T) {
	for _, c := range []struct {
		isa         *gen.ISA
		cycle, want string
	}{
		{
			gen.CUDA,
			"[plain] PodWW [release.device] Rfe@sys [volatile] DpCtrldW [atom.relaxed.block.cas] Coe@cta [atom.exch] " +
				"Threadfence.devicedWR [acquire.system] DpAddrdR [plain] Fre@sys",
			`CUDA Z6.0+plain-po-rel.device+volatile-ctrl-rlx.block.cas+exch-threadfence.device-acq.system-addr-plain-sys-cta-sys
Generator=muster gen
Cycle=[plain] PodWW [release.device] Rfe@sys [volatile] DpCtrldW [atom.relaxed.block.cas] Coe@cta [atom.exch] Threadfence.devicedWR [acquire.system] DpAddrdR [plain] Fre@sys
{
 x=0; y=0; z=0; a=0;
}
P0@cta 0,gpu 0 (int* x, int* y) {
  *x = 1;
  cuda::atomic_ref<int, cuda::thread_scope_device>(*y).store(1, cuda::memory_order_release);
}
P1@cta 0,gpu 1 (int* y, int* z) {
  int r0 = *(volatile int*)y;
  int r1 = r0 & 0x80000000;
  if (r1 == 0) {
    int r2 = 0; cuda::atomic_ref<int, cuda::thread_scope_block>(*z).compare_exchange_strong(r2, 1, cuda::memory_order_relaxed);
  }
}
P2@cta 0,gpu 1 (int* x, int* z, cuda::atomic<int, cuda::thread_scope_system>* a) {
  int r0 = atomicExch(z, 2);
  __threadfence();
  int r1 = a->load(cuda::memory_order_acquire);
  int r2 = r1 & 0x80000000;
  int r3 = *(x + r2);
}
exists (1:r0=1 /\ 1:r2=0 /\ 2:r0=1 /\ 2:r3=0 /\ [z]=2)
`,
		},
		{
			gen.OpenCL,
			"[plain shared] PodWW [release.work_group] Rfe@cta [acquire.work_group] Fence.acquire.devicedRR " +
				"[plain] Fre@cta",
			`OPENCL MP+plain-po-rel.work_group+acq.work_group-fence.acquire.device-plain-intra-cta-shared-global
Generator=muster gen
Cycle=[plain shared] PodWW [release.work_group] Rfe@cta [acquire.work_group] Fence.acquire.devicedRR [plain] Fre@cta
{
 x=0; y=0;
}
P0@wg 0,dev 0 (local int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_release, memory_scope_work_group);
}
P1@wg 0,dev 0 (local int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_work_group);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
  int r1 = *x;
}
exists (1:r0=1 /\ 1:r1=0)
`,
		},
		{
			gen.C11, "Fence.seq_cstdWR Fre [atom.acq_rel.exch] DpDatadW [seq_cst] Rfe [plain] PodRR Fre",
			`C W+RWC+acq_rel.exch-data-sc+plain-po+fence.seq_cst
Generator=muster gen
Cycle=[atom.acq_rel.exch] DpDatadW [seq_cst] Rfe [plain] PodRR Fre Fence.seq_cstdWR Fre
{
 x=0; y=0; z=0;
}
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_exchange_explicit(x, 1, memory_order_acq_rel);
  int r1 = r0 & 0x80000000;
  atomic_store_explicit(y, r1 + 1, memory_order_seq_cst);
}
P1 (atomic_int* y, atomic_int* z) {
  int r0 = *y;
  int r1 = atomic_load_explicit(z, memory_order_relaxed);
}
P2 (atomic_int* x, atomic_int* z) {
  atomic_store_explicit(z, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\ 1:r0=1 /\ 1:r1=0 /\ 2:r0=0)
`,
		},
	} {
		if diff := cmp.Diff(c.want, tests(t, c.isa, c.cycle)[0].String()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestRoundTrip checks that generated tests parse to themselves and that a cycle is read
// back as it is printed.
func TestRoundTrip(t *testing.T) {
	for _, p := range gen.Presets {
		for test, err := range gen.Sample(testsOf(p), sample.Of(1000, 80), 2) {
			if err != nil {
				t.Fatal(err)
			}
			again, err := frontends.Shipped().Parse(src.NewFile("again", test.String()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.String(), again.String()); diff != "" {
				t.Fatalf("%s does not print as it parses:\n%s", test.Name.Text, diff)
			}
			if i := slices.IndexFunc(again.Meta, func(m litmus.Meta) bool {
				return m.Key == "Cycle"
			}); i < 0 || again.Meta[i].Value != test.Cycle.String() {
				t.Fatalf("%s: the metadata %v have no cycle %s", test.Name.Text, again.Meta, test.Cycle)
			}
			from := tests(t, p.ISA, test.Cycle.String())
			if len(from) != 1 || from[0].String() != test.String() {
				t.Fatalf("%s makes %s, not %s", test.Cycle, names(from), test)
			}
		}
	}
}

// TestClassics finds each family of two threads once for each annotation.
func TestClassics(t *testing.T) {
	g := generator(t, gen.GPUPTX, "Rfe Fre Coe Pod** Membar.gl", 4, 4)
	got := map[string]int{}
	for test, err := range gen.Distinct(g.Cycles(t.Context()), &gen.Counts{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[test.Name.Text]++
	}
	want := map[string]int{}
	for _, family := range []string{"MP", "S", "R", "SB", "LB", "2+2W"} {
		for _, fences := range []string{"", "+membar.gls", "+membar.gl+po", "+po+membar.gl"} {
			want[family+fences] = 1
		}
	}
	for _, symmetric := range []string{"SB", "LB", "2+2W"} {
		delete(want, symmetric+"+po+membar.gl")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func generator(t *testing.T, isa *gen.ISA, edges string, least, most int) *gen.Generator {
	t.Helper()
	g := &gen.Generator{ISA: isa, Size: gen.Range{Min: least, Max: most}}
	if err := g.Add(gen.Words{Edges: edges}); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPresets checks that presets are deterministic, that no test and no name occurs twice, and
// that the paper's preset is no smaller than the paper's set.
func TestPresets(t *testing.T) {
	for _, p := range gen.Presets {
		var first, second []string
		seen := map[string]string{}
		for test, err := range testsOf(p) {
			if err != nil {
				t.Fatal(err)
			}
			text := test.String()
			first = append(first, text)
			if other, ok := seen[test.Name.Text]; ok && other != text {
				t.Errorf("%s: two tests are called %s:\n%s%s", p.Name, test.Name.Text, other, test)
			}
			seen[test.Name.Text] = text
		}
		if sample.All() {
			for test := range gen.Distinct(p.Cycles(t.Context()), &gen.Counts{}) {
				second = append(second, test.String())
			}
			if !slices.Equal(first, second) {
				t.Errorf("%s is not the same the second time", p.Name)
			}
		}
		if p.Name == "asplos15" && len(first) < paperTests {
			t.Errorf("asplos15 has %d tests, the paper's study %d", len(first), paperTests)
		}
		if n, known := presetTests[p.Name]; known && len(first) != n {
			t.Errorf("%s has %d tests, docs/generate.md says %d", p.Name, len(first), n)
		}
		if len(seen) != len(first) {
			t.Errorf("%s: %d tests have %d names", p.Name, len(first), len(seen))
		}
	}
}

var presets sync.Map // by name

// testsOf returns the tests of a preset, which are generated once for all tests here.
func testsOf(p *gen.Preset) iter.Seq2[*gen.Test, error] {
	made, _ := presets.LoadOrStore(p.Name, sync.OnceValues(func() (tests []*gen.Test, err error) {
		for test, err := range gen.Distinct(p.Cycles(context.Background()), &gen.Counts{}) {
			if err != nil {
				return nil, err
			}
			tests = append(tests, test)
		}
		return tests, nil
	}))
	return func(yield func(*gen.Test, error) bool) {
		tests, err := made.(func() ([]*gen.Test, error))()
		for _, test := range tests {
			if !yield(test, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// presetTests is the number of tests of each preset, as in docs/generate.md.
var presetTests = map[string]int{"asplos15": 19974, "async": 3828}

// paperTests is the number of tests of the study (ASPLOS 2015, Sec. 4.4).
const paperTests = 10930

// TestDistinct compares with brute force: all sequences of edges, with equal tests recognised by
// trying all names.
func TestDistinct(t *testing.T) {
	for _, tt := range []struct {
		edges string
		size  int
	}{
		{"Rfe Fre Coe Fri Rfi PosRR PosRW PosWR PosWW PodRR PodRW PodWR PodWW", 4},
		{"Rfe Fre Coe PosRR PosWR PodRR PodRW PodWR PodWW", 6},
	} {
		g := generator(t, gen.GPUPTX, tt.edges, 2, tt.size)
		g.Threads = gen.Range{Min: 1, Max: 3}
		got := map[string]bool{}
		for test, err := range gen.Distinct(g.Cycles(t.Context()), &gen.Counts{}) {
			if err != nil {
				t.Fatal(err)
			}
			key := anonymous(test.Test)
			if got[key] {
				t.Errorf("%s comes twice:\n%s", test.Name.Text, test)
			}
			got[key] = true
		}
		want := map[string]bool{}
		for size := 2; size <= tt.size; size++ {
			for words := range loops(strings.Fields(tt.edges), size) {
				if test := made(t, words); test != nil && len(test.Threads) <= 3 && !reducible(words) {
					want[anonymous(test.Test)] = true
				}
			}
		}
		if len(want) < 15 || !maps.Equal(want, got) {
			t.Errorf("%d tests, by brute force %d", len(got), len(want))
		}
	}
}

// made returns the test of a cycle, or nil.
func made(t *testing.T, words []string) *gen.Test {
	t.Helper()
	p, err := gen.Parse(src.NewFile("cycle", strings.Join(words, " ")), gen.GPUPTX)
	if err != nil {
		t.Fatal(err)
	}
	var test *gen.Test
	_ = p.Cycles(t.Context(), nil, nil, func(c *gen.Cycle) bool {
		test, err = c.Test()
		return err == nil
	})
	return test
}

// loops yields the sequences of words whose directions match.
func loops(words []string, n int) func(func([]string) bool) {
	ends := func(word string) (from, to string) {
		if com, ok := map[string]string{"Rf": "WR", "Fr": "RW", "Co": "WW"}[word[:2]]; ok {
			return com[:1], com[1:]
		}
		return word[3:4], word[4:]
	}
	return func(yield func([]string) bool) {
		var extend func(some []string) bool
		extend = func(some []string) bool {
			if len(some) == n {
				first, _ := ends(some[0])
				_, last := ends(some[n-1])
				return first != last || yield(some)
			}
			for _, w := range words {
				if len(some) > 0 {
					_, before := ends(some[len(some)-1])
					if after, _ := ends(w); before != after {
						continue
					}
				}
				if !extend(append(some[:len(some):len(some)], w)) {
					return false
				}
			}
			return true
		}
		extend(nil)
	}
}

var redundant = regexp.MustCompile(`(Po..., Po...)|((Co|Fr). )Co.|(Co|Fr)., Co.|Rfe, Fre|Rfi, Fri`)

// reducible reports whether two consecutive edges are equivalent to one, by the list in
// docs/generate.md.
func reducible(words []string) bool {
	around := strings.Join(append(words, words[0]), ", ")
	return redundant.MatchString(around)
}

// anonymous returns the least text of a test over all names of threads and locations, without
// registers.
func anonymous(t *litmus.Test) string {
	least := ""
	for threads := range permutations(len(t.Threads)) {
		for _, locs := range [][]string{
			{"x", "y", "z"},
			{"x", "z", "y"},
			{"y", "x", "z"},
			{"y", "z", "x"},
			{"z", "x", "y"},
			{"z", "y", "x"},
		} {
			if text := renamed(t, threads, locs); least == "" || text < least {
				least = text
			}
		}
	}
	return least
}

func permutations(n int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		p := make([]int, n)
		for i := range p {
			p[i] = i
		}
		var swap func(i int) bool
		swap = func(i int) bool {
			if i == n {
				return yield(p)
			}
			for j := i; j < n; j++ {
				p[i], p[j] = p[j], p[i]
				if !swap(i + 1) {
					return false
				}
				p[i], p[j] = p[j], p[i]
			}
			return true
		}
		swap(0)
	}
}

var access = regexp.MustCompile(`^(ld|st)\.cg\.s32 (?:(r\d+),)?\[([xyz])\](?:,(\d+))?$`)

// renamed returns a test of plain accesses with other names; values are named by their writes.
func renamed(t *litmus.Test, threads []int, locs []string) string {
	name := map[string]string{"x": locs[0], "y": locs[1], "z": locs[2]}
	values := map[string]string{}
	var rows, final []string
	for i, th := range threads {
		for j, c := range t.Threads[th].Cells {
			if m := access.FindStringSubmatch(c.Text()); m != nil && m[1] == "st" {
				values[name[m[3]]+m[4]] = fmt.Sprintf("w%d.%d", i, j)
			}
		}
	}
	atoms := map[string]string{}
	for _, a := range regexp.MustCompile(`(\d:r\d+|\[[xyz]\])=(\d+)`).FindAllStringSubmatch(t.Cond.Prop.String(), -1) {
		atoms[a[1]] = a[2]
	}
	for i, th := range threads {
		for j, c := range t.Threads[th].Cells {
			m := access.FindStringSubmatch(c.Text())
			if m == nil {
				continue
			}
			row := fmt.Sprintf("%d.%d %s %s", i, j, m[1], name[m[3]])
			if v, ok := atoms[fmt.Sprintf("%d:%s", t.Threads[th].ID, m[2])]; ok {
				row += "=" + values[name[m[3]]+v]
			}
			rows = append(rows, row)
		}
	}
	for loc, to := range name {
		if v, ok := atoms["["+loc+"]"]; ok {
			final = append(final, to+"="+values[to+v])
		}
	}
	slices.Sort(final)
	return strings.Join(rows, ";") + "|" + strings.Join(final, ";")
}

// TestNamesKeepNoText generates many tests: the text of a finished test can be garbage-collected.
func TestNamesKeepNoText(t *testing.T) {
	g := &gen.Generator{ISA: gen.GPUPTX, Size: gen.Range{Min: 4, Max: 4}}
	if err := g.Add(gen.Words{Edges: "Rfe Fre Coe Pod**"}); err != nil {
		t.Fatal(err)
	}
	var counts gen.Counts
	var texts []weak.Pointer[byte]
	for test, err := range gen.Distinct(g.Cycles(t.Context()), &counts) {
		if err != nil {
			t.Fatal(err)
		}
		if texts = append(texts, weak.Make(unsafe.StringData(test.File.Text))); len(texts) == 5 {
			runtime.GC()
			if texts[0].Value() != nil {
				t.Error("the text of the first test is kept while others are made")
			}
		}
	}
	if len(texts) < 5 {
		t.Errorf("only %d tests were made", len(texts))
	}
}
