package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// component is a set of events, pairwise related by the last choice. If counts are wanted, it has
// the number of ways to order them: the linear extensions of what is known.
type component struct {
	events uint64
	total  int
	last   [plan.MaxEvents]int // by position in events: those with the event as the last
}

// maxTied is how many events of a component may be ordered with others, if counts are wanted:
// that takes memory for each set of them. Of those that are not, there may be any number.
const maxTied = 20

// countable reports that the open pairs of the last choice fall into components, so that
// completions can be counted, and what is observed at the end depends on the last events of
// components only. It finds the components.
func (e *Engine) countable(p poset) bool {
	e.components = e.components[:0]
	if e.Stuck && len(e.Spin) > 0 {
		return false // whether it hangs depends on the order
	}
	var done uint64
	for a, open := range p.open {
		if open == 0 || done>>a&1 != 0 {
			continue
		}
		c := p.component(a)
		if done |= c; !p.closed(c) || e.query.Want == engine.Counts && bits.OnesCount64(p.tied(c)) > maxTied {
			return false
		}
		e.components = append(e.components, component{events: c})
	}
	return e.coherence < len(e.plan.Choices)-1 || e.endsDecided(done)
}

// endsDecided reports that what an observed location holds at the end depends on the last event
// of at most one component, given that the last choice is coherence; open are the events of
// all components.
func (e *Engine) endsDecided(open uint64) bool {
	for i := range e.components {
		c := &e.components[i]
		if l := e.loc[bits.TrailingZeros64(c.events)]; c.events&^e.writesTo(l) != 0 {
			return false
		}
	}
	for i, o := range e.query.Observe {
		if o.Loc == event.NoLoc || e.query.first(i) < i {
			continue
		}
		if last := e.lastWrites(o.Loc); last&open != 0 && e.componentOf(last) == nil {
			return false
		}
	}
	return true
}

// component is the events that open pairs connect with a.
func (p poset) component(a event.ID) uint64 {
	found := uint64(1) << a
	for rest := found; rest != 0; {
		x := bits.TrailingZeros64(rest)
		rest = rest&^(1<<x) | p.open[x]&^found
		found |= p.open[x]
	}
	return found
}

// tied is those of a set that are ordered with another.
func (p poset) tied(set uint64) uint64 {
	var all uint64
	for rest := set; rest != 0; rest &= rest - 1 {
		a := bits.TrailingZeros64(rest)
		if later := p.order[a] & set; later != 0 {
			all |= later | 1<<a
		}
	}
	return all
}

// closed reports that the open pairs of a set concern no other events: each two of the set are
// ordered or will be, and deciding the open pairs has no consequences outside, because each other
// event is before or after all of the set, or unrelated to it.
func (p poset) closed(set uint64) bool {
	after := p.order[bits.TrailingZeros64(set)] &^ set
	pairs := 0 // that are ordered or will be, each twice
	for a, row := range p.order {
		switch inside := row & set; {
		case set>>a&1 == 0:
			if inside != 0 && inside != set {
				return false
			}
		case row&^set != after:
			return false
		default:
			pairs += 2*bits.OnesCount64(inside) + bits.OnesCount64(p.open[a]&set)
		}
	}
	n := bits.OnesCount64(set)
	return pairs == n*(n-1)
}

// componentOf returns the component that contains a set of last writes. It returns nil if no
// component does, or if the components are not of coherence.
func (e *Engine) componentOf(set uint64) *component {
	if e.coherence < len(e.plan.Choices)-1 {
		return nil
	}
	for i := range e.components {
		if c := &e.components[i]; set&^c.events == 0 {
			return c
		}
	}
	return nil
}

// count notes the executions in which the open pairs are decided in any way: they are
// all consistent.
func (e *Engine) count() {
	p := e.posets[len(e.posets)-1]
	all, elsewhere := 1, 1 // elsewhere: of components that decide nothing that is observed
	for i := range e.components {
		c := &e.components[i]
		if e.query.Want == engine.Counts {
			e.extensions(p, c)
		}
		all = times(all, c.total)
		if !e.decidesEnd(c) {
			elsewhere = times(elsewhere, c.total)
		}
	}
	e.stats.Counted = engine.Add(e.stats.Counted, all)
	e.finish(elsewhere)
	e.components = e.components[:0]
}

// decidesEnd reports that a component decides what an observed location holds at the end.
func (e *Engine) decidesEnd(c *component) bool {
	for _, o := range e.query.Observe {
		if o.Loc != event.NoLoc && e.componentOf(e.lastWrites(o.Loc)) == c {
			return true
		}
	}
	return false
}

// extensions counts the linear extensions of a component: ways[s] is how many orders the
// events of s can come in first. Events that are not ordered with any other are left out at
// first, and then put at every place in turn.
func (e *Engine) extensions(p poset, c *component) {
	var (
		events [maxTied]event.ID
		at     [maxTied]int // positions in c.last
		first  [maxTied]uint32
		n, k   int
		loose  uint64 // positions of those that are not tied
	)
	tied := p.tied(c.events)
	for rest := c.events; rest != 0; rest &= rest - 1 {
		a := bits.TrailingZeros64(rest)
		if tied>>a&1 == 0 {
			loose |= 1 << n
		} else {
			events[k], at[k] = a, n
			k++
		}
		n++
	}
	for i, a := range events[:k] {
		for j, b := range events[:k] {
			first[i] |= uint32(p.order[b]>>a&1) << j
		}
	}
	ways := e.orders(first[:k])
	c.total = ways[len(ways)-1]
	for i := range k {
		c.last[at[i]] = ways[(len(ways)-1)&^(1<<i)]
	}
	for ; loose != 0; loose &= loose - 1 {
		i := bits.TrailingZeros64(loose)
		for j := range n {
			c.last[j] = times(c.last[j], k) // it is not put last
		}
		c.last[i] = c.total
		k++
		c.total = times(c.total, k)
	}
}

// orders counts, for each set of the events 0, 1, …, the orders of it that respect what must
// come first before each of them.
func (e *Engine) orders(first []uint32) []int {
	size := 1 << len(first)
	if len(e.ways) < size {
		e.ways = make([]int, size)
	}
	ways := e.ways[:size]
	clear(ways)
	ways[0] = 1
	for set, w := range ways {
		if w == 0 {
			continue
		}
		for i, before := range first {
			if set>>i&1 == 0 && before&^uint32(set) == 0 {
				ways[set|1<<i] += w
			}
		}
	}
	return ways
}

// accept notes a consistent execution in which every choice has been made.
func (e *Engine) accept() {
	e.components = e.components[:0]
	if e.query.Visit == nil || e.visit() {
		e.finish(1)
	}
}

// finish notes count consistent executions for each way in which the components can end.
func (e *Engine) finish(count int) {
	if e.Truncated {
		e.stats.Truncated++
		e.skip = true // one beginning of a longer execution is enough
		return
	}
	if e.settled != nil && e.settled.Wrong != nil {
		e.wrong()
		return
	}
	if e.Stuck {
		if e.spinsForever() {
			e.consistent()
		}
		return
	}
	if e.ends(0, count) {
		e.consistent()
	}
}

// wrong notes a consistent execution in which the program has no meaning. That is an error, unless
// the model does not cover the program: then it may be consistent only because the model orders too
// little.
func (e *Engine) wrong() {
	if e.query.Guards.Lenient() {
		return
	}
	for i, r := range e.plan.Reports {
		if r.Name == plan.OutsideModel && (e.raised[i] || e.frame.Raised(i)) {
			return
		}
	}
	if e.query.Meaningless != nil {
		e.query.Meaningless(e.settled.Wrong)
		return
	}
	e.err = e.settled.Wrong
}

// spinsForever reports that no read of the last rounds of a spinning thread could go on to
// read something later.
func (e *Engine) spinsForever() bool {
	co := e.posets[e.coherence].order
	for _, r := range e.Spin {
		if w := e.rf[r]; w >= 0 && co[w] != 0 {
			return false
		}
	}
	return true
}

// ends puts what locations hold at the end into the state, from the i-th observable on. It
// returns whether some state counts.
func (e *Engine) ends(i, count int) bool {
	for ; i < len(e.query.Observe); i++ {
		if l := e.query.Observe[i].Loc; l != event.NoLoc {
			if j := e.query.first(i); j < i {
				e.values[i] = e.values[j]
				continue
			}
			return e.endsOf(i, count)
		}
	}
	return e.end(count)
}

// endsOf is ends where the i-th observable is a location. Writes that race may leave any of
// their values.
func (e *Engine) endsOf(i, count int) bool {
	kept := false
	last := e.lastWrites(e.query.Observe[i].Loc)
	c := e.componentOf(last)
	for rest := last; rest != 0; rest &= rest - 1 {
		w, n := bits.TrailingZeros64(rest), count
		switch {
		case c != nil && e.query.Want == engine.Counts:
			n = times(count, c.last[bits.OnesCount64(c.events&(1<<w-1))])
		case e.holdsValue(last&^rest, e.val[w]):
			continue
		}
		if e.values[i] = e.val[w]; e.selective && e.isUnwanted(e.registers|(1<<(i+1)-1)) {
			continue
		}
		e.lasts = append(e.lasts, w)
		kept = e.ends(i+1, n) || kept
		e.lasts = e.lasts[:len(e.lasts)-1]
	}
	return kept
}

// holdsValue reports that one of a set of writes writes a value.
func (e *Engine) holdsValue(writes uint64, v event.Value) bool {
	for ; writes != 0; writes &= writes - 1 {
		if e.val[bits.TrailingZeros64(writes)] == v {
			return true
		}
	}
	return false
}

// lastWrites is the writes of a location after which coherence has no other for sure.
func (e *Engine) lastWrites(l event.Loc) uint64 {
	co, last := e.posets[e.coherence].order, uint64(0)
	for rest := e.writesTo(l); rest != 0; rest &= rest - 1 {
		if w := bits.TrailingZeros64(rest); co[w] == 0 {
			last |= 1 << w
		}
	}
	return last
}

// writesTo is the writes of a location.
func (e *Engine) writesTo(l event.Loc) uint64 {
	var all uint64
	for rest := e.writes; rest != 0; rest &= rest - 1 {
		if w := bits.TrailingZeros64(rest); e.loc[w] == l {
			all |= 1 << w
		}
	}
	return all
}

// first is the first observable that is the same location as the i-th.
func (q *Query) first(i int) int {
	for j := range i {
		if q.Observe[j].Loc == q.Observe[i].Loc {
			return j
		}
	}
	return i
}

// times returns the product of two counts, engine.Most if it is larger.
func times(a, b int) int {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low <= engine.Most {
		return int(low)
	}
	return engine.Most
}
