package sim

import (
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
)

// Bounds on the search for executions that never end, behind a search that stopped at the verdict: combinations of control paths
// that are listed, and of those that never end how many are looked at.
const (
	mostListed = 1 << 12
	mostStuck  = 64
)

// lookForHang looks for an execution that never ends, for a search that stopped when the verdict was known (Verdict). What takes
// long, or goes wrong, is left out: the verdict stands.
func (t *Test) lookForHang(ctx context.Context, m *cat.Model, r *Result) {
	n := t.Program.Combinations()
	if n == 1 || n > mostListed || t.big() || slices.Contains(r.Flags, HangFlag) { // of one combination, the search has seen all
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
