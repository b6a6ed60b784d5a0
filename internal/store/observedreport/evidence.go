package observedreport

import (
	"context"

	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// ExplainUnsound explains why models forbid the outcomes that were seen. It stores each explanation
// in its outcome and then calls done with the outcome, or with the error if there is no
// explanation.
func (r *Report) ExplainUnsound(ctx context.Context, s *batch.Simulator, done func(*Outcome, error)) error {
	unsound := r.Unsound()
	questions := batch.Map(unsound, func(out *Outcome) corpus.Test { return corpus.TestBy(out.Question) })
	next := 0
	work := func(in corpus.Test) batch.Explained { return s.Explain(ctx, in) }
	return batch.Each(ctx, s.Workers, questions, work, func(e batch.Explained) {
		out := unsound[next]
		next++
		out.Explanation = e.Explanation
		done(out, e.Err)
	})
}

// exampleCandidates bounds the search for an example, which is not worth a long wait.
const exampleCandidates = 100_000

// Examples draws, for each family, an execution of its example test, if one is found quickly.
func (r *Report) Examples(ctx context.Context, s *batch.Simulator) (map[string]*Example, error) {
	quick := *s
	quick.Config.Limits.MaxCandidates = exampleCandidates
	families := r.Families()
	tests := batch.Map(families, func(f *Family) corpus.Test { return corpus.TestIn(f.Example().Source) })
	all := map[string]*Example{}
	next := 0
	work := func(in corpus.Test) batch.Explained { return quick.Explain(ctx, in) }
	return all, batch.Each(ctx, quick.Workers, tests, work, func(e batch.Explained) {
		f := families[next]
		next++
		if e.Err != nil || e.Limit != nil && !sim.IsBound(e.Limit) || len(e.Outcomes) == 0 {
			return // there is no execution to draw
		}
		m := f.Example().Model
		if g, err := picture.Telling(e.Explanation, m.Name, "", m.Model, nil); err == nil {
			all[f.Name] = &Example{Caption: "An execution of " + f.Example().Name, Picture: g}
		}
	})
}
