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
	Alloc(bytes int) (address uint64, err error)
	Free(address uint64) error
	// Clear sets memory to 0.
	Clear(address uint64, bytes int) error
	Read(address uint64, into []byte) error
	// Run starts a kernel and waits for its end.
	Run(ctx context.Context, l Launch) error
}

// Launch is a kernel and what it is started with.
type Launch struct {
	Entry       string
	Grid, Block int // CTAs, and threads of each
	Cluster     int // CTAs of a cluster; 1 for none
	Shared      int // bytes of dynamic shared memory
	Params      []uint64
	Wide        []bool // which parameters have 64 bits; the others have 32
}

// Histogram is how often a test has ended in which state.
type Histogram struct {
	Refs       []litmus.Ref
	States     []Count // sorted by state
	Instances  int     // all that were run
	Unfinished int     // those of them that gave a loop up: they have no state
	Launches   int
	Elapsed    time.Duration // of the kernels of the test, without what counts
}

// Count is a final state and how often it was seen.
type Count struct {
	State litmus.State
	N     int
}

// runner is a test on a machine.
type runner struct {
	*Plan
	machine Machine
	s       Settings
	shape   Shape
	buffers map[string]uint64
	random  *rand.Rand
}

// Run runs at least so many instances of the test. The same seed gives the same launches; what
// they do is up to the machine.
func (p *Plan) Run(ctx context.Context, m Machine, s Settings, seed uint64, instances int) (h *Histogram, err error) {
	shape, err := p.Shape(s)
	if err != nil {
		return nil, err
	}
	r := &runner{p, m, s, shape, map[string]uint64{}, rand.New(rand.NewPCG(seed, 0))}
	if err := m.Load(ctx, p.Kernels()); err != nil {
		return nil, err
	}
	defer func() {
		if freed := r.free(); err == nil {
			err = freed
		}
	}()
	if err := r.alloc(); err != nil {
		return nil, err
	}
	h = &Histogram{Refs: p.Test.Observables()}
	for h.Instances < instances && ctx.Err() == nil {
		if err := r.launch(ctx, h); err != nil {
			return nil, err
		}
	}
	return h, r.read(h)
}

func (r *runner) alloc() error {
	for _, b := range r.Buffers(r.s, r.shape) {
		address, err := r.machine.Alloc(max(4, b.Bytes))
		if err != nil {
			return fmt.Errorf("%s: %w", r.Test.Name.Text, err)
		}
		r.buffers[b.Name] = address
		if err := r.machine.Clear(address, b.Bytes); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) free() (err error) {
	for _, b := range r.Buffers(r.s, r.shape) {
		if address, ok := r.buffers[b.Name]; ok {
			if e := r.machine.Free(address); err == nil {
				err = e
			}
		}
	}
	return err
}

// launch runs every instance once and counts what came out.
func (r *runner) launch(ctx context.Context, h *Histogram) error {
	for _, b := range r.Buffers(r.s, r.shape) {
		if b.EachLaunch {
			if err := r.machine.Clear(r.buffers[b.Name], b.Bytes); err != nil {
				return err
			}
		}
	}
	params, wide := r.params()
	n := r.s.Playing(r.shape)
	const block = 256
	each := Launch{Grid: (n + block - 1) / block, Block: block, Cluster: 1, Params: params, Wide: wide}
	test := Launch{
		Entry: TestEntry, Grid: r.grid(r.s, r.shape), Block: r.shape.Warps * WarpSize,
		Cluster: r.shape.CTAs, Shared: r.SharedBytes(r.s, r.shape), Params: params, Wide: wide,
	}
	for _, entry := range []string{PrepareEntry, TestEntry, ClaimEntry, CountEntry} {
		l := each
		l.Entry = entry
		if entry == TestEntry {
			l = test
		}
		began := time.Now()
		if err := r.machine.Run(ctx, l); err != nil {
			return fmt.Errorf("%s, kernel %s: %w", r.Test.Name.Text, entry, err)
		}
		if entry == TestEntry {
			h.Elapsed += time.Since(began)
		}
	}
	h.Instances += n
	h.Launches++
	return nil
}

// params is the parameters of a launch, in the order of Plan.Params.
func (r *runner) params() (params []uint64, wide []bool) {
	numbers := r.Numbers(r.s, r.shape, r.random)
	for _, p := range r.Params() {
		v := uint64(numbers[p.Name])
		if p.Wide {
			v = r.buffers[p.Name]
		}
		params, wide = append(params, v), append(wide, p.Wide)
	}
	return params, wide
}

// read reads the table of outcomes. Its counts and those of faults make up all instances.
func (r *runner) read(h *Histogram) error {
	table := map[string][]byte{}
	for _, b := range r.Buffers(r.s, r.shape) {
		if slices.Contains([]string{"tags", "counts", "values", "faults"}, b.Name) {
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
		for i := range r.seen {
			v := int32(binary.LittleEndian.Uint32(table["values"][4*(row*seen+i):]))
			state = append(state, litmus.Value{Int: int64(v)})
		}
		h.States = append(h.States, Count{state, word("counts", row)})
		total += word("counts", row)
	}
	slices.SortFunc(h.States, func(a, b Count) int { return litmus.CompareStates(a.State, b.State) })
	h.Unfinished = word("faults", FaultUnfinished)
	full, collisions := word("faults", FaultFull), word("faults", FaultCollision)
	if total+h.Unfinished+full+collisions != h.Instances || full > 0 || collisions > 0 {
		return fmt.Errorf("%s: the histogram cannot be trusted: %d instances, %d counted, %d unfinished, %d beyond the table, %d with the hash of another outcome",
			r.Test.Name.Text, h.Instances, total, h.Unfinished, full, collisions)
	}
	return nil
}
