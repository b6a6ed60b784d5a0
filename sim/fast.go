package sim

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/litmus"
)

// Work describes how an answer was found.
type Work struct {
	Engine   Engine
	Reason   string   // why Engine is Naive; "" if it was asked for
	Attempts []string // the attempts in order; the last one answered
	Turns    []Turns  // combinations of control paths explored, by engine, in the order of next
	Cuts     []Cut    // checks that cut off part of the search, in the order of the model
	Counted  int      // consistent executions counted without being visited
	Forced   int      // pairs of choices, such as coherence, with only one possible direction
	Learnt   int      // conflicts that the learning engine has learnt from
	Steps    int      // runs of the plan, and work that takes as long
	// structures that the learning engine explored because they are too much for the fast one
	Left int
}

// Turns is the number of combinations of control paths that an engine explored.
type Turns struct {
	By           string
	Combinations int
}

// Cut is a check of the model and the number of times that it ended a part of the search.
type Cut struct {
	Check string
	Times int
}

// big reports whether the test has too many events for the fast engine.
func (t *Test) big() bool { return t.Program.MaxEvents() > plan.MaxEvents }

// plan returns the plan of a model, or nil with a reason.
func (t *Test) plan(m *cat.Model) (*plan.Plan, string) {
	p, err := m.Compile(t.Vocabulary())
	if err != nil {
		where, _, _ := strings.Cut(err.Error(), "\n")
		return nil, where
	}
	return p, ""
}

// state returns final values in the words of the test.
func (t *Test) state(values []event.Value) litmus.State {
	s := make(litmus.State, len(values))
	for i, v := range values {
		s[i] = t.Program.Value(v)
	}
	return s
}

// fast finds the states by the fast engine.
func (w means) fast(ctx context.Context, r *Result) (engine.Extent, error) {
	var stats fast.Stats
	q := w.ask.fast()
	left := w.ask.test.leavesOut(q)
	a, err := w.ask.solve(ctx, engine.NewBudget(ctx.Err), w.plan, q, &stats)
	r.Meaningless = left.first()
	r.conclude(&words{w.ask.test, w.model, w.plan, q.Asks}, a, &stats)
	return engine.Done, err
}

// solve asks the fast engine, on several cores if the test takes long and some are free. If an
// error or the end of the budget ends the search, it returns the answer so far.
func (ask question) solve(ctx context.Context, b *engine.Budget, p *plan.Plan, q *fast.Query, stats *fast.Stats) (*engine.Answer, error) {
	t, cores := ask.test, ask.test.config.Cores
	if b.Bounded() {
		cores = nil // helpers would not take steps from the budget
	}
	h := newHelped(p, q, stats, cores, func() *engine.Budget { return engine.NewBudget(ctx.Err) })
	alone := ask.program.Combinations() == 1
	var stopped error
	for s, err := range ask.structures(ctx) {
		far := engine.Done
		if err == nil {
			far, err = h.explore(b, s, alone)
		}
		if stopped = err; err != nil || far != engine.Done {
			break
		}
	}
	a, err := h.end(stopped)
	return a, t.failure(ctx, err)
}

// failure returns the error that ended a search, in the words of the test, or nil.
func (t *Test) failure(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil || errors.Is(err, axiomatic.ErrWrong):
		return err
	}
	return t.locate(err)
}

// conclude sets the result to the merged answer of the engines.
func (r *Result) conclude(by *words, a *engine.Answer, stats *fast.Stats) {
	r.take(by, a.States)
	r.sum()
	r.Flags, r.Undefined = by.plan.Raised(a.Raised)
	if a.ThinAir {
		r.Flags = append(r.Flags, ThinAirFlag)
	}
	if a.Hang.Evidence != nil {
		r.Flags = append(r.Flags, HangFlag)
		r.hang = func() *Witness { return by.witness(a.Hang) }
	}
	if a.Race.Evidence != nil {
		r.race = func() *Witness { return by.witness(a.Race) }
	}
	slices.Sort(r.Flags)
	r.Flags = slices.Compact(r.Flags)
	slices.Sort(r.Undefined)
	r.Undefined = slices.Compact(r.Undefined)
	r.Stats = stats.Stats
	r.Work.Counted, r.Work.Forced, r.Work.Steps = stats.Counted, stats.Forced, stats.Steps
	for i, times := range stats.Cuts {
		if times > 0 {
			r.Work.Cuts = append(r.Work.Cuts, Cut{by.plan.Checks[i].Name, times})
		}
	}
}
