package verify

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/rules/named"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// try asks everything about an execution.
func (p *problem) try(x execution) outcome {
	if x.err != nil {
		o := outcome{result: p.empty(), counts: x.counts}
		o.result.refused(x.err)
		return o
	}
	alarms := p.alarms(x, x.asker.All)
	found := x.asker.Found()
	for _, astray := range x.asker.Trace().Astray {
		found.Obstacles = append(found.Obstacles, ask.Obstacle{Instr: astray.Instr, Why: astray.Why, Help: astray.Help})
	}
	return p.conclude(x, alarms)
}

// search looks for alarms among the pairs of accesses that take least. Without one, nothing is
// known.
func (p *problem) search(x execution) outcome {
	alarms := p.alarms(x, x.asker.Search)
	if len(alarms) == 0 {
		o := outcome{result: p.empty(), counts: x.counts, mixed: mixed(x.asker)}
		o.result.Stats.Pairs = x.asker.Found().Tally.Pairs
		return o
	}
	return p.conclude(x, alarms)
}

// alarms returns the alarms that asking finds in the time it has.
func (p *problem) alarms(x execution, asking func()) (all []*Alarm) {
	x.asker.Begin(func(f *ask.Finding) { all = append(all, alarm(x.asker.Trace(), f)) })
	until(asking)
	return all
}

// until calls do until it returns or the time is over.
func until(do func()) {
	defer func() {
		if r := recover(); r != nil && r != term.ErrStopped { //nolint:errorlint // a panic's value
			panic(r)
		}
	}()
	do()
}

// refused records what is not modelled or, if the execution was stopped, how far it came: see
// Result.Ended.
func (r *Result) refused(err error) {
	var refusal *trace.Refusal
	switch {
	case !errors.As(err, &refusal): // it was stopped between executions
	case refusal.Stopped:
		r.Notes = append(r.Notes, fmt.Sprintf("when that was, the thread was being executed symbolically: it had come to %s (%s)",
			r.text(refusal.Instr), r.Where(refusal.Instr)))
	default:
		r.Open = append(r.Open, Reason{refusal.Instr, refusal.Why, refusal.Help})
	}
}

// conclude returns the verdict after the questions, and what it relies on.
func (p *problem) conclude(x execution, alarms []*Alarm) outcome {
	a, trace, r := x.asker, x.asker.Trace(), p.empty()
	if !p.ended() {
		until(a.Vacuous)
	}
	a.Terms().Stop = nil // what is left to say takes little
	found := a.Found()
	switch r.Alarms = alarms; {
	case len(alarms) > 0:
		r.Verdict = Alarmed
	case len(found.Obstacles) > 0 || p.ended():
		r.Verdict = Undecided
	default:
		r.Verdict = Verified
	}
	t := found.Tally
	r.Stats = Stats{
		Accesses: len(trace.Accesses), Barriers: len(trace.Barriers), Pairs: t.Pairs, Simple: t.Simple, Questions: t.Questions,
		Conflicts: a.Conflicts(), Invariants: t.Invariants, Terms: a.Terms().Len(),
	}
	r.Notes, r.Assumptions = found.Notes, found.Assumptions
	c := conclusion{p, x, r}
	c.describe()
	report{a, a.Terms(), r}.all()
	r.Assumptions = append(r.Assumptions, a.Assumptions()...)
	for _, o := range found.Obstacles {
		r.Open = append(r.Open, Reason(o))
	}
	return outcome{result: r, counts: x.counts, mixed: mixed(a), overflows: append([]*kernel.Instr{}, trace.Widened...)}
}

// mixed reports whether barriers of one number wait for all threads of the block, and for some.
func mixed(a *ask.Asker) bool {
	barriers, ok := ask.Find[*named.Instance](a)
	return ok && barriers.Mixed()
}

// conclusion adds to a result what its verdict relies on.
type conclusion struct {
	p *problem
	x execution
	r *Result
}

// describe records what the verdict relies on.
func (c conclusion) describe() {
	r, tr := c.r, c.x.asker.Trace()
	pointers := map[string]bool{}
	written := false
	for _, a := range tr.Accesses {
		if a.Region.Variable == nil {
			pointers[a.Region.Name] = true
		}
		written = written || a.Kind != trace.Load
	}
	if len(pointers) > 0 {
		names := slices.Sorted(maps.Keys(pointers))
		r.Assumptions = append(r.Assumptions, assume.DistinctArrays.Of(names))
	}
	if len(tr.Accesses) > 0 {
		r.Assumptions = append(r.Assumptions, assume.InBounds.Of())
	}
	if len(tr.Havoc) > 0 {
		r.Assumptions = append(r.Assumptions, assume.LoopsEnd.Of())
	}
	r.Assumptions = append(append(r.Assumptions, c.x.asker.Stands()...), c.asked()...)
	r.Assumptions = append(r.Assumptions, c.noOverflow()...)
	if c.p.config.Lockstep > 0 {
		r.Assumptions = append(r.Assumptions, assume.Lockstep.Of(c.p.config.Lockstep))
	}
	if r.Launch.large() {
		r.Assumptions = append(r.Assumptions, assume.LargeSize.Of(r.Launch.Block, threadLimit))
	}
	r.Assumptions = append(r.Assumptions, slices.Sorted(maps.Keys(tr.Notes))...)
	if !r.Kernel.Entry {
		r.Notes = append(r.Notes, "this is a function on its own: each thread calls it with arguments of its own")
	}
	if in := tr.WarpID; in != nil && r.Verdict != Verified {
		r.Notes = append(r.Notes, fmt.Sprintf("%%warpid (%s) is where a warp runs when it is read, which may change: each read gets anything below %%nwarpid; which warp of its block a thread is in, %%tid says", r.Where(in)))
	}
	switch {
	case len(tr.Astray) > 0:
	case len(tr.Accesses) == 0:
		r.Notes = append(r.Notes, "the PTX has no access to memory that threads share: if the source has one, the compiler has removed it")
	case !written:
		r.Notes = append(r.Notes, "the PTX writes to no memory that threads share: if the source does, the compiler has removed it")
	}
}

// asked returns what the settings leave out or assume.
func (c conclusion) asked() (all []string) {
	blocks, fixed := c.p.config.Launch.Grid.fixed()
	switch {
	case c.p.config.Only == OnlyDivergence:
		all = append(all, assume.OnlyDivergence.Of())
	case c.p.config.Only == OnlyBlock && (!fixed || blocks > 1):
		all = append(all, assume.OnlyBlock.Of())
	}
	for _, param := range c.x.asker.Trace().Params {
		if len(c.r.Alarms) > 0 {
			break // an alarm has all values, also those that were tried to find it
		}
		name := Value{Name: param.Variable.Name, Offset: param.Offset}.name()
		if param.Offset == 0 && param.Size != param.Variable.Size() {
			name += "+0"
		}
		if v, ok := c.p.config.Values[name]; ok {
			all = append(all, assume.Equals.Of(name, v))
		}
	}
	return append(all, says(c.p.config.Least)...)
}
