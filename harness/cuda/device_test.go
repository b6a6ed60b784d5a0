//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestDevices(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2\nmemory 4096\nattribute 17 1")
	d := f.open(t)
	f.log()
	want := cuda.Device{
		Index: 0, Name: "Fake GPU 0", UUID: "GPU-00102030-4050-6070-8090-a0b0c0d0e0f0",
		Major: 9, Minor: 0, Memory: 4096,
		SMs: 132, WarpSize: 32, MaxThreadsPerBlock: 1024, MaxThreadsPerSM: 2048, MaxBlocksPerSM: 32,
		MaxGridX: 1<<31 - 1, SharedPerBlock: 48 << 10, SharedPerBlockOptIn: 227 << 10, SharedPerSM: 228 << 10,
		L2: 50 << 20, ClusterLaunch: true, KernelTimeoutEnabled: true,
	}
	other := want
	other.Index, other.Name, other.UUID = 1, "Fake GPU 1", "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1"
	if diff := cmp.Diff([]cuda.Device{want, other}, must(d.Devices())(t)); diff != "" {
		t.Error(diff)
	}
	if got := want.Target(); got != "sm_90" {
		t.Errorf("target %s", got)
	}
	if diff := cmp.Diff(want, must(d.Context(0))(t).Device()); diff != "" {
		t.Error(diff)
	}
}

// TestUnknownAttribute: a driver from before clusters does not know the attribute; an attribute
// that every driver knows must not be missing.
func TestUnknownAttribute(t *testing.T) {
	t.Parallel()
	devices := must(newFake(t, "attribute 120 -1").open(t).Devices())(t)
	if devices[0].ClusterLaunch {
		t.Error("a driver that knows no clusters can launch them")
	}
	_, err := newFake(t, "attribute 10 -1").open(t).Devices()
	is(t, err, cuda.InvalidValue)
	says(t, err, "device 0", "attribute 10")
}

func TestNoSuchDevice(t *testing.T) {
	t.Parallel()
	d := newFake(t, "").open(t)
	for _, index := range []int{-1, 1} {
		_, err := d.Context(index)
		is(t, err, cuda.InvalidDevice)
	}
}

func TestOneContextPerDevice(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2")
	d := f.open(t)
	c := must(d.Context(1))(t)
	must(d.Context(0))(t)
	_, err := d.Context(1)
	says(t, err, "device 1 has a context")
	check(t, c.Close())
	must(d.Context(1))(t)
}

// TestReopen: a device's context may come back with the same handle.
func TestReopen(t *testing.T) {
	t.Parallel()
	d := newFake(t, "").open(t)
	for range 3 {
		c := must(d.Context(0))(t)
		must(c.Alloc(4))(t)
		check(t, c.Close())
	}
}

// TestCurrentContext: the thread's current context changes when another one is used, and
// only then.
func TestCurrentContext(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2")
	d := f.open(t)
	c0, c1 := must(d.Context(0))(t), must(d.Context(1))(t)
	f.log()
	for _, c := range []*cuda.Context{c1, c1, c0, c0, c1} {
		must(c.Alloc(8))(t)
	}
	want := `cuMemAlloc_v2 8
cuMemAlloc_v2 8
cuCtxSetCurrent of 0
cuMemAlloc_v2 8
cuMemAlloc_v2 8
cuCtxSetCurrent of 1
cuMemAlloc_v2 8
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
}
