// Package interp interprets the PTX of package harness on small grids, to test kernels without a
// GPU.
//
//	Machine  memory, a module, and a scheduler
//
// Threads run one at a time, a few instructions each, in an order drawn from a seed. On the machine
// of New, each access takes effect immediately, so that a kernel of the harness is sequentially
// consistent: its outcomes must be among those that the model sc allows, and the counts must add
// up. The machine of NewWeak has queues of stores, caches and late loads (weak.go): its outcomes
// must be among those that the model ptx allows.
//
// Both support the instructions that kernels of the harness have (PTX ISA, "Instruction Set").
package interp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Machine is a harness.Machine without a GPU.
type Machine struct {
	// Burst bounds the instructions that a thread runs at a time.
	Burst int
	// MaxSteps bounds the instructions of a kernel; 0 for no bound.
	MaxSteps int
	// Limit bounds the running time of a kernel; 0 for no bound.
	Limit time.Duration
	// OnMark, unless nil, is called when a thread passes a marker.
	OnMark func(Mark)

	weak    bool
	random  *rand.Rand
	entries map[string]*entry
	memory  []byte            // global memory; addresses begin at base
	live    map[uint64]int    // the sizes of allocations
	aliases map[uint64]uint64 // other addresses of allocations: the difference from the first
	recent  uint64            // the allocation of the last access, usually that of the next

	images    map[uint64]image // by object
	lastImage uint64
}

// Mark is a thread at a marker (PTX ISA, "pmevent").
type Mark struct {
	Number      int
	CTA, Thread int
	Registers   map[string]uint64
}

// base is the first address of global memory. Small numbers are not addresses.
const base = 1 << 20

// New returns a machine whose order of threads is drawn from a seed.
func New(seed uint64) *Machine {
	return &Machine{
		Burst:   8,
		random:  rand.New(rand.NewPCG(seed, 1)),
		live:    map[uint64]int{},
		aliases: map[uint64]uint64{},
		images:  map[uint64]image{},
	}
}

// NewWeak returns a machine with weak behaviour. The order of threads and all delays are drawn from
// a seed.
func NewWeak(seed uint64) *Machine {
	m := New(seed)
	m.weak = true
	return m
}

// Load reads a module.
func (m *Machine) Load(_ context.Context, ptx string) (err error) {
	m.entries, err = read(ptx)
	return err
}

// The bounds of a machine's memory, in bytes.
const (
	maxMemory  = 1 << 26 // of global memory: ten times what the usual settings of a GPU take
	maxRunning = 1 << 27 // of the threads and the shared memory of a launch

	threadBytes = 256 // of a thread without its registers, approximately
)

// Alloc allocates memory with undefined contents. All GPUs access it alike.
func (m *Machine) Alloc(_, bytes, names int) (addresses []uint64, err error) {
	const align = 256
	if len(m.live) == 0 {
		m.memory = m.memory[:0]
	}
	size := (bytes + align - 1) / align * align
	if size > (maxMemory-len(m.memory))/max(1, names) {
		return nil,
			&harness.Unfit{
				Err: fmt.Errorf(
					"the interpreter has %d MiB of memory, and the test wants more: take fewer ctas or threads, or "+
						"smaller strides", maxMemory>>20),
			}
	}
	for i := range names {
		address := base + uint64(len(m.memory))
		// addresses of other names lie behind it and are never accessed directly
		m.memory = slices.Grow(m.memory, size)[:len(m.memory)+size]
		for at := len(m.memory) - size; at < len(m.memory); at++ {
			m.memory[at] = 0xa5
		}
		m.live[address] = bytes
		if i > 0 {
			m.aliases[address] = address - addresses[0]
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// physical returns an address relative to the first name of its allocation.
func (m *Machine) physical(address uint64) uint64 {
	for start, more := range m.aliases {
		if start <= address && address < start+uint64(m.live[start]) {
			return address - more
		}
	}
	return address
}

// Free frees an allocation, or a name of one.
func (m *Machine) Free(address uint64) error {
	if _, ok := m.live[address]; !ok {
		return fmt.Errorf("nothing is allocated at %#x", address)
	}
	delete(m.live, address)
	delete(m.aliases, address)
	return nil
}

// Live returns the number of allocations.
func (m *Machine) Live() int { return len(m.live) }

// Read copies memory out.
func (m *Machine) Read(address uint64, into []byte) error {
	part, err := m.global(address, len(into))
	copy(into, part)
	return err
}

// global returns a part of global memory, which must be within one allocation.
func (m *Machine) global(address uint64, bytes int) ([]byte, error) {
	within := func(start uint64) bool {
		size, live := m.live[start]
		return live && start <= address && address+uint64(bytes) <= start+uint64(size)
	}
	if within(m.recent) {
		return m.memory[address-base:][:bytes], nil
	}
	for start := range m.live {
		if within(start) {
			m.recent = start
			return m.memory[address-base:][:bytes], nil
		}
	}
	return nil, fmt.Errorf("no memory of %d bytes at %#x", bytes, address)
}

// grid is a running kernel.
type grid struct {
	*Machine
	entry        *entry
	launch       harness.Launch
	threads      []*thread
	sharedMemory [][]byte // of the CTAs
	waits        []int    // by CTA: the number of threads that wait at barriers
	arrived      map[meeting]int
	clusters     []cluster
	hierarchy    hierarchy

	arithmetic isa.Evaluator[int64]
	sources    []int64 // buffer for those of an instruction
}

// meeting is a barrier of a CTA at which threads have arrived without waiting.
type meeting struct{ cta, barrier int }

// thread is a thread of a grid.
type thread struct {
	*grid
	cta, tid int
	pc       int
	regs     []uint64
	done     bool
	barrier  int  // the barrier that it waits at, or -1
	wanted   int  // number of threads that it waits for there; 0 for all of the CTA
	reduced  int  // the register that receives how many waiting threads have a predicate; or -1
	counted  int  // 1 if this thread has the predicate
	arrives  bool // it has arrived at a barrier without waiting
	present  bool // it has arrived at the barrier of its cluster
	phase    int  // of that barrier, when it arrived
	private       // on a weak machine
}

// Run performs one step after the other; consecutive launches in several streams run at the same
// time.
func (m *Machine) Run(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	began := time.Now()
	for len(steps) > 0 {
		n := 1
		for inStream(steps[0]) && n < len(steps) && inStream(steps[n]) &&
			steps[n].Kernel.Stream != steps[n-1].Kernel.Stream {
			n++
		}
		if err := m.together(ctx, steps[:n]); err != nil {
			return 0, err
		}
		steps = steps[n:]
	}
	return time.Since(began), nil
}

// inStream reports whether a step is a launch that may run beside others.
func inStream(s harness.Step) bool { return s.Kernel != nil && s.Kernel.Stream > 0 }

// together performs steps at the same time.
func (m *Machine) together(ctx context.Context, steps []harness.Step) error {
	if steps[0].Kernel == nil {
		memory, err := m.global(steps[0].Clear, m.live[steps[0].Clear])
		clear(memory)
		return err
	}
	var grids []*grid
	for _, s := range steps {
		g, err := m.grid(*s.Kernel)
		if err != nil {
			return err
		}
		grids = append(grids, g)
	}
	apart(grids)
	if err := m.run(ctx, grids); err != nil {
		return err
	}
	for _, g := range grids {
		g.hierarchy.end()
	}
	return nil
}

// grid returns a kernel before it runs.
func (m *Machine) grid(l harness.Launch) (*grid, error) {
	e := m.entries[l.Entry]
	if e == nil {
		return nil, fmt.Errorf("the module has no entry %s", l.Entry)
	}
	if len(l.Params) != len(e.Params) {
		return nil, fmt.Errorf("%s takes %d parameters, not %d", l.Entry, len(e.Params), len(l.Params))
	}
	if err := m.fits(e, l); err != nil {
		return nil, err
	}
	g := &grid{
		Machine:    m,
		entry:      e,
		launch:     l,
		waits:      make([]int, l.Grid),
		arrived:    map[meeting]int{},
		arithmetic: isa.Evaluator[int64]{Domain: isa.Integers{}},
	}
	g.clusters = make([]cluster, g.clusterOf(l.Grid-1)+1)
	for cta := range l.Grid {
		g.sharedMemory = append(g.sharedMemory, make([]byte, l.Shared))
		for tid := range l.Block {
			g.threads = append(g.threads,
				&thread{grid: g, cta: cta, tid: tid, regs: make([]uint64, len(e.Registers)), barrier: -1})
		}
	}
	g.hierarchy = atOnce{g}
	if m.weak {
		g.hierarchy = newWeak(g)
	}
	return g, nil
}

// fits checks the size of a launch. The error is a *harness.Unfit.
func (m *Machine) fits(e *entry, l harness.Launch) error {
	thread := threadBytes + 8*len(e.Registers)
	if l.Grid*(l.Block*thread+l.Shared+cacheLines*lineBytes) <= maxRunning {
		return nil
	}
	return &harness.Unfit{Err: fmt.Errorf(
		"%d CTAs of %d threads and %d bytes of shared memory are more than the interpreter runs: "+
			"take fewer ctas or threads",
		l.Grid, l.Block, l.Shared)}
}

// run runs threads in turns until all have ended.
func (m *Machine) run(ctx context.Context, grids []*grid) error {
	if m.Limit > 0 {
		late, stop := context.WithTimeoutCause(ctx, m.Limit,
			&harness.LateError{Kernel: grids[0].launch.Entry, After: m.Limit})
		defer stop()
		ctx = late
	}
	var ready []*thread
	for _, g := range grids {
		ready = append(ready, g.threads...)
	}
	steps := 0
	for len(ready) > 0 {
		for _, g := range grids {
			g.hierarchy.tick()
		}
		i := m.random.IntN(len(ready))
		t := ready[i]
		for range 1 + m.random.IntN(m.Burst) {
			if err := t.step(); err != nil {
				return fmt.Errorf("%s, thread %d of CTA %d: line %d: %w", t.launch.Entry, t.tid, t.cta,
					t.entry.line(t.pc), err)
			}
			if steps++; steps == m.MaxSteps {
				return fmt.Errorf("%s does not end within %d instructions", t.launch.Entry, steps)
			}
			if t.done || t.barrier >= 0 || t.arrives {
				break
			}
		}
		if t.done || t.barrier >= 0 {
			ready[i] = ready[len(ready)-1]
			ready = ready[:len(ready)-1]
		}
		if t.done || t.barrier >= 0 || t.arrives {
			t.arrives = false
			ready = append(ready, t.release(t.cta)...)
			ready = append(ready, t.releaseCluster(t.clusterOf(t.cta))...)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	for _, g := range grids {
		if err := g.ended(); err != nil {
			return err
		}
	}
	return nil
}

// ended returns an error if a thread has not ended.
func (g *grid) ended() error {
	for _, t := range g.threads {
		if !t.done {
			return fmt.Errorf("%s: thread %d of CTA %d waits for ever at barrier %d", g.launch.Entry,
				t.tid, t.cta, t.barrier)
		}
	}
	return nil
}

// release releases the threads that wait at a complete barrier of a CTA.
func (g *grid) release(cta int) (free []*thread) {
	if g.waits[cta] == 0 {
		return nil
	}
	threads := g.threads[cta*g.launch.Block:][:g.launch.Block]
	waiting := map[int][]*thread{}
	running := 0
	for _, t := range threads {
		if t.barrier >= 0 && t.barrier != clusterWait {
			waiting[t.barrier] = append(waiting[t.barrier], t)
		}
		if !t.done {
			running++
		}
	}
	for barrier, all := range waiting {
		wanted := all[0].wanted
		if wanted == 0 {
			wanted = running
		}
		at := meeting{cta, barrier}
		if len(all)+g.arrived[at] < wanted {
			continue
		}
		delete(g.arrived, at)
		count := 0
		for _, t := range all {
			count += t.counted
		}
		for _, t := range all {
			t.barrier = -1
			if t.reduced >= 0 {
				t.regs[t.reduced] = uint64(count)
			}
			t.counted = 0
		}
		free = append(free, all...)
	}
	g.waits[cta] -= len(free)
	slices.SortFunc(free, func(a, b *thread) int { return a.tid - b.tid })
	return free
}

// reach returns the place of an access, which must exist.
func (t *thread) reach(shared bool, address uint64, bytes int) (memoryPlace, error) {
	p := memoryPlace{shared, 0, address, bytes}
	if address%uint64(bytes) != 0 {
		return p, fmt.Errorf("the address %#x is not a multiple of %d", address, bytes)
	}
	if !shared {
		p.address = t.physical(address)
		_, err := t.global(p.address, bytes)
		return p, err
	}
	p.cta, p.address = t.window(address)
	if p.cta >= len(t.sharedMemory) || p.address+uint64(bytes) > uint64(len(t.sharedMemory[p.cta])) {
		return p, fmt.Errorf("no shared memory at %#x", address)
	}
	return p, nil
}

// bytes returns the memory of a place that a thread has reached.
func (g *grid) bytes(p memoryPlace) []byte {
	if p.shared {
		return g.sharedMemory[p.cta][p.address:][:p.bytes]
	}
	return g.memory[p.address-base:][:p.bytes]
}
