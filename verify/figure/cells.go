package figure

import (
	"slices"

	"github.com/muster-gpu/muster/kernel/launch"
)

// cell is an element of the array of a race.
type cell struct {
	index   int64
	touches [2]string // accesses of each thread to it: "r", "w", "rw"
	races   bool      // the racing accesses meet there
	gap     bool      // cells before it are not drawn
}

// cellsOfAccess returns the first and the last element that an access touches.
func cellsOfAccess(a *launch.Access, unit int64) (from, to int64) {
	return floor(a.Offset, unit), floor(a.Offset+int64(a.Bytes)-1, unit)
}

// floor returns the quotient, rounded down.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// mostCells bounds the cells that are drawn: those nearest to the race.
const mostCells = 16

// cellsOf returns the elements of the array that the drawn accesses touch, and their neighbours.
func cellsOf(f *Figure, unit int64) []cell {
	touched := map[int64]*cell{}
	at := func(i int64) *cell {
		if touched[i] == nil {
			touched[i] = &cell{index: i}
		}
		return touched[i]
	}
	f.eachAccess(func(a *access) {
		if a.Object != f.race[0].Object {
			return
		}
		from, to := cellsOfAccess(a.Access, unit)
		for i := max(0, from-1); i <= to+1; i++ {
			at(i)
		}
		for i := from; i <= to; i++ {
			at(i).touch(a)
		}
	})
	from := floor(max(f.race[0].Offset, f.race[1].Offset), unit)
	ends := [2]int64{f.race[0].Offset + int64(f.race[0].Bytes), f.race[1].Offset + int64(f.race[1].Bytes)}
	for i := from; i <= floor(min(ends[0], ends[1])-1, unit); i++ {
		at(i).races = true
	}
	return chosen(touched, from)
}

// chosen returns the cells nearest to an index, in order.
func chosen(touched map[int64]*cell, place int64) []cell {
	all := make([]cell, 0, len(touched))
	for _, c := range touched {
		all = append(all, *c)
	}
	far := func(c cell) int64 { return max(c.index-place, place-c.index) }
	slices.SortFunc(all, func(a, b cell) int {
		if far(a) != far(b) {
			return int(far(a) - far(b))
		}
		return int(a.index - b.index)
	})
	all = all[:min(len(all), mostCells)]
	slices.SortFunc(all, func(a, b cell) int { return int(a.index - b.index) })
	for i := range all {
		all[i].gap = i > 0 && all[i-1].index+1 != all[i].index
	}
	return all
}

// touch records that an access touches the cell.
func (c *cell) touch(a *access) {
	s := &c.touches[a.thread]
	reads, writes := a.Reads || *s == "r" || *s == "rw", a.Writes || *s == "w" || *s == "rw"
	switch {
	case reads && writes:
		*s = "rw"
	case reads:
		*s = "r"
	default:
		*s = "w"
	}
}

// eachAccess visits the accesses that are drawn.
func (f *Figure) eachAccess(visit func(*access)) {
	for _, in := range f.intervals {
		for _, column := range in.columns {
			for _, b := range column {
				if b.access != nil {
					visit(b.access)
				}
			}
		}
	}
}
