//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

// pair opens two contexts of the fake.
func (f *fake) pair(t *testing.T) (d *cuda.Driver, first, second *cuda.Context) {
	t.Helper()
	d = f.open(t)
	return d, must(d.Context(0))(t), must(d.Context(1))(t)
}

// TestLinked: whether devices can access each other's memory. The answer is false if the driver
// fails, or for a single device.
func TestLinked(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{
		"":                                     true,
		"links 0\n":                            false,
		"fail cuDeviceGetP2PAttribute 2 801\n": false,
	} {
		f := newFake(t, "devices 2\n"+script)
		d := f.open(t)
		devices := must(d.Devices())(t)
		if got := d.Linked(devices[0], devices[1]); got != want {
			t.Errorf("%q: %t", script, got)
		}
		if d.Linked(devices[0], devices[0]) {
			t.Errorf("%q: a device is linked with itself", script)
		}
	}
}

// TestReach: after Reach, a kernel of one device may use the memory of another, in that direction
// only.
func TestReach(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2\n")
	_, first, second := f.pair(t)
	memory := must(first.Alloc(64))(t)
	store := must(load(t, second).Function("store"))(t)
	f.log()
	check(t, second.Reach(first))
	if diff := cmp.Diff("cuCtxEnablePeerAccess to 0, 0\n", f.log()); diff != "" {
		t.Error(diff)
	}
	check(t, store.Launch(cuda.Launch{}, memory.Address(), uint32(1)))
	wait(t, second)
	says(t, second.Reach(first), "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED")
	check(t, first.Close())
	is(t, second.Reach(first), cuda.ErrClosed)
}

// TestOutOfReach: without Reach, such a kernel faults.
func TestOutOfReach(t *testing.T) {
	t.Parallel()
	f := newLeakyFake(t, "devices 2\n")
	_, first, second := f.pair(t)
	memory := must(first.Alloc(64))(t)
	store := must(load(t, second).Function("store"))(t)
	check(t, first.Reach(second)) // the other direction
	check(t, store.Launch(cuda.Launch{}, memory.Address(), uint32(1)))
	is(t, second.Wait(t.Context(), ample), cuda.IllegalAddress)
}

// TestAliasesReached: memory with several addresses is mapped for all devices.
func TestAliasesReached(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2\nmemory 10000000\n")
	_, first, second := f.pair(t)
	both := must(first.AllocAliased(64, 2, second))(t)
	store := must(load(t, second).Function("store"))(t)
	check(t, store.Launch(cuda.Launch{}, both[1].Address(), uint32(1)))
	wait(t, second)
}

// TestAwaiting: a device waits for the event of another, which is recorded in the other's queue.
func TestAwaiting(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2\n")
	_, first, second := f.pair(t)
	event := must(first.NewEvent())(t)
	check(t, event.Record())
	f.log()
	check(t, second.Enqueue(second.Awaiting(event)))
	if diff := cmp.Diff("cuCtxSetCurrent of 1\ncuStreamWaitEvent stream 0, event of 0, 0\n", f.log()); diff != "" {
		t.Error(diff)
	}
	check(t, event.Close())
	is(t, second.Enqueue(second.Awaiting(event)), cuda.ErrClosed)
}
