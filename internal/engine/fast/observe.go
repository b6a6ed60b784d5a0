package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/internal/engine"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/final"
)

// observed is an observable in a structure.
type observed struct {
	register bool
	// what a register holds at the end; nil of a location, and where the path does not say
	value event.Expr
	needs uint64 // the reads that this depends on
}

// observe finds what is observed at the end of the structure.
func (e *Engine) observe() {
	e.observed, e.registers = e.observed[:0], 0
	for i, o := range e.query.Observe {
		in := observed{register: o.Loc == event.NoLoc}
		if in.register {
			e.registers |= 1 << i
			if x, set := e.Held(o.Reg); set {
				in.value, in.needs = x, e.readsOf(o.Reg.Thread, x)
			}
		}
		e.observed = append(e.observed, in)
	}
}

// observeRegisters puts the final values of registers into the state, as far as they are known, and
// tells which are. A register that the path never sets is 0.
func (e *Engine) observeRegisters() (known final.Known) {
	for i, o := range e.observed {
		if !o.register || o.needs&^e.known != 0 {
			continue
		}
		known |= 1 << i
		if e.values[i] = event.Int(0); o.value != nil {
			if v, ok := e.eval(e.query.Observe[i].Reg.Thread, o.value); ok {
				e.values[i] = v
			}
		}
	}
	return known
}

// maySelect reports that nothing is lost if the search leaves executions whose final state is not
// wanted: neither flags, nor that a value comes out of thin air, nor that a computation has no
// meaning. Who asks for candidates asks for none of these.
func (e *Engine) maySelect() bool {
	switch {
	case e.Stuck || e.Truncated || len(e.observed) > final.MostPartly:
		return false
	case e.query.Guards.Lenient():
		return e.query.Keep != nil
	}
	return e.query.Want == engine.Verdict && e.placed && e.plain() && e.nothingToReport()
}

// unwanted reports that what is known of the final state shows that it is not wanted.
func (e *Engine) unwanted() bool {
	if !e.selective {
		return false
	}
	return e.isUnwanted(e.observeRegisters())
}

// isUnwanted is unwanted where it is clear what is known.
func (e *Engine) isUnwanted(known final.Known) bool {
	mayHold := func(f final.Formula) bool {
		hold, _ := f.May(e.values, known)
		return hold
	}
	return e.query.Keep != nil && !mayHold(e.query.Keep) || e.query.Want == engine.Verdict && !mayHold(e.query.Asks)
}

// plain reports that all values are numbers with which each computation has a meaning, and that
// none comes out of thin air.
func (st *structure) plain() bool {
	if !st.numbers || len(st.finals) > 0 {
		return false
	}
	for i := range st.Conds {
		if !event.Numeric(st.Conds[i].X) {
			return false
		}
	}
	return st.grounded()
}

// grounded reports that every value follows from what reads read from, whatever that is: no write
// waits for a read that may wait for it.
func (st *structure) grounded() bool {
	var follow uint64
	for before := ^follow; follow != before; {
		before = follow
		for rest := st.reads &^ follow; rest != 0; rest &= rest - 1 {
			r, waits := bits.TrailingZeros64(rest), uint64(0)
			for ws := st.sources[r]; ws != 0; ws &= ws - 1 {
				waits |= st.needs[bits.TrailingZeros64(ws)].data
			}
			if waits&^follow == 0 {
				follow |= 1 << r
			}
		}
	}
	return follow == st.reads
}

// nothingToReport reports that each report of the model is raised already, or cannot be.
func (e *Engine) nothingToReport() bool {
	for i, raised := range e.raised {
		if !raised && !e.frame.Silent(i) {
			return false
		}
	}
	return true
}
