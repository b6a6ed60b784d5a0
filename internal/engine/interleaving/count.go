package interleaving

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// ofPoint is how many steps a new point takes, besides the one by which it is reached: it is kept
// until the end.
const ofPoint = 16

// point is where interleavings can have come. What happens from there on depends on nothing else.
//
// Reads of one write by several threads can come in any order. So that each execution is counted
// once, they come thread by thread, but for the reads of atomics, after which a write comes.
type point struct {
	done   []int         // by thread: how many of its accesses
	holds  event.Value   // what the location holds
	live   []event.Value // what reads have returned, if that still matters
	reader int           // the thread whose read came last; 0 after a write

	ways int    // interleavings that come here
	from *point // one of the points before; nil at the start
	by   int    // the thread that has gone on from there
}

// appendValues appends values to a key.
func appendValues(key []byte, values []event.Value) []byte {
	for _, v := range values {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(v.Base)), v.Int)
	}
	return key
}

// demand is an expression that is computed as soon as what it needs is known.
type demand struct {
	event.Cond
	anything bool // any value will do, but there must be one
	ready    int  // after how many accesses of its thread that is
}

// counter counts the interleavings of a shape.
type counter struct {
	*shape
	query   *Query
	plan    *plan.Plan
	number  int          // of the structure among those of its program
	threads [][]event.ID // the accesses of each thread
	place   []int        // by access: which of its thread it is, from 1
	// by read: after how many accesses of its thread nothing depends on its value
	last    []int
	demands []demand
	classes [][]int       // of threads that do the same
	val     []event.Value // by event, at the point that is looked at
	parts   [][]byte      // by thread: of a key
}

// forever is after more accesses than a thread has.
const forever = 1 << 30

func newCounter(p *plan.Plan, sh *shape, q *Query) *counter {
	c := &counter{
		shape: sh, query: q, plan: p, threads: make([][]event.ID, len(sh.First)),
		place: make([]int, sh.N()), last: make([]int, sh.N()), val: make([]event.Value, sh.N()),
		parts: make([][]byte, len(sh.First)),
	}
	for _, e := range sh.accesses {
		t := sh.Events[e].Thread
		c.threads[t] = append(c.threads[t], e)
		c.place[e] = len(c.threads[t])
	}
	for _, w := range sh.writes {
		c.keep(sh.Events[w].Thread, sh.Events[w].Data, c.place[w])
	}
	for _, cond := range sh.Conds {
		if sh.follows(cond.Thread, cond.X) {
			c.demand(cond, false)
		}
	}
	for reg, x := range sh.Finals() {
		if _, computed := x.(event.Op); computed && sh.follows(reg.Thread, x) {
			c.demand(event.Cond{Thread: reg.Thread, X: x}, true)
		}
	}
	for _, o := range q.Observe {
		if x, ok := sh.Held(o.Reg); ok {
			c.keep(o.Reg.Thread, x, forever)
		}
	}
	for t := range c.threads {
		same := func(class []int) bool { return c.alike(class[0], t) }
		if i := slices.IndexFunc(c.classes, same); i >= 0 {
			c.classes[i] = append(c.classes[i], t)
		} else {
			c.classes = append(c.classes, []int{t})
		}
	}
	return c
}

// alike reports whether two threads do the same, so that it does not matter which of them has come
// how far. The value of no read is observed, and reads come in no order of threads: each is
// followed by the write of its atomic.
func (c *counter) alike(t, u int) bool {
	sameAccess := func(d, e event.ID) bool {
		x, y := &c.Events[d], &c.Events[e]
		return x.Kind == y.Kind && x.Data == y.Data && d-c.First[t] == e-c.First[u] && c.last[d] == c.last[e] && c.last[d] < forever &&
			(x.Kind == event.Write || c.rmw[d] >= 0 && c.rmw[e] >= 0)
	}
	sameDemand := func(d, e demand) bool {
		d.Thread = e.Thread
		return d == e
	}
	return slices.EqualFunc(c.threads[t], c.threads[u], sameAccess) && slices.EqualFunc(c.demandsOf(t), c.demandsOf(u), sameDemand)
}

// demandsOf returns the demands of a thread.
func (c *counter) demandsOf(thread int) []demand {
	return slices.DeleteFunc(slices.Clone(c.demands), func(d demand) bool { return d.Thread != thread })
}

// key tells points apart, but for threads that do the same and have changed places.
func (c *counter) key(p *point) string {
	live := p.live
	for t, n := range p.done {
		part := binary.AppendUvarint(c.parts[t][:0], uint64(n))
		some := c.live(t, n)
		c.parts[t], live = appendValues(part, live[:some]), live[some:]
	}
	key := binary.AppendUvarint(appendValues(nil, []event.Value{p.holds}), uint64(p.reader))
	for _, class := range c.classes {
		slices.SortFunc(class, func(t, u int) int { return bytes.Compare(c.parts[t], c.parts[u]) })
		for _, t := range class {
			key = append(key, c.parts[t]...)
		}
	}
	return string(key)
}

// keep records that an expression needs the value of a thread's reads until the given number of its
// accesses are done. It returns the number of accesses after which the expression can be computed.
func (c *counter) keep(thread int, x event.Expr, until int) (ready int) {
	event.EachRead(x, func(n int) {
		e := c.First[thread] + n
		c.last[e] = max(c.last[e], until)
		ready = max(ready, c.place[e])
	})
	return ready
}

func (c *counter) demand(cond event.Cond, anything bool) {
	ready := c.keep(cond.Thread, cond.X, 0)
	c.keep(cond.Thread, cond.X, ready)
	c.demands = append(c.demands, demand{cond, anything, ready})
}

var (
	// errNoMeaning says that a computation has no meaning for the values that were read.
	errNoMeaning = errors.New("a computation without meaning")
	// errBudget says that the budget has ended.
	errBudget = errors.New("the budget has ended")
)

// count finds the final states: of a truncated structure, one without values if it can happen. It
// is Cut if the budget ends, and Unsupported if a computation has no meaning. The error is that of
// the budget.
func (c *counter) count(b *engine.Budget) ([]*engine.State, engine.Extent, error) {
	states, err := c.all(b)
	switch {
	case errors.Is(err, errNoMeaning):
		return nil, engine.Unsupported, nil
	case errors.Is(err, errBudget):
		return nil, engine.Cut, b.Err()
	}
	return states, engine.Done, err
}

// all returns the final states.
func (c *counter) all(b *engine.Budget) ([]*engine.State, error) {
	begin := &point{done: make([]int, len(c.threads)), holds: c.Locs[c.at].Init, ways: 1}
	level := []*point{begin}
	for t := range c.threads {
		if taken, err := c.taken(t, 0, 0); !taken || err != nil {
			return []*engine.State{}, err
		}
	}
	for {
		next, err := c.further(b, level)
		switch {
		case err != nil:
			return nil, err
		case len(next) == 0:
			return c.states(level)
		}
		level = next
	}
}

// further is the points that follow after one more access, or one more atomic.
func (c *counter) further(b *engine.Budget, level []*point) (next []*point, err error) {
	table := map[string]*point{}
	for _, p := range level {
		for t := range c.threads {
			if !b.Spend(1) {
				return nil, errBudget
			}
			q, err := c.step(p, t)
			if err != nil {
				return nil, err
			}
			if q == nil {
				continue
			}
			key := c.key(q)
			if known := table[key]; known != nil {
				known.ways = engine.Add(known.ways, q.ways)
				continue
			}
			b.Spend(ofPoint)
			table[key] = q
			next = append(next, q)
		}
	}
	return next, nil
}

// step is the point that follows if a thread goes on, nil if it does not.
func (c *counter) step(p *point, t int) (*point, error) {
	at := p.done[t]
	if at == len(c.threads[t]) {
		return nil, nil
	}
	c.restore(p)
	q := &point{done: slices.Clone(p.done), holds: p.holds, reader: t, ways: p.ways, from: p, by: t}
	e := c.threads[t][at]
	q.done[t]++
	if c.Events[e].Kind == event.Read {
		c.val[e] = p.holds
		switch w := c.rmw[e]; {
		case w >= 0:
			q.done[t]++
			e = w
		case t < p.reader:
			return nil, nil
		}
	}
	if c.Events[e].Kind == event.Write {
		v, err := c.eval(t, c.Events[e].Data)
		if err != nil {
			return nil, err
		}
		q.holds, q.reader = v, 0
	}
	if taken, err := c.taken(t, at+1, q.done[t]); !taken || err != nil {
		return nil, err
	}
	c.eachLive(q, func(e event.ID) { q.live = append(q.live, c.val[e]) })
	return q, nil
}

// eachLive visits the reads whose values matter at a point.
func (c *counter) eachLive(p *point, visit func(event.ID)) {
	for t, accesses := range c.threads {
		for _, e := range accesses[:p.done[t]] {
			if c.last[e] > p.done[t] {
				visit(e)
			}
		}
	}
}

// live returns how many reads of a thread matter after some of its accesses.
func (c *counter) live(thread, done int) (reads int) {
	for _, e := range c.threads[thread][:done] {
		if c.last[e] > done {
			reads++
		}
	}
	return reads
}

// restore has val be what is known at a point.
func (c *counter) restore(p *point) {
	i := 0
	c.eachLive(p, func(e event.ID) {
		c.val[e] = p.live[i]
		i++
	})
}

// eval computes an expression of a thread. What has no meaning is left to others.
func (c *counter) eval(thread int, x event.Expr) (event.Value, error) {
	v, err := x.Eval(func(n int) (event.Value, bool) { return c.val[c.First[thread]+n], true })
	if err != nil {
		return v, errNoMeaning
	}
	return v, nil
}

// taken reports that what becomes known after a thread's accesses from one to another is as its
// path wants it.
func (c *counter) taken(thread, from, to int) (bool, error) {
	for i := range c.demands {
		d := &c.demands[i]
		if d.Thread != thread || d.ready < from || d.ready > to {
			continue
		}
		switch v, err := c.eval(thread, d.X); {
		case err != nil:
			return false, err
		case !d.anything && v.True() != d.Want:
			return false, nil
		}
	}
	return true, nil
}

// states returns the states that count of the points at which all threads have ended.
func (c *counter) states(level []*point) ([]*engine.State, error) {
	var states engine.Table
	for _, p := range level {
		if slices.ContainsFunc(c.accesses, func(e event.ID) bool { return c.place[e] > p.done[c.Events[e].Thread] }) {
			continue
		}
		if c.Truncated {
			return []*engine.State{engine.NewState(nil, engine.Exhibit{Evidence: &end{c, p}, At: c.number})}, nil
		}
		values, err := c.ends(p)
		if err != nil {
			return nil, err
		}
		s, added := states.FindOrAdd(values)
		if added && (c.query.Keep == nil || final.Holds(c.query.Keep, values)) {
			s.Exhibit = engine.Exhibit{Evidence: &end{c, p}, At: c.number}
		}
		s.Count = engine.Add(s.Count, p.ways)
	}
	return states.Counting(), nil
}

// ends returns the values of what is observed at the end.
func (c *counter) ends(p *point) (values []event.Value, err error) {
	c.restore(p)
	for _, o := range c.query.Observe {
		v := event.Int(0) // of a register that the path never sets
		switch x, ok := c.Held(o.Reg); {
		case o.Loc == c.at:
			v = p.holds
		case o.Loc != event.NoLoc:
			v = c.Locs[o.Loc].Init
		case ok:
			if v, err = c.eval(o.Reg.Thread, x); err != nil {
				return nil, err
			}
		}
		values = append(values, v)
	}
	return values, nil
}

// end is a point at which all threads have ended, as evidence of its state.
type end struct {
	*counter
	at *point
}

// Witness returns an execution that ends there. Whatever the model chooses but coherence is empty.
func (e *end) Witness() *engine.Witness {
	x := e.interleaved(e.at)
	w := &engine.Witness{Execution: x}
	for _, choice := range e.plan.Choices {
		chosen := rel.New(x.N())
		if choice.Name == "co" {
			chosen = x.Co
		}
		w.Choices = append(w.Choices, chosen)
	}
	return w
}

// interleaved returns the execution that comes to a point at which all threads have ended.
func (c *counter) interleaved(last *point) *event.Execution {
	var order []event.ID // of all accesses
	for p := last; p.from != nil; p = p.from {
		for i := p.done[p.by]; i > p.from.done[p.by]; i-- {
			order = append(order, c.threads[p.by][i-1])
		}
	}
	slices.Reverse(order)
	rf, written := make([]event.ID, c.N()), []event.ID{c.init}
	for e := range rf {
		rf[e] = -1
	}
	co := rel.New(c.N())
	for _, e := range order {
		if c.Events[e].Kind == event.Read {
			rf[e] = written[len(written)-1]
			continue
		}
		for _, w := range written {
			co.Add(w, e)
		}
		written = append(written, e)
	}
	x := enumerate.Reading(engine.Forever, c.Structure, rf)
	if x != nil {
		x.Co = co
	}
	return x
}
