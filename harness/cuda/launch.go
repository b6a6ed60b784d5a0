package cuda

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"
)

// Dim is a size in up to three dimensions. A zero counts as one.
type Dim struct{ X, Y, Z uint32 }

// orOne returns d with ones for zeros.
func (d Dim) orOne() Dim { return Dim{max(d.X, 1), max(d.Y, 1), max(d.Z, 1)} }

// volume returns the number of elements of d.
func (d Dim) volume() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

func (d Dim) String() string { return fmt.Sprintf("%d×%d×%d", d.X, d.Y, d.Z) }

// Launch is the number of threads that run a kernel, and how they are grouped.
type Launch struct {
	Grid    Dim    // blocks
	Block   Dim    // threads of a block
	Cluster Dim    // blocks of a cluster, which need compute capability 9.0; zero for no clusters
	Shared  uint32 // bytes of dynamic shared memory of a block
	// Stream is the queue: 0 for that of all other work. Consecutive kernels in other streams may
	// run at the same time; work queued before in queue 0 comes before them, and work queued later
	// after them.
	Stream int
}

// Launch queues the kernel and returns at once (cuLaunchKernel, or cuLaunchKernelEx for
// clusters). The arguments are the kernel's parameters in order: int32, uint32, int64,
// uint64, float32, or *Memory for an address. Number and sizes are compared with the
// kernel's if the driver knows them (CUDA 12.4); otherwise they must be right.
//
// The error is a *BusyError if MaxQueued launches have not been waited for.
func (f *Function) Launch(l Launch, args ...any) error {
	return f.module.resource.context.Enqueue(f.Launching(l, args...))
}

// Launching returns the work that Launch queues.
func (f *Function) Launching(l Launch, args ...any) Work {
	const call = "Function.Launch"
	c := f.module.resource.context
	l.Grid, l.Block = l.Grid.orOne(), l.Block.orOne()
	if l.clustered() {
		l.Cluster = l.Cluster.orOne()
	}
	queue := func() error {
		if err := c.device.fits(l); err != nil {
			return err
		}
		params, err := f.encode(args)
		if err != nil {
			return err
		}
		if err := f.optIn(l); err != nil {
			return err
		}
		stream, err := c.stream(l.Stream)
		if err != nil {
			return err
		}
		return c.enqueue(call, f.name, func() error { return f.start(l, stream, params) })
	}
	return Work{f.module.resource, call, "kernel " + f.name, queue}
}

// clustered reports whether the blocks are in clusters.
func (l Launch) clustered() bool { return l.Cluster != Dim{} }

// fits says why a launch cannot work on the device, where the driver would only report
// CUDA_ERROR_INVALID_VALUE.
func (d Device) fits(l Launch) error {
	cluster := l.Cluster.orOne()
	unfit := func(format string, args ...any) error { return &UnfitError{fmt.Sprintf(format, args...)} }
	switch {
	case l.Block.volume() > uint64(d.MaxThreadsPerBlock):
		return unfit("a block of %v threads is more than the %d that %s takes", l.Block, d.MaxThreadsPerBlock, d.Name)
	case uint64(l.Grid.X) > uint64(d.MaxGridX):
		return unfit("a grid of %v blocks is wider than the %d that %s takes", l.Grid, d.MaxGridX, d.Name)
	case uint64(l.Shared) > uint64(d.SharedPerBlockOptIn):
		return unfit("%d bytes of shared memory are more than the %d that a block can have on %s", l.Shared,
			d.SharedPerBlockOptIn, d.Name)
	case l.clustered() && !d.ClusterLaunch:
		return unfit(
			"a cluster of %v blocks: %s has no clusters, which need compute capability 9.0 and a driver of CUDA 11.8",
			l.Cluster, d.Name)
	case l.Grid.X%cluster.X != 0 || l.Grid.Y%cluster.Y != 0 || l.Grid.Z%cluster.Z != 0:
		return unfit("a grid of %v blocks cannot be divided into clusters of %v", l.Grid, l.Cluster)
	}
	return nil
}

// The features that a kernel must opt in to (CUfunction_attribute).
const (
	funcMaxDynamicShared   = 8  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
	funcNonPortableCluster = 14 // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
)

// portableCluster is the largest cluster size, in blocks, that every GPU with clusters supports.
const portableCluster = 8

// optIn allows the kernel what the launch needs (cuFuncSetAttribute), unless an earlier launch
// needed as much: a large cluster, or more than 48 KiB of shared memory. The latter includes the
// variables of the kernel, whose size is not known here, so any dynamic shared memory is opted in
// to. It runs on the thread.
func (f *Function) optIn(l Launch) error {
	c := f.module.resource.context
	large := int32(0)
	if l.Cluster.volume() > portableCluster {
		large = 1
	}
	for i, option := range [...]struct{ attribute, needed int32 }{
		{funcMaxDynamicShared, int32(l.Shared)},
		{funcNonPortableCluster, large},
	} {
		if option.needed <= f.allowed[i] {
			continue
		}
		r := c.driver.api.cuFuncSetAttribute(f.handle, option.attribute, option.needed)
		if err := c.check("cuFuncSetAttribute", r); err != nil {
			return err
		}
		f.allowed[i] = option.needed
	}
	return nil
}

// params are the arguments of a launch in the driver's format: an array of pointers to values. A
// value of four bytes is in the lower half of its word, where a pointer to the word points on the
// little-endian machines for which drivers exist.
type params struct {
	values   []uint64
	pointers []unsafe.Pointer
}

// encode checks and lays out arguments. It runs on the thread.
func (f *Function) encode(args []any) (*params, error) {
	if f.params != nil && len(args) != len(f.params) {
		return nil, fmt.Errorf("%d arguments for %d parameters", len(args), len(f.params))
	}
	// One more than needed, so that a kernel without parameters has a pointer, too.
	p := &params{values: make([]uint64, len(args)+1), pointers: make([]unsafe.Pointer, len(args)+1)}
	for i, arg := range args {
		value, size, err := f.word(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		if f.params != nil && size != f.params[i] {
			return nil, fmt.Errorf("argument %d is a %T of %d bytes; the parameter has %d", i, arg, size, f.params[i])
		}
		p.values[i] = value
		p.pointers[i] = unsafe.Pointer(&p.values[i])
	}
	return p, nil
}

// word returns the bits of an argument and its size in bytes. It runs on the thread.
func (f *Function) word(arg any) (value, size uint64, err error) {
	switch arg := arg.(type) {
	case int32:
		return uint64(uint32(arg)), 4, nil
	case uint32:
		return uint64(arg), 4, nil
	case float32:
		return uint64(math.Float32bits(arg)), 4, nil
	case int64:
		return uint64(arg), 8, nil
	case uint64:
		return arg, 8, nil
	case *Memory:
		switch {
		case arg == nil:
			return 0, 0, fmt.Errorf("no memory")
		case arg.resource.closed:
			return 0, 0, fmt.Errorf("memory %w", ErrClosed)
		case arg.resource.context != f.module.resource.context:
			return 0, 0, fmt.Errorf("memory of another context")
		}
		return arg.address, 8, nil
	}
	return 0, 0, fmt.Errorf("the type %T cannot be passed: int32, uint32, int64, uint64, float32 and *Memory can", arg)
}

// start queues the kernel. It runs on the thread.
func (f *Function) start(l Launch, stream handle, p *params) error {
	c := f.module.resource.context
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&p.values[0])
	pinner.Pin(&p.pointers[0])
	if l.clustered() {
		return f.startClusters(l, stream, p, &pinner)
	}
	return c.check("cuLaunchKernel", c.driver.api.cuLaunchKernel(f.handle,
		l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z,
		l.Shared, stream, &p.pointers[0], nil))
}

// attributeCluster is CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
const attributeCluster = 4

// launchAttribute is CUlaunchAttribute of cuda.h; the value is a union of 64 bytes.
type launchAttribute struct {
	id    uint32
	_     uint32
	value Dim
	_     [64 - unsafe.Sizeof(Dim{})]byte
}

// launchConfig is CUlaunchConfig of cuda.h.
type launchConfig struct {
	grid, block Dim
	shared      uint32
	stream      handle
	attributes  *launchAttribute
	n           uint32
}

// startClusters is start for blocks in clusters. It runs on the thread.
func (f *Function) startClusters(l Launch, stream handle, p *params, pinner *runtime.Pinner) error {
	c := f.module.resource.context
	api := c.driver.api
	if api.cuLaunchKernelEx == nil {
		if err := api.find("cuLaunchKernelEx", &api.cuLaunchKernelEx); err != nil {
			return err
		}
	}
	attribute := &launchAttribute{id: attributeCluster, value: l.Cluster}
	pinner.Pin(attribute)
	config := &launchConfig{
		grid: l.Grid, block: l.Block, shared: l.Shared, stream: stream,
		attributes: attribute, n: 1,
	}
	return c.check("cuLaunchKernelEx", api.cuLaunchKernelEx(config, f.handle, &p.pointers[0], nil))
}
