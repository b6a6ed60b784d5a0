package verify

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/prove/sat"
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
)

// A barrier may wait for some of the threads of a block: it has a number, which may be computed from the place of a thread, and says how many it waits
// for (PTX ISA, "bar"). Whole warps come to it, to one instruction or to several, and bar.arrive does not wait. So what it orders is known where it is known
// of each warp to which of these barriers it comes, one after the other: then they are gone through here, with clocks as in kernel/launch. What is found so does not
// depend on the schedule, as long as
//
//   - so many threads come to a barrier of a number, between two barriers of the block, as it waits for: then the k-th time of each of them is one;
//   - none comes there again before all have come the time before, which is asked of the clocks: a thread that waits cannot, and one that goes on might.

// arrivals are the warps of a block at such barriers.
type arrivals struct {
	*questions
	places []*term.Renaming // a thread in its place, for each of the block
	warps  [][]arrived      // what each warp comes to, one after the other
	groups map[barrierID]*group
	seen   [][][]int           // of each warp, after so many arrivals: how many of those of each warp are ordered before
	done   bool                // it is known what they order
	known  map[[2]int][]int    // what position has found, by the terms
	sure   map[*term.Term]bool // conditions that hold of each thread, or it is still in a loop
}

// barrierID is a barrier between two of the block.
type barrierID struct {
	number uint64
	epoch  *term.Term
}

// arrived is a warp at a barrier.
type arrived struct {
	*symbolic.Arrival
	barrierID
}

// group is the warps that come to a barrier.
type group struct {
	first *symbolic.Arrival
	count uint64 // of threads that it waits for
	warps []int
	times [][]moment // of each warp: when it came
}

// moment is a warp that has come to a barrier: which of its arrivals that is, and what is ordered before.
type moment struct {
	nth    int
	before []int
}

// maxWarps bounds the warps of a block: sets of them are numbers of 32 bits.
const maxWarps = 32

// arrive finds out what barriers of some threads of a block order; nil if there are none.
func (q *questions) arrive() *arrivals {
	if len(q.trace.Arrivals) == 0 {
		return nil
	}
	return &arrivals{questions: q, groups: map[barrierID]*group{}, known: map[[2]int][]int{}, sure: map[*term.Term]bool{}}
}

// meet goes through the arrivals, and notes what is wrong with them, or not known.
func (a *arrivals) meet() bool {
	threads, fixed := a.config.Launch.Block.fixed()
	if !fixed {
		a.unknown(a.trace.Arrivals[0], "the size of the block (--block)", "which threads of a block of any size come to this barrier, which waits for some of them, is not known")
		return false
	}
	if a.near == nil {
		a.unknown(a.trace.Arrivals[0], "a block of more threads", "a barrier of some of the threads of a block of one thread is not modelled")
		return false
	}
	if threads > maxWarps*warp {
		a.unknown(a.trace.Arrivals[0], "a block that a GPU can run", "barriers of some of the threads of a block of more than %d are not modelled", maxWarps*warp)
		return false
	}
	if slices.ContainsFunc(a.trace.Accesses, func(x *symbolic.Access) bool { return x.Copy != nil }) {
		a.unknown(a.trace.Arrivals[0], "", "when asynchronous copies end, as barriers of some of the threads of a block have it, is not modelled")
		return false
	}
	a.inPlaces(threads)
	a.done = a.come() && a.separate() && a.suffice() && a.walk()
	return a.done
}

// unknown notes why it is not known what barriers order.
func (a *arrivals) unknown(at *symbolic.Arrival, help, format string, args ...any) {
	a.open(&at.Point, help, format, args...)
}

// inPlaces makes the threads of a block.
func (a *arrivals) inPlaces(threads int) {
	size := a.config.Launch.Block
	for n := range threads {
		place := map[*term.Term]*term.Term{}
		for i, at := range []int{n % size[0], n / size[0] % size[1], n / (size[0] * size[1])} {
			for _, v := range a.trace.Shape.Thread[i].Args() {
				place[v] = a.Const(uint64(at), v.Width())
			}
		}
		a.places = append(a.places, a.Rename(func(v *term.Term) *term.Term {
			if is := place[v]; is != nil {
				return is
			}
			return v
		}))
	}
	a.warps = make([][]arrived, (threads+warp-1)/warp)
}

// lanes are the threads of a warp.
func (a *arrivals) lanes(w int) []*term.Renaming {
	return a.places[w*warp : min(len(a.places), (w+1)*warp)]
}

// come finds out to which barriers each warp comes.
func (a *arrivals) come() bool {
	for _, at := range a.trace.Arrivals {
		for w := range a.warps {
			comes, ok := a.comes(at, w)
			if !ok {
				return false
			}
			if comes && !a.comesTo(at, w) {
				return false
			}
		}
	}
	return true
}

// comes reports that a warp comes to a barrier: all lanes must, or none, wherever PTX is sure to have them come together.
func (a *arrivals) comes(at *symbolic.Arrival, w int) (comes, ok bool) {
	if len(a.trace.Loose) > 0 {
		if ok = a.whoever(at); !ok {
			a.unknown(at, "sizes for which loops end after a number of rounds that is known", "whether all rounds of a loop were executed, and which threads come to this barrier then, is not known")
		}
		return ok, ok
	}
	n := 0
	for _, lane := range a.lanes(w) {
		switch here := lane.Term(at.Guard); {
		case here.True():
			n++
		case !here.False():
			a.unknown(at, "a barrier to which threads come by their places alone", "whether a thread comes to this barrier, which waits for some threads of the block, depends on more than its place")
			return false, false
		}
	}
	if n > 0 && n < len(a.lanes(w)) {
		a.alarming(at, &question{other: &at.Point, missing: true, more: []*term.Term{a.sameWarp(a.near)}})
		return false, false
	}
	return n > 0, true
}

// whoever reports that each thread comes to a barrier, or is still in a loop that was left after some rounds: where only alarms are looked for.
func (a *arrivals) whoever(at *symbolic.Arrival) bool {
	all, known := a.sure[at.Guard]
	if !known {
		all = a.Check(guessBudget, a.Not(at.Guard), a.Not(a.trace.Lost)).Result == sat.Unsat
		a.sure[at.Guard] = all
	}
	return all
}

// comesTo notes that a warp comes to a barrier.
func (a *arrivals) comesTo(at *symbolic.Arrival, w int) bool {
	lanes := a.lanes(w)
	number, epoch := lanes[0].Term(at.Number), lanes[0].Term(at.Epoch)
	count, known := lanes[0].Term(at.Count).Value()
	n, ok := number.Value()
	for _, lane := range lanes {
		if !ok || !known || lane.Term(at.Number) != number || lane.Term(at.Epoch) != epoch || lane.Term(at.Count) != lanes[0].Term(at.Count) {
			a.unknown(at, "a number that follows from which warp of its block a thread is in", "which barrier this is, or how many threads it waits for, is not known of each warp")
			return false
		}
	}
	id := barrierID{n, epoch}
	g := a.groups[id]
	if g == nil {
		g = &group{first: at, count: count}
		a.groups[id] = g
	}
	if g.count != count {
		a.unknown(at, "", "barrier %d waits for %d threads, and for %d, with no barrier of the block in between", n, g.count, count)
		return false
	}
	if !slices.Contains(g.warps, w) {
		g.warps = append(g.warps, w)
	}
	a.warps[w] = append(a.warps[w], arrived{at, id})
	return true
}

// separate reports that barriers of one number that are taken for different ones have a barrier of the block in between, whatever the kernel reads.
func (a *arrivals) separate() bool {
	epochs := map[uint64][]*term.Term{}
	for _, list := range a.warps {
		for _, x := range list {
			if slices.Contains(epochs[x.number], x.epoch) {
				continue
			}
			for _, other := range epochs[x.number] {
				if !a.distinct(x, other) {
					a.unknown(x.Arrival, "", "whether a barrier of the block is between two times that threads come to barrier %d is not known", x.number)
					return false
				}
			}
			epochs[x.number] = append(epochs[x.number], x.epoch)
		}
	}
	return true
}

// distinct reports that at an arrival never so many barriers of the block have been passed as another number says.
func (a *arrivals) distinct(x arrived, other *term.Term) bool {
	same := a.Eq(x.epoch, other)
	if same.False() || a.Check(guessBudget, same).Result == sat.Unsat {
		return true
	}
	if mentions(same, func(v *term.Term) bool { return a.trace.Private[v] }) {
		return false // the other thread has its own
	}
	_, result := a.fails(&x.Point, same)
	return result == sat.Unsat
}

// suffice reports that as many threads come to each barrier as it waits for. Warps count as a whole.
func (a *arrivals) suffice() bool {
	for _, b := range a.trace.Barriers {
		for id, g := range a.groups {
			if b.Scope != symbolic.Warp && !a.Eq(a.numberOf(b), a.Const(id.number, 32)).False() {
				a.mixed = true
				a.unknown(g.first, "a number of its own for each barrier", "barrier %d waits for some threads of the block, and for all elsewhere", id.number)
				return false
			}
		}
	}
	for _, list := range a.warps {
		for _, x := range list {
			g := a.groups[x.barrierID]
			switch come := uint64(len(g.warps) * warp); {
			case come < g.count:
				a.alarmAt(x.Arrival, g.warps[0], fmt.Sprintf("barrier %d waits for %d threads, and %d come to it", x.number, g.count, come), nil, nil)
				return false
			case come > g.count:
				a.unknown(x.Arrival, "", "barrier %d waits for %d threads, and %d come to it: who meets whom is not known", x.number, g.count, come)
				return false
			}
		}
	}
	return true
}

// numberOf is the number of a barrier of the block: functions of libraries wait at 0.
func (a *arrivals) numberOf(b *symbolic.Barrier) *term.Term {
	if b.Number == nil {
		return a.Const(0, 32)
	}
	return b.Number
}

// walk has the warps go on as far as they can.
func (a *arrivals) walk() bool {
	n := len(a.warps)
	a.seen = make([][][]int, n)
	for w := range n {
		a.seen[w] = [][]int{make([]int, n)}
	}
	for _, g := range a.groups {
		g.times = make([][]moment, n)
	}
	came := make([]int, n) // so many arrivals of each are noted
	for again := true; again; {
		again = false
		for w := range n {
			for len(a.seen[w]) <= len(a.warps[w]) {
				at := len(a.seen[w]) - 1
				x := a.warps[w][at]
				if came[w] == at {
					if !a.notes(w, at, x) {
						return false
					}
					came[w]++
				}
				now, ok := a.goesOn(w, at, x)
				if !ok {
					break
				}
				a.seen[w] = append(a.seen[w], now)
				again = true
			}
		}
	}
	return a.all()
}

// notes notes that a warp has come to a barrier, if all are sure to have come the time before.
func (a *arrivals) notes(w, at int, x arrived) bool {
	g := a.groups[x.barrierID]
	before := a.seen[w][at]
	if k := len(g.times[w]); k > 0 {
		for _, other := range g.warps {
			if other != w && (len(g.times[other]) < k || before[other] < g.times[other][k-1].nth) {
				a.alarmAt(x.Arrival, w, fmt.Sprintf("a warp may come to barrier %d again before another has come to it", x.number), nil, []int{other})
				return false
			}
		}
	}
	g.times[w] = append(g.times[w], moment{at + 1, before})
	return true
}

// goesOn is what is ordered before a warp that goes on after a barrier, if it does.
func (a *arrivals) goesOn(w, at int, x arrived) (now []int, ok bool) {
	now = slices.Clone(a.seen[w][at])
	if !x.Waits {
		return now, true
	}
	g := a.groups[x.barrierID]
	k := len(g.times[w]) - 1
	for _, other := range g.warps {
		if len(g.times[other]) <= k {
			return nil, false
		}
		t := g.times[other][k]
		for i, n := range t.before {
			now[i] = max(now[i], n)
		}
		now[other] = max(now[other], t.nth)
	}
	return now, true
}

// all reports that all warps have gone on to their ends, and that no barrier is left to which some have come, and not all.
func (a *arrivals) all() bool {
	for w, list := range a.warps {
		if at := len(a.seen[w]) - 1; at < len(list) {
			x := list[at]
			g := a.groups[x.barrierID]
			for _, other := range g.warps {
				if len(g.times[other]) >= len(g.times[w]) {
					continue
				}
				var there *symbolic.Arrival
				if at := len(a.seen[other]) - 1; at < len(a.warps[other]) {
					there = a.warps[other][at].Arrival
				}
				a.alarmAt(x.Arrival, w, fmt.Sprintf("a warp waits at barrier %d for another, which does not come to it", x.number), there, []int{other})
				return false
			}
		}
	}
	for w, list := range a.warps {
		for _, x := range list {
			g := a.groups[x.barrierID]
			for _, other := range g.warps {
				if len(g.times[other]) < len(g.times[w]) {
					a.alarmAt(x.Arrival, w, fmt.Sprintf("a warp comes to barrier %d once more than another", x.number), nil, []int{other})
					return false
				}
			}
		}
	}
	return true
}

// alarmAt notes an alarm about a thread of a warp at a barrier, and one of others, or any other.
func (a *arrivals) alarmAt(at *symbolic.Arrival, w int, what string, there *symbolic.Arrival, others []int) {
	x := &question{what: what, more: []*term.Term{a.in(1<<w, a.warp())}}
	if there != nil {
		x.other = &there.Point
	}
	for _, o := range others {
		x.more = append(x.more, a.near.Term(a.in(1<<o, a.warp())))
	}
	a.alarming(at, x)
}

// alarming asks what is known to be so: for threads that do it.
func (a *arrivals) alarming(at *symbolic.Arrival, x *question) {
	x.name, x.kind, x.first, x.second = "arrival", Divergence, &at.Point, a.near
	before := len(a.result.Alarms)
	if a.ask(x); len(a.result.Alarms) == before {
		a.unknown(at, "", "threads may wait at this barrier for others that do not come, or come too often")
	}
}

// warp is which warp of its block a thread is in.
func (a *arrivals) warp() *term.Term { return a.LShr(a.trace.Shape.Linear, a.Const(5, 32)) }

// in is whether a warp is one of a set.
func (a *arrivals) in(set uint32, w *term.Term) *term.Term {
	low, n := bits.TrailingZeros32(set), bits.OnesCount32(set)
	switch {
	case n >= len(a.warps):
		return a.Bool(true)
	case bits.LeadingZeros32(set)+low+n == 32:
		return a.And(a.ULe(a.Const(uint64(low), 32), w), a.ULt(w, a.Const(uint64(low+n), 32)))
	}
	return symbolic.Names(a.Builder, a.Const(uint64(set), 32), w)
}

// position is at how many barriers each warp has been when lanes of it make an access; -1 if that is not known, or not the same for all of these.
func (a *arrivals) position(x *symbolic.Access) []int {
	id := [2]int{x.Arrived.ID(), x.Guard.ID()}
	if a.known[id] == nil {
		all := make([]int, len(a.warps))
		for w := range all {
			all[w] = a.positionOf(w, x)
		}
		a.known[id] = all
	}
	return a.known[id]
}

// positionOf is position, of one warp. What the term says of lanes that do not come to the access means nothing.
func (a *arrivals) positionOf(w int, x *symbolic.Access) int {
	var at *term.Term
	for _, lane := range a.lanes(w) {
		switch here := lane.Term(x.Arrived); {
		case here == at || lane.Term(x.Guard).False():
		case at == nil:
			at = here
		default:
			return -1
		}
	}
	if at == nil {
		return 0 // none comes
	}
	if n, ok := at.Value(); ok && int(n) < len(a.seen[w]) {
		return int(n)
	}
	return -1
}

// unordered is whether barriers of some threads do not order two accesses of threads of a block.
func (q *questions) unordered(x, y *symbolic.Access, s *second) *term.Term {
	a := q.arrivals
	if a == nil || !a.done {
		return q.Bool(true)
	}
	mine, theirs := a.position(x), a.position(y)
	with := map[uint32]uint32{} // the warps of the second thread, and the first ones that are not ordered with these
	var sets []uint32
	for w, at := range mine {
		others := uint32(0)
		for v, to := range theirs {
			if at < 0 || to < 0 || at >= a.seen[v][to][w] && to >= a.seen[w][at][v] {
				others |= 1 << v
			}
		}
		if others == 0 {
			continue
		}
		if with[others] == 0 {
			sets = append(sets, others)
		}
		with[others] |= 1 << w
	}
	some := q.Bool(false)
	for _, others := range sets {
		some = q.Or(some, q.And(a.in(with[others], a.warp()), s.Term(a.in(others, a.warp()))))
	}
	return some
}
