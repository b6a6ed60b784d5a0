//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestWait(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin 30")
	c := f.context(t)
	wait(t, c) // nothing to wait for
	f.log()
	started := time.Now()
	spin(t, c)
	wait(t, c)
	if took := time.Since(started); took < 30*time.Millisecond {
		t.Errorf("a kernel of 30 ms ended after %v", took)
	}
	log := f.log()
	if n := strings.Count(log, "cuEventRecord"); n != 1 {
		t.Errorf("%d records of the event", n)
	}
	if n := strings.Count(log, "cuEventQuery"); n == 0 || n > 10_000 { // for 4 ms as fast as it can, then with pauses
		t.Errorf("%d queries", n)
	}
	wait(t, c)
	if log := f.log(); log != "" {
		t.Errorf("waiting again: %s", log)
	}
}

// TestKernelThatNeverEnds: the wait ends, and later calls do not wait for the kernel either,
// although most must be refused.
func TestKernelThatNeverEnds(t *testing.T) {
	t.Parallel()
	f := newLeakyFake(t, "runs spin -1")
	d := f.open(t)
	c := must(d.Context(0))(t)
	linked := must(c.Link("kernels.ptx", kernels))(t)
	m := must(c.Load("kernels.cubin", linked.Cubin))(t)
	memory, event := must(c.Alloc(8))(t), must(c.NewEvent())(t)
	closed := must(c.Alloc(8))(t)
	check(t, closed.Close())
	kernel := must(m.Function("spin"))(t)
	check(t, kernel.Launch(cuda.Launch{}))
	limit := 20 * time.Millisecond
	err := c.Wait(context.Background(), limit)
	timeout := as[*cuda.TimeoutError](t, err)
	for timeout.Kernel == "" { // the limit ended before the machine came to ask what runs
		limit *= 2
		err = c.Wait(context.Background(), limit)
		timeout = as[*cuda.TimeoutError](t, err)
	}
	if timeout.Kernel != "spin" || timeout.Waited < limit || !timeout.Timeout() {
		t.Errorf("%+v", timeout)
	}
	is(t, err, context.DeadlineExceeded)
	says(t, err, "kernel spin is still running after", "nothing but the end of this process stops")

	last := func(_ any, err error) error { return err }
	for call, err := range map[string]error{
		"Context.Alloc":     last(c.Alloc(4)),
		"Context.Load":      last(c.Load("kernels.cubin", linked.Cubin)),
		"Module.Function":   last(m.Function("spin")),
		"Module.Global":     last(m.Global("histogram")),
		"Memory.Read":       memory.Read(0, make([]byte, 1)),
		"Memory.ReadWords":  memory.ReadWords(0, make([]uint32, 1)),
		"Memory.Write":      memory.Write(0, make([]byte, 1)),
		"Memory.WriteWords": memory.WriteWords(0, make([]uint32, 1)),
		"Memory.Close":      memory.Close(),
		"Module.Close":      m.Close(),
	} {
		if busy := as[*cuda.BusyError](t, err); busy.Call != call || busy.Kernel != "spin" {
			t.Errorf("%+v; want %s", busy, call)
		}
		says(t, err, call+": kernel spin may still be running: wait for it first")
	}
	check(t, memory.Fill(1)) // only joins the queue
	check(t, event.Record())
	check(t, event.Close())
	check(t, closed.Close())
	must(c.Link("kernels.ptx", kernels))(t)
	_, _, err = c.MemoryInfo()
	check(t, err)

	as[*cuda.TimeoutError](t, c.Close())
	_, err = d.Context(0)
	says(t, err, "device 0 has a context that is not closed yet")
	as[*cuda.TimeoutError](t, d.Close())
	check(t, d.Close())
	check(t, c.Close())
}

// TestCloseAgain: a second Close can wait for a kernel that outlasted the first.
func TestCloseAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin -1")
	c := f.context(t)
	spin(t, c)
	as[*cuda.TimeoutError](t, c.Close())
	f.end()
	_, err := c.Alloc(4)
	is(t, err, cuda.ErrClosed)
	check(t, c.Close())
	check(t, c.Close())
}

// TestWaitIsForWhatCameBefore: a wait ends although a kernel that was launched during it still
// runs, and does not count that kernel as finished.
func TestWaitIsForWhatCameBefore(t *testing.T) {
	t.Parallel()
	f := newLeakyFake(t, "runs spin 50\nruns store -1")
	c := f.context(t)
	memory := must(c.Alloc(4))(t)
	store := must(load(t, c).Function("store"))(t)
	spin(t, c)
	done := make(chan error)
	go func() { done <- c.Wait(context.Background(), ample) }()
	for !strings.Contains(f.log(), "cuEventRecord") {
		time.Sleep(time.Millisecond)
	}
	check(t, store.Launch(cuda.Launch{}, memory, uint32(0)))
	check(t, <-done)
	as[*cuda.BusyError](t, memory.Read(0, make([]byte, 4)))
}

func TestWaitAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin -1")
	c := f.context(t)
	memory := must(c.Alloc(4))(t)
	spin(t, c)
	f.log()
	for range 3 {
		as[*cuda.TimeoutError](t, c.Wait(context.Background(), time.Millisecond))
	}
	f.end()
	wait(t, c)
	if n := strings.Count(f.log(), "cuEventRecord"); n != 1 {
		t.Errorf("%d records of the event", n)
	}
	check(t, memory.WriteWords(0, []uint32{1}))
}

func TestWaitCanceled(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin -1")
	c := f.context(t)
	spin(t, c)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	err := c.Wait(ctx, ample)
	as[*cuda.TimeoutError](t, err)
	is(t, err, context.Canceled)
	err = c.Wait(ctx, ample) // it has ended before
	is(t, err, context.Canceled)
	says(t, err, "the GPU is still busy")
	f.end()
	wait(t, c)
}

// TestWaitWhileOthersCall: a wait keeps its limit although a call of another goroutine takes much
// longer.
func TestWaitWhileOthersCall(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin 1\ntakes cuMemGetInfo_v2 -1")
	c := f.context(t)
	t.Cleanup(f.end) // before the driver is closed, which waits for the call
	spin(t, c)
	began, done := make(chan struct{}), make(chan error, 1)
	go func() {
		close(began)
		_, _, err := c.MemoryInfo()
		done <- err
	}()
	<-began
	for !strings.Contains(f.log(), "cuMemGetInfo") {
		time.Sleep(time.Millisecond)
	}
	as[*cuda.TimeoutError](t, c.Wait(context.Background(), 10*time.Millisecond))
	select {
	case err := <-done:
		t.Errorf("the wait lasted as long as the call (%v)", err)
	default:
		f.end()
		check(t, <-done)
	}
	wait(t, c)
}

func TestFullQueue(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin 1")
	c := f.context(t)
	memory := must(c.Alloc(4))(t)
	kernel := must(load(t, c).Function("spin"))(t)
	for range cuda.MaxQueued / 2 {
		check(t, kernel.Launch(cuda.Launch{}))
		check(t, memory.Fill(0))
	}
	as[*cuda.BusyError](t, kernel.Launch(cuda.Launch{}))
	as[*cuda.BusyError](t, memory.Fill(0))
	wait(t, c)
	check(t, kernel.Launch(cuda.Launch{}))
	wait(t, c)
}

// TestBroken: after a kernel's wrong access, every call reports it without asking the driver; the
// objects of the context are freed with the context.
func TestBroken(t *testing.T) {
	t.Parallel()
	f := newLeakyFake(t, "runs spin 5\nfaults spin 700")
	c := f.context(t)
	m, memory, event := load(t, c), must(c.Alloc(4))(t), must(c.NewEvent())(t)
	kernel := must(m.Function("spin"))(t)
	check(t, kernel.Launch(cuda.Launch{}))
	err := c.Wait(context.Background(), ample)
	is(t, err, cuda.IllegalAddress)
	says(t, err, "kernel spin or one before it: cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700)")

	f.log()
	for call, err := range everyCall(c, m, kernel, memory, event) {
		if broken := as[*cuda.BrokenError](t, err); broken.Call != call {
			t.Errorf("%s was refused; want %s", broken.Call, call)
		}
		is(t, err, cuda.IllegalAddress)
		says(t, err, call+": the context is broken", "because of kernel spin", "CUDA_ERROR_ILLEGAL_ADDRESS")
	}
	if log := f.log(); log != "" {
		t.Errorf("calls: %s", log)
	}
	check(t, c.Close()) // the error has been reported
	if diff := cmp.Diff("cuCtxSetCurrent none\ncuDevicePrimaryCtxRelease_v2 0\n", f.log()); diff != "" {
		t.Error(diff)
	}
}

// TestBreaks: after any error of a kernel, whether the driver calls it sticky or not, the context
// cannot be used. A refused call alone breaks nothing.
func TestBreaks(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"226", "709", "911", "999", "4711"} {
		c := newLeakyFake(t, "runs spin 5\nfaults spin "+code).context(t)
		spin(t, c)
		err := c.Wait(context.Background(), ample)
		if !cuda.Breaks(err) {
			t.Errorf("after %v this process goes on", err)
		}
		_, err = c.Alloc(4)
		as[*cuda.BrokenError](t, err)
	}
	c := newFake(t, "fail cuMemAlloc_v2 1 999").context(t)
	if _, err := c.Alloc(4); err == nil || cuda.Breaks(err) {
		t.Errorf("%v breaks the context", err)
	}
	check(t, c.Close())
}

// TestBrokenLate: an error that appears when no wait is under way is reported by Close.
func TestBrokenLate(t *testing.T) {
	t.Parallel()
	c := newLeakyFake(t, "runs spin 5\nfaults spin 719").context(t)
	spin(t, c)
	err := c.Close()
	as[*cuda.Error](t, err)
	says(t, err, "CUDA_ERROR_LAUNCH_FAILED (719)")
	check(t, c.Close())
}

// TestNotSticky: the context works after an error that is not sticky.
func TestNotSticky(t *testing.T) {
	t.Parallel()
	c := newFake(t, "fail cuMemAlloc_v2 1 999").context(t)
	_, err := c.Alloc(4)
	says(t, err, "cuMemAlloc: CUDA_ERROR_UNKNOWN (999)")
	must(c.Alloc(4))(t)
}

// everyCall makes every call that uses a context, and returns the errors by call.
func everyCall(
	c *cuda.Context, m *cuda.Module, kernel *cuda.Function, memory *cuda.Memory, event *cuda.Event,
) map[string]error {
	last := func(_ any, err error) error { return err }
	_, _, info := c.MemoryInfo()
	cubin := append([]byte("\x7fELF\x02\x01"), make([]byte, 100)...)
	return map[string]error{
		"Context.MemoryInfo": info,
		"Context.Wait":       c.Wait(context.Background(), ample),
		"Context.Link":       last(c.Link("a", kernels)),
		"Context.Load":       last(c.Load("a", cubin)),
		"Context.Alloc":      last(c.Alloc(4)),
		"Context.NewEvent":   last(c.NewEvent()),
		"Module.Function":    last(m.Function("spin")),
		"Module.Global":      last(m.Global("histogram")),
		"Function.Launch":    kernel.Launch(cuda.Launch{}),
		"Memory.Fill":        memory.Fill(0),
		"Memory.Write":       memory.Write(0, make([]byte, 4)),
		"Memory.WriteWords":  memory.WriteWords(0, make([]uint32, 1)),
		"Memory.Read":        memory.Read(0, make([]byte, 4)),
		"Memory.ReadWords":   memory.ReadWords(0, make([]uint32, 1)),
		"Event.Record":       event.Record(),
		"Event.Since":        last(event.Since(event)),
	}
}
