package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// A strategy is a function from a setup to an outcome. Strategies call each other with changed
// setups and compare outcomes; none changes the outcome of another.
//
//	execute   executes the kernel, as much of it as is not too large
//	try       asks everything about an execution
//	search    looks for alarms only, among the pairs of accesses that take least
//	decide    tries, in order: loops left after some iterations, loops cut, alarms in the first
//	          iterations, small parameters, induction, k-induction
//	verify    decides, again with barriers that count threads, and says what a proof lacks

// The bounds of an execution.
const (
	maxIterations  = 12      // of a loop whose end is not known
	fewIterations  = 2       // of one, where more are too many to execute
	someIterations = 4       // of any, where alarms are looked for in the first
	maxSteps       = 400_000 // instructions
	maxUnrolled    = 25_000  // those of loops that are unrolled
	pastIterations = 2       // of a loop that is cut, that claims are proved from beside the last
)

// problem is a kernel to verify, with the configuration. It never changes.
type problem struct {
	ctx    context.Context
	config Config
	kernel *kernel.Function
	module *kernel.Module
}

// ended reports whether the context is done.
func (p *problem) ended() bool { return p.ctx.Err() != nil }

// under returns the same problem under another configuration.
func (p *problem) under(c Config) *problem {
	return &problem{ctx: p.ctx, config: c, kernel: p.kernel, module: p.module}
}

// setup is the configuration of an execution.
type setup struct {
	iterations         int             // of a loop whose end is not known, at most
	definiteIterations int             // of a loop whose iterations are sure to come, at most; 0 for the default
	inductionDepth     int             // iterations before the last that claims about loops are proved from
	cut                cuts            // loops that are cut
	writes             writes          // what is known of arrays; nil before an execution has shown it
	nowrap             []*kernel.Instr // with NoOverflow, the instructions that do not overflow; nil for all
	counted            bool            // barriers that say that they wait for all threads of the block count them
}

// cuts are loops that are cut, by their first instructions.
type cuts map[*kernel.Instr]loopCut

// loopCut is a loop that is cut, and the guesses about it.
type loopCut struct {
	claims []*trace.Invariant
	long   bool // it is cut because its number of iterations is too large, not because it is unknown
}

// begin returns the setup that strategies begin with.
func begin() setup { return setup{iterations: maxIterations} }

// outcome is the result of a strategy.
type outcome struct {
	result    *Result
	counts    bool            // some barrier says that it waits for all threads of the block
	mixed     bool            // barriers of one number wait for all threads of the block, and for some
	overflows []*kernel.Instr // that may overflow, where an index is widened, in the execution concluded last; nil before that
}

// after returns an outcome that follows another, with what that one has shown, too.
func (o outcome) after(earlier outcome) outcome {
	o.counts, o.mixed = o.counts || earlier.counts, o.mixed || earlier.mixed
	if o.overflows == nil {
		o.overflows = earlier.overflows
	}
	return o
}

// saying returns an outcome with the result of another.
func (o outcome) saying(other outcome) outcome {
	o.result = other.result
	return o
}

// verify decides, and adds a note of what is missing for a proof.
func (p *problem) verify() outcome {
	o, counted := p.countBarriers(p.decide(begin()))
	again := begin()
	again.counted = counted
	o.result.Notes = append(o.result.Notes, p.blame(o, again)...)
	promises, notes := p.promises(o.result, again)
	o.result.Promises, o.result.Notes = promises, append(o.result.Notes, notes...)
	return o
}

// countBarriers decides again if the kernel is not verified and barriers explicitly wait for all
// threads of the block. PTX counts the threads at a barrier, at whatever instruction of its number
// they arrive; CUDA requires that all reach one instruction. It reports whether the outcome relies
// on the rule of PTX.
func (p *problem) countBarriers(o outcome) (_ outcome, counted bool) {
	if o.result.Verdict == Verified || !o.counts || p.ended() {
		return o, false
	}
	s := begin()
	s.counted = true
	other := p.decide(s)
	if other.result.Verdict == Undecided && o.result.Verdict != Undecided && !o.mixed {
		return o, false
	}
	other.result.Notes = append(other.result.Notes,
		"barriers that say for how many threads they wait count them: threads may come to several of one number")
	return o.saying(other), true
}

// decide leaves loops whose end is not known after some iterations; if there are such, it cuts
// them: if nothing goes wrong then, nothing ever does. If something may, in an iteration that may
// never come, alarms are looked for in the first iterations. If none is found, it is guessed what
// all iterations have in common.
func (p *problem) decide(s setup) outcome {
	left := p.execute(s)
	if left.err != nil || len(left.asker.Trace().Loose) == 0 && len(left.setup.cut) == 0 {
		return p.try(left)
	}
	cut := p.executeCut(left)
	o := p.try(cut)
	if o.result.Verdict != Undecided || p.ended() {
		return o
	}
	found := p.searchFirst(left, cut).after(o)
	if found.result.Verdict != Undecided {
		return found
	}
	if o = found.saying(o); cut.err != nil {
		return o
	}
	if small, ok := p.searchSmall(cut); ok {
		return o.saying(small)
	}
	guessed := guesses(p, cut)
	if p.ended() || guessed == nil && len(cut.asker.Trace().Inductive) == 0 {
		return o
	}
	return p.induct(cut, guessed).after(o)
}

// searchFirst searches alarms in the first iterations of all loops: as many as were executed, or
// fewer if these are too many.
func (p *problem) searchFirst(left, cut execution) (o outcome) {
	if len(left.setup.cut) == 0 {
		o = p.search(p.executeFirst(left, cut, cut.setup.iterations, 0))
		if o.result.Verdict != Undecided || o.result.Stats.Pairs <= ask.SearchPairs {
			return o
		}
	}
	return p.search(p.executeFirst(left, cut, someIterations, someIterations)).after(o)
}

// executeFirst executes the first iterations of all loops, only to search alarms in them. It takes
// from the execution with loops cut when each array is written, or from these iterations if there
// is no such execution. If it is too large, it returns the earlier execution.
func (p *problem) executeFirst(left, cut execution, iterations, definite int) execution {
	s := cut.setup
	if s.writes == nil && !p.config.Adversarial && len(left.asker.Trace().Astray) == 0 {
		s.writes = writesOf(left.asker.Trace(), p.config)
	}
	s.cut, s.iterations, s.definiteIterations = nil, iterations, definite
	first := p.executeOnce(s)
	if first.err != nil {
		return left
	}
	return first
}

// induct asks all questions with the guesses about loops and the claims of their author: first by
// induction, then by k-induction if that does not suffice.
func (p *problem) induct(cut execution, guessed cuts) outcome {
	s := cut.setup
	s.cut = maps.Clone(s.cut)
	maps.Copy(s.cut, guessed)
	x := p.executeCut(execution{setup: s})
	once := p.try(x)
	if once.result.Verdict != Undecided || slices.Contains(p.config.Without, KInduction) {
		return once
	}
	s = x.setup
	s.inductionDepth = pastIterations
	deep := p.try(p.executeCut(execution{setup: s})).after(once)
	if deep.result.Verdict == Undecided {
		return deep.saying(once)
	}
	return deep
}

// executeCut executes the kernel with loops cut: those that were left in an execution, and other
// open loops.
func (p *problem) executeCut(x execution) execution {
	for {
		x.setup.cut = maps.Clone(x.setup.cut)
		if x.setup.cut == nil {
			x.setup.cut = cuts{}
		}
		if x.asker != nil {
			for _, in := range x.asker.Trace().Loose {
				x.setup.cut[in] = loopCut{long: slices.Contains(x.asker.Trace().Long, in)}
			}
		}
		x.setup.writes = nil
		counts := x.counts
		x = p.execute(x.setup)
		x.counts = x.counts || counts
		if x.err != nil || len(x.asker.Trace().Loose) == 0 || p.ended() {
			return x
		}
	}
}

// soon are the numbers of iterations in which alarms are searched, for loops in which warps reach
// barriers for some threads of a block: what these order is known if the number of iterations is.
var soon = []uint64{2, 3, 5}

// searchSmall looks for alarms if the parameters that say how often such loops are executed are
// small numbers.
func (p *problem) searchSmall(cut execution) (_ outcome, found bool) {
	for _, v := range p.bounds(cut.asker.Trace()) {
		for _, n := range soon {
			c := p.config
			c.Values = maps.Clone(c.Values)
			if c.Values == nil {
				c.Values = map[string]uint64{}
			}
			c.Values[v.Name] = n
			s := begin()
			s.counted = cut.setup.counted
			if o := p.under(c).decide(s); o.result.Verdict == Alarmed {
				return o, true
			}
		}
	}
	return outcome{}, false
}

// bounds returns the parameters that give the number of iterations of loops in which warps reach
// barriers for some threads of a block.
func (p *problem) bounds(trace *trace.Trace) (all []*kernel.Variable) {
	for _, param := range trace.Params {
		v := param.Variable
		for _, l := range trace.Pipelines {
			if term.Mentions(l.Again, func(v *term.Term) bool { return v == param.Term }) && param.Offset == 0 && param.Size == v.Size() && v.Size() <= 8 && p.free(v.Name) {
				all = append(all, v)
				break
			}
		}
	}
	return all
}

// free reports whether nothing is given of a parameter.
func (p *problem) free(name string) bool {
	_, value := p.config.Values[name]
	_, least := p.config.Least[name]
	return !value && !least
}

// The bounds of what is verified again to find out what is missing (Result.Notes).
const (
	againBudget = 2_000 // conflicts of the solver
	maxAgain    = 50    // accesses of the kernel
)

// where returns an instruction and its place, for notes.
func (p *problem) where(in *kernel.Instr) string {
	r := p.empty()
	return fmt.Sprintf("%s (%s)", r.text(in), r.Where(in))
}

// empty returns a result that says nothing yet.
func (p *problem) empty() *Result {
	return &Result{Kernel: p.kernel, Module: p.module, Launch: p.config.Launch, Config: p.config}
}
