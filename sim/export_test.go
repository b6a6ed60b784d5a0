package sim

import (
	"context"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/engine"
)

// AtOnce is so many cores, of which a test may have more than one from the beginning; n is how many steps that is.
func AtOnce(cores int) *Cores {
	c := NewCores(cores)
	c.after = 1
	return c
}

// Interleaving is the result of a test by its interleavings; nil if it is not known to have no other executions.
func (t *Test) Interleaving(ctx context.Context, m *cat.Model) (*Result, error) {
	w, r := t.means(m), &Result{Test: t}
	if w.plan == nil {
		return nil, nil
	}
	if far, err := w.interleaving(ctx, r); far != engine.Done || err != nil {
		return nil, err
	}
	r.Limit = t.cutShort(ctx, nil, &r.Stats)
	return r, nil
}

// Polls is what writes in the rounds of a loop.
func (t *Test) Polls(ctx context.Context) string { return t.polls(ctx) }

// Attempts returns the names of the ways to answer that Run tries, in order.
func Attempts(t *Test, m *cat.Model) (names []string) {
	for _, a := range t.means(m).attempts(false) {
		names = append(names, a.name)
	}
	return names
}
