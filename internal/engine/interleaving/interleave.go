// Package interleaving is the engine for programs all of whose accesses are to one location, such
// as threads that add to a counter.
//
//	Accepts  whether a structure is of that kind
//	Explore  the final states of a structure, with exact counts
//	Lasts    the final values of one location among others
//	Query    what is observed, and which states count
//
// Coherence and atomicity make the accesses of one location take effect one after the other, so
// that what a program can do there is the interleavings of its threads. There are C(40, 20) of two
// threads with twenty atomics each, but the two can have come only so far in 441 ways, and in 231
// if they do the same: that is what is counted (count.go).
//
// That consistent executions are interleavings, and that all interleavings are consistent, is shown
// for each structure from the plan of the model (forced.go, forward.go), with no model in mind. If
// it cannot be, others must look: the structure is Unsupported.
package interleaving

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// Query is what to find out about the structures of a program.
type Query struct {
	Observe []final.Observable
	Keep    final.Formula // what a final state that counts satisfies; nil for all
}

// Accepts reports whether Explore may know a structure: all accesses are to one location.
func Accepts(s *event.Structure) bool {
	_, ok := shapeOf(s)
	return ok
}

// Explore finds the final states of the consistent executions of a structure, which is the
// number-th of its program. Of a truncated structure that can happen, the answer has one state,
// without values. Reports are raised only if some state counts. A step of the budget is an access
// that is tried at a point, or an event for which an operation of the plan is computed. The answer
// is nil if the structure is Cut or Unsupported. The error is that of the budget.
func Explore(b *engine.Budget, p *plan.Plan, q *Query, number int, s *event.Structure) (*engine.Answer, engine.Extent, error) {
	sh, ok := shapeOf(s)
	if !ok {
		return nil, engine.Unsupported, nil
	}
	a := newAnalysis(b, p, sh)
	if err := b.Err(); err != nil {
		return nil, engine.Cut, err
	}
	if a.beyond || a.chooses || !a.chained() || !a.allows() {
		return nil, engine.Unsupported, nil
	}
	raised, ok := a.raised()
	if !ok {
		return nil, engine.Unsupported, nil
	}
	c := newCounter(p, sh, q)
	c.number = number
	states, far, err := c.count(b)
	if far != engine.Done {
		return nil, far, err
	}
	if len(states) == 0 {
		clear(raised)
	}
	return &engine.Answer{States: states, Raised: raised}, engine.Done, nil
}

// Lasts finds the final values that a location can have in consistent executions of a structure,
// and in how many ways its accesses can take effect. There may be other locations: the accesses of
// this one are interleaved if a check has them be so, whatever others there are. What is read
// elsewhere may keep some of the values from coming about. known is false if they cannot be found,
// or not within the budget.
func Lasts(b *engine.Budget, p *plan.Plan, s *event.Structure, l event.Loc) (values []event.Value, ways int, known bool) {
	sh, _, ok := shapeOn(s, l)
	if !ok || s.Truncated || !sh.alone() {
		return nil, 0, false
	}
	if a := newAnalysis(b, p, sh); a.beyond || !a.chained() {
		return nil, 0, false
	}
	q := &Query{Observe: []final.Observable{{Loc: l}}}
	states, far, _ := newCounter(p, sh, q).count(b)
	for _, state := range states {
		values = state.AppendValues(values)
		ways = engine.Add(ways, state.Count)
	}
	return values, ways, far == engine.Done
}

// alone reports that what is written to the location follows from what is read from it.
func (sh *shape) alone() bool {
	for _, w := range sh.writes {
		if !sh.follows(sh.Events[w].Thread, sh.Events[w].Data) {
			return false
		}
	}
	return true
}

// follows reports that an expression of a thread is computed from reads of the location alone.
func (sh *shape) follows(thread int, x event.Expr) bool {
	here := true
	event.EachRead(x, func(n int) { here = here && sh.loc[sh.First[thread]+n] == sh.at })
	return here
}

// shape is what a structure does to one location, beside initial writes.
type shape struct {
	*event.Structure
	loc      []event.Loc // of each event
	at       event.Loc   // that location
	init     event.ID    // its initial write
	accesses []event.ID  // the others, thread by thread
	writes   []event.ID  // those that write
	rmw      []event.ID  // by read: the write of the same atomic, or -1
}

// shapeOf is the shape of a structure, if it has one that is known here.
func shapeOf(s *event.Structure) (sh *shape, ok bool) {
	for e := range s.Events {
		ev := &s.Events[e]
		if address, sure := ev.Addr.(event.Const); sure && ev.IsMem() && !ev.IsInit() {
			l, err := event.Resolve(s.Locs, event.Value(address))
			sh, others, ok := shapeOn(s, l)
			return sh, ok && err == nil && !others
		}
	}
	return nil, false
}

// shapeOn is what a structure does to one location. others says that it does more.
func shapeOn(s *event.Structure, at event.Loc) (sh *shape, others, ok bool) {
	sh = &shape{Structure: s, loc: make([]event.Loc, s.N()), rmw: make([]event.ID, s.N()), at: at, init: -1}
	if s.Stuck {
		return nil, false, false
	}
	for e := range s.Events {
		ev := &s.Events[e]
		sh.loc[e], sh.rmw[e] = event.NoLoc, -1
		if !ev.IsMem() {
			continue
		}
		address, sure := ev.Addr.(event.Const)
		if !sure {
			return nil, false, false
		}
		l, err := event.Resolve(s.Locs, event.Value(address))
		if err != nil || s.Locs[l].Alias != nil {
			return nil, false, false
		}
		switch sh.loc[e] = l; {
		case ev.IsInit() && l == at:
			sh.init = e
		case ev.IsInit():
		case l != at:
			others = true
		case ev.Vector != 0, !sh.inLine(e):
			return nil, false, false
		default:
			sh.accesses = append(sh.accesses, e)
			if ev.Kind == event.Write {
				sh.writes = append(sh.writes, e)
			}
		}
	}
	return sh, others, len(sh.accesses) > 0 && sh.init >= 0 && sh.pair()
}

// inLine reports whether program order has an access behind the one that its thread makes before.
func (sh *shape) inLine(e event.ID) bool {
	n := len(sh.accesses)
	if n == 0 {
		return true
	}
	last := sh.accesses[n-1]
	before, after := &sh.Events[last], &sh.Events[e]
	return before.Thread != after.Thread || !event.Ordered(before, after) || sh.Po.Has(last, e)
}

// pair finds the two accesses of each atomic. It returns false if they do not follow each other.
func (sh *shape) pair() bool {
	next := map[event.ID]event.ID{}
	for i, e := range sh.accesses[1:] {
		next[sh.accesses[i]] = e
	}
	for r, w := range sh.Rmw.Pairs() {
		if sh.loc[r] != sh.at {
			continue
		}
		if next[r] != w || sh.Events[r].Thread != sh.Events[w].Thread || sh.rmw[r] >= 0 {
			return false
		}
		sh.rmw[r] = w
	}
	return true
}

// execution is what is known of every execution.
func (sh *shape) execution() *event.Execution {
	x := &event.Execution{Structure: sh.Structure, Loc: sh.loc, Rf: make([]event.ID, sh.N())}
	for e := range x.Rf {
		x.Rf[e] = -1
	}
	return x
}
