package verify

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Where one thread of a block, its master, fetches something and hands it out in shared memory, behind a barrier, two threads of
// different blocks know nothing of what they got unless they know what the masters of their blocks have done (Bardsley and
// Donaldson, "Warps and Atomics", NFM 2014, Sec. 5, leave that to future work). So the master is a third thread, at a place that
// has a name, and that of the other block a fourth: what others read is what the master has written, and a counter has
// given the two different values. Within a block, what is read behind one barrier is the same anyway.

// handed is a value that the master of a block hands out.
type handed struct {
	read *term.Term      // what a thread reads
	fact *term.Term      // it is what the master has written
	of   []symbolic.Read // the counters of which that is made, as the master counts them
	lane *term.Term      // the master is that of a warp, its leader, which is this lane; else nil
}

// masters finds the values that masters hand out.
func (q *questions) masters() (all []handed) {
	if q.far == nil || len(q.count) == 0 || q.trace.Partly != nil || len(q.trace.Arrivals) > 0 {
		return nil
	}
	known := map[[3]uint64]*term.Renaming{}
	made := map[*term.Term][]symbolic.Read{}
	for _, r := range q.trace.Reads {
		if q.ended() {
			break
		}
		if r.Region.Space != isa.Shared || r.Held(q.Builder, r.Epoch) == nil {
			continue // nothing is known of what the array holds
		}
		for _, w := range q.trace.Accesses {
			if w.Region != r.Region || w.Kind != symbolic.Store || len(w.Values) != 1 {
				continue
			}
			of, seen := made[w.Values[0]]
			if !seen {
				of = q.counts(w.Values[0])
				made[w.Values[0]] = of
			}
			if len(of) == 0 {
				continue
			}
			place, ok := q.placeOf(w)
			if ok && known[place] == nil {
				known[place] = q.master(place)
			}
			if m := known[place]; ok && q.hands(m, w, r) {
				all = append(all, handed{r.Value, q.Implies(r.Guard, q.Eq(r.Value, m.Term(w.Values[0]))), countedBy(m, of), nil})
				break
			}
		}
	}
	return all
}

// counts are the counters of which a value is made.
func (q *questions) counts(value *term.Term) (of []symbolic.Read) {
	within := map[*term.Term]bool{}
	visit(value, map[*term.Term]bool{}, func(v *term.Term) bool {
		within[v] = true
		return false
	})
	for _, c := range q.count {
		if within[c.Value] {
			of = append(of, c)
		}
	}
	return of
}

// countedBy are counters as another thread counts them.
func countedBy(m *term.Renaming, all []symbolic.Read) (theirs []symbolic.Read) {
	for _, c := range all {
		rounds := make([]*term.Term, len(c.Rounds))
		for i, r := range c.Rounds {
			rounds[i] = m.Term(r)
		}
		c.Rounds, c.Value, c.Offset, c.Epoch, c.Guard, c.Amount = rounds, m.Term(c.Value), m.Term(c.Offset), m.Term(c.Epoch), m.Term(c.Guard), m.Term(c.Amount)
		theirs = append(theirs, c)
	}
	return theirs
}

// placeOf is the place of a thread that can come to an access. If others can, too, they race there, or nothing is handed out.
func (q *questions) placeOf(a *symbolic.Access) (place [3]uint64, ok bool) {
	model, result := q.fails(&a.Point, q.Bool(true))
	if result != sat.Sat {
		return place, false
	}
	return q.placeIn(model), true
}

// placeIn is the place of the thread that a model is about.
func (q *questions) placeIn(model *term.Model) (place [3]uint64) {
	for i, t := range q.trace.Shape.Thread {
		place[i] = model.Eval(t)
	}
	return place
}

// comes reports that a master does something whenever a thread of its block comes to a point.
func (q *questions) comes(m *term.Renaming, at *symbolic.Point, does *term.Term) bool {
	comes := m.Term(does)
	for _, fact := range q.trace.Geometry { // the block has such a thread
		comes = q.And(comes, m.Term(fact))
	}
	_, result := q.fails(at, q.Not(comes))
	return result == sat.Unsat
}

// master is the thread at a place of the block of a thread, in the rounds of that thread: all go round loops with barriers together.
func (q *questions) master(at [3]uint64) *term.Renaming {
	trace := q.trace
	same, place := q.ofBlock(), map[*term.Term]*term.Term{}
	for _, l := range trace.Meetings {
		if l.Scope >= symbolic.Block {
			same[l.Rounds[len(l.Rounds)-1].Args()[0]] = true
		}
	}
	for i, t := range trace.Shape.Thread {
		for _, v := range t.Args() {
			place[v] = q.Const(at[i], v.Width())
		}
	}
	return q.Rename(func(v *term.Term) *term.Term {
		switch {
		case place[v] != nil:
			return place[v]
		case !trace.Private[v] || same[v]:
			return v
		}
		return q.owned(v, fmt.Sprintf("%s°%v", v.Name(), at))
	})
}

// ofBlock are the variables for the place of a block.
func (q *questions) ofBlock() map[*term.Term]bool {
	all := map[*term.Term]bool{}
	for _, t := range q.trace.Shape.Block {
		for _, v := range t.Args() {
			all[v] = true
		}
	}
	return all
}

// owned is a variable of a thread for a third one, under a name of its own.
func (q *questions) owned(v *term.Term, name string) *term.Term {
	own := q.Var(name, v.Width())
	if hi, ok := v.Bound(); ok {
		own = q.UpTo(name, hi)
	}
	q.trace.Private[own] = true
	if q.trace.Havoc[v] {
		q.trace.Havoc[own] = true
	}
	return own
}

// hands reports that a store of a master is what a thread of its block reads: the only one to the place in the barrier interval
// before, to which the master comes for sure. If others wrote there, too, it would be a race.
func (q *questions) hands(m *term.Renaming, w *symbolic.Access, r symbolic.Read) bool {
	at, ok := r.Offset.Value()
	epoch := m.Term(w.Epoch[symbolic.Block])
	if !ok || !q.Eq(q.Add(epoch, q.Const(1, 64)), r.Epoch).True() {
		return false
	}
	for _, a := range q.trace.Accesses {
		if a.Region != r.Region || a.Kind == symbolic.Load || q.Eq(m.Term(a.Epoch[symbolic.Block]), epoch).False() {
			continue
		}
		to, ok := a.Offset.Value()
		switch {
		case !ok || a.Kind != symbolic.Store || a.Unit != a.Size || a.Size != r.Size || q.disturbs(a, w):
			return false
		case to >= at+uint64(a.Size) || at >= to+uint64(a.Size):
		case to != at || a != w:
			return false
		}
	}
	if to, _ := w.Offset.Value(); to != at {
		return false
	}
	return q.comes(m, &r.Point, w.Guard)
}

// disturbs reports that a store of another thread of the block may meet that of a master without a race: both are strong.
func (q *questions) disturbs(a, w *symbolic.Access) bool {
	return a.Strong != isa.NoScope && w.Strong != isa.NoScope && q.near != nil && q.encounter(w, a, q.near)
}

// handed adds what others have handed out that a question speaks of: leaders of warps if it is about a race, masters of blocks if it is about threads
// of different ones. It returns the counters of which it is made.
func (q *questions) handed(c *conjunction, x *question) (mine, theirs []taken) {
	for _, h := range q.given {
		if led := h.lane != nil; led && x.kind != Race || !led && !x.second.far {
			continue
		}
		if c.speaks(h.read) {
			c.add(h.fact)
			mine = append(mine, takenBy(h)...)
		}
		if c.speaks(x.second.Term(h.read)) {
			c.add(x.second.Term(h.fact))
			theirs = append(theirs, takenBy(h)...)
		}
	}
	return mine, theirs
}

// takenBy are the counters that are handed out.
func takenBy(h handed) (all []taken) {
	for _, r := range h.of {
		all = append(all, taken{r, h.lane})
	}
	return all
}
