package verify

import (
	"encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Guesses about loops are tested on a few small launches before any proof: that refutes most wrong
// guesses.

// sample is a thread at the head of a loop, in a launch that was run.
type sample struct {
	thread, block, threads, blocks launch.Dim
	passed                         int
	now, first                     map[trace.Slot]uint64
}

// Bounds on the launches.
const (
	sampleSteps = 40_000 // instructions of a launch
	maxSamples  = 160    // of a loop and a launch
	sampleBytes = 1 << 12
)

// sampled are the values of scalar parameters, one launch for each.
var sampled = []uint64{6, 33, 1}

// sampler runs a kernel and observes the states at the heads of loops.
type sampler struct {
	p     *problem
	trace *trace.Trace
}

// samples runs the kernel in small launches, and returns the observed states at the heads of loops.
func (s sampler) samples(loops map[*kernel.Instr]*loopCode) map[*kernel.Instr][]sample {
	all := map[*kernel.Instr][]sample{}
	program := launch.New(s.p.module)
	for i, scalar := range sampled {
		if s.p.ended() {
			break
		}
		l := s.small(scalar, i)
		seen, first := map[*kernel.Instr]int{}, map[visitor]map[trace.Slot]uint64{}
		l.Rounds = func(r *launch.Round) bool {
			code := loops[r.Loop]
			if code == nil {
				return false
			}
			who := visitor{r.Loop, r.Thread, r.Block}
			now := map[trace.Slot]uint64{}
			for _, at := range slices.Concat(code.carried, code.compared) {
				if value, ok := inSlot(r, at); ok {
					now[at] = value
				}
			}
			if r.Passed == 0 {
				first[who] = now
			}
			if seen[r.Loop]++; first[who] != nil && seen[r.Loop] <= maxSamples {
				all[r.Loop] = append(all[r.Loop], sample{r.Thread, r.Block, l.Block, l.Grid, r.Passed, now, first[who]})
			}
			return false
		}
		// An error, such as a timeout, comes after the observed states.
		_, _ = program.Run(s.p.ctx, l)
	}
	return all
}

// inSlot returns the value of a slot, and false if it is a cell of a function that is not executed.
func inSlot(r *launch.Round, at trace.Slot) (value uint64, ok bool) {
	if at.Register != nil {
		return r.Register(at.Register), true
	}
	return r.Local(at.Variable, at.Offset, at.Size)
}

// visitor is a thread that reaches a loop.
type visitor struct {
	loop          *kernel.Instr
	thread, block launch.Dim
}

// small returns a small launch whose numbers are scalar.
func (s sampler) small(scalar uint64, seed int) launch.Launch {
	size := func(d Dim, open [3]int) launch.Dim {
		for i, n := range d {
			if n == Any {
				d[i] = open[i]
			}
		}
		return launch.Dim{X: d[0], Y: d[1], Z: d[2]}
	}
	l := launch.Launch{
		Kernel: s.p.kernel.Name, Grid: size(s.p.config.Launch.Grid, [3]int{3, 2, 1}), Block: size(s.p.config.Launch.Block, [3]int{8, 4, 2}),
		Dynamic: sampleBytes, MaxSteps: sampleSteps, Unbounded: true, Blocks: []int{0},
		Schedule: &turns{},
	}
	if n := l.Grid.Count(); n > 1 {
		l.Blocks = append(l.Blocks, n-1)
	}
	pointers := map[string]*trace.Region{}
	for _, a := range s.trace.Accesses {
		pointers[a.Region.Name] = a.Region
	}
	for _, v := range s.p.kernel.Params {
		value, given := s.p.config.Values[v.Name]
		if !given {
			value = scalar
		}
		switch r := pointers[v.Name]; {
		case r != nil && r.Space == isa.Shared:
			l.Args = append(l.Args, launch.Arg{Shared: sampleBytes})
		case r != nil:
			l.Args = append(l.Args, launch.Arg{Buffer: &launch.Buffer{Name: v.Name, Bytes: pattern(seed)}})
		case v.Size() > 8:
			l.Args = append(l.Args, launch.Arg{Bytes: make([]byte, v.Size())})
		default:
			l.Args = append(l.Args, launch.Arg{Value: value & term.Mask(8*v.Size())})
		}
	}
	return l
}

// pattern returns what arrays hold: small numbers.
func pattern(seed int) (b []byte) {
	for i := range sampleBytes / 4 {
		b = binary.LittleEndian.AppendUint32(b, uint32((i*(2*seed+1)+seed)%7))
	}
	return b
}

// turns lets threads run in turn, so that a thread that does not end does not block others.
type turns struct{ n int }

// Next returns the thread that runs next, and its number of steps.
func (s *turns) Next(ready []int) (thread, steps int) {
	s.n++
	return ready[s.n%len(ready)], 256
}
