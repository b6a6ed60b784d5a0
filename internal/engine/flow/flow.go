// Package flow finds combinations of control paths that no execution takes, from values alone: some
// thread would have to read a value that no thread writes.
//
//	Flow    what is known of the paths of a program
//	Causes  the relations by which one event of a path depends on another
//
// Most combinations of the paths of retry loops are of this kind. The values that a path can write,
// given those that its reads may return, are computed once and serve all combinations with the
// path.
//
// Values come from initial writes, through reads and computations, to other reads. The caller must
// know that a check of the model rules out cycles of rf and the causes: no value comes out of thin
// air then, and what a write depends on has happened before it.
package flow

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// Flow is what is known of the paths of a program.
type Flow struct {
	locs   []event.Location
	causes Causes
	cells  []cell // by number in a set of them
	init   set
	paths  map[*event.Path]*path
}

// cell is a location that holds a value.
type cell struct {
	loc   event.Loc
	value event.Value
}

// set is a set of cells, by their numbers.
type set uint64

const mostCells = 64

// New knows nothing of any path yet.
func New(locs []event.Location, causes Causes) *Flow {
	f := &Flow{locs: locs, causes: causes, paths: map[*event.Path]*path{}}
	for l := range locs {
		if locs[l].Alias == nil {
			one, _ := f.cell(l, locs[l].Init)
			f.init |= one
		}
	}
	return f
}

// cell is the set of one cell; false if there are too many.
func (f *Flow) cell(l event.Loc, v event.Value) (one set, ok bool) {
	c := cell{l, v}
	i := slices.Index(f.cells, c)
	if i < 0 {
		i = len(f.cells)
		f.cells = append(f.cells, c)
	}
	return 1 << i, i < mostCells
}

// Possible reports that an execution may take these paths, one for each thread, as far as values
// tell.
func (f *Flow) Possible(paths []*event.Path) bool {
	written, possible, rounds := f.init, true, 1
	for _, p := range paths {
		rounds += len(f.path(p).writes)
	}
	// What arrives at a read has gone through each write once at most.
	for before := set(0); written != before && rounds > 0; rounds-- {
		before, possible = written, true
		for _, p := range paths {
			e := f.effect(p, written)
			if e.unknown {
				return true
			}
			written |= e.writes
			possible = possible && e.taken
		}
	}
	return possible
}

// effect is what a path does if its reads can return what is in some cells.
type effect struct {
	writes  set
	taken   bool // reads can return what its branches ask for
	unknown bool // an address may have no meaning, or there is too much to look at
}

func (f *Flow) effect(q *event.Path, written set) effect {
	p := f.path(q)
	e, known := p.effects[written]
	switch {
	case p.unknown:
		return effect{unknown: true}
	case !known:
		s := search{Flow: f, path: p, written: written, left: mostTried}
		s.env = func(n int) (event.Value, bool) { return s.value[n], true }
		e = s.effect()
		p.effects[written] = e
	}
	return e
}
