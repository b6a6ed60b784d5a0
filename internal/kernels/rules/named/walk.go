package named

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
)

// walk takes the warps of a block along their sequences of barriers, with vector clocks as in
// kernel/launch. What it finds does not depend on the schedule, as long as
//
//   - each use of a barrier gets exactly as many threads as it waits for;
//   - by the clocks, no warp reaches a use before all have reached the use before it: it could
//     have been one of those. That keeps apart groups of warps that use one number in turn, too.
type walk struct {
	warps   [][]arrived // the sequence of each warp
	uses    map[barrierID][]*use
	in      []*use    // the use at which each warp waits; nil if it does not
	seen    [][][]int // the clock of each warp after each of its arrivals: the number of arrivals of each warp that are ordered before
	trouble *trouble  // why the walk has ended early
}

// arrived is a warp at a barrier.
type arrived struct {
	at    *trace.Arrival
	id    barrierID
	count uint64 // of threads that it waits for
}

// use is one use of a barrier. It is complete when the number of threads that it waits for have
// come.
type use struct {
	count uint64 // of threads
	came  []moment
}

// moment is a warp at a use: which of its arrivals that is, and its clock before.
type moment struct {
	warp, nth int
	before    []int
}

// trouble is an error of a warp at a barrier, or something unknown about it.
type trouble struct {
	at     *trace.Arrival
	warp   int
	what   string
	open   bool           // it is an obstacle, and no alarm
	there  *trace.Arrival // where others wait; nil if they do not
	others []int          // these; nil for any
}

// complete reports whether all threads have come. Warps count as a whole.
func (u *use) complete() bool { return uint64(len(u.came)*warp) >= u.count }

// has reports whether a warp has come.
func (u *use) has(w int) bool {
	return slices.ContainsFunc(u.came, func(m moment) bool { return m.warp == w })
}

func newWalk(warps [][]arrived) *walk {
	n := len(warps)
	k := &walk{warps: warps, uses: map[barrierID][]*use{}, in: make([]*use, n), seen: make([][][]int, n)}
	for w := range n {
		k.seen[w] = [][]int{make([]int, n)}
	}
	return k
}

// run takes the warps as far as they can go, and each no further than to a number of its arrivals.
// It reports whether nothing is wrong.
func (k *walk) run(until func(w int) int) bool {
	for again := true; again; {
		again = false
		for w := range k.warps {
			for k.passed(w) < until(w) && k.goesOn(w) {
				again = true
			}
			if k.trouble != nil {
				return false
			}
		}
	}
	return true
}

// passed returns the number of barriers that a warp has passed.
func (k *walk) passed(w int) int { return len(k.seen[w]) - 1 }

// whole walks to the end. It reports whether nothing is wrong.
func (k *walk) whole() bool {
	return k.run(func(w int) int { return len(k.warps[w]) }) && k.ends()
}

// goesOn takes a warp to its next barrier and past it, if it can.
func (k *walk) goesOn(w int) bool {
	at := k.passed(w)
	x := k.warps[w][at]
	if k.in[w] == nil {
		if k.in[w] = k.joins(w, at, x); k.in[w] == nil {
			return false
		}
	}
	if x.at.Waits && !k.in[w].complete() {
		return false
	}
	now := k.seen[w][at]
	if x.at.Waits {
		now = k.in[w].ordered(now)
	}
	k.seen[w], k.in[w] = append(k.seen[w], now), nil
	return true
}

// joins lets a warp reach a barrier. It returns the use to which it belongs in each schedule, or
// nil if that is not known.
func (k *walk) joins(w, at int, x arrived) *use {
	all, before := k.uses[x.id], k.seen[w][at]
	if len(all) == 0 || all[len(all)-1].complete() {
		all = append(all, &use{count: x.count})
		k.uses[x.id] = all
	}
	u := all[len(all)-1]
	switch {
	case u.count != x.count:
		k.trouble = &trouble{at: x.at, open: true, what: fmt.Sprintf("barrier %d waits for %d threads, and for %d", x.id.number, u.count, x.count)}
		return nil
	case u.has(w):
		k.trouble = &trouble{at: x.at, warp: w, what: fmt.Sprintf(tooEarly, x.id.number)}
		return nil
	case len(all) > 1 && !k.follows(w, before, x, all[len(all)-2]):
		return nil
	}
	u.came = append(u.came, moment{w, at + 1, before})
	return u
}

const tooEarly = "a warp may come to barrier %d again before another has come to it"

// follows reports whether a warp reaches a barrier after all that belong to the last use.
func (k *walk) follows(w int, before []int, x arrived, last *use) bool {
	for _, m := range last.came {
		switch {
		case m.warp == w || before[m.warp] >= m.nth:
			continue
		case last.has(w):
			k.trouble = &trouble{at: x.at, warp: w, what: fmt.Sprintf(tooEarly, x.id.number), others: []int{m.warp}}
		default:
			k.trouble = &trouble{at: x.at, open: true, what: fmt.Sprintf("several groups of warps come to barrier %d, and which of them comes first is not known", x.id.number)}
		}
		return false
	}
	return true
}

// ordered returns the clock of a warp behind a use, from its clock before.
func (u *use) ordered(before []int) []int {
	now := slices.Clone(before)
	for _, m := range u.came {
		for i, n := range m.before {
			now[i] = max(now[i], n)
		}
		now[m.warp] = max(now[m.warp], m.nth)
	}
	return now
}

// ends reports whether all warps have reached their ends, and no use is left incomplete.
func (k *walk) ends() bool {
	for w, u := range k.in {
		if u != nil {
			k.trouble = k.waits(w, u)
			return false
		}
	}
	for w, list := range k.warps {
		for _, x := range list {
			all := k.uses[x.id]
			if u := all[len(all)-1]; !u.complete() && u.has(w) {
				k.trouble = &trouble{at: x.at, warp: w, what: u.short(x) + " in the end"}
				return false
			}
		}
	}
	return true
}

// short describes a use to which too few threads come.
func (u *use) short(x arrived) string {
	return fmt.Sprintf("barrier %d waits for %d threads, and %d come to it", x.id.number, u.count, len(u.came)*warp)
}

// waits returns the trouble of a warp that waits for ever: for another that waits elsewhere, if
// there is one.
func (k *walk) waits(w int, u *use) *trouble {
	x := k.warps[w][k.passed(w)]
	for other, elsewhere := range k.in {
		if elsewhere == nil || u.has(other) {
			continue
		}
		for _, later := range k.warps[other][k.passed(other):] {
			if later.id == x.id {
				return &trouble{
					at: x.at, warp: w, what: fmt.Sprintf("a warp waits at barrier %d for another, which does not come to it", x.id.number),
					there: k.warps[other][k.passed(other)].at, others: []int{other},
				}
			}
		}
	}
	return &trouble{at: x.at, warp: w, what: u.short(x)}
}
