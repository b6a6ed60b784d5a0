package learn

import (
	"cmp"
	"context"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/prove/sat"
	"github.com/muster-gpu/muster/rel"
)

// Threads that meet at barriers compute in rounds: what a round writes is read in the next, and the model forbids to read anything older or
// newer. Values that flow from every write to every read at its location, as if it were allowed, are as many as there are ways to mix rounds.

// mostValuesEach is of how many values per access it does not pay yet to find out which of them nobody can read.
const mostValuesEach = 16

// mixed reports that threads meet, and that accesses have so many values, more than so many each, that they may be those of mixed rounds.
func (v *values) mixed(siftAfter int) bool {
	n, accesses, meet := 0, 0, false
	for e := range v.val {
		switch ev := &v.s.Events[e]; {
		case ev.Kind == event.Barrier:
			meet = true
		case ev.IsMem():
			n, accesses = n+len(v.val[e].values), accesses+1
		}
	}
	return meet && (v.beyond || n > cmp.Or(siftAfter, mostValuesEach)*accesses)
}

// mostFollowing is how many literals may follow from reads, all in all, until no more is found out about others.
const mostFollowing = 10_000_000

// neverRead relates reads to writes from which they read in no execution, whatever values are and wherever accesses are whose addresses are
// computed from values: reading from one contradicts the clauses of the model, without a search. It is nil if there are none.
func neverRead(ctx context.Context, p *bounds.Program, u *union, off map[int]bool) *rel.Rel {
	e := &encoding{values: newCircuit(ctx, p, u).newValues(), program: p, off: off}
	e.Input = e.bindInput
	e.onlyPlaces()
	e.rules()
	e.drain()
	if e.beyond || e.over() {
		return nil
	}
	never := rel.New(e.N)
	e.Probe(func(p sat.Probe) {
		left := mostFollowing
		for _, r := range e.reads {
			for w, l := range e.rf[r] {
				if l == 0 || left < 0 || e.over() {
					continue
				}
				if !p.Assume(l) {
					never.Add(r, w)
				}
				left -= p.Size()
				p.DropAll()
			}
		}
	})
	if never.Empty() {
		return nil
	}
	return &never
}

// onlyPlaces says what reads may read from, and nothing of values.
func (v *values) onlyPlaces() {
	anywhere := rel.NewSet(v.N)
	for a := range v.s.Events {
		switch ev := &v.s.Events[a]; {
		case !ev.IsMem():
		case v.sure(a, ev.Addr):
			v.findPlace(a)
		default:
			anywhere.Add(a)
		}
	}
	v.stray(anywhere)
	v.loose, v.tight = v.NewVar(), v.NewVar()
	for a := range v.s.Events {
		if ev := &v.s.Events[a]; ev.IsMem() {
			v.literals(&v.at[a], a, v.sure(a, ev.Addr))
		}
	}
	for _, r := range v.reads {
		v.sources(r)
	}
}

// findPlace computes the address of an access from what reads can return by now. It returns false if nothing was added.
func (v *values) findPlace(a event.ID) (more bool) {
	v.each(v.s.own[a], v.s.Events[a].Addr, func(x event.Value, err error, _ []sat.Lit) {
		if l, failure := event.Resolve(v.s.Locs, x); err == nil && failure == nil {
			more = v.at[a].note(event.Int(int64(l))) || more
		}
	})
	return more
}
