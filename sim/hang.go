package sim

import (
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
)

// Bounds on the search for executions that never end, after a search that stopped at the verdict:
// mostListed on the combinations of control paths, mostStuck on those explored that never end.
const (
	mostListed = 1 << 12
	mostStuck  = 64
)

// lookForHang looks for an execution that never ends, after a search that stopped at the verdict.
// It gives up if that takes long or an error occurs: the verdict stands.
func (t *Test) lookForHang(ctx context.Context, m *cat.Model, r *Result) {
	n := t.Program.Combinations()
	// with one combination, the search has explored all
	if n == 1 || n > mostListed || t.big() || slices.Contains(r.Flags, HangFlag) {
		return
	}
	p, _ := t.plan(m)
	if p == nil {
		return
	}
	q, stats := t.Query(), fast.Stats{}
	q.Want, q.Tell = engine.States, nil
	e, b := fast.For(p), engine.NewBudget(ctx.Err)
	defer e.Release()
	e.Begin(q, &stats)
	left := mostStuck
	for s, err := range t.Program.Structures(ctx) {
		if err != nil || left == 0 {
			return
		}
		if !s.Stuck || s.Truncated {
			continue
		}
		left--
		if _, err := e.Explore(b.Try(mostSlice), s); err != nil {
			return
		}
		if e.Hung() {
			break
		}
	}
	if a := e.Answer(); a.Hang.Evidence != nil {
		r.Flags = append(slices.Clone(r.Flags), HangFlag)
		slices.Sort(r.Flags)
		r.hang = func() *Witness { return witness(m, p, a.Hang.Evidence) }
	}
}
