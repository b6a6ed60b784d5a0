// Package few verifies one block of a few threads as a whole. The final contents of memory are then
// known, so that functional properties can be proved and two kernels compared.
//
//	Verify  looks for races, barriers that threads miss, and violated conditions of contracts
//	Equal   asks whether two kernels leave the same contents in memory
//
// It uses the method of Li, Gopalakrishnan, Kirby and Quinlan, "A Symbolic Verifier for CUDA
// Programs", PPoPP 2010: each thread is executed symbolically, and a read returns the latest write.
// Engine Schedules encodes all interleavings: each access has a time stamp within its barrier
// interval (their Sec. 2.1). Engine Intervals first proves that no two accesses in a barrier
// interval conflict. Then all orders give the same result, and one thread after the other is one of
// them (Sec. 2.2, 2.3, and Theorem 2.1).
package few

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/verify"
)

// Engine tells which interleavings are encoded.
type Engine uint8

// The engines.
const (
	Intervals Engine = iota // one schedule, after proving that one suffices
	Schedules               // all schedules
)

// Config is the configuration of Verify.
type Config struct {
	Block    verify.Dim // shape of the block
	Engine   Engine
	Contract *spec.Contract    // nil for none
	Values   map[string]uint64 // values of parameters, by name
	Budget   int               // conflicts of the solver for a question; 0 is DefaultBudget
	Alarms   int               // maximal number of alarms; 0 is verify.DefaultAlarms
}

// DefaultBudget is the default of Config.Budget.
const DefaultBudget = 50_000

// MaxThreads bounds the threads of a block.
const MaxThreads = 64

// maxSteps bounds the instructions of a thread, and maxRounds the iterations of a loop whose number
// is not constant.
const (
	maxSteps  = 100_000
	maxRounds = 12
)

// Verify looks for data races, barrier divergence and violated conditions in launches of one block.
// An error means that the configuration is invalid.
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

// block is the threads of a kernel, and the state of its verification.
type block struct {
	*prove.Prover
	name    string // differs from that of the kernel it is compared with
	ctx     context.Context
	config  Config
	result  *verify.Result
	trace   *trace.Trace
	threads []*thread
	memory  *memory
	assumed []*term.Term
	// The values of reads that are the same in all schedules.
	settled  map[*term.Term]*term.Term
	resolved *term.Renaming
}

// newBlock executes a kernel symbolically. Its unknowns have names that begin with the name of the
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

// try runs do, and records a refusal as a reason for no verdict.
func (b *block) try(do func()) {
	defer func() {
		if r := recover(); r != nil {
			refusal, ok := r.(*trace.Refusal)
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

// refuse ends what try runs.
func (b *block) refuse(in *kernel.Instr, help, format string, args ...any) {
	panic(&trace.Refusal{Instr: in, Help: help, Why: fmt.Sprintf(format, args...)})
}

// open records a reason for no verdict, except when the time is over: see verify.Result.Ended.
func (b *block) open(in *kernel.Instr, help, format string, args ...any) {
	if b.ctx.Err() != nil {
		return
	}
	b.result.Open = append(b.result.Open, verify.Reason{Instr: in, Why: fmt.Sprintf(format, args...), Help: help})
}

// execute executes one thread symbolically and instantiates the others from its trace.
func (b *block) execute() {
	limit := [3]int(b.config.Block)
	tr, err := exec.Run(b.Builder, b.result.Module, b.result.Kernel, exec.Config{
		Launch:   exec.Launch{Grid: [3]int{1, 1, 1}, Block: limit, GridLimit: [3]int{1, 1, 1}, BlockLimit: limit},
		Limits:   exec.Limits{Rounds: maxRounds, Steps: maxSteps},
		Params:   exec.Params{Values: b.config.Values},
		Contents: func(string) exec.Contents { return exec.Changing },
		Stop:     func() bool { return b.ctx.Err() != nil },
	})
	var refusal *trace.Refusal
	switch {
	case errors.As(err, &refusal):
		panic(refusal)
	case err != nil:
		b.refuse(nil, "", "%v", err)
	case len(tr.Loose) > 0:
		b.refuse(tr.Loose[0], "parameters that are numbers (--param)", "how often a loop is executed is not known")
	case tr.Reduced != nil:
		b.refuse(tr.Reduced, "", "what a barrier tells all threads is not modelled for a few threads")
	case len(tr.Arrivals) > 0:
		b.refuse(tr.Arrivals[0].Instr, "", "barriers of some threads of a block are not modelled for a few threads")
	case len(tr.Astray) > 0:
		panic(tr.Astray[0])
	case tr.Partly != nil:
		b.refuse(tr.Partly, "",
			"barriers that do not order all memory, and asynchronous copies, are not modelled for a few threads")
	case len(tr.Others)+len(tr.Earlier) > 0:
		b.refuse(nil, "",
			"annotations about other threads, or about earlier accesses, are not modelled for a few threads")
	}
	b.lanes(tr)
	b.readOnly(tr)
	b.trace = tr
	b.memory = &memory{block: b}
	b.spawn()
	b.result.Assumptions = append(b.result.Assumptions, slices.Sorted(maps.Keys(tr.Notes))...)
	b.result.Stats.Accesses, b.result.Stats.Barriers = len(tr.Accesses), len(tr.Barriers)
}

// lanes refuses exchanges between the lanes of a warp.
func (b *block) lanes(tr *trace.Trace) {
	const why = "what lanes of a warp do together is not modelled for a few threads"
	for _, c := range tr.Convergences {
		b.refuse(c.Instr, "", why)
	}
	for _, barrier := range tr.Barriers {
		if barrier.Scope == trace.Warp {
			b.refuse(barrier.Instr, "", why)
		}
	}
}

// readOnly refuses read-only loads of memory that the kernel writes.
func (b *block) readOnly(tr *trace.Trace) {
	for _, load := range tr.Accesses {
		if load.ReadOnly &&
			slices.ContainsFunc(tr.Accesses, func(a *trace.Access) bool {
				return a.Region == load.Region && a.Kind != trace.Load
			}) {
			b.refuse(load.Instr, "ld.global without .nc",
				"the kernel writes to the array that this takes to be read-only")
		}
	}
}

// all verifies everything.
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

// describe records the assumptions of the verdict, and what it does not cover.
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

// ask asks whether conditions are satisfiable together with the assumptions. A model becomes an
// alarm.
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
