package sampling

import (
	"math/rand/v2"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// drawing is an interleaving of a structure in the making.
type drawing struct {
	*event.Structure
	random *rand.Rand
	asks   map[event.ID][]event.Cond // by event: the conditions of its path that it decides
	awaits map[event.ID][]event.ID   // by event: the barriers that must be reached before it
	order  []event.ID                // the events that have happened
	at     []int                     // by event: its place in order; -1 if it has not happened
	next   []event.ID                // by thread: its next event
	rf     []event.ID
	val    []event.Value
	loc    []event.Loc            // by event, of writes that have happened
	last   map[event.Loc]event.ID // by location: the last write

	waits, reads []event.ID // where something may go wrong
	slip         event.ID   // where it does; noSlip if nothing goes wrong
}

// newDrawing returns a drawing of a structure. It draws the same interleavings each time.
func newDrawing(s *event.Structure) *drawing {
	d := &drawing{
		Structure: s, random: rand.New(rand.NewPCG(1, 1)), slip: noSlip,
		asks: map[event.ID][]event.Cond{}, awaits: map[event.ID][]event.ID{},
		at: make([]int, s.N()), next: make([]event.ID, len(s.First)),
		rf: make([]event.ID, s.N()), val: make([]event.Value, s.N()), loc: make([]event.Loc, s.N()),
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
	d.findSlips()
	return d
}

// interleave draws an interleaving, as far as the threads come. A thread that reads what its path
// does not want waits until it reads another value: that is how it spins.
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

// end returns the event behind those of a thread.
func (d *drawing) end(t int) event.ID {
	if t+1 < len(d.First) {
		return d.First[t+1]
	}
	return d.N()
}

// step has the next event of a thread happen, with the write of a read-modify-write. It reports
// whether the thread need not wait.
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

// passes reports whether all threads have come that an event waits for.
func (d *drawing) passes(e event.ID) bool {
	missing := func(a event.ID) bool { return d.at[a] < 0 && d.next[d.Events[a].Thread] != a }
	return e == d.slip || !slices.ContainsFunc(d.awaits[e], missing)
}

// happens has an event happen. It reports whether that has a meaning, and the path of the thread
// wants what the event reads.
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

// access reads or writes a location. It reports whether that is what the path of the thread wants.
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

// read returns the values that a thread has read.
func (d *drawing) read(t int) event.Env {
	return func(n int) (event.Value, bool) {
		e := d.First[t] + n
		return d.val[e], d.rf[e] >= 0
	}
}

// finals returns the final state. ok is false if a computation has no meaning.
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

// directed returns a choice of the model: pairs are in the order in which their events have
// happened.
func (d *drawing) directed(v *plan.Values, c *plan.Choice) rel.Rel {
	r, must, first := rel.New(d.N()), rel.New(d.N()), *v.Value(c.Args[0])
	switch c.Family {
	case plan.Linearisations:
		set := v.Value(c.Args[1]).Domain()
		must, first = first, rel.Product(set, set)
	case plan.Completions, plan.PartialOrders:
		must = *v.Value(c.Args[1])
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
