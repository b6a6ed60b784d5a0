// Package gpu is the harness's machine on a real GPU: package harness/cuda behind
// harness.Machine.
package gpu

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
)

// GPU is a harness.Machine.
type GPU struct {
	// Limit is how long a kernel may run.
	Limit time.Duration

	driver  *cuda.Driver
	context *cuda.Context
	memory  map[uint64]*cuda.Memory

	ptx       string // of the module that is loaded
	cubin     []byte
	module    *cuda.Module
	functions map[string]*cuda.Function
}

// DefaultLimit is long for a kernel of the harness, which takes milliseconds.
const DefaultLimit = 20 * time.Second

// Open opens a device by its number. The library is that of the driver, "" for the usual one.
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
	if err != nil {
		_ = driver.Close()
		return nil, err
	}
	c, err := driver.Context(index)
	if err != nil {
		_ = driver.Close()
		return nil, err
	}
	return &GPU{Limit: DefaultLimit, driver: driver, context: c, memory: map[uint64]*cuda.Memory{}}, nil
}

// Close gives the device back.
func (g *GPU) Close() error {
	err := g.context.Close()
	if e := g.driver.Close(); err == nil {
		err = e
	}
	return err
}

// Device describes the device.
func (g *GPU) Device() cuda.Device { return g.context.Device() }

// Driver is the version of CUDA that the driver has: 12.4.
func (g *GPU) Driver() string { return g.driver.Version().String() }

// Target is what kernels are to be made for.
func (g *GPU) Target() harness.Target {
	d := g.Device()
	return harness.Target(10*d.Major + d.Minor)
}

// Cubin is the machine code of the module that was loaded last.
func (g *GPU) Cubin() []byte { return g.cubin }

// Load compiles a module and loads the very machine code that Cubin returns. A module that is
// loaded already stays.
func (g *GPU) Load(_ context.Context, ptx string) error {
	if ptx == g.ptx {
		return nil
	}
	if g.module != nil {
		if err := g.module.Close(); err != nil {
			return err
		}
		g.module, g.ptx = nil, ""
	}
	linked, err := g.context.Link("litmus.ptx", ptx)
	if err != nil {
		return err
	}
	module, err := g.context.Load("litmus.cubin", linked.Cubin)
	if err != nil {
		return err
	}
	g.ptx, g.cubin, g.module, g.functions = ptx, linked.Cubin, module, map[string]*cuda.Function{}
	return nil
}

// Alloc allocates memory on the device.
func (g *GPU) Alloc(bytes int) (uint64, error) {
	m, err := g.context.Alloc(uint64(bytes+3) / 4 * 4)
	if err != nil {
		return 0, err
	}
	g.memory[m.Address()] = m
	return m.Address(), nil
}

// at is an allocation.
func (g *GPU) at(address uint64) (*cuda.Memory, error) {
	if m := g.memory[address]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("nothing is allocated at %#x", address)
}

// Free ends an allocation.
func (g *GPU) Free(address uint64) error {
	m, err := g.at(address)
	if err != nil {
		return err
	}
	delete(g.memory, address)
	return m.Close()
}

// Clear sets an allocation to 0.
func (g *GPU) Clear(address uint64, _ int) error {
	m, err := g.at(address)
	if err != nil {
		return err
	}
	return m.Fill(0)
}

// Read copies memory from the device.
func (g *GPU) Read(address uint64, into []byte) error {
	m, err := g.at(address)
	if err != nil {
		return err
	}
	return m.Read(0, into)
}

// Run launches a kernel and waits for its end, or for the limit.
func (g *GPU) Run(ctx context.Context, l harness.Launch) error {
	f := g.functions[l.Entry]
	if f == nil {
		var err error
		if f, err = g.module.Function(l.Entry); err != nil {
			return err
		}
		g.functions[l.Entry] = f
	}
	var args []any
	for i, p := range l.Params {
		if l.Wide[i] {
			args = append(args, p)
		} else {
			args = append(args, uint32(p))
		}
	}
	line := func(n int) cuda.Dim { return cuda.Dim{X: uint32(n), Y: 1, Z: 1} }
	launch := cuda.Launch{Grid: line(l.Grid), Block: line(l.Block), Cluster: line(l.Cluster), Shared: uint32(l.Shared)}
	if err := f.Launch(launch, args...); err != nil {
		return err
	}
	return g.context.Wait(ctx, g.Limit)
}
