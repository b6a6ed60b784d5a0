package sim

import (
	"context"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/litmus"
)

// This file is the naive engine: it judges every candidate execution by the model, and so defines
// what the other engines answer.

// naive judges every candidate.
func (w means) naive(ctx context.Context, r *Result) (engine.Extent, error) {
	r.Work = Work{Engine: Naive, Reason: w.reason}
	c, left := newCollector(w.ask, w.model), &leftOut{test: w.ask.test}
	err := w.ask.candidates(ctx, w.model, &r.Stats, left, func(j judged) bool {
		c.add(j)
		return !c.decided()
	})
	c.finish(r)
	r.Meaningless = left.first()
	if c.race != nil {
		r.race = func() *Witness { return c.race }
	}
	return engine.Done, err
}

// collector collects the final states of consistent executions.
type collector struct {
	ask       question
	model     *cat.Model
	refs      []litmus.Ref
	states    map[string]*StateCount
	flags     map[string]bool
	undefined map[string]bool
	found     bool     // a state that the condition asks for was found
	race      *Witness // an execution that makes the behaviour undefined, or nil
}

func newCollector(q question, m *cat.Model) *collector {
	return &collector{
		ask: q, model: m, refs: q.test.Observables(),
		states: map[string]*StateCount{}, flags: map[string]bool{}, undefined: map[string]bool{},
	}
}

func (c *collector) add(j judged) {
	if !j.Allowed() || j.Stuck && !j.Hangs() {
		return
	}
	ends := c.ask.test.ends(j.Execution, c.refs)
	if !j.Stuck && len(ends) == 0 {
		return
	}
	for _, f := range j.Flags {
		c.flags[f] = true
	}
	for _, u := range j.Undefined {
		c.undefined[u] = true
	}
	if c.race == nil && len(j.Undefined) > 0 {
		c.race = &Witness{j.Execution, j.Choices}
	}
	if !j.ThinAir.Empty() {
		c.flags[ThinAirFlag] = true
	}
	if j.Stuck {
		c.flags[HangFlag] = true
	}
	for _, state := range ends {
		c.end(state, j)
	}
}

// decided reports whether the verdict is known and nothing else is wanted (Verdict).
func (c *collector) decided() bool {
	return c.ask.want == Verdict && (c.race != nil || c.found && !c.model.MayLeaveUndefined())
}

// end adds a final state of an execution.
func (c *collector) end(state litmus.State, j judged) {
	key, want := state.Format(c.refs), c.ask.want
	s := c.states[key]
	if s == nil {
		w := &Witness{j.Execution, j.Choices}
		s = &StateCount{
			Satisfies: c.ask.test.prop.Eval(state.Lookup(c.refs)),
			ending:    &judgedEnding{state, w},
		}
		c.states[key] = s
		c.found = c.found || c.ask.asksFor(state, c.refs)
	}
	if want == Counts || s.Count == 0 {
		s.Count++
	}
}

// ends returns the final states of an execution that pass the filter; none if a thread never ends.
func (t *Test) ends(x *event.Execution, refs []litmus.Ref) []litmus.State {
	if x.Stuck {
		return nil
	}
	states := frontend.States(t.Program, x, refs)
	if t.filter == nil {
		return states
	}
	return slices.DeleteFunc(states, func(s litmus.State) bool { return !t.filter.Eval(s.Lookup(refs)) })
}

func (c *collector) finish(r *Result) {
	for _, s := range c.states {
		r.States = append(r.States, *s)
	}
	r.sum()
	r.Flags = slices.Sorted(maps.Keys(c.flags))
	r.Undefined = slices.Sorted(maps.Keys(c.undefined))
}

// judged is a candidate execution and the verdict of the model for one way to make its choices.
type judged struct {
	*event.Execution
	*cat.Verdict
}

// candidates enumerates the candidate executions and judges each by the model. It stops at an
// error, or when visit returns false. left, which may be nil, records executions that a tolerant
// simulation ignores.
func (q question) candidates(ctx context.Context, m *cat.Model, stats *enumerate.Stats, left *leftOut, visit func(judged) bool) error {
	return q.judge(ctx, m, m.Eval, stats, left, visit)
}

// judge is candidates with a choice of evaluation: how is cat.Model.Eval or Judge.
func (q question) judge(ctx context.Context, m *cat.Model, how judging, stats *enumerate.Stats, left *leftOut, visit func(judged) bool) error {
	t, limits := q.test, q.limits
	limits.OpenCo = m.Chooses("co")
	wrong := false // the model allows an execution with a meaningless computation
	verdicts := 0  // number of pairs of a candidate and a way to make the choices
	limits.Begins = func(x *event.Execution) (bool, error) {
		allowed, err := begins(ctx, m, x)
		return allowed, t.failed(err)
	}
	for x, err := range enumerate.Executions(ctx, q.program, limits, stats) {
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return t.locate(err)
		}
		more := true
		err := how(ctx, x, func(v *cat.Verdict) bool {
			if verdicts++; limits.MaxLooks > 0 && verdicts > limits.MaxLooks {
				return false
			}
			if x.Wrong == nil {
				more = ctx.Err() == nil && visit(judged{complete(x, v), v})
				return more
			}
			// see fast.Engine
			wrong = wrong || v.Allowed() && !slices.Contains(v.Flags, OutsideModel)
			return !wrong
		})
		if wrong && t.config.Tolerant {
			left.note(x.Wrong)
			wrong = false
		}
		switch {
		case err != nil:
			return t.failed(err)
		case wrong:
			return t.locate(x.Wrong)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case limits.MaxLooks > 0 && verdicts > limits.MaxLooks:
			return enumerate.TooManyLooks(limits.MaxLooks)
		}
		if !more {
			return nil
		}
	}
	return nil
}

// judging is a way to evaluate a model on a candidate.
type judging = func(context.Context, cat.Candidate, func(*cat.Verdict) bool) error

// begins reports whether the model allows a candidate of truncated paths. A forbidden prefix has no
// allowed extension, because axioms only forbid.
func begins(ctx context.Context, m *cat.Model, x *event.Execution) (allowed bool, err error) {
	err = m.Eval(ctx, x, func(v *cat.Verdict) bool {
		allowed = allowed || v.Allowed()
		return !allowed
	})
	return allowed, err
}

// complete returns the execution with the coherence order that the model has chosen, if it chooses
// one.
func complete(x *event.Execution, v *cat.Verdict) *event.Execution {
	co, ok := v.Choice("co")
	if !ok {
		return x
	}
	y := *x
	y.Co = co
	return &y
}
