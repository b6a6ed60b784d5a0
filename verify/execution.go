package verify

import (
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/contract"
	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/internal/kernels/rules"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// execution is a kernel as it was executed by a setup.
type execution struct {
	asker  *ask.Asker // nil if err is not
	setup  setup      // with what is known of arrays, and made smaller if the execution was too large
	counts bool       // some barrier says that it waits for all threads of the block
	err    error      // why it was not executed: a *trace.Refusal, or term.ErrStopped
}

// execute executes the kernel, with smaller setups as long as the execution is too large.
func (p *problem) execute(s setup) execution {
	for {
		x := p.executeOnce(s)
		smaller, ok := p.smaller(x)
		if !ok {
			return x
		}
		s = smaller
	}
}

// smaller returns a setup for a smaller execution after one that was too large: with fewer
// iterations of open loops, or with the innermost of the loops cut.
func (p *problem) smaller(x execution) (s setup, ok bool) {
	var r *trace.Refusal
	if !errors.As(x.err, &r) || len(r.Loops) == 0 || p.ended() {
		return s, false
	}
	s = x.setup
	s.writes = nil
	if s.iterations > fewIterations {
		s.iterations = fewIterations
		return s, true
	}
	s.cut = maps.Clone(s.cut)
	if s.cut == nil {
		s.cut = cuts{}
	}
	s.cut[r.Loops[len(r.Loops)-1]] = loopCut{long: r.Long}
	return s, true
}

// executeOnce executes the kernel until the knowledge of arrays is a fixpoint. The first execution
// assumes that reads may return anything; later ones know when each array is written. If the kernel
// cannot be executed without that knowledge, the first execution assumes that no thread writes
// anything. Only the set of writes is taken from it, and is checked like all knowledge
// (writes.cover).
func (p *problem) executeOnce(s setup) (x execution) {
	x.setup = s
	x.setup.writes = maps.Clone(s.writes)
	defer func() {
		if r := recover(); r == term.ErrStopped { //nolint:errorlint // a panic's value
			x.asker, x.err = nil, term.ErrStopped
		} else if r != nil {
			panic(r)
		}
	}()
	var refused error // without knowing; nil if it was not
	unwritten := false
	for {
		prover := prove.New()
		prover.Until(p.ended)
		trace, err := p.run(prover.Builder, x.setup, unwritten)
		switch {
		case err != nil && refused == nil && x.setup.writes == nil && p.readsMatter(err, s):
			refused, unwritten = err, true
			continue
		case err != nil:
			x.err = err
			return x
		case unwritten && len(trace.Astray) > 0:
			x.err = refused
			return x
		case unwritten:
			unwritten, x.setup.writes = false, writesOf(trace, p.config)
			continue
		case p.config.Adversarial, len(trace.Astray) > 0:
		case x.setup.writes == nil && (len(trace.Loose) == 0 || p.config.Contract != nil):
			if x.setup.writes = writesOf(trace, p.config); x.setup.writes.help() {
				continue
			}
		case x.setup.writes != nil && !x.setup.writes.cover(trace, p.config):
			x.setup.writes = writes{}
			continue
		}
		x.counts = x.counts || trace.Counts
		asker := ask.New(prover, trace, p.asking(x.setup))
		restless := asker.Restless(func(array string) bool { return x.setup.writes[array] == exec.Calm })
		if len(restless) == 0 {
			x.asker = asker
			return x
		}
		for _, name := range restless {
			x.setup.writes[name] = exec.Met
		}
	}
}

// run executes the kernel symbolically; as if no thread wrote to any array, if that is taken for
// granted.
func (p *problem) run(b *term.Builder, s setup, unwritten bool) (*trace.Trace, error) {
	contents := func(name string) exec.Contents { return s.writes[name] }
	if unwritten {
		contents = func(string) exec.Contents { return exec.Fixed }
	}
	c := &p.config
	threads := threadsOf(p.kernel, c.LargeBlocks)
	return exec.Run(b, p.module, p.kernel, exec.Config{
		Launch: exec.Launch{
			Grid: c.Launch.Grid, Block: c.Launch.Block, GridLimit: gridLimit, BlockLimit: c.Launch.blocksOf(threads), Threads: max(threads, 0),
		},
		Limits: exec.Limits{Rounds: s.iterations, Sure: s.definiteIterations, Steps: maxSteps, Unrolled: maxUnrolled},
		Params: exec.Params{Values: c.Values, Least: c.Least}, Past: s.inductionDepth,
		Cut: func(loop *kernel.Instr) ([]*trace.Invariant, bool) {
			l, cut := s.cut[loop]
			return l.claims, cut
		},
		Contents: contents, Bounds: c.Bounds, Branches: c.Report.Divergence,
		PureExterns: c.PureExterns, Functions: true, Annotations: exec.Annotations(c.Annotations),
		Exact: func(in *kernel.Instr) bool { return p.exact(s, in) }, Hooks: contract.Hooks(c.Contract), Counted: s.counted, Stop: p.ended,
	})
}

// asking returns the configuration of the questions about an execution.
func (p *problem) asking(s setup) ask.Config {
	c := &p.config
	config := ask.Config{
		Rules: rules.All, Grid: c.Launch.Grid, Block: c.Launch.Block, BarriersOnly: c.BarriersOnly, SameValue: c.SameValue,
		Divergence: c.Only == OnlyDivergence, OneBlock: c.Only == OnlyBlock, Lockstep: c.Lockstep, Budget: c.Budget, Alarms: c.Alarms,
		Loops: ask.Loops{Cut: len(s.cut) > 0, AllLong: true, Depth: s.inductionDepth}, Source: source{p.empty()}, Stop: p.ended, Dump: c.Dump,
	}
	for _, l := range s.cut {
		config.Loops.AllLong = config.Loops.AllLong && l.long
	}
	if c.Solver != nil {
		config.Solver = func(question func(io.Writer) error) (bool, error) { return c.Solver.Unsat(p.ctx, question) }
	}
	return config
}

// source tells readers the places of instructions.
type source struct{ of *Result }

func (s source) Where(in *kernel.Instr) string   { return s.of.Where(in) }
func (s source) Place(in *kernel.Instr) []string { return s.of.Place(in) }
func (s source) Text(in *kernel.Instr) string    { return s.of.text(in) }

// exact reports whether an instruction is taken not to overflow.
func (p *problem) exact(s setup, in *kernel.Instr) bool {
	return p.config.Indices == NoOverflow && (s.nowrap == nil || slices.Contains(s.nowrap, in))
}

// readsMatter reports whether a refusal may be due to reads that may return anything: threads then
// seem not to iterate a cut loop together.
func (p *problem) readsMatter(err error, s setup) bool {
	var r *trace.Refusal
	return !p.config.Adversarial && len(s.cut) > 0 && errors.As(err, &r) && len(r.Loops) == 0 && !p.ended()
}
