// Package launch executes compiled kernels: concrete threads, one instruction at a time, in an
// order that the caller chooses. It is slow and simple, and an oracle for the verifier.
//
//	Program   a module, ready to run
//	Launch    what to run: kernel, grid, block, arguments, schedule
//	Buffer    memory that an argument points to
//	Schedule  which thread runs next
//	Report    what happened: accesses, races, divergent barriers, failed assertions
//
// Each access takes effect at once, so executions are sequentially consistent. Whether two accesses
// race does not depend on that: they race if no barrier orders them (race.go), whatever they read.
// What a thread does between two barriers depends on the order of the threads only if there is a
// race, or an atomic whose result matters (Betts et al., "The Design and Implementation of a
// Verification Technique for GPU Kernels", 2015). For those, several schedules show more than one.
package launch

import (
	"context"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// Dim is an extent in three dimensions. A zero counts as 1.
type Dim struct{ X, Y, Z int }

func (d Dim) full() Dim { return Dim{max(1, d.X), max(1, d.Y), max(1, d.Z)} }

// Count returns the number of threads or blocks.
func (d Dim) Count() int {
	d = d.full()
	return d.X * d.Y * d.Z
}

// At returns the coordinates of the i-th thread or block: x varies fastest.
func (d Dim) At(i int) Dim {
	d = d.full()
	return Dim{i % d.X, i / d.X % d.Y, i / d.X / d.Y}
}

// Index returns the number of the thread or block at given coordinates.
func (d Dim) Index(at Dim) int {
	d = d.full()
	return (at.Z*d.Y+at.Y)*d.X + at.X
}

func (d Dim) String() string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

// Buffer is memory that arguments point to.
type Buffer struct {
	Name  string
	Bytes []byte // initial contents; Run does not change them
	Size  int64  // in bytes; zeros follow Bytes
}

// Arg is an argument: bytes, or a pointer.
type Arg struct {
	Value uint64
	Bytes []byte // contents of a structure; Value is then ignored
	// Pointers are the buffers that parts of the structure point to, by offset.
	Pointers map[int]*Buffer
	Buffer   *Buffer // buffer that it points to
	Shared   int     // bytes of shared memory that it points to
}

// Launch is a launch of a kernel.
type Launch struct {
	Kernel      string
	Grid, Block Dim
	Args        []Arg
	Dynamic     int      // bytes of dynamic shared memory
	Schedule    Schedule // nil: one thread after the other
	Lockstep    int      // number of consecutive threads that run in lockstep; 0: independent threads
	MaxSteps    int      // bound on the instructions of all threads together; 0: a million
	Blocks      []int    // the blocks that run; nil: all
	// Unbounded lets arrays extend beyond their ends, with zeros.
	Unbounded bool
	// Contents, if not nil, returns initial bytes of an object, by offset.
	Contents func(*Object) map[int64]byte
	// BarriersOnly makes all accesses race that no barrier orders, except two atomics.
	BarriersOnly bool
	// SameValue makes two stores of the same value to the same bytes no race.
	SameValue bool
	// Unannotated ignores the calls that annotate the kernel, such as __requires and __assert.
	Unannotated bool
	// Returns, if not nil, returns the result of a function without body and known meaning, for the
	// n-th call by a thread, from 0 on.
	Returns func(thread int, call *kernel.Instr, n int) uint64
	// Watch, if not nil, is called with each access. Returning true ends the launch.
	Watch func(*Access) (enough bool)
	// Rounds, if not nil, is called when a thread reaches the head of a loop. Returning true ends
	// the launch.
	Rounds func(*Round) (enough bool)
}

// Round is an iteration of a loop by a thread, which is at the head of the loop.
type Round struct {
	Thread, Block Dim
	Loop          *kernel.Instr // its first instruction
	Passed        int           // number of completed iterations
	call          *frame
	private       objects
}

// Register returns the value of a register of the loop's function.
func (r *Round) Register(v *kernel.Register) uint64 { return uint64(r.call.regs[v.Index]) }

// Local returns up to 8 bytes of a local variable of a function in execution. It returns false if
// no such function has the variable.
func (r *Round) Local(v *kernel.Variable, offset int64, size int) (value uint64, ok bool) {
	for _, o := range slices.Backward(r.private) {
		if o.Variable == v {
			return o.load(offset, size), true
		}
	}
	return 0, false
}

// defaultSteps is the default of MaxSteps.
const defaultSteps = 1_000_000

// Program is a module, ready to run. Goroutines may share it.
type Program struct {
	module *kernel.Module
	codes  map[*kernel.Function]*code
	names  map[string]*kernel.Function
}

// New prepares a module.
func New(m *kernel.Module) *Program {
	p := &Program{m, map[*kernel.Function]*code{}, map[string]*kernel.Function{}}
	for _, f := range m.Funcs {
		p.names[f.Name] = f
		if !f.Declared {
			p.codes[f] = newCode(f)
		}
	}
	return p
}

// Kernel returns the entry of that name. An empty name stands for the only entry.
func (p *Program) Kernel(name string) (*kernel.Function, error) {
	var found []*kernel.Function
	for _, f := range p.module.Funcs {
		if f.Entry && !f.Declared && (name == "" || f.Name == name) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%s has %d kernels: say which", p.module.Name, len(found))
	case name == "":
		return nil, fmt.Errorf("%s has no kernel", p.module.Name)
	}
	return nil, fmt.Errorf("%s has no kernel %s", p.module.Name, name)
}

// Run executes a launch to its end. An error in the kernel, such as an access out of bounds or an
// unmodelled instruction, is a *src.Diagnostic at its line; the report then covers the execution up
// to there.
func (p *Program) Run(ctx context.Context, l Launch) (*Report, error) {
	f, err := p.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if len(l.Args) != len(f.Params) {
		return nil, src.Errorf(f.At, "%s takes %d arguments, not %d", f.Name, len(f.Params), len(l.Args))
	}
	if l.Schedule == nil {
		l.Schedule = InOrder()
	}
	if l.MaxSteps == 0 {
		l.MaxSteps = defaultSteps
	}
	m, err := newMachine(p, f, l)
	if err != nil {
		return nil, err
	}
	if l.Lockstep > 0 {
		err = m.lockstep(ctx)
	} else {
		err = m.run(ctx)
	}
	m.report.Races = m.report.races()
	return m.report, err
}
