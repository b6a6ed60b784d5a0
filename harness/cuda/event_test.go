//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs spin -1")
	c := f.context(t)
	kernel := must(load(t, c).Function("spin"))(t)
	start, end := must(c.NewEvent())(t), must(c.NewEvent())(t)

	_, err := end.Since(start) // neither has been recorded
	as[*cuda.Error](t, err)

	before := time.Now()
	check(t, start.Record())
	after := time.Now()
	check(t, kernel.Launch(cuda.Launch{}))
	check(t, kernel.Launch(cuda.Launch{}))
	check(t, end.Record())
	_, err = end.Since(start)
	is(t, err, cuda.NotReady)
	time.Sleep(5 * time.Millisecond)
	least := time.Since(after)
	f.end()
	most := time.Since(before)
	wait(t, c)
	// The driver counts milliseconds as a float32.
	took := must(end.Since(start))(t)
	if took < least*99/100 || took > most*101/100 {
		t.Errorf("two kernels took %v, and ran for %v to %v", took, least, most)
	}
	back := must(start.Since(end))(t)
	if back != -took {
		t.Errorf("%v there, %v back", took, back)
	}
	check(t, start.Close())
	_, err = end.Since(start)
	is(t, err, cuda.ErrClosed)
}

// TestFillsAreWaitedFor: a queue of fills alone counts as work: events behind them are ready only
// after a wait.
func TestFillsAreWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFake(t, "runs cuMemsetD32 20")
	c := f.context(t)
	memory := must(c.Alloc(64))(t)
	start, end := must(c.NewEvent())(t), must(c.NewEvent())(t)
	check(t, start.Record())
	check(t, memory.Fill(1))
	check(t, memory.Fill(0))
	check(t, end.Record())
	wait(t, c)
	if took := must(end.Since(start))(t); took < 39*time.Millisecond || took > 41*time.Millisecond {
		t.Errorf("two fills took %v", took)
	}
}

// TestQueueOfFills: fills, too, count towards the bound of the queue.
func TestQueueOfFills(t *testing.T) {
	t.Parallel()
	c := newFake(t, "").context(t)
	memory := must(c.Alloc(64))(t)
	for range cuda.MaxQueued {
		check(t, memory.Fill(0))
	}
	if busy := as[*cuda.BusyError](t,
		memory.Fill(0)); busy.Error() != "Memory.Fill: the queue is full: wait for it first (Context.Wait)" {
		t.Error(busy)
	}
	check(t, memory.Read(0, make([]byte, 4))) // nothing runs that might not end
	wait(t, c)
	check(t, memory.Fill(0))
}
