// Package verify proves or refutes that a kernel is free of data races, that the threads of a block
// reach the same barriers, and that its assertions hold: for any two threads and all inputs.
//
//	Verify  asks about a kernel of a module (package kernel), or a function on its own
//	Apart   names the functions of a module about which its kernels say too little
//	Config  the launch, and what is taken for granted
//	Result  the verdict: verified, an alarm, or undecided and why
//	Alarm   two threads at two accesses that race, with the values that lead there
//
// Two threads suffice, whatever others do: a thread is executed symbolically on its own
// (internal/kernels/exec), and whatever it reads from memory that threads write may be anything
// (Betts et al., "GPUVerify: a verifier for GPU kernels", OOPSLA 2012). The other thread is the
// first with its own variables. Each pair of accesses is a question (internal/kernels/ask): can two
// threads reach them with nothing in between that orders them, and do they touch a byte in
// common? Rules say what orders them (internal/kernels/rules). What is executed, and what is made
// of the answers, is decided by strategies (strategies.go). docs/design/kernels.md shows the whole
// on a page.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
)

// Config is the configuration of Verify.
type Config struct {
	Launch Launch // sizes that are 0 are those the kernel requires, else any

	// BarriersOnly makes all accesses that no barrier orders race, except two atomic ones.
	// Otherwise accesses that are morally strong in PTX do not race: both strong, each in the scope
	// of the other, and of the same bytes.
	BarriersOnly bool
	// SameValue tolerates two stores of the same value to the same place. To PTX they are a race.
	SameValue bool
	// PureExterns assumes that functions without a body access no memory that threads share, and
	// wait for no thread.
	PureExterns bool
	// Indices says whether indices of 32 bits wrap around, as in PTX.
	Indices Indices
	// LargeBlocks permits blocks of more threads than a GPU runs, as in OpenCL programs for other
	// devices.
	LargeBlocks bool
	// Adversarial assumes that each read may return anything.
	Adversarial bool
	// Bounds reports accesses outside of a variable of the module as alarms.
	Bounds bool
	// Annotations selects the annotating calls that count.
	Annotations Annotations
	// Contract is the preconditions and postconditions of the kernel, or nil.
	Contract *spec.Contract
	// Values are the known values of parameters of the kernel, by name.
	Values map[string]uint64
	// Least are lower bounds of parameters of the kernel, as signed numbers, by name.
	Least map[string]int64
	// Lockstep is the number of consecutive threads that execute in lockstep, a power of two, as on
	// GPUs before compute capability 7.0; 0 is independent thread scheduling.
	Lockstep int
	// Report selects notes beside the verdict.
	Report Report
	// Only leaves out some questions.
	Only Only
	// Budget bounds the conflicts of the solver for a question; 0 is DefaultBudget.
	Budget int
	// Alarms bounds the alarms that are searched; 0 is DefaultAlarms.
	Alarms int
	// Dump, if it is not nil, is given each question that is not answered by simplification alone,
	// with its name, as SMT-LIB; its status is the answer.
	Dump func(question string, write func(io.Writer) error) error
	// Without lists families of guesses about loops to leave out; or KInduction.
	Without []string
	// Solver answers questions that exceeded the budget. It may be nil.
	Solver Solver
}

// Only selects questions.
type Only uint8

// What Config.Only may be.
const (
	Everything     Only = iota
	OnlyDivergence      // no races, no assertions
	OnlyBlock           // nothing about threads of different blocks
)

// Indices is the assumption about numbers of 32 bits that are widened to 64, as indices are.
type Indices uint8

// What Config.Indices may be.
const (
	WrapAround Indices = iota // nothing; a result says so if it is only by overflows that it is not verified
	NoOverflow                // they are as if computed in 64 bits
)

// Annotations selects the calls that annotate a kernel and count.
type Annotations uint8

// What Config.Annotations may be.
const (
	AllAnnotations = Annotations(exec.AllAnnotations)
	Candidates     = Annotations(exec.Candidates)   // invariants are guesses
	OnlyRequires   = Annotations(exec.OnlyRequires) // preconditions only
	NoAnnotations  = Annotations(exec.NoAnnotations)
)

// Solver is a solver of SMT-LIB beside the one that is built in.
type Solver interface {
	// Unsat reports whether a question has no model. It returns an error if it cannot tell.
	Unsat(ctx context.Context, question func(io.Writer) error) (bool, error)
}

// What a Config that leaves them out gets.
const (
	DefaultBudget = 20_000
	DefaultAlarms = 4
)

// KInduction is the name under which Config.Without has claims about loops be proved from the last
// round alone.
const KInduction = "k-induction"

// ErrNoBody is the error of Verify for a function that is only declared.
var ErrNoBody = errors.New("it has no body here")

// Verify looks for data races, barrier divergence and assertions that do not hold. An error means
// that the question makes no sense. What cannot be decided, or not before the context is done, is
// no error.
func Verify(ctx context.Context, module *kernel.Module, f *kernel.Function, c Config) (*Result, error) {
	if f.Declared {
		return nil, fmt.Errorf("%s: %w", f.Name, ErrNoBody)
	}
	module, f = module.With(f)
	launch, err := c.Launch.Resolve(f, c.LargeBlocks)
	if err != nil {
		return nil, err
	}
	if c.Budget == 0 {
		c.Budget = DefaultBudget
	}
	if c.Alarms == 0 {
		c.Alarms = DefaultAlarms
	}
	c.Launch = launch
	p := &problem{ctx: ctx, config: c, kernel: f, module: module}
	r := p.verify().result
	r.Ended(ctx)
	return r, nil
}
