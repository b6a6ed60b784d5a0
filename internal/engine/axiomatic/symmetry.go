package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
)

// keepPlaces rules executions out that differ from others by places of threads alone (package symmetry). Of threads of a class that take
// the same path, no later one comes before an earlier one, in coherence of the writes by which they first show. That
// keeps one of such executions at least: some total order of these writes contains coherence, which has no cycles, and the threads
// can change places until they come in that order.
func (e *encoding) keepPlaces() {
	meets := func(m member) bool { return !symmetry.Apart(m.Structure) }
	if !e.classes.Any() || e.coherence().choice.Family == plan.Orientations || slices.ContainsFunc(e.s.members, meets) {
		return
	}
	for t, class := range e.classes {
		for u := range t {
			if e.classes[u] == class {
				e.keepBefore(u, t)
			}
		}
	}
}

// keepBefore has a later thread not come before an earlier one if they take the same path.
func (e *encoding) keepBefore(earlier, later int) {
	for i, p := range e.s.paths[earlier] {
		n := shows(p.of)
		j := slices.IndexFunc(e.s.paths[later], func(q path) bool { return symmetry.Same(p.of, q.of) })
		if n < 0 || j < 0 {
			continue
		}
		before := e.lit(e.co, e.s.paths[later][j].events[n], p.events[n], up)
		e.Add(e.present.taken[earlier][i].Not(), e.present.taken[later][j].Not(), before.Not())
	}
}

// shows is the number of the first atomic write of a path, because coherence orders those of several threads, or else of the first
// write; -1 if there is none.
func shows(p *event.Path) int {
	first := -1
	for i := range p.Events {
		switch e := &p.Events[i]; {
		case e.Kind != event.Write:
		case e.Atomic:
			return i
		case first < 0:
			first = i
		}
	}
	return first
}
