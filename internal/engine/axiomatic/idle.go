package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// A path contains an idle round only because the reads of that round may race (event.Path.Idle).
// All other behaviour also occurs without the round. Most such reads are atomic, or the query does
// not ask about races; then the path is redundant.

// Idles returns a predicate of the paths whose idle round is redundant: no read of the round is
// part of a pair that may raise a report the query asks for, whichever paths the other threads
// take. f is nil if the paths cannot be united.
func (e *Engine) Idles(b *engine.Budget, f *event.Family) func(*event.Path) bool {
	reports := e.open()
	if len(reports) == 0 {
		return (*event.Path).Idles
	}
	none := func(*event.Path) bool { return false }
	if f == nil || !f.Any((*event.Path).Idles) {
		return none
	}
	u, ok := uniteAll(f, mostEvents)
	if !ok {
		return none
	}
	enc := encode(b, e.plan, u, e.guards, e.query)
	if r := enc.rings(); enc.beyond || enc.over() || !r.strayed.Empty() && !enc.airless(r) {
		return none // reads may have sources and values that are not known here
	}
	raising := rel.NewSet(enc.N)
	for _, i := range reports {
		c := &e.plan.Reports[i]
		if !byPairs(c) {
			return none
		}
		hi := enc.Span(c.X).Hi
		raising = raising.Union(hi.Domain()).Union(hi.Range())
	}
	needless := map[*event.Path]bool{}
	for _, paths := range u.paths {
		for _, p := range paths {
			needless[p.of] = p.of.Idles() && !slices.ContainsFunc(p.of.Idle, func(n int) bool { return raising.Has(p.events[n]) })
		}
	}
	return func(p *event.Path) bool { return needless[p] }
}

// byPairs reports whether a report is raised by the pairs in its value rather than by their
// absence.
func byPairs(c *plan.Check) bool { return c.Undefined != c.Negated }
