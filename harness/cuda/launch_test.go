//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

// parameters is a kernel with a parameter of every kind.
const parameters = `.version 7.0
.visible .entry all(.param .u64 a, .param .u32 b, .param .s32 c, .param .s64 d, .param .f32 e, .param .u64 f) { ret; }
`

func TestLaunch(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	m := must(c.Load("p", must(c.Link("p", parameters))(t).Cubin))(t)
	kernel := must(m.Function("all"))(t)
	memory := must(c.Alloc(4))(t)
	f.log()
	check(t, kernel.Launch(cuda.Launch{Grid: cuda.Dim{X: 3, Y: 2}, Block: cuda.Dim{X: 32, Z: 4}, Shared: 100},
		memory, uint32(7), int32(-1), int64(-2), float32(1), uint64(1)<<40))
	want := `cuFuncSetAttribute 8 100
cuLaunchKernel grid 3 2 1, block 32 1 4, shared 100, stream 0, extra 0
  all(address, 0x7, 0xffffffff, 0xfffffffffffffffe, 0x3f800000, 0x10000000000)
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
}

// TestLaunchOptsIn: launches with more shared memory than the default, or large clusters, must opt
// in first.
func TestLaunchOptsIn(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	kernel := must(load(t, f.context(t)).Function("spin"))(t)
	f.log()
	check(t, kernel.Launch(cuda.Launch{Grid: cuda.Dim{X: 32}, Cluster: cuda.Dim{X: 8}}))
	for range 2 { // opted in to once
		check(t, kernel.Launch(
			cuda.Launch{Grid: cuda.Dim{X: 32, Y: 2}, Cluster: cuda.Dim{X: 8, Y: 2}, Shared: 48<<10 + 1}))
	}
	want := `cuLaunchKernelEx grid 32 1 1, block 1 1 1, shared 0, stream 0, extra 0, attribute 4 of 1: 8 1 1
  spin()
cuFuncSetAttribute 8 49153
cuFuncSetAttribute 14 1
cuLaunchKernelEx grid 32 2 1, block 1 1 1, shared 49153, stream 0, extra 0, attribute 4 of 1: 8 2 1
  spin()
cuLaunchKernelEx grid 32 2 1, block 1 1 1, shared 49153, stream 0, extra 0, attribute 4 of 1: 8 2 1
  spin()
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
}

func TestLaunchRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t, "devices 2")
	d := f.open(t)
	c := must(d.Context(0))(t)
	m := load(t, c)
	spin, store := must(m.Function("spin"))(t), must(m.Function("store"))(t)
	freed := must(c.Alloc(4))(t)
	check(t, freed.Close())
	foreign := must(must(d.Context(1))(t).Alloc(4))(t)
	must(c.Alloc(4))(t)
	f.log()
	for want, err := range map[string]error{
		"kernel spin: a block of 32×32×2 threads is more than the 1024": spin.Launch(
			cuda.Launch{Block: cuda.Dim{X: 32, Y: 32, Z: 2}}),
		"kernel spin: a grid of 2147483648×1×1 blocks is wider": spin.Launch(
			cuda.Launch{Grid: cuda.Dim{X: 1 << 31}}),
		"kernel spin: 232449 bytes of shared memory are more": spin.Launch(cuda.Launch{Shared: 227<<10 + 1}),
		"kernel spin: a grid of 5×1×1 blocks cannot be divided into": spin.Launch(
			cuda.Launch{Grid: cuda.Dim{X: 5}, Cluster: cuda.Dim{X: 2}}),
		"kernel spin: 1 arguments for 0 parameters":              spin.Launch(cuda.Launch{}, uint32(1)),
		"kernel store: 0 arguments for 2 parameters":             store.Launch(cuda.Launch{}),
		"argument 1 is a uint64 of 8 bytes; the parameter has 4": store.Launch(cuda.Launch{}, uint64(0), uint64(0)),
		"argument 1: the type int cannot be passed":              store.Launch(cuda.Launch{}, uint64(0), 0),
		"argument 0: no memory": store.Launch(cuda.Launch{},
			(*cuda.Memory)(nil), uint32(0)),
		"argument 0: memory used after Close":   store.Launch(cuda.Launch{}, freed, uint32(0)),
		"argument 0: memory of another context": store.Launch(cuda.Launch{}, foreign, uint32(0)),
	} {
		says(t, err, want)
	}
	if log := f.log(); log != "" {
		t.Errorf("calls: %s", log)
	}
}

func TestNoClusters(t *testing.T) {
	t.Parallel()
	launch := cuda.Launch{Grid: cuda.Dim{X: 2}, Cluster: cuda.Dim{X: 2}}
	kernel := must(load(t, newFake(t, "attribute 120 0").context(t)).Function("spin"))(t)
	says(t, kernel.Launch(launch), "a cluster of 2×1×1 blocks: Fake GPU 0 has no clusters")
	says(t, kernel.Launch(cuda.Launch{Grid: cuda.Dim{X: 2}, Cluster: cuda.Dim{X: 1}}),
		"a cluster of 1×1×1 blocks: Fake GPU 0 has no clusters")
	check(t, kernel.Launch(cuda.Launch{Grid: cuda.Dim{X: 2}}))
}

// TestDriverBeforeClusters: an older driver works except for clusters. It does not know the sizes
// of parameters either.
func TestDriverBeforeClusters(t *testing.T) {
	t.Parallel()
	f := newFake(t, "", "-DcuLaunchKernelEx=absent", "-DcuFuncGetParamInfo=missing")
	kernel := must(load(t, f.context(t)).Function("store"))(t)
	f.log()
	check(t, kernel.Launch(cuda.Launch{}, uint64(0x1234), uint32(5)))
	want := `cuLaunchKernel grid 1 1 1, block 1 1 1, shared 0, stream 0, extra 0
  store(0x1234, 0x5)
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
	err := kernel.Launch(cuda.Launch{Grid: cuda.Dim{X: 2}, Cluster: cuda.Dim{X: 2}}, uint64(0), uint32(0))
	if old := as[*cuda.OldDriverError](t, err); old.Symbol != "cuLaunchKernelEx" {
		t.Errorf("it lacks %s", old.Symbol)
	}
}

// TestLaunchUnderCollection launches while the garbage collector is busy: the arguments must arrive
// nevertheless.
func TestLaunchUnderCollection(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	kernel := must(load(t, f.context(t)).Function("store"))(t)
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer close(stop)
	f.log()
	for range 100 {
		check(t, kernel.Launch(cuda.Launch{}, uint64(0xfedc), uint32(0xabcd)))
		want := "cuLaunchKernel grid 1 1 1, block 1 1 1, shared 0, stream 0, extra 0\n  store(0xfedc, 0xabcd)\n"
		if diff := cmp.Diff(want, f.log()); diff != "" {
			t.Fatal(diff)
		}
	}
}
