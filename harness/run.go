package harness

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-gpu/muster/litmus"
)

// Machine runs kernels: a GPU, or an interpreter.
type Machine interface {
	// Load makes the entry points of a PTX module known.
	Load(ctx context.Context, ptx string) error
	// Alloc allocates memory on a GPU that all GPUs can access. It has the given number of
	// addresses: one, or several if it is mapped several times. The error is an *Unfit if there is
	// not enough memory.
	Alloc(gpu, bytes, names int) (addresses []uint64, err error)
	// Free frees an address.
	Free(address uint64) error
	Read(address uint64, into []byte) error
	// Texture returns an object with which kernels load the words of an allocation through the
	// texture proxy. Surface returns one with the given number of rows of SurfaceWidth words, which
	// kernels access only through the surface proxy. EndImage destroys either. A texture is
	// destroyed before its allocation is freed.
	Texture(of uint64) (object uint64, err error)
	Surface(rows int) (object uint64, err error)
	EndImage(object uint64) error
	// Tensor writes a tensor map with rank dimensions to an allocation. Its tensor is the first 16
	// bytes of another one.
	Tensor(at, of uint64, rank int) error
	// Run queues the steps, in order, and waits once, for all of them. It returns how long they
	// took by the machine's own clock. The error is an *Unfit if the machine cannot run a launch of
	// that size.
	Run(ctx context.Context, steps []Step) (time.Duration, error)
}

// Step is a unit of work in the queue of a machine: a kernel, or an allocation to set to 0.
type Step struct {
	Kernel *Launch
	Clear  uint64 // the address of the allocation, if there is no kernel
}

// Launch is a kernel with its launch configuration and parameters.
type Launch struct {
	Entry       string
	Grid, Block int // number of CTAs, and threads of each
	Cluster     int // CTAs of a cluster; 0 for none
	Shared      int // bytes of dynamic shared memory
	Stream      int // 0, or a number: consecutive launches in several streams run at the same time
	GPU         int // index of the GPU that runs it; not 0 only for a launch in a stream
	Params      []uint64
	Wide        []bool // which parameters have 64 bits; the others have 32
}

// Histogram counts the final states of a test.
type Histogram struct {
	Refs       []litmus.Ref
	States     []Count // sorted by state
	Instances  int     // all that were run
	Unfinished int     // the instances in which a loop timed out: they have no state
	Launches   int
	Elapsed    time.Duration // of the launches, with preparing and counting, by the machine's clock
}

// Count is a final state with its count.
type Count struct {
	State    litmus.State
	N        int // instances
	Launches int // launches in which it was seen: instances of one launch are not quite independent
}

// runner runs a test on a machine.
type runner struct {
	*Plan
	machine Machine
	s       Settings
	shape   Shape
	buffers map[string]uint64
	random  *rand.Rand

	taken   []Param  // by the kernels
	wide    []bool   // of these
	cleared []string // the buffers that are set to 0 before each launch
}

// newRunner returns a runner before its memory is allocated. It computes what is the same in each
// launch.
func newRunner(p *Plan, m Machine, s Settings, shape Shape, random *rand.Rand) *runner {
	r := &runner{
		Plan:    p,
		machine: m,
		s:       s,
		shape:   shape,
		buffers: map[string]uint64{},
		random:  random,
		taken:   p.Params(),
	}
	for _, t := range r.taken {
		r.wide = append(r.wide, t.Wide)
	}
	for _, b := range p.Buffers(s, shape) {
		if b.EachLaunch {
			r.cleared = append(r.cleared, b.Name)
		}
	}
	return r
}

// Run runs at least the given number of instances of the test. The same seed gives the same
// launches; their results depend on the machine.
func (p *Plan) Run(ctx context.Context, m Machine, s Settings, seed uint64, instances int) (*Histogram, error) {
	return p.RunPart(ctx, m, s, Part{Seed: seed, Instances: instances})
}

// Part is one part of a run.
type Part struct {
	Seed      uint64
	Number    uint64        // of the part: each has launches of its own
	Instances int           // at least, unless Time ends the part
	Time      time.Duration // bounds the time of launches; 0 for no bound
}

// RunPart runs the test until a part is complete.
func (p *Plan) RunPart(ctx context.Context, m Machine, s Settings, part Part) (h *Histogram, err error) {
	p, s = p.As(s), p.fitted(s)
	shape, err := p.Shape(s)
	if err != nil {
		return nil, err
	}
	r := newRunner(p, m, s, shape, rand.New(rand.NewPCG(part.Seed, part.Number)))
	if err := m.Load(ctx, p.Kernels()); err != nil {
		return nil, err
	}
	defer func() {
		if freed := r.free(); err == nil {
			err = freed
		}
	}()
	if err := r.alloc(ctx); err != nil {
		return nil, err
	}
	h = &Histogram{Refs: p.Test.Observables()}
	if err := r.launches(ctx, h, part); err != nil {
		return nil, err
	}
	return h, r.read(h)
}

// Launches are queued in batches, because waiting for each would take longer than the kernels. A
// batch doubles until a wait for it costs little compared with its time.
const (
	longBatch   = 20 * time.Millisecond
	mostBatched = 1 << 12 // launches
)

// batch is launches that are queued together.
type batch struct {
	steps               []Step
	launches, instances int
}

// launches runs the instances of a part, or until the context is done. While the machine runs a
// batch the next one is drawn, so that the machine need not wait for it.
func (r *runner) launches(ctx context.Context, h *Histogram, part Part) error {
	size := 1
	for next := r.draw(h, size, part.Instances); next.launches > 0 && (part.Time == 0 || h.Elapsed < part.Time) &&
		ctx.Err() == nil; {
		now, ahead := next, make(chan batch)
		h.Instances, h.Launches = h.Instances+now.instances, h.Launches+now.launches
		go func(h Histogram, size int) { ahead <- r.draw(&h, size, part.Instances) }(*h, size)
		took, err := r.machine.Run(ctx, now.steps)
		if next = <-ahead; err != nil {
			return fmt.Errorf("%s: %w", r.Test.Name.Text, err)
		}
		h.Elapsed += took
		if took < longBatch {
			size = min(2*size, mostBatched)
		}
	}
	return nil
}

// draw draws size launches that follow those of a histogram, or fewer if these complete the
// instances.
func (r *runner) draw(h *Histogram, size, instances int) (b batch) {
	for b.launches < size && h.Instances+b.instances < instances {
		shape := r.drawShape(r.s, r.shape, r.random)
		b.launches++
		b.steps = append(b.steps, r.launch(shape, h.Launches+b.launches)...)
		b.instances += r.s.Playing(shape)
	}
	return b
}

func (r *runner) alloc(ctx context.Context) error {
	var cleared []Step
	for _, all := range r.Memory(r.s, r.shape) {
		addresses, err := r.machine.Alloc(all[0].GPU, max(4, all[0].Bytes), len(all))
		if err != nil {
			return fmt.Errorf("%s: %w", r.Test.Name.Text, err)
		}
		for i, b := range all {
			r.buffers[b.Name] = addresses[i]
		}
		cleared = append(cleared, Step{Clear: addresses[0]})
	}
	if err := r.makeImages(); err != nil {
		return fmt.Errorf("%s: %w", r.Test.Name.Text, err)
	}
	if _, err := r.machine.Run(ctx, cleared); err != nil {
		return fmt.Errorf("%s: %w", r.Test.Name.Text, err)
	}
	if r.rank > 0 { // what is written stays there
		if err := r.machine.Tensor(r.buffers[tensorParam], r.buffers[tensorParam], r.rank); err != nil {
			return fmt.Errorf("%s: %w", r.Test.Name.Text, err)
		}
	}
	return nil
}

// makeImages creates the textures and surfaces.
func (r *runner) makeImages() (err error) {
	for _, b := range r.Buffers(r.s, r.shape) {
		switch b.Image {
		case texture:
			r.buffers[b.Name], err = r.machine.Texture(r.buffers[b.Same])
		case surface:
			r.buffers[b.Name], err = r.machine.Surface((r.shape.Instances() + SurfaceWidth - 1) / SurfaceWidth)
		}
		if err != nil {
			delete(r.buffers, b.Name)
			return err
		}
	}
	return nil
}

func (r *runner) free() (err error) {
	for _, images := range []bool{true, false} { // textures are destroyed before their memory
		for _, b := range r.Buffers(r.s, r.shape) {
			object, ok := r.buffers[b.Name]
			if !ok || images != (b.Image != "") {
				continue
			}
			end := r.machine.Free
			if images {
				end = r.machine.EndImage
			}
			if e := end(object); err == nil {
				err = e
			}
		}
	}
	return err
}

// classifyBlock is the number of threads of a CTA of the kernels that have a thread for each
// instance.
const classifyBlock = 256

// launch returns the steps of one launch: prepare the memory, run the test, count the outcomes.
// Launches are numbered from 1.
func (r *runner) launch(shape Shape, number int) (steps []Step) {
	for _, name := range r.cleared {
		steps = append(steps, Step{Clear: r.buffers[name]})
	}
	numbers := r.Numbers(r.s, shape, r.random)
	numbers["launch"] = uint32(number)
	params := r.params(numbers)
	ctas := (r.s.Playing(shape) + classifyBlock - 1) / classifyBlock
	each := func(entry string, shared int) Step {
		return Step{
			Kernel: &Launch{
				Entry:  entry,
				Grid:   ctas,
				Block:  classifyBlock,
				Shared: shared,
				Params: params,
				Wide:   r.wide,
			},
		}
	}
	steps = append(steps, each(PrepareEntry, 0))
	for kernel, gpu := range r.kernels {
		test := &Launch{
			Entry: TestEntry, Grid: grid(numbers), Block: shape.Warps * WarpSize,
			Cluster: r.clusterSize(shape), Shared: r.SharedBytes(r.s, shape), Params: params, Wide: r.wide,
		}
		if len(r.kernels) > 1 {
			numbers[kernelParam] = uint32(kernel)
			test.Params = r.params(numbers)
			test.Stream, test.GPU = 1+kernel, gpu
		}
		steps = append(steps, Step{Kernel: test})
	}
	return append(steps, each(ClaimEntry, 0), each(CountEntry, tallyBytes))
}

// clusterSize returns the number of CTAs of a cluster of a launch, or 0 for no clusters.
func (p *Plan) clusterSize(shape Shape) int {
	if p.clusters || p.clusterBarriers > 0 {
		return shape.CTAs
	}
	return 0
}

// params returns the parameters of a launch, in the order of Plan.Params.
func (r *runner) params(numbers map[string]uint32) []uint64 {
	params := make([]uint64, len(r.taken))
	for i, p := range r.taken {
		if p.Wide {
			params[i] = r.buffers[p.Name]
		} else {
			params[i] = uint64(numbers[p.Name])
		}
	}
	return params
}

// read reads the table of outcomes. It checks that all instances are counted, as outcomes or as
// faults.
func (r *runner) read(h *Histogram) error {
	table := map[string][]byte{}
	for _, b := range r.Buffers(r.s, r.shape) {
		if slices.Contains([]string{"tags", "counts", "values", "launches"}, b.Name) {
			table[b.Name] = make([]byte, b.Bytes)
			if err := r.machine.Read(r.buffers[b.Name], table[b.Name]); err != nil {
				return err
			}
		}
	}
	word := func(name string, i int) int { return int(binary.LittleEndian.Uint64(table[name][8*i:])) }
	total := 0
	seen := max(1, len(r.seen))
	for row := range tableRows {
		if word("tags", row) == 0 {
			continue
		}
		var state litmus.State
		for i, o := range r.seen {
			v := int64(int32(binary.LittleEndian.Uint32(table["values"][4*(row*seen+i):])))
			if o.half == high {
				state[len(state)-1].Int += v << 32
				continue
			}
			if o.half == low {
				v &= 1<<32 - 1
			}
			state = append(state, litmus.Value{Int: v})
		}
		h.States = append(h.States,
			Count{state, word("counts", row), int(binary.LittleEndian.Uint32(table["launches"][4*row:]))})
		total += word("counts", row)
	}
	slices.SortFunc(h.States, func(a, b Count) int { return litmus.CompareStates(a.State, b.State) })
	fault := func(which int) int { return word("counts", tableRows+which) }
	h.Unfinished = fault(FaultUnfinished)
	full, collisions := fault(FaultFull), fault(FaultCollision)
	if total+h.Unfinished+full+collisions != h.Instances || full > 0 || collisions > 0 {
		return fmt.Errorf(
			"%s: the histogram cannot be trusted: %d instances, %d counted, %d unfinished, %d beyond the table, %d "+
				"with the hash of another outcome",
			r.Test.Name.Text, h.Instances, total, h.Unfinished, full, collisions)
	}
	return nil
}
