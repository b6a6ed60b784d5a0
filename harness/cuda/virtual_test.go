//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

// TestAllocAliased writes to memory at one of its addresses and reads it at the other.
func TestAllocAliased(t *testing.T) {
	t.Parallel()
	f := newFake(t, "memory 10000000")
	c := f.context(t)
	f.log()
	both := must(c.AllocAliased(3<<20, 2))(t)
	want := `cuMemGetAllocationGranularity type 1 at 1 0, option 0
cuMemCreate 4194304, type 1 at 1 0, 0
cuMemAddressReserve 4194304, 0 0 0
cuMemMap 4194304, 0 0
cuMemSetAccess 4194304, 3 of 1 0, 1
cuMemAddressReserve 4194304, 0 0 0
cuMemMap 4194304, 0 0
cuMemSetAccess 4194304, 3 of 1 0, 1
cuMemRelease
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
	if both[0].Address() == both[1].Address() || both[0].Size() != 3<<20 {
		t.Errorf("%d bytes at %#x and %#x", both[0].Size(), both[0].Address(), both[1].Address())
	}
	check(t, both[0].WriteWords(8, []uint32{7}))
	check(t, both[0].Close())
	words := make([]uint32, 1)
	check(t, both[1].ReadWords(8, words))
	if words[0] != 7 {
		t.Errorf("the other address has %d", words[0])
	}
	check(t, both[1].Close())
	check(t, both[1].Close())
	if f.live("ranges")+f.live("physical") > 0 {
		t.Errorf("%d ranges and %d allocations are left", f.live("ranges"), f.live("physical"))
	}
}

// TestAllocAliasedFails: whichever call fails, nothing is left, and the context can still be used.
func TestAllocAliasedFails(t *testing.T) {
	t.Parallel()
	for _, failing := range []string{
		"cuMemCreate 1", "cuMemAddressReserve 2", "cuMemMap 2", "cuMemSetAccess 1", "cuMemSetAccess 2",
	} {
		f := newFake(t, "memory 10000000\nfail "+failing+" 801\n")
		c := f.context(t)
		if _, err := c.AllocAliased(1, 2); err == nil {
			t.Errorf("%s: no error", failing)
		}
		if f.live("ranges")+f.live("physical") > 0 {
			t.Errorf("%s: %d ranges and %d allocations are left", failing, f.live("ranges"), f.live("physical"))
		}
		must(c.AllocAliased(1, 3))(t)
		check(t, c.Close())
		if f.live("ranges")+f.live("physical") > 0 {
			t.Errorf("%s: Close leaves %d ranges", failing, f.live("ranges"))
		}
	}
	c := newFake(t, "memory 10000000").context(t)
	_, err := c.AllocAliased(12_000_000, 2)
	full := as[*cuda.OutOfMemoryError](t, err)
	if full.Asked != 12<<20 || full.Total != 10_000_000 {
		t.Errorf("%+v", full)
	}
}

// TestNoAliases: a driver without these functions works otherwise.
func TestNoAliases(t *testing.T) {
	t.Parallel()
	c := newFake(t, "", "-DcuMemMap=absent").context(t)
	_, err := c.AllocAliased(4, 2)
	if old := as[*cuda.OldDriverError](t, err); old.Symbol != "cuMemMap" {
		t.Errorf("it lacks %s", old.Symbol)
	}
	must(c.Alloc(4))(t)
}

// TestStreams: kernels run in queues of their own; a queue is created once, and destroyed with the
// context.
func TestStreams(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	kernel := must(load(t, c).Function("spin"))(t)
	f.log()
	for _, stream := range []int{2, 0, 1, 2} {
		check(t, kernel.Launch(cuda.Launch{Stream: stream}))
	}
	check(t, kernel.Launch(cuda.Launch{Stream: 1, Grid: cuda.Dim{X: 2}, Cluster: cuda.Dim{X: 2}}))
	want := `cuStreamCreate 0
cuStreamCreate 0
cuLaunchKernel grid 1 1 1, block 1 1 1, shared 0, stream 2, extra 0
  spin()
cuLaunchKernel grid 1 1 1, block 1 1 1, shared 0, stream 0, extra 0
  spin()
cuLaunchKernel grid 1 1 1, block 1 1 1, shared 0, stream 1, extra 0
  spin()
cuLaunchKernel grid 1 1 1, block 1 1 1, shared 0, stream 2, extra 0
  spin()
cuLaunchKernelEx grid 2 1 1, block 1 1 1, shared 0, stream 1, extra 0, attribute 4 of 1: 2 1 1
  spin()
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
	check(t, c.Close())
	if f.live("streams") > 0 {
		t.Errorf("%d streams are left", f.live("streams"))
	}
}
