package axiomatic

import (
	"math/rand/v2"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// Where nobody can list what reads may return, an execution with what is wanted may still be easy to find: of a sum that races, every few
// interleavings of the threads have one that is wrong. So some are drawn, one step of a thread after the other. What they end in, the plan allows
// or forbids, as it does with any execution; that none is found says nothing.

// interleavings is how many are drawn.
const interleavings = 64

// Draw looks for what the query asks for in a few interleavings of the threads of a structure. It
// reports whether the query is decided.
func (e *Engine) Draw(b *engine.Budget, s *event.Structure) (decided bool) {
	if s.Truncated || s.Stuck || e.query.States || asynchronous(s) {
		return false
	}
	d := newDrawing(s)
	for range interleavings {
		if b.Err() != nil {
			return false
		}
		if d.interleave(); len(d.order) < s.N() {
			continue // threads wait for each other
		}
		if x := executionOf(b, s, d.rf); x != nil && x.Wrong == nil && e.take(d, x) {
			return true
		}
	}
	return false
}

// take notes what an execution shows that has been drawn. It returns true if enough is known.
func (e *Engine) take(d *drawing, x *event.Execution) bool {
	choose := func(b *bounds.Bounds, choice int) rel.Rel { return d.directed(b, &e.program.Plan.Choices[choice]) }
	values, ok := d.finals(e.query.Observe)
	if !ok || !final.Holds(e.query.Keep, values) {
		return false
	}
	w := e.judged(x, choose)
	if w == nil {
		return false
	}
	e.raise(w, choose)
	if !e.satisfied && final.Holds(e.query.Asks, values) {
		e.satisfied = true
		e.States = append(e.States, engine.NewState(values, exhibit(w)))
	}
	return e.decided()
}

// raise notes which reports an execution raises, of those that are open.
func (e *Engine) raise(w *engine.Witness, choose func(b *bounds.Bounds, choice int) rel.Rel) {
	open := e.open()
	if len(open) == 0 {
		return
	}
	b := e.exact(w, choose)
	for _, i := range open {
		c := &e.program.Plan.Reports[i]
		e.Raised[i] = bounds.Holds(c, b.Span(c.X).Lo) != c.Negated != c.Undefined
		if e.Raised[i] && c.Undefined && e.Race.Evidence == nil {
			e.Race = exhibit(w)
		}
	}
}

// drawing is the interleaving of a structure that is being drawn.
type drawing struct {
	*event.Structure
	random *rand.Rand
	asks   map[event.ID][]event.Cond // by event: what must be so when it has happened
	awaits map[event.ID][]event.ID   // by event: who must have come before it happens
	order  []event.ID                // what has happened
	at     []int                     // by event: when; -1 if it has not
	next   []event.ID                // by thread
	rf     []event.ID
	val    []event.Value
	loc    []event.Loc            // of writes that have happened
	last   map[event.Loc]event.ID // by location: the last write

	slip event.ID // of interleavings in which something goes wrong: where; else noSlip
}

// newDrawing begins each drawing of a structure in the same way.
func newDrawing(s *event.Structure) *drawing {
	d := &drawing{
		Structure: s, random: rand.New(rand.NewPCG(1, 1)), asks: map[event.ID][]event.Cond{}, awaits: map[event.ID][]event.ID{},
		at: make([]int, s.N()), next: make([]event.ID, len(s.First)), rf: make([]event.ID, s.N()), val: make([]event.Value, s.N()),
		loc: make([]event.Loc, s.N()), slip: noSlip,
	}
	for _, c := range s.Conds {
		last := s.First[c.Thread]
		event.EachRead(c.X, func(n int) { last = max(last, s.First[c.Thread]+n) })
		d.asks[last] = append(d.asks[last], c)
	}
	if awaited, ok := s.Rels["awaited"]; ok {
		for a, e := range awaited.Pairs() {
			d.awaits[e] = append(d.awaits[e], a)
		}
	}
	return d
}

// interleave draws an interleaving, as far as threads come. A thread that reads what its path does not want waits for something else: that is
// how it spins.
func (d *drawing) interleave() {
	d.order, d.last = d.order[:0], map[event.Loc]event.ID{}
	copy(d.next, d.First)
	for e := range d.at {
		d.at[e], d.rf[e] = -1, -1
	}
	for e := range d.First[0] {
		d.happens(e)
	}
	threads := make([]int, len(d.next))
	for t := range threads {
		threads[t] = t
	}
	for moved := true; moved; {
		moved = false
		d.random.Shuffle(len(threads), func(i, j int) { threads[i], threads[j] = threads[j], threads[i] })
		if i := slices.IndexFunc(threads, d.hurries); i > 0 {
			threads[0], threads[i] = threads[i], threads[0]
		}
		for _, t := range threads {
			if d.step(t) {
				moved = true
				break
			}
		}
	}
}

// end is the event behind those of a thread.
func (d *drawing) end(t int) event.ID {
	if t+1 < len(d.First) {
		return d.First[t+1]
	}
	return d.N()
}

// step has the next event of a thread happen, with the write of a read-modify-write. It returns false if the thread must wait.
func (d *drawing) step(t int) bool {
	e := d.next[t]
	if e == d.end(t) || !d.passes(e) || !d.happens(e) {
		return false
	}
	for d.next[t]++; d.next[t] < d.end(t) && d.Rmw.Has(e, d.next[t]); d.next[t]++ {
		if !d.happens(d.next[t]) {
			break
		}
	}
	return true
}

// passes reports that all have come for whom an event waits.
func (d *drawing) passes(e event.ID) bool {
	return e == d.slip || !slices.ContainsFunc(d.awaits[e], func(a event.ID) bool { return d.at[a] < 0 && d.next[d.Events[a].Thread] != a })
}

// happens has an event happen, unless it has no meaning or the path of its thread wants to read something else.
func (d *drawing) happens(e event.ID) bool {
	ev := &d.Events[e]
	if ev.IsMem() {
		at, err := ev.Addr.Eval(d.read(ev.Thread))
		if err != nil {
			return false
		}
		l, failure := event.Resolve(d.Locs, at)
		if failure != nil {
			return false
		}
		if l = event.Physical(d.Locs, l); !d.access(e, l) {
			return false
		}
	}
	d.at[e], d.order = len(d.order), append(d.order, e)
	return true
}

// access reads or writes a location.
func (d *drawing) access(e event.ID, l event.Loc) bool {
	ev := &d.Events[e]
	if ev.Kind == event.Write {
		v, err := ev.Data.Eval(d.read(ev.Thread))
		if err != nil {
			return false
		}
		d.val[e], d.loc[e], d.last[l] = v, l, e
		return true
	}
	w, ok := d.last[l]
	if !ok {
		return false
	}
	if e == d.slip {
		w = d.older(w, ev.Thread)
	}
	d.rf[e], d.val[e] = w, d.val[w]
	for _, c := range d.asks[e] {
		if x, err := c.X.Eval(d.read(ev.Thread)); err != nil || x.True() != c.Want {
			d.rf[e] = -1
			return false
		}
	}
	return true
}

// read is what a thread has read.
func (d *drawing) read(t int) event.Env {
	return func(n int) (event.Value, bool) {
		e := d.First[t] + n
		return d.val[e], d.rf[e] >= 0
	}
}

// finals is the final state; false if a computation has no meaning.
func (d *drawing) finals(observe []final.Observable) (values []event.Value, ok bool) {
	for _, o := range observe {
		if o.Loc != event.NoLoc {
			values = append(values, d.val[d.last[o.Loc]])
			continue
		}
		x, set := d.Held(o.Reg)
		if !set {
			x = event.Const(event.Int(0))
		}
		v, err := x.Eval(d.read(o.Reg.Thread))
		if err != nil {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// directed is a choice of the model as things have happened.
func (d *drawing) directed(b *bounds.Bounds, c *plan.Choice) rel.Rel {
	r, must, first := rel.New(d.N()), rel.New(d.N()), b.Span(c.Args[0]).Lo
	switch c.Family {
	case plan.Linearisations:
		set := b.Span(c.Args[1]).Lo.Domain()
		must, first = first, rel.Product(set, set)
	case plan.Completions, plan.PartialOrders:
		must = b.Span(c.Args[1]).Lo
	}
	for x, y := range first.Pairs() {
		switch {
		case d.at[x] < d.at[y]:
			r.Add(x, y)
		case c.Family != plan.PartialOrders && d.at[y] < d.at[x]:
			r.Add(y, x)
		}
	}
	if c.Family == plan.Orientations {
		return r
	}
	return r.Union(must).Plus()
}
