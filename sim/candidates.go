package sim

import (
	"context"
	"iter"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/litmus"
)

// Candidate is a candidate execution and the verdict of a model for one way to make its choices.
type Candidate struct {
	Witness
	Verdict *cat.Verdict
	Ends    []litmus.State // the final states that it can end in; none if a thread never ends
}

// Candidates yields, by the naive engine, the candidate executions that end in a state that
// satisfies the filter, and those that never end. For each state, the number of allowed ones equals
// the count of Run. The error, if any, comes last: a limit (IsLimit), or a diagnostic of the test
// or the model.
func (t *Test) Candidates(ctx context.Context, m *cat.Model, stats *enumerate.Stats) iter.Seq2[*Candidate, error] {
	refs := t.Observables()
	return func(yield func(*Candidate, error) bool) {
		ctx := t.config.Limited(ctx)
		m, err := m.After(t.Program.Rules())
		if err != nil {
			yield(nil, err)
			return
		}
		more := true
		err = t.question().candidates(ctx, m, stats, nil, func(j judged) bool {
			c := &Candidate{Witness{j.Execution, j.Choices}, j.Verdict, t.ends(j.Execution, refs)}
			if len(c.Ends) > 0 || c.Hangs() {
				more = yield(c, nil)
			}
			return more
		})
		if err != nil && more {
			yield(nil, err)
		}
	}
}
