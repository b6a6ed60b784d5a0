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
// (internal/kernels/symbolic), and whatever it reads from memory that threads write may be anything
// (Betts et al., "GPUVerify: a verifier for GPU kernels", OOPSLA 2012). The second thread is the
// first with its own variables. Each pair of accesses is a question: can two threads come to them
// without a barrier in between, and do they touch a byte in common? Most questions are answered
// when their terms are built; internal/solver/prove answers the others.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/contract"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
)

// Config is what Verify is asked under.
type Config struct {
	Launch Launch // sizes that are 0 are those the kernel requires, else any

	// BarriersOnly has all accesses but two atomic ones race that no barrier orders. Else those that PTX
	// calls morally strong do not: both strong, each in the scope of the other, of the same bytes.
	BarriersOnly bool
	// SameValue tolerates two stores of the same value to the same place. To PTX they are a race.
	SameValue bool
	// PureExterns takes functions without a body to touch no memory that threads share, and to wait for
	// nobody.
	PureExterns bool
	// Indices says whether indices of 32 bits wrap around, as PTX has it.
	Indices Indices
	// LargeBlocks takes blocks of more threads than a GPU runs, as OpenCL programs for other devices
	// have them.
	LargeBlocks bool
	// Adversarial takes whatever a thread reads to be anything.
	Adversarial bool
	// Bounds has accesses that leave a variable of the module be alarms.
	Bounds bool
	// Annotations says which of the calls that annotate kernels count.
	Annotations Annotations
	// Contract is what is promised and asked of the kernel; nil for nothing.
	Contract *spec.Contract
	// Values gives parameters of the kernel values, by name.
	Values map[string]uint64
	// Least has parameters of the kernel be no less than a number, as signed ones, by name.
	Least map[string]int64
	// Lockstep has so many threads that follow each other, a power of two, execute each instruction together, as GPUs
	// before compute capability 7.0 did; 0 is for threads that go their own ways.
	Lockstep int
	// Report says what is noted beside the verdict.
	Report Report
	// Only leaves out some questions.
	Only Only
	// Budget is how many conflicts the solver may meet for a question; 0 is DefaultBudget.
	Budget int
	// Alarms is how many alarms are looked for; 0 is DefaultAlarms.
	Alarms int
	// Dump, if it is not nil, is given each question that is not answered by simplification alone,
	// with its name, as SMT-LIB; its status is the answer.
	Dump func(question string, write func(io.Writer) error) error
	// Without names families of guesses about loops that are not made; or KInduction.
	Without []string
	// Solver, if it is not nil, answers what the budget did not suffice for.
	Solver Solver
}

// Only says what is asked about.
type Only uint8

// What Config.Only may be.
const (
	Everything     Only = iota
	OnlyDivergence      // no races, no assertions
	OnlyBlock           // nothing about threads of different blocks
)

// Indices says what is taken for granted of numbers of 32 bits that are widened to 64, as indices are.
type Indices uint8

// What Config.Indices may be.
const (
	WrapAround Indices = iota // nothing; a result says so if it is only by overflows that it is not verified
	NoOverflow                // they are as if computed in 64 bits
)

// Annotations says which calls that annotate a kernel count.
type Annotations uint8

// What Config.Annotations may be.
const (
	AllAnnotations = Annotations(symbolic.AllAnnotations)
	Candidates     = Annotations(symbolic.Candidates)   // invariants are guesses
	OnlyRequires   = Annotations(symbolic.OnlyRequires) // preconditions only
	NoAnnotations  = Annotations(symbolic.NoAnnotations)
)

// Solver is a solver of SMT-LIB beside the one that is built in.
type Solver interface {
	// Unsat reports that a question has no model, or that it has one; it is an error if it cannot tell.
	Unsat(ctx context.Context, question func(io.Writer) error) (bool, error)
}

// What a Config that leaves them out gets.
const (
	DefaultBudget = 20_000
	DefaultAlarms = 4
)

// The bounds of an execution.
const (
	maxRounds   = 12      // of a loop whose end is not known
	fewRounds   = 2       // of one, where more are too many to execute
	someRounds  = 4       // of any, where alarms are looked for in the first
	maxSteps    = 400_000 // instructions
	maxUnrolled = 25_000  // those of loops that are unrolled
	pastRounds  = 2       // of a loop that is cut, that claims are proved from beside the last
)

// KInduction is the name under which Config.Without has claims about loops be proved from the last round alone.
const KInduction = "k-induction"

// ErrNoBody is what Verify returns for a function that is only declared.
var ErrNoBody = errors.New("it has no body here")

// Verify looks for data races, barrier divergence and assertions that do not hold. An error means that
// the question makes no sense; what cannot be decided, or not before the context is done, is none.
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
	v := newVerifier(ctx, c, &Result{Kernel: f, Module: module, Launch: launch, Config: c})
	for _, stage := range []func(){v.run, v.count, func() { v.blame(ctx, c) }, func() { v.promises(ctx, c) }} {
		v.until(stage)
	}
	v.result.Ended(ctx)
	return v.result, nil
}

// until does something, or as much of it as there is time for. What was found by then is the verdict.
func (v *verifier) until(do func()) {
	defer func() {
		switch r := recover(); {
		case r == nil:
		case r != term.ErrStopped: //nolint:errorlint // a panic's value
			panic(r)
		case len(v.result.Alarms) > 0:
			v.result.Verdict = Alarmed
		default:
			v.result.Verdict = Undecided
		}
	}()
	do()
}

// count verifies the kernel again where it is not verified and barriers say that they wait for all threads of the block: as PTX has it, which counts threads
// and does not ask to which of several barriers of a number they come. As CUDA has it, all come to one.
func (v *verifier) count() {
	if v.result.Verdict == Verified || !v.counts || v.ended() {
		return
	}
	w := newVerifier(v.ctx, v.config, v.result)
	w.counted = true
	if w.run(); w.result.Verdict == Undecided && v.result.Verdict != Undecided && !v.mixed {
		return
	}
	*v.result, v.counted, v.cut, v.long = *w.result, true, w.cut, w.long
	v.result.Notes = append(v.result.Notes, "barriers that say for how many threads they wait count them: threads may come to several of one number")
}

// The bounds of what is verified again to find out what is missing (Result.Notes).
const (
	againBudget = 2_000 // conflicts of the solver
	maxAgain    = 50    // accesses of the kernel
)

// again verifies the kernel under other assumptions.
func (v *verifier) again(ctx context.Context, c Config, only []*kernel.Instr) *verifier {
	w := newVerifier(ctx, c, v.result)
	w.only, w.counted = only, v.counted
	w.run()
	return w
}

// newVerifier verifies the kernel of a result.
func newVerifier(ctx context.Context, c Config, of *Result) *verifier {
	return &verifier{
		ctx: ctx, config: c, result: &Result{Kernel: of.Kernel, Module: of.Module, Launch: of.Launch, Config: c},
		rounds: maxRounds, cut: map[*kernel.Instr][]*symbolic.Invariant{}, long: map[*kernel.Instr]bool{},
	}
}

// verifier verifies one kernel.
type verifier struct {
	ctx                    context.Context
	config                 Config
	result                 *Result
	rounds                 int                                     // of a loop whose end is not known
	counts, counted, mixed bool                                    // a barrier says that it waits for all threads of the block; such barriers are taken to count; those of one number wait for all, and for some
	sure                   int                                     // of a loop whose rounds are sure to come; 0 for the default
	past                   int                                     // how many rounds before the last claims about loops are proved from
	only                   []*kernel.Instr                         // that are taken not to overflow, if it is not all
	wide                   []*kernel.Instr                         // that may overflow, where an index is widened
	writes                 writes                                  // nil if they are not known
	cut                    map[*kernel.Instr][]*symbolic.Invariant // loops that are cut, with what may be true of them
	long                   map[*kernel.Instr]bool                  // loops that are cut because they have too many rounds
}

// run executes and asks. Loops whose end is not known are cut: if nothing goes wrong then, nothing ever
// does. If something may, in a round that may never come, the loops are left after some rounds instead:
// what goes wrong in these is an alarm. If nothing does, it is guessed what all rounds have in common.
func (v *verifier) run() {
	left, err := v.fitting()
	if err != nil || len(left.trace.Loose) == 0 && len(v.cut) == 0 {
		v.answer(left, err)
		return
	}
	large := len(v.cut) > 0
	q, err := v.executeCut(left.trace)
	if v.answer(q, err); v.result.Verdict != Undecided || v.ended() {
		return
	}
	cut := *v.result
	v.forget()
	if v.goesWrong(left, large) || err == nil && v.goesWrongSoon(q) {
		return
	}
	v.forget()
	if err != nil || v.ended() || !v.guesses(q.trace) && len(q.trace.Inductive) == 0 {
		*v.result = cut
		return
	}
	v.induction()
}

// induction asks everything with what was guessed about loops, and what their author claims: first by induction, and by k-induction if that
// does not suffice.
func (v *verifier) induction() {
	v.answer(v.executeCut(&symbolic.Trace{}))
	if v.result.Verdict != Undecided || slices.Contains(v.config.Without, KInduction) {
		return
	}
	once := *v.result
	v.forget()
	v.past = pastRounds
	if v.answer(v.executeCut(&symbolic.Trace{})); v.result.Verdict == Undecided {
		*v.result = once
	}
}

// goesWrong looks for alarms in the first rounds of all loops: as many as were executed, or fewer if these are too large.
func (v *verifier) goesWrong(left *questions, large bool) bool {
	if !large && (v.alarming(v.begins(left, v.rounds, 0)) || v.result.Stats.Pairs <= searchPairs) {
		return len(v.result.Alarms) > 0
	}
	v.forget()
	return v.alarming(v.begins(left, someRounds, someRounds))
}

// alarming reports that there are alarms, which are the verdict.
func (v *verifier) alarming(q *questions) bool {
	q.search()
	if len(v.result.Alarms) == 0 {
		return false
	}
	v.conclude(q)
	return true
}

// begins executes the first rounds of all loops, knowing from the execution with loops cut when each array is written to, or
// from these rounds if there is no such execution: only alarms are looked for in them. It is what was executed before if that is too large.
func (v *verifier) begins(left *questions, rounds, sure int) *questions {
	before := *v
	if v.writes == nil && !v.config.Adversarial && len(left.trace.Astray) == 0 {
		v.writes = writesOf(left.trace, v.config)
	}
	v.cut, v.rounds, v.sure = map[*kernel.Instr][]*symbolic.Invariant{}, rounds, sure
	q, err := v.execute()
	v.cut, v.rounds, v.sure, v.writes = before.cut, before.rounds, before.sure, before.writes
	if err != nil {
		return left
	}
	return q
}

// forget forgets what was found.
func (v *verifier) forget() {
	r := v.result
	*r = Result{Kernel: r.Kernel, Module: r.Module, Launch: r.Launch, Config: r.Config}
}

// executeCut executes the kernel with loops cut: those that were left in an execution, and others whose end is not known then.
func (v *verifier) executeCut(left *symbolic.Trace) (q *questions, err error) {
	for {
		for _, in := range left.Loose {
			v.cut[in] = nil
			v.long[in] = slices.Contains(left.Long, in)
		}
		v.writes = nil
		if q, err = v.fitting(); err != nil || len(q.trace.Loose) == 0 || v.ctx.Err() != nil {
			return q, err
		}
		left = q.trace
	}
}

// fitting executes the kernel, and does less of it as long as that is too large.
func (v *verifier) fitting() (q *questions, err error) {
	for {
		if q, err = v.execute(); err == nil || !v.smaller(err) {
			return q, err
		}
	}
}

// answer asks everything about what was executed.
func (v *verifier) answer(q *questions, err error) {
	if err != nil {
		v.refused(err)
		return
	}
	q.whole()
	for _, astray := range q.trace.Astray {
		v.refused(astray)
	}
	v.conclude(q)
}

// whole asks everything, for as long as there is time.
func (q *questions) whole() {
	q.until(func() {
		q.settle()
		q.all()
	})
}

// execute executes the kernel: once taking what is read to be anything, and again knowing when each
// array is written to. Where the kernel cannot be executed without knowing that, it is executed as if nobody wrote to
// anything. What is found then is only what is written where, which is checked as whatever is known of it (writes.cover).
func (v *verifier) execute() (*questions, error) {
	var refused error // without knowing; nil if it was not
	unwritten := false
	for {
		p := prove.New()
		p.Until(v.ended)
		threads := threadsOf(v.result.Kernel, v.config.LargeBlocks)
		trace, err := symbolic.Run(p.Builder, v.result.Module, v.result.Kernel, symbolic.Config{
			Grid: v.config.Launch.Grid, Block: v.config.Launch.Block, GridLimit: gridLimit, BlockLimit: v.config.Launch.blocksOf(threads), Threads: max(threads, 0),
			Rounds: v.rounds, Sure: v.sure, Steps: maxSteps, Unrolled: maxUnrolled, Cut: v.invariants, Past: v.past, PureExterns: v.config.PureExterns, Functions: true,
			Values: v.config.Values, Least: v.config.Least, Annotations: symbolic.Annotations(v.config.Annotations), Bounds: v.config.Bounds, Exact: v.exact, Branches: v.config.Report.Divergence, Contents: v.contents(unwritten),
			Hooks: contract.Hooks(v.config.Contract), Counted: v.counted,
			Stop: v.ended,
		})
		switch {
		case err != nil && refused == nil && v.writes == nil && v.reads(err):
			refused, unwritten = err, true
			continue
		case err != nil:
			return nil, err
		case unwritten && len(trace.Astray) > 0:
			return nil, refused
		case unwritten:
			unwritten, v.writes = false, writesOf(trace, v.config)
			continue
		case v.config.Adversarial, len(trace.Astray) > 0:
		case v.writes == nil && (len(trace.Loose) == 0 || v.config.Contract != nil):
			if v.writes = writesOf(trace, v.config); v.writes.help() {
				continue
			}
		case v.writes != nil && !v.writes.cover(trace, v.config):
			v.writes = writes{}
			continue
		}
		v.counts = v.counts || trace.Counts
		q := newQuestions(v, p, trace)
		restless := q.restless()
		if len(restless) == 0 {
			return q, nil
		}
		for _, name := range restless {
			v.writes[name] = symbolic.Met
		}
	}
}

// contents is what is known of arrays; as if nobody wrote to any, if that is taken for granted.
func (v *verifier) contents(unwritten bool) func(name string) symbolic.Contents {
	if unwritten {
		return func(string) symbolic.Contents { return symbolic.Fixed }
	}
	return func(name string) symbolic.Contents { return v.writes[name] }
}

// reads reports that what is refused in an execution may be so because what is read is anything: threads then seem not to
// go round a loop that is cut together.
func (v *verifier) reads(err error) bool {
	var r *symbolic.Refusal
	return !v.config.Adversarial && len(v.cut) > 0 && errors.As(err, &r) && len(r.Loops) == 0 && !v.ended()
}

// smaller reports that an execution that was too large can be tried again as a smaller one: with fewer rounds of
// loops whose end is not known, or with the innermost of the loops cut.
func (v *verifier) smaller(err error) bool {
	var r *symbolic.Refusal
	if !errors.As(err, &r) || len(r.Loops) == 0 || v.ctx.Err() != nil {
		return false
	}
	v.writes = nil
	if v.rounds > fewRounds {
		v.rounds = fewRounds
	} else {
		loop := r.Loops[len(r.Loops)-1]
		v.cut[loop], v.long[loop] = nil, r.Long
	}
	return true
}

// ended reports that the context is done.
func (v *verifier) ended() bool { return v.ctx.Err() != nil }

// invariants are those of a loop, and whether it is to be cut.
func (v *verifier) invariants(loop *kernel.Instr) (all []*symbolic.Invariant, cut bool) {
	all, cut = v.cut[loop]
	return all, cut
}

// refused notes what is not modelled, or how far the thread was executed if it was stopped: see Result.Ended.
func (v *verifier) refused(err error) {
	var r *symbolic.Refusal
	if !errors.As(err, &r) {
		r = &symbolic.Refusal{Why: err.Error()}
	}
	if r.Stopped {
		v.result.Notes = append(v.result.Notes, fmt.Sprintf("when that was, the thread was being executed symbolically: it had come to %s (%s)", v.result.text(r.Instr), v.result.Where(r.Instr)))
		return
	}
	v.result.Open = append(v.result.Open, Reason{r.Instr, r.Why, r.Help})
}

// conclude is the verdict after the questions.
func (v *verifier) conclude(q *questions) {
	r := v.result
	if !v.ended() {
		q.until(q.vacuous)
	}
	q.Stop = nil // what is left to say takes little
	switch {
	case len(r.Alarms) > 0:
		r.Verdict = Alarmed
	case len(r.Open) > 0 || v.ctx.Err() != nil:
		r.Verdict = Undecided
	default:
		r.Verdict = Verified
	}
	r.Stats.Accesses, r.Stats.Barriers = len(q.trace.Accesses), len(q.trace.Barriers)
	r.Stats.Conflicts, r.Stats.Terms = q.Conflicts(), q.Len()
	v.describe(q)
	q.report()
	if q.counting {
		r.Assumptions = append(r.Assumptions, assume.Counters.Of())
	}
}

// describe notes what the verdict relies on.
func (v *verifier) describe(q *questions) {
	r, trace := v.result, q.trace
	pointers := map[string]bool{}
	written := false
	for _, a := range trace.Accesses {
		if a.Region.Variable == nil {
			pointers[a.Region.Name] = true
		}
		written = written || a.Kind != symbolic.Load
	}
	if len(pointers) > 0 {
		names := slices.Sorted(maps.Keys(pointers))
		r.Assumptions = append(r.Assumptions, assume.DistinctArrays.Of(names))
	}
	if len(trace.Accesses) > 0 {
		r.Assumptions = append(r.Assumptions, assume.InBounds.Of())
	}
	if len(trace.Havoc) > 0 {
		r.Assumptions = append(r.Assumptions, assume.LoopsEnd.Of())
	}
	r.Assumptions = append(append(r.Assumptions, q.assumptions()...), q.asked()...)
	r.Assumptions = append(r.Assumptions, v.taken(trace)...)
	if v.config.Lockstep > 0 {
		r.Assumptions = append(r.Assumptions, assume.Lockstep.Of(v.config.Lockstep))
	}
	if r.Launch.large() {
		r.Assumptions = append(r.Assumptions, assume.LargeSize.Of(r.Launch.Block, threadLimit))
	}
	r.Assumptions = append(r.Assumptions, slices.Sorted(maps.Keys(trace.Notes))...)
	if !r.Kernel.Entry {
		r.Notes = append(r.Notes, "this is a function on its own: each thread calls it with arguments of its own")
	}
	if in := trace.WarpID; in != nil && r.Verdict != Verified {
		r.Notes = append(r.Notes, fmt.Sprintf("%%warpid (%s) is where a warp runs when it is read, which may change: each read gets anything below %%nwarpid; which warp of its block a thread is in, %%tid says", r.Where(in)))
	}
	switch {
	case len(trace.Astray) > 0:
	case len(trace.Accesses) == 0:
		r.Notes = append(r.Notes, "the PTX has no access to memory that threads share: if the source has one, the compiler has removed it")
	case !written:
		r.Notes = append(r.Notes, "the PTX writes to no memory that threads share: if the source does, the compiler has removed it")
	}
}
