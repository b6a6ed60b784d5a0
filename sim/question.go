package sim

import (
	"context"
	"iter"
	"sync"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/litmus"
)

// question is a question about a test.
type question struct {
	test    *Test
	program frontend.Program // the program of the test, possibly one that keeps its structures
	want    Want
	goal    *goal
	limits  enumerate.Options
	// evidence asks for executions that end as the condition asks, and for one that never ends. It
	// does not ask for flags.
	evidence bool
	// race asks for an execution that makes the behaviour undefined.
	race bool
}

// question returns the question of the test.
func (t *Test) question() question {
	return question{test: t, program: t.Program, want: t.config.Want, goal: t.goal, limits: t.config.Limits}
}

// anything returns the question whether there is any final state.
func (q question) anything() question {
	q.goal, q.want = &goal{anything: true}, Verdict
	return q
}

// goal is the final states of interest in the form that engines use. It is computed once for
// similar tests.
type goal struct {
	once       sync.Once
	anything   bool               // any final state, not only those of the condition
	observe    []final.Observable // Test.Observables
	asks, keep final.Formula      // of the states asked about; of the states that are not ignored
}

// wanted returns the goal. It computes it on the first call.
func (q question) wanted() *goal {
	g, t := q.goal, q.test
	g.once.Do(func() {
		refs := t.Observables()
		g.observe = make([]final.Observable, len(refs))
		for i, ref := range refs {
			g.observe[i].Reg, g.observe[i].Loc = t.Program.Observable(ref)
		}
		g.asks, g.keep = t.formula(t.asks()), t.formula(t.filter)
		if g.anything {
			g.asks = final.Truth(true)
		}
	})
	return g
}

// keep returns the formula of the states that are not ignored. For evidence, these are the states
// asked about.
func (q question) keep() final.Formula {
	g := q.wanted()
	switch {
	case !q.evidence:
		return g.keep
	case q.test.filter == nil:
		return g.asks
	}
	return final.Every{g.keep, g.asks}
}

// asksFor reports whether the question asks about a final state.
func (q question) asksFor(s litmus.State, refs []litmus.Ref) bool {
	return q.goal.anything || q.test.asksFor(s, refs)
}

// structures returns the structures of the program. A structure counts as explored when the caller
// asks for the next one.
func (q question) structures(ctx context.Context) iter.Seq2[*event.Structure, error] {
	p := q.test.config.progress
	if p == nil {
		return q.program.Structures(ctx)
	}
	return p.watch(q.program, q.program.Structures(ctx))
}

// family returns the structures of the program as a family if there are too many to list, or nil.
func (q question) family(ctx context.Context) *event.Family {
	if q.program.Combinations() < manyCombinations {
		return nil
	}
	return q.program.Family(ctx)
}

// fast returns the query for the fast engine.
func (q question) fast() *fast.Query {
	t, g := q.test, q.wanted()
	f := &fast.Query{
		Observe: g.observe, Asks: g.asks, Domain: t.Program.Domain, Want: engine.Want(q.want), MaxCandidates: q.limits.MaxCandidates,
	}
	if t.filter != nil || q.evidence {
		f.Keep = q.keep()
	}
	if p := t.config.progress; p != nil {
		f.Tell = p.found
	}
	if t.config.Tolerant {
		f.Meaningless = func(error) {}
	}
	return f
}

// Query returns the test's query for the fast engine.
func (t *Test) Query() *fast.Query { return t.question().fast() }

// learning returns the query for the learning engine.
func (q question) learning() *axiomatic.Query {
	g, states := q.wanted(), q.want != Verdict
	l := &axiomatic.Query{Observe: g.observe, Keep: q.keep(), Asks: g.asks, States: states, Meaningless: q.test.config.Tolerant}
	l.Flags, l.Hangs = states && !q.evidence, states || q.evidence
	if p := q.test.config.progress; p != nil {
		l.Tell = p.learnt
	}
	return l
}
