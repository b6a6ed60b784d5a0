// Package gpu is the harness's machine on a real GPU: package harness/cuda behind
// harness.Machine.
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
	// Limit is how long a kernel may run.
	Limit time.Duration
	// Compiler makes machine code of PTX; nil for that of the driver.
	Compiler func(ctx context.Context, ptx string) ([]byte, error)

	driver  *cuda.Driver
	context *cuda.Context
	memory  map[uint64]*cuda.Memory

	begin, end *cuda.Event // around what Run queues

	mutex   sync.Mutex
	codes   kept[*code]   // by PTX; several goroutines make them
	modules kept[*module] // those that are loaded, by PTX
	module  *module       // that of which kernels run
}

// code is the machine code of a module, made once.
type code struct {
	made  sync.Once
	cubin []byte
	err   error
}

// module is one that is loaded.
type module struct {
	*cuda.Module
	functions map[string]*cuda.Function
}

// mostCodes and mostModules are how many of them are kept: a search for settings runs some tests again and again.
const (
	mostCodes   = 256
	mostModules = 64
)

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
	g := &GPU{
		Limit: DefaultLimit, driver: driver, context: c, memory: map[uint64]*cuda.Memory{},
		codes: kept[*code]{most: mostCodes}, modules: kept[*module]{most: mostModules},
	}
	for _, e := range []**cuda.Event{&g.begin, &g.end} {
		if *e, err = c.NewEvent(); err != nil {
			_ = g.Close()
			return nil, err
		}
	}
	return g, nil
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

// Code is the machine code of a module, made when it is first asked for. Several goroutines may ask, ahead of Load
// and while kernels run.
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

// compile makes machine code.
func (g *GPU) compile(ctx context.Context, ptx string) ([]byte, error) {
	if g.Compiler != nil {
		return g.Compiler(ctx, ptx)
	}
	linked, err := g.context.Link("litmus.ptx", ptx)
	if err != nil {
		return nil, err
	}
	return linked.Cubin, nil
}

// Load loads the very machine code that Code returns, unless it is loaded already.
func (g *GPU) Load(ctx context.Context, ptx string) error {
	if m, ok := g.modules.of[ptx]; ok {
		g.module = m
		return nil
	}
	cubin, err := g.Code(ctx, ptx)
	if err != nil {
		return err
	}
	loaded, err := g.context.Load("litmus.cubin", cubin)
	if err != nil {
		return err
	}
	g.module = &module{loaded, map[string]*cuda.Function{}}
	if old, full := g.modules.add(ptx, g.module); full {
		return old.Close()
	}
	return nil
}

// Alloc allocates memory on the device, and maps it as often as it has names.
func (g *GPU) Alloc(bytes, names int) (addresses []uint64, err error) {
	size := uint64(bytes+3) / 4 * 4
	var all []*cuda.Memory
	if names > 1 {
		all, err = g.context.AllocAliased(size, names)
	} else {
		var m *cuda.Memory
		m, err = g.context.Alloc(size)
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
		g.memory[m.Address()] = m
		addresses = append(addresses, m.Address())
	}
	return addresses, nil
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

// Read copies memory from the device.
func (g *GPU) Read(address uint64, into []byte) error {
	m, err := g.at(address)
	if err != nil {
		return err
	}
	return m.Read(0, into)
}

// Run queues the steps between two events and waits for the second, or for the limit; as many at a
// time as the queue of the driver holds.
func (g *GPU) Run(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	var took time.Duration
	for len(steps) > 0 {
		n := fits(steps, cuda.MaxQueued-2)
		t, err := g.part(ctx, steps[:n])
		if err != nil {
			return 0, err
		}
		took += t
		steps = steps[n:]
	}
	return took, nil
}

// fits is how many of the first steps are a part of at most so many: what runs at the same time stays together.
func fits(steps []harness.Step, most int) int {
	n := min(len(steps), most)
	alone := func(i int) bool { return steps[i].Kernel == nil || steps[i].Kernel.Stream == 0 }
	for i := n; i > 0; i-- {
		if i == len(steps) || alone(i) || alone(i-1) {
			return i
		}
	}
	return n
}

// part runs as many steps as fit into the queue.
func (g *GPU) part(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	work := []cuda.Work{g.begin.Recording()}
	for _, s := range steps {
		w, err := g.work(s)
		if err != nil {
			return 0, err
		}
		work = append(work, w)
	}
	err := g.context.Enqueue(append(work, g.end.Recording())...)
	var large *cuda.UnfitError
	if errors.As(err, &large) {
		return 0, &harness.Unfit{Err: err}
	}
	if err != nil {
		return 0, err
	}
	if err := g.context.Wait(ctx, g.Limit); err != nil {
		var late *cuda.TimeoutError
		if errors.As(err, &late) {
			late.Kernel = "" // the last of those that were queued, which need not be the one that runs
		}
		return 0, err
	}
	return g.end.Since(g.begin)
}

// work is a step for the driver.
func (g *GPU) work(s harness.Step) (cuda.Work, error) {
	if s.Kernel == nil {
		m, err := g.at(s.Clear)
		if err != nil {
			return cuda.Work{}, err
		}
		return m.Filling(0), nil
	}
	l := s.Kernel
	f, err := g.function(l.Entry)
	if err != nil {
		return cuda.Work{}, err
	}
	args := make([]any, len(l.Params))
	for i, p := range l.Params {
		args[i] = p
		if !l.Wide[i] {
			args[i] = uint32(p)
		}
	}
	line := func(n int) cuda.Dim { return cuda.Dim{X: uint32(n)} }
	return f.Launching(cuda.Launch{Grid: line(l.Grid), Block: line(l.Block), Cluster: line(l.Cluster), Shared: uint32(l.Shared), Stream: l.Stream}, args...), nil
}

// function is an entry point of the module.
func (g *GPU) function(entry string) (*cuda.Function, error) {
	if g.module == nil {
		return nil, errors.New("no module is loaded")
	}
	if f := g.module.functions[entry]; f != nil {
		return f, nil
	}
	f, err := g.module.Function(entry)
	if err == nil {
		g.module.functions[entry] = f
	}
	return f, err
}
