package fast

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// arrange finds what each read may read from, and puts the reads in order: those with the
// fewest choices first.
func (st *structure) arrange() {
	st.order = st.order[:0]
	for rest := st.reads; rest != 0; rest &= rest - 1 {
		r := bits.TrailingZeros64(rest)
		st.sources[r] = st.mayReadFrom(r)
		st.order = append(st.order, r)
	}
	slices.SortStableFunc(st.order, func(a, b event.ID) int {
		return cmp.Compare(bits.OnesCount64(st.sources[a]), bits.OnesCount64(st.sources[b]))
	})
}

// mayReadFrom is the writes that are where the read is, or may be.
func (st *structure) mayReadFrom(r event.ID) uint64 {
	sources := st.writes
	if st.located>>r&1 == 0 {
		return sources
	}
	for ws := st.writes & st.pinned; ws != 0; ws &= ws - 1 {
		if w := bits.TrailingZeros64(ws); st.loc[w] != st.loc[r] {
			sources &^= 1 << w
		}
	}
	return sources
}

// rearrange finds again what the reads from the i-th on may read from, now that more locations
// may be known, and makes the one to choose next the i-th: of those whose own location is known,
// one for whose value another waits, if there is any, and with the fewest choices.
func (st *structure) rearrange(i int) {
	const later = 1 << 8 // more than there are choices
	awaited := st.awaited()
	at, best := i, 4*later
	for j, r := range st.order[i:] {
		st.sources[r] = st.mayReadFrom(r)
		cost := bits.OnesCount64(st.sources[r])
		if awaited>>r&1 == 0 {
			cost += later
		}
		if st.located>>r&1 == 0 {
			cost += 2 * later
		}
		if cost < best || cost == best && r < st.order[at] {
			at, best = i+j, cost
		}
	}
	st.order[i], st.order[at] = st.order[at], st.order[i]
}

// awaited is the reads on which the values of reads depend that have chosen, as far as these
// are not known.
func (st *structure) awaited() uint64 {
	var found uint64
	for rest := st.chosen &^ st.known; rest != 0; rest &= rest - 1 {
		w := st.rf[bits.TrailingZeros64(rest)]
		found |= st.needs[w].addr | st.needs[w].data
	}
	found &^= st.known
	for done := uint64(0); found&^done != 0; {
		r := bits.TrailingZeros64(found &^ done)
		done |= 1 << r
		found |= st.needs[r].addr &^ st.known
	}
	return found
}

// read lets the i-th read and those after it read from each write in turn.
func (e *Engine) read(i int) {
	switch {
	case e.halted():
		return
	case i == len(e.order):
		e.readsChosen()
		return
	}
	if !e.placed {
		e.rearrange(i)
	}
	r := e.order[i]
	for ws := e.partOf(i); ws != 0 && !e.over(); ws &= ws - 1 {
		before := e.save()
		if e.pick(r, bits.TrailingZeros64(ws)) && !e.unwanted() && (!e.worthCutting(i+1) || e.possible()) {
			e.read(i + 1)
		}
		e.restore(r, before)
	}
}

// saved is what a read can go back to.
type saved struct {
	known, located uint64
	trouble        bool
	seed           poset
	arena          int
}

func (e *Engine) save() saved { return saved{e.known, e.located, e.trouble, e.seed, len(e.arena)} }

// pick lets a read read from a write. It returns false if that contradicts the program.
func (e *Engine) pick(r, w event.ID) bool {
	known := e.known
	e.rf[r] = w
	e.chosen |= 1 << r
	return e.learn(known) && !(e.outside && e.trouble)
}

// restore takes back what a read has picked, and what followed.
func (e *Engine) restore(r event.ID, s saved) {
	e.rf[r] = -1
	e.chosen &^= 1 << r
	e.known, e.located, e.trouble, e.seed, e.arena = s.known, s.located, s.trouble, s.seed, e.arena[:s.arena]
}

// fewLeft is how many ways to go on are too few for a look ahead.
const fewLeft = 4

// worthCutting reports that what is chosen so far should be judged.
func (e *Engine) worthCutting(i int) bool {
	left := 1
	for _, r := range e.order[i:] {
		if left *= bits.OnesCount64(e.sources[r]); left > fewLeft {
			return true
		}
	}
	return false
}

// possible reports that no check fails for good. It leaves what the last choice must contain,
// given what has been chosen so far, as the seed of what begins later.
func (e *Engine) possible() bool {
	partial := plan.Rf.From()
	if e.pinned != e.accesses {
		partial = plan.Places.From()
	}
	if !e.placed && !e.placesPass(partial) {
		return false
	}
	e.fillRf()
	for _, in := range e.bound.values {
		e.frame.Clear(in.Input)
	}
	last := len(e.plan.Choices) - 1
	switch {
	case !e.passes(plan.Rf.Stage(), partial):
		return false
	case last < 0 || !e.plan.Choices[last].Bounded(partial) || e.plan.Choices[last].Family != plan.Completions:
		return e.bounded(0, last+1, partial)
	case !e.bounded(0, last, partial):
		return false
	}
	e.partial = partial
	defer func() { e.partial, e.posets = 0, e.posets[:0] }()
	p := e.newPoset()
	for range last {
		e.posets = append(e.posets, poset{}) // not chosen yet
	}
	e.posets = append(e.posets, p)
	if !e.begin(last, p) || !e.settle(last) {
		return false
	}
	e.seed = p
	return true
}

// settle decides what is forced of the last choice. It returns false if a check fails for
// good.
func (e *Engine) settle(last int) bool {
	v, p := plan.FirstChoice+plan.Var(last), e.posets[last]
	for {
		copy(e.frame.Rel(e.plan.Choices[last].Slot), p.order)
		if !e.passes(v.Stage(), e.partial) {
			return false
		}
		if p.decided() {
			return true
		}
		if _, _, what := e.force(last); what != forced {
			return true
		}
	}
}

// fillRf makes rf what has been chosen, between accesses whose locations are known.
func (e *Engine) fillRf() {
	if !e.bound.hasRf {
		return
	}
	rows := e.frame.Rel(e.bound.rf)
	clear(rows)
	for rest := e.chosen & e.located; rest != 0; rest &= rest - 1 {
		r := bits.TrailingZeros64(rest)
		if w := e.rf[r]; w >= 0 && (e.placed || e.pinned>>w&1 != 0) {
			rows[w] |= 1 << r
		}
	}
}

// readsChosen goes on when all reads have chosen. If not all values follow, because of
// values out of thin air or computations without meaning, the slow engine finds them; not those
// out of thin air where a check fails whatever they are.
func (e *Engine) readsChosen() {
	st := &e.structure
	switch thinAir := st.reads&^st.known != 0; {
	case st.trouble || thinAir && e.possible():
		e.hard()
	case !thinAir:
		e.judge()
	}
}

// judge finds the consistent executions with the values that have been chosen.
func (e *Engine) judge() {
	e.observeRegisters()
	if !e.visit() || e.answered() {
		return
	}
	x := e.settled
	if x == nil && (!e.placed || len(e.bound.values) > 0) {
		x = e.execution()
	}
	if !e.placed {
		e.lastPlaces.pinned = 0
		e.fill(x, e.bound.places)
		if !e.passes(plan.Places.Stage(), 0) {
			return
		}
	}
	e.fillRf()
	e.fill(x, e.bound.values)
	if e.passes(plan.Rf.Stage(), 0) {
		e.choose(0)
	}
}

// hard goes on with each execution of what has been chosen whose values do not simply
// follow.
func (e *Engine) hard() {
	const takes = 30 // runs of a stage
	e.steps += takes
	e.budget.Finish(takes)
	st := &e.structure
	saved := st.current
	var stats enumerate.Stats
	for x, err := range enumerate.Valuations(e.budget.Err, st.Structure, e.query.Domain(), st.rf[:st.n], &stats) {
		if err != nil {
			e.err = err
			break
		}
		copy(st.loc[:], x.Loc)
		copy(st.val[:], x.Val)
		copy(st.rf[:], x.Rf)
		st.known, st.located, st.pinned = st.accesses, st.accesses, st.accesses
		st.settled, st.thinAir, st.trouble = x, !x.ThinAir.Empty(), false
		e.judge()
		if e.halted() {
			break
		}
	}
	st.current = saved
}
