package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
)

// keepPlaces rules out executions that differ from others only by an exchange of equivalent threads
// (package symmetry). If threads of a class take the same path, no later one may come before an
// earlier one in coherence of their first writes (see shows). At least one execution of each orbit
// remains: some total order of these writes contains coherence, which is acyclic, and the threads
// can be exchanged until they come in that order.
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

// keepBefore forbids that a later thread comes before an earlier one if both take the same path.
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

// shows returns the index of the first atomic write of a path, or else of its first write, or -1.
// Atomic writes are preferred because coherence orders those of different threads.
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
