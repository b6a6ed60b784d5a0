//go:build linux && (amd64 || arm64) && !nocuda

package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebitengine/purego"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/gpu"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// fakeDriver builds the fake driver (harness/cuda/testdata), with a script.
func fakeDriver(t testing.TB, script string) string {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("the fake driver needs gcc: install the package gcc of your distribution")
	}
	library := filepath.Join(t.TempDir(), "libcuda.so.1")
	source := filepath.Join("..", "cuda", "testdata", "fakecuda.c")
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-lm",
		"-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("FAKECUDA", script)
	return library
}

const sb = `GPU_PTX SB
{ x=0; y=0; }
 T0               | T1               ;
 st.cg.s32 [x],1  | st.cg.s32 [y],1  ;
 ld.cg.s32 r0,[y] | ld.cg.s32 r0,[x] ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (0:r0=0 /\ 1:r0=0)
`

func plan(t testing.TB) *harness.Plan {
	t.Helper()
	return planOf(t, sb, harness.SM70)
}

func planOf(t testing.TB, text string, target harness.Target) *harness.Plan {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile("test", text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.New(test, frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := harness.NewPlan(test, p, target)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestRun runs a test on a driver that does nothing: no kernel counts, and a histogram that does
// not account for all instances is refused.
func TestRun(t *testing.T) {
	g, err := gpu.Open(fakeDriver(t, "memory 1000000000\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the module is loaded once
		_, err = plan(t).Run(t.Context(), g, harness.Usual(), 1, 1)
		if err == nil || !strings.Contains(err.Error(), "the histogram cannot be trusted: 65536 instances, 0 counted") {
			t.Errorf("the error is %v", err)
		}
	}
	cubin, err := g.Code(t.Context(), plan(t).Kernels())
	if err != nil || len(cubin) == 0 || g.Device().Name == "" || g.Target() < harness.SM70 || g.Driver() == "" {
		t.Errorf("machine code %d bytes, %v, device %+v, driver %s", len(cubin), err, g.Device(), g.Driver())
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestCounted: the counts of the kernels are read from the GPU, and add up to all instances.
func TestCounted(t *testing.T) {
	g, err := gpu.Open(fakeDriver(t, "memory 1000000000\ncounts zeros\nruns cuMemsetD32 1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	const instances = 300_000
	h, err := plan(t).Run(t.Context(), g, harness.Usual(), 1, instances)
	if err != nil {
		t.Fatal(err)
	}
	if h.Instances < instances || len(h.States) != 1 || h.States[0].N != h.Instances ||
		h.States[0].Launches != h.Launches || h.Elapsed < time.Millisecond {
		t.Errorf("the histogram is %+v", h)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestCompiles: each module is compiled once, however often kernels of others run in between, even
// if several goroutines ask for it.
func TestCompiles(t *testing.T) {
	g, err := gpu.Open(fakeDriver(t, "memory 1000000000\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	p := plan(t)
	opaque := harness.Usual()
	opaque.Opaque = true
	linked := map[string][]byte{}
	for _, s := range []harness.Settings{harness.Usual(), opaque} {
		text := p.As(s).Kernels()
		if linked[text], err = g.Code(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if len(linked) != 2 {
		t.Fatalf("an opaque kernel is the same")
	}
	other, err := gpu.Open(fakeDriver(t, "memory 1000000000\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var compiled atomic.Int32
	other.Compiler = func(_ context.Context, text string) ([]byte, error) {
		compiled.Add(1)
		return linked[text], nil
	}
	var ahead sync.WaitGroup
	for text := range linked {
		for range 4 {
			ahead.Go(func() {
				if _, err := other.Code(t.Context(), text); err != nil {
					t.Error(err)
				}
			})
		}
	}
	for range 3 {
		for _, s := range []harness.Settings{harness.Usual(), opaque} {
			if _, err := p.Run(t.Context(), other, s, 1, 1); err == nil || !strings.Contains(err.Error(), "0 counted") {
				t.Errorf("the error is %v", err)
			}
		}
	}
	ahead.Wait()
	if n := compiled.Load(); n != 2 {
		t.Errorf("%d modules compiled, not 2", n)
	}
}

// TestReach runs tests with names of a location, kernels on streams and clusters, and more launches
// than the queue holds.
func TestReach(t *testing.T) {
	g, err := gpu.Open(fakeDriver(t, "memory 2000000000\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"PTX aliases\n{ x=0; y @ generic aliases x; z @ generic aliases x; }\n P0@cta 0,gpu 0 ;\n st.weak x,1 ;\n " +
			"fence.proxy.alias ;\n ld.weak r1,y ;\nexists (P0:r1=0)\n",
		strings.Replace(sb, "(cta (warp T0)) (cta (warp T1))", "(kernel (cta T0)) (kernel (cta T1))", 1),
		"PTX cluster\n{ x=0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;\n barrier.cluster.arrive | " +
			"barrier.cluster.arrive ;\n" +
			" barrier.cluster.wait | barrier.cluster.wait ;\n st.weak x,1 | ld.weak r1,x ;\nexists (P1:r1=0)\n",
	} {
		p := planOf(t, text, g.Target())
		_, err := p.Run(t.Context(), g, harness.Usual(), 1, 100*harness.Usual().CTAs*harness.Usual().Threads)
		if err == nil || !strings.Contains(err.Error(), "0 counted") {
			t.Errorf("%s: the error is %v", p.Test.Name.Text, err)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// openLogged opens a fake driver with a script. log returns the calls since.
func openLogged(t *testing.T, what string) (g *gpu.GPU, log func() string) {
	t.Helper()
	library := fakeDriver(t, what)
	g, err := gpu.Open(library, 0)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	purego.RegisterLibFunc(&log, handle, "fake_log")
	return g, log
}

// TestTensorMaps: the driver makes a tensor map, which kernels for this architecture alone use.
func TestTensorMaps(t *testing.T) {
	g, log := openLogged(t, "memory 2000000000\n")
	p := planOf(t, `PTX tensor
{ shared s=0; g=0; t=g; }
 P0@cta 0 ;
 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [t, {0, 0}], [s] ;
 cp.async.bulk.commit_group ;
exists (g=1)
`, g.Target())
	if _, err := p.Run(t.Context(), g, harness.Usual(), 1, 1); err == nil ||
		!strings.Contains(err.Error(), "0 counted") {
		t.Errorf("the error is %v", err)
	}
	text := log()
	if strings.Count(text, "cuTensorMapEncodeTiled type 2, rank 2, dims 1, stride 16, box 4, step 1, 0 0 0 0\n") != 1 {
		t.Errorf("the calls are\n%s", text)
	}
	if _, after, written := strings.Cut(text, "cuMemcpyHtoD_v2 128\n"); !written ||
		strings.Contains(after, "cuMemsetD32_v2 0 32\n") {
		t.Errorf("the map is not written, or cleared before a kernel takes it\n%s", text)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestImages runs a test with a texture of the memory of a location and a surface; nothing of them
// is left.
func TestImages(t *testing.T) {
	g, log := openLogged(t, "memory 2000000000\n")
	p := planOf(t, `PTX images
{ x=0; y=0; t @ texture aliases x; s @ surface aliases y; }
 P0@cta 0       ;
 st.weak x, 1   ;
 tld.weak r1, t ;
 sust.weak s, 1 ;
exists (P0:r1=0)
`, g.Target())
	for range 2 {
		if _, err := p.Run(t.Context(), g, harness.Usual(), 1, 1); err == nil ||
			!strings.Contains(err.Error(), "0 counted") {
			t.Errorf("the error is %v", err)
		}
	}
	text := log()
	for _, want := range []string{
		fmt.Sprintf("cuTexObjectCreate kind 2, format 3, channels 1, bytes %d,", 65536*harness.Usual().Stride),
		"cuArray3DCreate_v2 1024 x 64 x 0,", "cuSurfObjectCreate kind 0", "cuTexObjectDestroy", "cuArrayDestroy",
	} {
		if n := strings.Count(text, want); n != 2 {
			t.Errorf("%s: %d times", want, n)
		}
	}
	if strings.Index(text, "cuTexObjectDestroy") > strings.Index(text, "cuMemFree") {
		t.Error("memory is freed before its texture is ended")
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestFitsShared: settings that were found with tests of global memory serve a test with much
// shared memory.
func TestFitsShared(t *testing.T) {
	g, log := openLogged(t, "memory 2000000000\n")
	s := harness.Usual()
	s.CTAs, s.Threads, s.SharedStride = 8, 512, 1024
	for text, threads := range map[string]int{ // how many threads fit at 16 or 1024 bytes each
		"{ shared s[4]; y=0; }\n P0@cta 0 ;\n ld.shared.v4.u32 {r1,r2,r3,r4}, [s] ;\n": 512,
		"{ shared s[256]; y=0; }\n P0@cta 0 ;\n ld.shared.u32 r1, [s+4] ;\n":           128,
	} {
		p := planOf(t, "PTX shared\n"+text+" st.weak y, 1 ;\nexists (y=1)\n", g.Target())
		if _, err := p.Run(t.Context(), g, s, 1, 1); err == nil || !strings.Contains(err.Error(), "0 counted") {
			t.Errorf("the error is %v", err)
		}
		if !strings.Contains(log(), fmt.Sprintf(", block %d 1 1, shared ", threads)) {
			t.Errorf("a launch has not %d threads", threads)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestTwoGPUs runs a test on two GPUs in many launches: each GPU can access all of its memory. The
// kernels run concurrently, between the work of the first GPU before and after.
func TestTwoGPUs(t *testing.T) {
	library := fakeDriver(t, "devices 3\nmemory 2000000000\n")
	g, err := gpu.Open(library, 1)
	if err != nil {
		t.Fatal(err)
	}
	if all := g.Linked(); len(all) != 3 || all[0].Index != 1 || all[1].Index != 0 {
		t.Errorf("linked are %v", all)
	}
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	var log func() string
	purego.RegisterLibFunc(&log, handle, "fake_log")
	const aliases = "PTX aliases\n{ x=0; y=0; z @ generic aliases y; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 1 ;\n st.weak " +
		"x,1 | ld.weak r1,y ;\n" +
		" fence.proxy.alias | ld.weak r2,x ;\n st.weak z,1 | ;\nexists (P1:r1=1)\n"
	for _, text := range []string{
		strings.Replace(sb, "(cta (warp T0)) (cta (warp T1))", "(device (cta T0)) (device (cta T1))", 1), aliases,
	} {
		p := planOf(t, text, g.Target())
		_, err = p.Run(t.Context(), g, harness.Usual(), 1, 20*harness.Usual().CTAs*harness.Usual().Threads)
		if err == nil || !strings.Contains(err.Error(), "0 counted") {
			t.Errorf("%s: the error is %v", p.Test.Name.Text, err)
		}
		if order := queueOrder(log()); !strings.Contains(order,
			"prepare, record, on 0: wait, litmus, on 1: litmus, on 0: record, on 1: wait, claim, count") {
			t.Errorf("%s: work is queued so: %.600s", p.Test.Name.Text, order)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// queueOrder returns the work in a log of the fake driver, in order.
func queueOrder(log string) string {
	var all []string
	on := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		call, rest, _ := strings.Cut(line, " ")
		switch {
		case call == "cuCtxSetCurrent":
			on = "on " + strings.TrimPrefix(rest, "of ") + ": "
			continue
		case call == "cuEventRecord":
			call = "record"
		case call == "cuStreamWaitEvent":
			call = "wait"
		case strings.Contains(call, "("):
			call, _, _ = strings.Cut(call, "(")
		default:
			continue
		}
		all = append(all, on+call)
		on = ""
	}
	return strings.Join(all, ", ")
}

// TestFaults: errors of the driver are passed on.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		limit        time.Duration
		is           func(error) bool
	}{
		{
			"a kernel that never ends", "memory 1000000000\nruns litmus -1\n",
			50 * time.Millisecond, is[*cuda.TimeoutError],
		},
		{"little memory", "memory 1000000\n", time.Hour, is[*cuda.OutOfMemoryError]},
		{"a fault", "memory 1000000000\nfaults litmus 700\n", time.Hour, is[*cuda.Error]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := gpu.Open(fakeDriver(t, tt.script), 0)
			if err != nil {
				t.Fatal(err)
			}
			g.Limit = tt.limit
			if _, err := plan(t).Run(t.Context(), g, harness.Usual(), 1, 1); !tt.is(err) {
				t.Errorf("the error is %v", err)
			}
			_ = g.Close() // a kernel may still run
		})
	}
	g, err := gpu.Open(fakeDriver(t, "devices 2\nmemory 1000000000\nfail cuCtxEnablePeerAccess 1 711\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	two := planOf(t,
		strings.Replace(sb, "(cta (warp T0)) (cta (warp T1))", "(device (cta T0)) (device (cta T1))", 1), g.Target())
	for _, want := range []string{"CUDA_ERROR_TOO_MANY_PEERS", "0 counted"} { // what fails once is tried again
		if _, err := two.Run(t.Context(), g, harness.Usual(), 1, 1); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := gpu.Open(fakeDriver(t, "attribute 75 6\nattribute 76 1\n"), 0); err == nil ||
		!strings.Contains(err.Error(), "has compute capability 6.1: kernels are made for 7.0") {
		t.Errorf("the error is %v", err)
	}
	if _, err := gpu.Open(fakeDriver(t, "devices 2\n"), 2); err == nil ||
		err.Error() != "no device 2: there are 2, from 0 on" {
		t.Errorf("the error is %v", err)
	}
}

// TestBatches: many launches are queued before one wait, and the time of a run is measured by the
// GPU.
func TestBatches(t *testing.T) {
	g, log := openLogged(t, "memory 1000000000\nruns litmus 1\n")
	p, launches := plan(t), 16
	if err := g.Load(t.Context(), p.Kernels()); err != nil {
		t.Fatal(err)
	}
	var steps []harness.Step
	params := p.Params()
	for range launches {
		l := &harness.Launch{Entry: harness.TestEntry, Grid: 1, Block: 32, Params: make([]uint64, len(params))}
		for _, param := range params {
			l.Wide = append(l.Wide, param.Wide)
		}
		steps = append(steps, harness.Step{Kernel: l})
	}
	log()
	took, err := g.Run(t.Context(), steps)
	if err != nil || took < time.Duration(launches)*time.Millisecond {
		t.Errorf("%d launches of a millisecond took %v, %v", launches, took, err)
	}
	calls := log()
	if n := strings.Count(calls, "cuLaunchKernel "); n != launches {
		t.Errorf("%d launches", n)
	}
	if n := strings.Count(calls, "cuEventRecord"); n != 3 { // before, after, and to wait for
		t.Errorf("%d events for %d launches", n, launches)
	}
	if before, _, waited := strings.Cut(calls, "cuEventQuery"); !waited ||
		strings.Count(before, "cuLaunchKernel ") != launches {
		t.Error("it waits between launches")
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefused: a launch that the driver refuses does not stop other tests, whatever was queued
// before it.
func TestRefused(t *testing.T) {
	g, err := gpu.Open(
		fakeDriver(t, "memory 1000000000\nruns prepare 5\nfail cuLaunchKernel 2 701\nfail cuLaunchKernel 7 4711\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "0 counted", "CUDA error 4711", "0 counted"} {
		_, err := plan(t).Run(t.Context(), g, harness.Usual(), 1, 1)
		if err == nil || !strings.Contains(err.Error(), want) || cuda.Breaks(err) {
			t.Errorf("the error is %v, want %s", err, want)
		}
		if want == "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" && !is[*harness.Unfit](err) {
			t.Errorf("%v ends a search for settings", err)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// BenchmarkLaunches measures the cost of a launch apart from its kernels, which end at once here.
func BenchmarkLaunches(b *testing.B) {
	g, err := gpu.Open(fakeDriver(b, "memory 1000000000\n"), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	p, s := plan(b), harness.Incantations{}.Settings()
	b.ResetTimer()
	_, _ = p.Run(b.Context(), g, s, 1, b.N) // the driver counts nothing, so the histogram is refused
}
