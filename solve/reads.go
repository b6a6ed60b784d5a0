package solve

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/plan"
)

// arrange finds what each read may read from, and puts the reads in order: those with the
// fewest choices first.
func (st *structure) arrange() {
	st.order = st.order[:0]
	for rest := st.reads; rest != 0; rest &= rest - 1 {
		r := bits.TrailingZeros64(rest)
		st.sources[r] = 0
		for ws := st.writes; ws != 0; ws &= ws - 1 {
			w := bits.TrailingZeros64(ws)
			if st.located>>r&1 == 0 || st.located>>w&1 == 0 || st.loc[r] == st.loc[w] {
				st.sources[r] |= 1 << w
			}
		}
		st.order = append(st.order, r)
	}
	slices.SortStableFunc(st.order, func(a, b event.ID) int {
		return cmp.Compare(bits.OnesCount64(st.sources[a]), bits.OnesCount64(st.sources[b]))
	})
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
	r := e.order[i]
	for ws := e.sources[r]; ws != 0 && !e.over(); ws &= ws - 1 {
		before := e.save()
		if e.pick(r, bits.TrailingZeros64(ws)) && (!e.worthCutting(i+1) || e.possible()) {
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
	return e.learn(known) || e.trouble
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
	if !e.placed || e.Truncated || e.trouble {
		return false
	}
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
	e.fillRf()
	for _, in := range e.bound.values {
		e.frame.Clear(in)
	}
	last := len(e.plan.Choices) - 1
	switch {
	case !e.passes(plan.Rf.Stage(), plan.Rf.From()):
		return false
	case last < 0 || !e.plan.Choices[last].Grows || e.plan.Choices[last].Family != plan.Completions:
		return e.bounded(0, last+1, plan.Rf.From())
	case !e.bounded(0, last, plan.Rf.From()):
		return false
	}
	e.partial = plan.Rf.From()
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

// fillRf makes rf what has been chosen.
func (e *Engine) fillRf() {
	if !e.bound.hasRf {
		return
	}
	rows := e.frame.Rel(e.bound.rf)
	clear(rows)
	for rest := e.chosen; rest != 0; rest &= rest - 1 {
		r := bits.TrailingZeros64(rest)
		if w := e.rf[r]; w >= 0 {
			rows[w] |= 1 << r
		}
	}
}

// readsChosen goes on when all reads have chosen. If not all values follow, because of
// values out of thin air or computations without meaning, the slow engine finds them.
func (e *Engine) readsChosen() {
	st := &e.structure
	switch {
	case st.trouble || st.reads&^st.known != 0:
		e.hard()
	case st.Truncated:
		e.truncated()
	default:
		e.judge()
	}
}

// truncated notes that a combination of paths that was cut at the unroll bound can happen.
func (e *Engine) truncated() {
	e.stats.Truncated++
	e.skip = true
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

// observeRegisters puts the final values of registers into the state. A register that the
// path never sets is 0.
func (e *Engine) observeRegisters() {
	for i, x := range e.observed {
		if e.values[i] = event.Int(0); x != nil {
			if v, ok := e.eval(e.query.Observe[i].Reg.Thread, x); ok {
				e.values[i] = v
			}
		}
	}
}

// hard goes on with each execution of what has been chosen whose values do not simply
// follow.
func (e *Engine) hard() {
	st := &e.structure
	saved := st.current
	var stats enumerate.Stats
	for x, err := range enumerate.Valuations(e.ctx, st.Structure, e.query.Domain(), st.rf[:st.n], &stats) {
		if err != nil {
			e.err = err
			break
		}
		copy(st.loc[:], x.Loc)
		copy(st.val[:], x.Val)
		copy(st.rf[:], x.Rf)
		st.known, st.settled, st.thinAir, st.trouble = st.accesses, x, !x.ThinAir.Empty(), false
		e.judge()
		if e.halted() {
			break
		}
	}
	st.current = saved
	if stats.Truncated > 0 {
		e.truncated()
	}
}
