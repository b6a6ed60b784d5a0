// Package few verifies one block of a few threads as a whole: what memory holds in the end is
// known, so that functional properties can be proved, and two kernels compared.
//
//	Verify  looks for races, barriers that threads miss, and conditions of contracts that do not hold
//	Equal   asks whether two kernels leave the same in memory
//
// It is the method of Li, Gopalakrishnan, Kirby and Quinlan, "A Symbolic Verifier for CUDA
// Programs", PPoPP 2010: each thread is executed symbolically, and what it reads is what was
// written last. There are two ways to say what that is. Schedules says it of all interleavings:
// each access has a time stamp within its barrier interval (their Sec. 2.1). Intervals first proves
// that no two accesses in a barrier interval conflict; then any order gives the same, and one
// thread after the other is one (Sec. 2.2, 2.3, and Theorem 2.1).
package few

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/verify"
)

// Engine says how interleavings are looked at.
type Engine uint8

// The engines.
const (
	Intervals Engine = iota // one schedule, where it is proved that one suffices
	Schedules               // all of them
)

// Config is what Verify is asked under.
type Config struct {
	Block    verify.Dim // how many threads
	Engine   Engine
	Contract *spec.Contract    // nil for none
	Values   map[string]uint64 // of parameters, by name
	Budget   int               // conflicts of the solver for a question; 0 is DefaultBudget
	Alarms   int               // how many alarms are looked for; 0 is verify.DefaultAlarms
}

// DefaultBudget is what a Config that leaves it out gets.
const DefaultBudget = 50_000

// MaxThreads is how many threads are few.
const MaxThreads = 64

// maxSteps bounds the instructions of a thread, and maxRounds those rounds of a loop that need not
// come.
const (
	maxSteps  = 100_000
	maxRounds = 12
)

// Verify looks for data races, barrier divergence and conditions that do not hold, in launches of
// one block. An error means that the question makes no sense.
func Verify(ctx context.Context, module *kernel.Module, f *kernel.Function, c Config) (*verify.Result, error) {
	b, err := newBlock(ctx, prove.New(), c, f.Name, module, f)
	if err != nil {
		return nil, err
	}
	b.try(b.all)
	return b.concluded(), nil
}

// concluded returns the result with its verdict.
func (b *block) concluded() *verify.Result {
	r := b.result
	switch {
	case len(r.Alarms) > 0:
		r.Verdict = verify.Alarmed
	case len(r.Open) > 0 || b.ctx.Err() != nil:
		r.Verdict = verify.Undecided
	default:
		r.Verdict = verify.Verified
	}
	r.Stats.Conflicts, r.Stats.Terms = b.Conflicts(), b.Len()
	r.Ended(b.ctx)
	return r
}

// block is the threads of a kernel, and what is known of them.
type block struct {
	*prove.Prover
	name    string // another than that of the kernel which it is compared with
	ctx     context.Context
	config  Config
	result  *verify.Result
	trace   *symbolic.Trace
	threads []*thread
	memory  *memory
	assumed []*term.Term
	// What schedules has found that reads get in any of them.
	settled  map[*term.Term]*term.Term
	resolved *term.Renaming
}

// newBlock executes a kernel. What nothing is known of has a name that begins with that of the
// block.
func newBlock(ctx context.Context, p *prove.Prover, c Config, name string, module *kernel.Module,
	f *kernel.Function,
) (*block, error) {
	for i, n := range c.Block {
		if n == 0 {
			c.Block[i] = 1
		}
		if n < 0 {
			return nil, errors.New("a number of threads is expected, not any")
		}
	}
	if n := c.Block[0] * c.Block[1] * c.Block[2]; n > MaxThreads {
		return nil, fmt.Errorf("%d threads: at most %d are looked at as a whole", n, MaxThreads)
	}
	one := verify.Dim{1, 1, 1}
	launch, err := (verify.Launch{Grid: one, Block: c.Block}).Resolve(f, false)
	if err != nil {
		return nil, err
	}
	if c.Budget == 0 {
		c.Budget = DefaultBudget
	}
	if c.Alarms == 0 {
		c.Alarms = verify.DefaultAlarms
	}
	p.Until(func() bool { return ctx.Err() != nil })
	b := &block{
		Prover:  p,
		name:    name,
		ctx:     ctx,
		config:  c,
		settled: map[*term.Term]*term.Term{},
		result: &verify.Result{
			Kernel: f, Module: module, Launch: launch,
		},
	}
	b.try(b.execute)
	return b, nil
}

// try does something that may be refused.
func (b *block) try(do func()) {
	defer func() {
		if r := recover(); r != nil {
			refusal, ok := r.(*symbolic.Refusal)
			switch {
			case ok:
				b.open(refusal.Instr, refusal.Help, "%s", refusal.Why)
			case r != term.ErrStopped: //nolint:errorlint // a panic's value
				panic(r)
			}
		}
	}()
	if len(b.result.Open) == 0 && b.ctx.Err() == nil {
		do()
	}
}

// refuse ends what is tried.
func (b *block) refuse(in *kernel.Instr, help, format string, args ...any) {
	panic(&symbolic.Refusal{Instr: in, Help: help, Why: fmt.Sprintf(format, args...)})
}

// open notes why there is no verdict, or nothing if there was only no more time: see
// verify.Result.Ended.
func (b *block) open(in *kernel.Instr, help, format string, args ...any) {
	if b.ctx.Err() != nil {
		return
	}
	b.result.Open = append(b.result.Open, verify.Reason{Instr: in, Why: fmt.Sprintf(format, args...), Help: help})
}

// execute executes one thread symbolically, and makes the others of it.
func (b *block) execute() {
	limit := [3]int(b.config.Block)
	trace, err := symbolic.Run(b.Builder, b.result.Module, b.result.Kernel, symbolic.Config{
		Grid:       [3]int{1, 1, 1},
		Block:      limit,
		GridLimit:  [3]int{1, 1, 1},
		BlockLimit: limit,
		Rounds:     maxRounds,
		Steps:      maxSteps,
		Values:     b.config.Values,
		Contents:   func(string) symbolic.Contents { return symbolic.Changing },
		Stop:       func() bool { return b.ctx.Err() != nil },
	})
	var refusal *symbolic.Refusal
	switch {
	case errors.As(err, &refusal):
		panic(refusal)
	case err != nil:
		b.refuse(nil, "", "%v", err)
	case len(trace.Loose) > 0:
		b.refuse(trace.Loose[0], "parameters that are numbers (--param)", "how often a loop is executed is not known")
	case trace.Reduced != nil:
		b.refuse(trace.Reduced, "", "what a barrier tells all threads is not modelled for a few threads")
	case len(trace.Arrivals) > 0:
		b.refuse(trace.Arrivals[0].Instr, "", "barriers of some threads of a block are not modelled for a few threads")
	case len(trace.Astray) > 0:
		panic(trace.Astray[0])
	case trace.Partly != nil:
		b.refuse(trace.Partly, "",
			"barriers that do not order all memory, and asynchronous copies, are not modelled for a few threads")
	case len(trace.Others)+len(trace.Earlier) > 0:
		b.refuse(nil, "",
			"annotations about other threads, or about earlier accesses, are not modelled for a few threads")
	}
	b.lanes(trace)
	b.readOnly(trace)
	b.trace = trace
	b.memory = &memory{block: b}
	b.spawn()
	b.result.Assumptions = append(b.result.Assumptions, slices.Sorted(maps.Keys(trace.Notes))...)
	b.result.Stats.Accesses, b.result.Stats.Barriers = len(trace.Accesses), len(trace.Barriers)
}

// lanes refuses what lanes of a warp do together.
func (b *block) lanes(trace *symbolic.Trace) {
	const why = "what lanes of a warp do together is not modelled for a few threads"
	for _, c := range trace.Convergences {
		b.refuse(c.Instr, "", why)
	}
	for _, barrier := range trace.Barriers {
		if barrier.Scope == symbolic.Warp {
			b.refuse(barrier.Instr, "", why)
		}
	}
}

// readOnly refuses loads that take what is written to be read-only.
func (b *block) readOnly(trace *symbolic.Trace) {
	for _, load := range trace.Accesses {
		if load.ReadOnly &&
			slices.ContainsFunc(trace.Accesses, func(a *symbolic.Access) bool {
				return a.Region == load.Region && a.Kind != symbolic.Load
			}) {
			b.refuse(load.Instr, "ld.global without .nc",
				"the kernel writes to the array that this takes to be read-only")
		}
	}
}

// all looks at everything.
func (b *block) all() {
	b.require()
	if b.config.Engine == Schedules {
		b.schedules()
	} else {
		b.intervals()
	}
	for _, ask := range []func(){b.divergence, b.checks, b.ensure} {
		if b.ended() {
			return
		}
		ask()
	}
	b.describe()
}

// describe notes what the verdict relies on, and what it is not about.
func (b *block) describe() {
	b.aside()
	pointers := map[string]bool{}
	for _, a := range b.trace.Accesses {
		if a.Region.Variable == nil {
			pointers[a.Region.Name] = true
		}
	}
	if len(pointers) > 0 {
		b.result.Assumptions = append(b.result.Assumptions,
			assume.DistinctArrays.Of(slices.Sorted(maps.Keys(pointers))))
	}
	b.result.Assumptions = append(b.result.Assumptions, assume.InBounds.Of())
	if b.config.Engine == Schedules {
		b.result.Assumptions = append(b.result.Assumptions, assume.Interleaved.Of())
	}
}

func (b *block) ended() bool { return len(b.result.Alarms) >= b.config.Alarms || b.ctx.Err() != nil }

// ask asks whether conditions can hold together, with what is assumed; what does so is an alarm.
func (b *block) ask(what string, conditions []*term.Term, alarm func(*term.Model) *verify.Alarm) {
	for i, c := range conditions {
		if conditions[i] = b.resolve(c); conditions[i].False() {
			b.result.Stats.Simple++
			return
		}
	}
	b.result.Stats.Questions++
	switch answer := b.Check(b.config.Budget, append(conditions, b.assumed...)...); answer.Result {
	case sat.Sat:
		b.result.Alarms = append(b.result.Alarms, alarm(answer.Model))
	case sat.Unknown:
		b.open(nil, "fewer threads, or a larger --budget", "whether this can be a %s is not decided after %d conflicts",
			what, b.config.Budget)
	}
}
