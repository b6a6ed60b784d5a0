package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// A path goes on after an idle round only because the reads of that may race (event.Path.Idle): what else there is, is there without the
// round, too. Most such reads are atomic, or nobody asks about races.

// Idles tells of which paths nobody needs the idle round: none of its reads is part of what may raise a report that is asked for, whichever paths
// other threads take. f is nil if nobody can unite the paths.
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
		return none // more may be read than is known
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

// byPairs reports that a report is raised by what is in its value, not by what is missing there.
func byPairs(c *plan.Check) bool { return c.Undefined != c.Negated }
