// Package gpu is the harness's machine on a real GPU: it implements harness.Machine with package
// harness/cuda.
package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
)

// GPU is a harness.Machine.
type GPU struct {
	// Limit bounds the running time of a kernel.
	Limit time.Duration
	// Compiler compiles PTX to machine code; nil for that of the driver.
	Compiler func(ctx context.Context, ptx string) ([]byte, error)

	driver  *cuda.Driver
	linked  []cuda.Device // the GPU, and those that can play a test together with it
	devices []*device     // the first of them, which are in use
	first   *device       // also for compilers, which run while more devices are opened
	memory  map[uint64]allocation
	images  map[uint64]*cuda.Image // by object

	begin, end *cuda.Event // around the work that Run queues

	mutex sync.Mutex
	codes kept[*code] // by PTX; made by several goroutines
	ptx   string      // the module whose kernels run
	cubin []byte      // its machine code
}

// allocation is memory on one of the devices.
type allocation struct {
	*cuda.Memory
	gpu int
}

// code is the machine code of a module, made once.
type code struct {
	made  sync.Once
	cubin []byte
	err   error
}

// mostCodes and mostModules bound how many of each are kept: a search for settings runs some tests
// repeatedly.
const (
	mostCodes   = 256
	mostModules = 64
)

// DefaultLimit is long for a kernel of the harness, which takes milliseconds.
const DefaultLimit = 20 * time.Second

// Open opens a device by its number. The library is that of the driver, or "" for the default.
func Open(library string, index int) (*GPU, error) {
	driver, err := cuda.Open(library)
	if err != nil {
		return nil, err
	}
	devices, err := driver.Devices()
	if err == nil && len(devices) == 0 {
		err = fmt.Errorf("the driver finds no GPU")
	}
	if err == nil && (index < 0 || index >= len(devices)) {
		err = fmt.Errorf("no device %d: there are %d, from 0 on", index, len(devices))
	}
	if err == nil && targetOf(devices[index]) < harness.SM70 {
		d := devices[index]
		err = fmt.Errorf(
			"%s has compute capability %d.%d: kernels are made for 7.0 and newer, which have orders and scopes",
			d.Name, d.Major, d.Minor)
	}
	if err != nil {
		_ = driver.Close()
		return nil, err
	}
	g := &GPU{
		Limit: DefaultLimit, driver: driver, linked: linkedWith(driver, devices, index),
		memory: map[uint64]allocation{}, images: map[uint64]*cuda.Image{}, codes: kept[*code]{most: mostCodes},
	}
	if err := g.start(); err != nil {
		_ = g.Close()
		return nil, err
	}
	return g, nil
}

// start creates what is needed before the first launch.
func (g *GPU) start() error {
	var err error
	if g.first, err = g.device(0); err != nil {
		return err
	}
	for _, e := range []**cuda.Event{&g.begin, &g.end} {
		if *e, err = g.first.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the devices.
func (g *GPU) Close() error { return g.driver.Close() }

// Device describes the device.
func (g *GPU) Device() cuda.Device { return g.linked[0] }

// Linked describes the device and those that can play a test together with it, in the order in
// which a test uses them.
func (g *GPU) Linked() []cuda.Device { return g.linked }

// Driver returns the CUDA version of the driver: 12.4.
func (g *GPU) Driver() string { return g.driver.Version().String() }

// Target returns the target for which kernels must be made.
func (g *GPU) Target() harness.Target { return targetOf(g.Device()) }

func targetOf(d cuda.Device) harness.Target { return harness.Target(10*d.Major + d.Minor) }

// Code returns the machine code of a module, which it makes on demand. It may be called
// concurrently, before Load and while kernels run.
func (g *GPU) Code(ctx context.Context, ptx string) ([]byte, error) {
	g.mutex.Lock()
	c, known := g.codes.of[ptx]
	if !known {
		c = &code{}
		g.codes.add(ptx, c)
	}
	g.mutex.Unlock()
	c.made.Do(func() { c.cubin, c.err = g.compile(ctx, ptx) })
	return c.cubin, c.err
}

// compile compiles PTX to machine code.
func (g *GPU) compile(ctx context.Context, ptx string) ([]byte, error) {
	if g.Compiler != nil {
		return g.Compiler(ctx, ptx)
	}
	linked, err := g.first.Link("litmus.ptx", ptx)
	if err != nil {
		return nil, err
	}
	return linked.Cubin, nil
}

// Loads reports whether the driver can load some machine code.
func (g *GPU) Loads(cubin []byte) bool {
	m, err := g.first.Context.Load("trial.cubin", cubin)
	return err == nil && m.Close() == nil
}

// Load loads exactly the machine code that Code returns, unless it is loaded.
func (g *GPU) Load(ctx context.Context, ptx string) (err error) {
	if g.cubin, err = g.Code(ctx, ptx); err != nil {
		return err
	}
	g.ptx = ptx
	_, err = g.first.load(ptx, g.cubin)
	return err
}

// Alloc allocates memory on a device, and maps it as often as it has names.
func (g *GPU) Alloc(gpu, bytes, names int) (addresses []uint64, err error) {
	d, err := g.device(gpu)
	if err != nil {
		return nil, err
	}
	size := uint64(bytes+3) / 4 * 4
	var all []*cuda.Memory
	if names > 1 {
		all, err = d.AllocAliased(size, names, g.others(d)...)
	} else {
		var m *cuda.Memory
		m, err = d.Alloc(size)
		all = []*cuda.Memory{m}
	}
	var full *cuda.OutOfMemoryError
	if errors.As(err, &full) {
		return nil, &harness.Unfit{Err: err}
	}
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		g.memory[m.Address()] = allocation{m, gpu}
		addresses = append(addresses, m.Address())
	}
	return addresses, nil
}

// at returns the allocation at an address.
func (g *GPU) at(address uint64) (allocation, error) {
	if m, ok := g.memory[address]; ok {
		return m, nil
	}
	return allocation{}, fmt.Errorf("nothing is allocated at %#x", address)
}

// Free frees an allocation.
func (g *GPU) Free(address uint64) error {
	m, err := g.at(address)
	if err != nil {
		return err
	}
	delete(g.memory, address)
	return m.Close()
}

// Texture creates a texture of an allocation.
func (g *GPU) Texture(of uint64) (object uint64, err error) {
	m, err := g.at(of)
	if err != nil {
		return 0, err
	}
	return g.keep(m.Texture())
}

// Surface creates a surface on the first device.
func (g *GPU) Surface(rows int) (object uint64, err error) {
	return g.keep(g.first.Surface(harness.SurfaceWidth, uint64(rows)))
}

// keep keeps an image by its object.
func (g *GPU) keep(i *cuda.Image, err error) (object uint64, _ error) {
	var full *cuda.OutOfMemoryError
	if errors.As(err, &full) {
		return 0, &harness.Unfit{Err: err}
	}
	if err != nil {
		return 0, err
	}
	g.images[i.Object()] = i
	return i.Object(), nil
}

// EndImage destroys an image.
func (g *GPU) EndImage(object uint64) error {
	i, ok := g.images[object]
	if !ok {
		return fmt.Errorf("no image is %#x", object)
	}
	delete(g.images, object)
	return i.Close()
}

// Tensor writes a tensor map.
func (g *GPU) Tensor(at, of uint64, rank int) error {
	to, err := g.at(at)
	if err != nil {
		return err
	}
	from, err := g.at(of)
	if err != nil {
		return err
	}
	encoded, err := from.TensorMap(rank)
	if err != nil {
		return err
	}
	return to.Write(0, encoded)
}

// Read copies memory from the device.
func (g *GPU) Read(address uint64, into []byte) error {
	m, err := g.at(address)
	if err != nil {
		return err
	}
	return m.Read(0, into)
}
