// Package launch runs kernels as compilers write them: concrete threads, one instruction at a time,
// in an order of one's choice. It is slow and obvious, and the oracle of what is proved of kernels.
//
//	Program   a module, ready to run
//	Launch    what runs: kernel, grid, block, arguments, schedule
//	Buffer    memory that an argument points to
//	Schedule  which thread goes on next
//	Report    what happened: accesses, races, barriers that diverged, assertions that failed
//
// Each access takes effect at once, so what happens is sequentially consistent. Whether two
// accesses race does not depend on that: they race if no barrier orders them (races.go), whatever
// they read. What a thread does between two barriers depends on the order of the threads only if
// there is a race, or an atomic whose result matters (Betts et al., "The Design and Implementation
// of a Verification Technique for GPU Kernels", 2015); for those, several schedules say more than
// one.
package launch

import (
	"context"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// Dim is an extent in three dimensions. What is 0 counts as 1.
type Dim struct{ X, Y, Z int }

func (d Dim) full() Dim { return Dim{max(1, d.X), max(1, d.Y), max(1, d.Z)} }

// Count returns how many threads or blocks there are.
func (d Dim) Count() int {
	d = d.full()
	return d.X * d.Y * d.Z
}

// At returns the place of the i-th thread or block: x runs fastest.
func (d Dim) At(i int) Dim {
	d = d.full()
	return Dim{i % d.X, i / d.X % d.Y, i / d.X / d.Y}
}

// Index returns the number of the thread or block at a place.
func (d Dim) Index(at Dim) int {
	d = d.full()
	return (at.Z*d.Y+at.Y)*d.X + at.X
}

func (d Dim) String() string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

// Buffer is memory that arguments point to.
type Buffer struct {
	Name  string
	Bytes []byte // what it holds before the launch; Run does not change them
	Size  int64  // in bytes; Bytes are followed by zeros
}

// Arg is an argument: bytes, or a pointer.
type Arg struct {
	Value uint64
	Bytes []byte // of a structure; Value is not looked at
	// Pointers are buffers to which parts of the structure point, by their offsets.
	Pointers map[int]*Buffer
	Buffer   *Buffer // a pointer to it
	Shared   int     // a pointer to so many bytes of shared memory
}

// Launch is what runs.
type Launch struct {
	Kernel      string
	Grid, Block Dim
	Args        []Arg
	Dynamic     int      // bytes of dynamic shared memory
	Schedule    Schedule // nil: one thread after the other
	Lockstep    int      // so many threads that follow each other run in lockstep; 0: none do
	MaxSteps    int      // instructions, of all threads; 0: a million
	Blocks      []int    // those that run; nil: all
	// Unbounded has memory go on beyond the ends of arrays, where it holds zeros at first.
	Unbounded bool
	// Contents, if it is not nil, are bytes that memory holds at first, by their places.
	Contents func(*Object) map[int64]byte
	// BarriersOnly has all accesses race that no barrier orders, but two atomics.
	BarriersOnly bool
	// SameValue has two stores of one value to one place be no race.
	SameValue bool
	// Unannotated has calls that annotate the kernel, such as __requires and __assert, say nothing.
	Unannotated bool
	// Returns, if it is not nil, is what functions return that have no body and no known meaning:
	// to a thread, for the n-th time that it comes to a call, from 0 on.
	Returns func(thread int, call *kernel.Instr, n int) uint64
	// Watch, if it is not nil, is told of each access, and ends the launch by reporting that it has
	// seen enough.
	Watch func(*Access) (enough bool)
	// Rounds, if it is not nil, is told of each thread that comes to the head of a loop, and ends
	// the launch by reporting that it has seen enough.
	Rounds func(*Round) (enough bool)
}

// Round is a thread at the head of a loop.
type Round struct {
	Thread, Block Dim
	Loop          *kernel.Instr // the first instruction
	Passed        int           // how many rounds have passed since the loop began
	call          *frame
	private       objects
}

// Register returns what a register of the loop's function holds.
func (r *Round) Register(v *kernel.Register) uint64 { return uint64(r.call.regs[v.Index]) }

// Local returns what a local variable of a function that is being executed holds at an offset, in
// at most 8 bytes; false if it is of no such function.
func (r *Round) Local(v *kernel.Variable, offset int64, size int) (value uint64, ok bool) {
	for _, o := range slices.Backward(r.private) {
		if o.Variable == v {
			return o.load(offset, size), true
		}
	}
	return 0, false
}

// defaultSteps is how many instructions a launch runs if it does not say.
const defaultSteps = 1_000_000

// Program is a module, ready to run. It may be run by several goroutines.
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

// Kernel returns the entry of that name. Without a name, it is the only one.
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

// Run runs a launch to its end. What goes wrong in the kernel, such as an access out of bounds or
// an instruction that is not modelled, is a *src.Diagnostic at its line; the report then is about
// what came before.
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
