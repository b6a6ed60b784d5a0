//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

// TestCloseOrder: objects are freed in the reverse order of their creation, and not twice.
func TestCloseOrder(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	d := f.open(t)
	c := must(d.Context(0))(t)
	load(t, c)
	must(c.Alloc(8))(t)
	gone := must(c.Alloc(8))(t)
	must(c.NewEvent())(t)
	check(t, gone.Close())
	f.log()
	check(t, d.Close())
	want := `cuEventDestroy_v2
cuMemFree_v2
cuModuleUnload
cuEventDestroy_v2
cuCtxSetCurrent none
cuDevicePrimaryCtxRelease_v2 0
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
}

// TestUseAfterClose: using an object after its Close, or that of its context or driver, is an
// error.
func TestUseAfterClose(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"thing", "context", "driver"} {
		f := newFake(t, "")
		d := f.open(t)
		c := must(d.Context(0))(t)
		m, memory, event := load(t, c), must(c.Alloc(4))(t), must(c.NewEvent())(t)
		kernel := must(m.Function("spin"))(t)
		closeThings := func() {
			check(t, errors.Join(memory.Close(), event.Close(), m.Close()))
		}
		closers := map[string]func(){
			"thing":   closeThings,
			"context": func() { check(t, c.Close()) },
			"driver":  func() { check(t, d.Close()) },
		}
		closers[what]()
		f.log()
		for call, err := range everyCall(c, m, kernel, memory, event) {
			if what == "thing" && strings.HasPrefix(call, "Context.") {
				continue // is still open
			}
			is(t, err, cuda.ErrClosed)
			says(t, err, call+": used after Close")
		}
		if log := f.log(); what != "thing" && log != "" {
			t.Errorf("calls after the %s was closed: %s", what, log)
		}
		closeThings() // once more
		check(t, c.Close())
		check(t, d.Close())
	}
}

// everything uses the whole package on one GPU and returns the first error.
func everything(path string) (err error) {
	d, err := cuda.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	c, err := d.Context(0)
	if err != nil {
		return err
	}
	linked, err := c.Link("kernels.ptx", kernels)
	if err != nil {
		return err
	}
	m, err := c.Load("kernels.cubin", linked.Cubin)
	if err != nil {
		return err
	}
	return useModule(c, m)
}

func useModule(c *cuda.Context, m *cuda.Module) error {
	kernel, err := m.Function("store")
	if err != nil {
		return err
	}
	histogram, err := m.Global("histogram")
	if err != nil {
		return err
	}
	memory, err := c.Alloc(64)
	if err != nil {
		return err
	}
	start, err := c.NewEvent()
	if err != nil {
		return err
	}
	end, err := c.NewEvent()
	if err != nil {
		return err
	}
	big := cuda.Launch{Shared: 100 << 10, Grid: cuda.Dim{X: 2}, Cluster: cuda.Dim{X: 2}}
	for _, step := range []func() error{
		func() error { return memory.WriteWords(0, []uint32{1, 2, 3}) },
		func() error { return memory.Fill(0) },
		start.Record,
		func() error { return kernel.Launch(cuda.Launch{}, memory, uint32(1)) },
		func() error { return kernel.Launch(big, memory, uint32(1)) },
		end.Record,
		func() error { return c.Wait(context.Background(), ample) },
		func() error { _, err := end.Since(start); return err },
		func() error { return histogram.ReadWords(0, make([]uint32, 4)) },
		start.Close, memory.Close, m.Close,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// TestEveryFailure makes each call of a complete use of the GPU fail, one at a time. The failure
// must be reported, and everything must be freed except what could not be.
func TestEveryFailure(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	check(t, everything(f.path))
	calls := map[string]int{}
	for line := range strings.Lines(f.log()) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, "cu") {
			calls[name]++
		}
	}
	freeing := map[string]string{
		"cuLinkDestroy": "links", "cuModuleUnload": "modules", "cuMemFree_v2": "memory", "cuEventDestroy_v2": "events",
		"cuDevicePrimaryCtxRelease_v2": "contexts",
	}
	for name, n := range calls {
		for nth := 1; nth <= n; nth++ {
			if name == "cuFuncGetParamInfo" {
				continue // without it, parameters are not checked
			}
			f := newLeakyFake(t, fmt.Sprintf("fail %s %d 908", name, nth))
			err := everything(f.path)
			is(t, err, cuda.Result(908))
			plain, _, _ := strings.Cut(name, "_v")
			says(t, err, plain+": CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE")
			for _, kind := range []string{"contexts", "memory", "modules", "events", "links"} {
				want := int64(0)
				if freeing[name] == kind {
					want = 1
				}
				if strings.HasPrefix(err.Error(), "kernel ") && kind != "contexts" {
					continue // the state of the kernels is unknown, so everything is freed with the context
				}
				if got := f.live(kind); got != want {
					t.Errorf("after %s %d failed, %d %s are left; want %d", name, nth, got, kind, want)
				}
			}
		}
	}
}

// TestConcurrency: many goroutines use one context while the garbage collector runs.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	f := newFake(t, "memory 1000000")
	c := f.context(t)
	m := load(t, c)
	var workers sync.WaitGroup
	for i := range uint32(16) {
		workers.Go(func() {
			for round := range uint32(10) {
				if err := roundTrip(c, m, i<<16|round); err != nil {
					t.Error(err)
				}
				runtime.GC()
			}
		})
	}
	workers.Wait()
}

// roundTrip writes a value to memory of its own with a kernel, and reads it back.
func roundTrip(c *cuda.Context, m *cuda.Module, value uint32) error {
	memory, err := c.Alloc(64)
	if err != nil {
		return err
	}
	if err := memory.Fill(value); err != nil {
		return err
	}
	words := make([]uint32, 16)
	if err := memory.ReadWords(0, words); err != nil {
		return err
	}
	for _, word := range words {
		if word != value {
			return fmt.Errorf("read %#x; want %#x", word, value)
		}
	}
	if _, err := m.Function("spin"); err != nil {
		return err
	}
	return memory.Close()
}

// TestConcurrentWaits: each goroutine's wait ends when its own launches have ended, however many
// others launch; a Close meanwhile ends everything in order.
func TestConcurrentWaits(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin 1")
	c := f.context(t)
	kernel := must(load(t, c).Function("spin"))(t)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 10 {
				err := kernel.Launch(cuda.Launch{})
				if err == nil {
					err = c.Wait(context.Background(), ample)
				}
				if err != nil && !errors.Is(err, cuda.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
	time.Sleep(30 * time.Millisecond)
	var timeout *cuda.TimeoutError
	for errors.As(c.Close(), &timeout) {
	}
	workers.Wait()
}
