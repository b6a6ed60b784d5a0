package verify

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
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
	x.asker.begin()
	until(func() {
		x.asker.settle()
		x.asker.all()
	})
	for _, astray := range x.asker.trace.Astray {
		x.asker.result.refused(astray)
	}
	return p.conclude(x)
}

// search looks for alarms among the pairs of accesses that take least. Without one, nothing is known.
func (p *problem) search(x execution) outcome {
	x.asker.begin()
	until(x.asker.search)
	if len(x.asker.result.Alarms) == 0 {
		return outcome{result: x.asker.result, counts: x.counts, mixed: x.asker.mixed}
	}
	return p.conclude(x)
}

// until does something, or as much of it as there is time for.
func until(do func()) {
	defer func() {
		if r := recover(); r != nil && r != term.ErrStopped { //nolint:errorlint // a panic's value
			panic(r)
		}
	}()
	do()
}

// refused notes what is not modelled, or how far the thread was executed if it was stopped: see Result.Ended.
func (r *Result) refused(err error) {
	var refusal *symbolic.Refusal
	switch {
	case !errors.As(err, &refusal): // it was stopped between executions
	case refusal.Stopped:
		r.Notes = append(r.Notes, fmt.Sprintf("when that was, the thread was being executed symbolically: it had come to %s (%s)",
			r.text(refusal.Instr), r.Where(refusal.Instr)))
	default:
		r.Open = append(r.Open, Reason{refusal.Instr, refusal.Why, refusal.Help})
	}
}

// conclude is the verdict after the questions, and what it relies on.
func (p *problem) conclude(x execution) outcome {
	q := x.asker
	r := q.result
	if !p.ended() {
		until(q.vacuous)
	}
	q.Stop = nil // what is left to say takes little
	switch {
	case len(r.Alarms) > 0:
		r.Verdict = Alarmed
	case len(r.Open) > 0 || p.ended():
		r.Verdict = Undecided
	default:
		r.Verdict = Verified
	}
	r.Stats.Accesses, r.Stats.Barriers = len(q.trace.Accesses), len(q.trace.Barriers)
	r.Stats.Conflicts, r.Stats.Terms = q.Conflicts(), q.Len()
	p.describe(x)
	q.report()
	if q.counting {
		r.Assumptions = append(r.Assumptions, assume.Counters.Of())
	}
	return outcome{result: r, counts: x.counts, mixed: q.mixed, overflows: append([]*kernel.Instr{}, q.trace.Widened...)}
}

// describe notes what the verdict relies on.
func (p *problem) describe(x execution) {
	q := x.asker
	r, trace := q.result, q.trace
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
	r.Assumptions = append(r.Assumptions, p.noOverflow(x)...)
	if p.config.Lockstep > 0 {
		r.Assumptions = append(r.Assumptions, assume.Lockstep.Of(p.config.Lockstep))
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
