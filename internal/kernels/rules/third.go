package rules

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Masters gives Counters the values that the masters of blocks have got from a counter and handed
// on.
//
// It recognises a value that one thread of a block, its master, fetches and hands on in shared
// memory, across a barrier. Two threads of different blocks know nothing about each other's values
// without knowing what the masters of their blocks have done (Bardsley and Donaldson, "Warps and
// Atomics", NFM 2014, Sec. 5, leave that to future work). So the master is a third thread, at a
// known place, and the master of the other block is a fourth: others read what the master has
// written, and a counter has given the two masters different values. Within a block, reads after
// one barrier are equal anyway.
var Masters = &ask.Rule{
	Name: "masters", Late: true,
	Off: func(t *trace.Trace) bool { return t.Partly != nil || len(t.Arrivals) > 0 },
	Recognise: func(a *ask.Asker) (ask.Instance, bool) {
		return handOn(a, (*third).masters), true
	},
}

// Leaders gives Counters the values that the leaders of warps have got from a counter and handed
// on.
//
// It recognises a value that one lane of a warp, its leader, takes from a counter for all lanes,
// and that they get from it by shfl. The leader is a third thread, in the iterations of the first.
// No proof is needed here that it reaches the shfl: Lanes proves that of all lanes that the mask
// names. So the value is known in questions about races only; in those of Lanes it would prove
// itself.
var Leaders = &ask.Rule{Name: "leaders", Late: true, Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	return handOn(a, (*third).leaders), true
}}

// handOn adds values of third threads to what Counters knows. They are no instance of their own.
func handOn(a *ask.Asker, find func(*third) []thirdValue) ask.Instance {
	if counters, ok := ask.Find[*counters](a); ok && len(counters.all) > 0 {
		counters.third = append(counters.third, find(&third{a, a.Terms(), a.Trace(), counters})...)
	}
	return nil
}

// third looks for values that third threads hand on.
type third struct {
	a        *ask.Asker
	b        *term.Builder
	trace    *trace.Trace
	counters *counters
}

// thirdValue is a value that a third thread hands on: the master of a block, or the leader of a
// warp.
type thirdValue struct {
	read *term.Term   // what a thread reads
	fact *term.Term   // it is what the master has written
	of   []trace.Read // the counters in it, as the master counts them
	lane *term.Term   // for the leader of a warp: its lane; otherwise nil
}

// handedOn adds the facts about such values that a question mentions: of leaders if it is about a
// race, of masters if it is about threads of different blocks. It returns the counters in them.
func (r *counters) handedOn(c *ask.Conjunction, q *ask.Question) (mine, theirs []known) {
	for _, v := range r.third {
		if led := v.lane != nil; led && q.Kind != ask.Race || !led && !q.Thread.OtherBlock {
			continue
		}
		if c.Mentions(v.read) {
			c.Add(v.fact)
			mine = append(mine, v.counters()...)
		}
		if c.Mentions(q.Thread.Term(v.read)) {
			c.Add(q.Thread.Term(v.fact))
			theirs = append(theirs, v.counters()...)
		}
	}
	return mine, theirs
}

// counters returns the counters in the value.
func (v thirdValue) counters() (all []known) {
	for _, r := range v.of {
		all = append(all, known{r, v.lane})
	}
	return all
}

// masters finds the values that masters hand on.
func (t *third) masters() (all []thirdValue) {
	if t.a.Threads().OtherBlock == nil {
		return nil
	}
	known := map[[3]uint64]*term.Renaming{}
	made := map[*term.Term][]trace.Read{}
	for _, r := range t.trace.Reads {
		if t.a.Ended() {
			break
		}
		if r.Region.Space != isa.Shared || r.Held(t.b, r.Epoch) == nil {
			continue // nothing is known of what the array holds
		}
		for _, w := range t.trace.Accesses {
			if w.Region != r.Region || w.Kind != trace.Store || len(w.Values) != 1 {
				continue
			}
			of, seen := made[w.Values[0]]
			if !seen {
				of = t.countersIn(w.Values[0])
				made[w.Values[0]] = of
			}
			if len(of) == 0 {
				continue
			}
			place, ok := t.placeOf(w)
			if ok && known[place] == nil {
				known[place] = master(t.a, place)
			}
			if m := known[place]; ok && t.hands(m, w, r) {
				fact := t.b.Implies(r.Guard, t.b.Eq(r.Value, m.Term(w.Values[0])))
				all = append(all, thirdValue{r.Value, fact, countedBy(m, of), nil})
				break
			}
		}
	}
	return all
}

// countersIn returns the counters that occur in a value.
func (t *third) countersIn(value *term.Term) (of []trace.Read) {
	within := map[*term.Term]bool{}
	term.Visit(value, map[*term.Term]bool{}, func(v *term.Term) bool {
		within[v] = true
		return false
	})
	for _, c := range t.counters.all {
		if within[c.Value] {
			of = append(of, c)
		}
	}
	return of
}

// countedBy returns counters as another thread counts them.
func countedBy(m *term.Renaming, all []trace.Read) (theirs []trace.Read) {
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

// placeOf returns the place of a thread that reaches an access. If others reach it, too, they race
// there, or no value is handed on.
func (t *third) placeOf(x *trace.Access) (place [3]uint64, ok bool) {
	model, result := t.a.PossibleAt(&x.Point, t.b.Bool(true))
	if result != sat.Sat {
		return place, false
	}
	return placeIn(model, t.trace), true
}

// placeIn returns the place of the thread in a model.
func placeIn(model *term.Model, trace *trace.Trace) (place [3]uint64) {
	for i, t := range trace.Shape.Thread {
		place[i] = model.Eval(t)
	}
	return place
}

// master returns the thread at a place of the block, in the iterations of the first thread: all
// threads go through loops with barriers together.
func master(a *ask.Asker, at [3]uint64) *term.Renaming {
	b, tr := a.Terms(), a.Trace()
	same, place := trace.Variables(tr.Shape.Block[:]...), map[*term.Term]*term.Term{}
	for _, l := range tr.Meetings {
		if l.Scope >= trace.Block {
			same[trace.Variable(l.Rounds[len(l.Rounds)-1])] = true
		}
	}
	for i, t := range tr.Shape.Thread {
		for _, v := range t.Args() {
			place[v] = b.Const(at[i], v.Width())
		}
	}
	return b.Rename(func(v *term.Term) *term.Term {
		switch {
		case place[v] != nil:
			return place[v]
		case !a.Vars().Private(v) || same[v]:
			return v
		}
		return a.Vars().OfThird(v, fmt.Sprintf("%s°%v", v.Name(), at))
	})
}

// comes reports whether a master performs an action whenever a thread of its block reaches a point.
func comes(a *ask.Asker, m *term.Renaming, at *trace.Point, does *term.Term) bool {
	comes := m.Term(does)
	for _, fact := range a.Trace().Geometry { // the block has such a thread
		comes = a.Terms().And(comes, m.Term(fact))
	}
	return a.Never(at, a.Terms().Not(comes))
}

// disturbs reports whether a store of another thread of the block may meet that of a master without
// a race: both are strong.
func disturbs(a *ask.Asker, x, w *trace.Access) bool {
	other := a.Threads().SameBlock
	return x.Strong != isa.NoScope && w.Strong != isa.NoScope && other != nil && a.Pair(w, x, other).Encounter()
}

// hands reports whether a thread of the block reads the store of a master: it is the only store to
// the place in the barrier interval before, and the master certainly makes it. If others wrote
// there, too, it would be a race.
func (t *third) hands(m *term.Renaming, w *trace.Access, r trace.Read) bool {
	at, ok := r.Offset.Value()
	epoch := m.Term(w.Epoch[trace.Block])
	if !ok || !t.b.Eq(t.b.Add(epoch, t.b.Const(1, 64)), r.Epoch).True() {
		return false
	}
	for _, x := range t.trace.Accesses {
		if x.Region != r.Region || x.Kind == trace.Load || t.b.Eq(m.Term(x.Epoch[trace.Block]), epoch).False() {
			continue
		}
		to, ok := x.Offset.Value()
		switch {
		case !ok || x.Kind != trace.Store || x.Unit != x.Size || x.Size != r.Size || disturbs(t.a, x, w):
			return false
		case to >= at+uint64(x.Size) || at >= to+uint64(x.Size):
		case to != at || x != w:
			return false
		}
	}
	if to, _ := w.Offset.Value(); to != at {
		return false
	}
	return comes(t.a, m, &r.Point, w.Guard)
}

// leaders finds the values that leaders of warps hand on.
func (t *third) leaders() (all []thirdValue) {
	for i, x := range t.trace.Exchanges {
		of := t.countersIn(x.Value)
		if len(of) == 0 {
			continue
		}
		if m := t.leader(fmt.Sprintf("°%d", i), x); m != nil {
			brings := t.b.And(m.Term(x.Guard), t.b.Eq(x.Got, m.Term(x.Value)))
			all = append(all, thirdValue{x.Got, t.b.Implies(t.b.And(x.Guard, x.There), brings), countedBy(m, of), x.From})
		}
	}
	return all
}

// leader returns the lane of the warp of a thread from which it gets something, where it gets it;
// nil if its place is not known, in blocks of several dimensions.
func (t *third) leader(name string, x *trace.Exchange) *term.Renaming {
	one, shape := t.b.Const(1, 32), &t.trace.Shape
	mine, same := trace.Variable(shape.Thread[0]), trace.Variables(shape.Block[:]...)
	if shape.Threads[1] != one || shape.Threads[2] != one || mine == nil {
		return nil
	}
	for _, r := range x.Rounds {
		same[trace.Variable(r)] = true
	}
	first := t.b.And(shape.Linear, t.b.Const(1<<32-32, 32))
	place := t.b.Extract(t.b.Or(first, x.From), 0, mine.Width())
	return t.b.Rename(func(v *term.Term) *term.Term {
		switch {
		case v == mine:
			return place
		case !t.a.Vars().Private(v) || same[v]:
			return v
		}
		return t.a.Vars().OfThird(v, v.Name()+name)
	})
}
