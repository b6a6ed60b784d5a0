// Package final is what engines are told of final states: what is observed of them, and which are
// wanted.
//
//	Observable  a register or a location whose final value is part of a state
//	Formula     a proposition about the values of observables, by their numbers
//	Known       which of the values are known
//
// A formula is decided as far as values are known: a search that knows some of them can end where
// no state is wanted that has these.
package final

import "github.com/muster-gpu/muster/event"

// Observable is a register or a location whose final value is part of a state.
type Observable struct {
	Reg event.Reg
	Loc event.Loc // a physical location; event.NoLoc for a register
}

// Known is a set of observables, by their numbers: those whose values are known. Of more than
// MostPartly observables, none are known, or All.
type Known uint64

// All is every observable, however many there are.
const All = ^Known(0)

// MostPartly is how many observables there may be for some of them to be known.
const MostPartly = 63

// Has reports that the value of an observable is known.
func (k Known) Has(i int) bool { return k == All || i < MostPartly && k>>i&1 != 0 }

// Formula is a proposition about final values: a Truth, a Not, an Any, an All or an Atom.
type Formula interface {
	// May reports whether the formula may hold of a state with these values, as far as they are
	// known, and whether it may fail. Of a state that is known it does one of the two.
	May(values []event.Value, known Known) (hold, fail bool)
}

// The formulas.
type (
	// Truth is true or false.
	Truth bool
	// Not is the negation.
	Not struct{ X Formula }
	// Any is the disjunction.
	Any []Formula
	// Every is the conjunction.
	Every []Formula
	// Atom is a condition on two of what is observed, by their numbers, which may be the same.
	Atom struct {
		X, Y  int
		Holds func(x, y event.Value) bool
	}
)

// Holds reports that a formula is true of a state.
func Holds(f Formula, values []event.Value) bool {
	hold, _ := f.May(values, All)
	return hold
}

// May is the truth itself.
func (t Truth) May([]event.Value, Known) (hold, fail bool) { return bool(t), !bool(t) }

// May is the opposite of X.
func (n Not) May(values []event.Value, known Known) (hold, fail bool) {
	hold, fail = n.X.May(values, known)
	return fail, hold
}

// May holds if some disjunct may, and fails if each may.
func (a Any) May(values []event.Value, known Known) (hold, fail bool) {
	fail = true
	for _, x := range a {
		h, f := x.May(values, known)
		hold, fail = hold || h, fail && f
	}
	return hold, fail
}

// May holds if each conjunct may, and fails if some may.
func (e Every) May(values []event.Value, known Known) (hold, fail bool) {
	hold = true
	for _, x := range e {
		h, f := x.May(values, known)
		hold, fail = hold && h, fail || f
	}
	return hold, fail
}

// May compares the two values, if they are known.
func (a Atom) May(values []event.Value, known Known) (hold, fail bool) {
	if !known.Has(a.X) || !known.Has(a.Y) {
		return true, true
	}
	holds := a.Holds(values[a.X], values[a.Y])
	return holds, !holds
}
