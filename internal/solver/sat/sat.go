// Package sat decides whether a set of clauses can be satisfied: conflict-driven clause learning
// (Marques-Silva, Sakallah, 1996; Eén, Sörensson, "An Extensible SAT-solver", 2003).
//
//	Lit     a variable or its negation
//	Solver  clauses, to which more can be added between questions
//	Result  Sat, Unsat, or Unknown if the budget did not suffice
//
// A question is asked under assumptions, and what was learnt from one serves the next. Budgets
// are conflicts, not seconds: a question has the same answer on every machine.
package sat

// Lit is a literal: variable v is 2v, its negation 2v+1.
type Lit int32

// Not returns the negation.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the number of the variable, from 0.
func (l Lit) Var() int { return int(l >> 1) }

// Negated reports whether the literal is the negation of its variable.
func (l Lit) Negated() bool { return l&1 == 1 }

// None is no literal.
const None Lit = -1

// Result is the answer to a question.
type Result uint8

// The results.
const (
	Unknown Result = iota // the budget did not suffice
	Sat
	Unsat
)

func (r Result) String() string { return [...]string{"unknown", "sat", "unsat"}[r] }

// value is what a literal is at present.
type value int8

const (
	open  value = 0
	right value = 1
	wrong value = -1
)

// clause is a disjunction of literals. The first two are watched: while one of them is not
// wrong, or the first is right, nothing follows from the clause. The literal that it implies is
// the first.
type clause struct {
	lits     []Lit
	levels   int // decision levels of its literals when it was learnt, few of which are good; 0 of one that was given
	activity float64
	dropped  bool
}

// watch is a clause that waits for a literal to become wrong, and another literal of it: if
// that is right, the clause need not be looked at.
type watch struct {
	c       *clause
	blocker Lit
}

// Solver decides questions about clauses. The zero Solver has none.
type Solver struct {
	values  []value   // by literal
	watches [][]watch // by the literal whose becoming right makes a watched one wrong
	reasons []*clause // by variable: what implied it; nil for a decision
	levels  []int     // by variable: the decision level on which it was set
	phase   []bool    // by variable: whether it was last set to wrong
	order   order     // the variables that are open, the most active first
	bump    float64   // how much an activity grows

	trail   []Lit // what is set, in order
	next    int   // the first of the trail whose consequences have not been drawn
	limits  []int // where each decision level begins on the trail
	clauses int   // how many there are
	arena   arena
	learnt  []*clause
	failed  bool // the clauses contradict each other

	theory  Theory
	watched []bool // by literal: the theory wants to know of it
	told    int    // the first of the trail of which the theory has not been told

	marks []bool
	added []Lit // what Add works on
	core  []Lit
	model []value

	// Conflicts is how many conflicts all questions together have met.
	Conflicts int
	// Stop, if it is not nil, is asked now and then whether to give up.
	Stop  func() bool
	steps int // of all questions: conflicts and decisions
}

// New returns a solver without clauses.
func New() *Solver { return &Solver{bump: 1} }

// Reset drops all variables and clauses, not their memory. The solver is then as New makes it, but
// for Conflicts.
func (s *Solver) Reset() {
	s.arena.reset()
	clear(s.learnt)
	clear(s.reasons)
	*s = Solver{
		values: s.values[:0], watches: s.watches[:0], reasons: s.reasons[:0], levels: s.levels[:0], phase: s.phase[:0],
		order: order{s.order.heap[:0], s.order.at[:0], s.order.activity[:0]}, bump: 1,
		trail: s.trail[:0], limits: s.limits[:0], learnt: s.learnt[:0], arena: s.arena,
		watched: s.watched[:0], marks: s.marks[:0], added: s.added[:0], Conflicts: s.Conflicts, Stop: s.Stop,
	}
}

// emptied is lists with an empty one more, in memory of one that was there before a Reset if there
// is.
func emptied(lists [][]watch) [][]watch {
	n := len(lists)
	if n == cap(lists) {
		return append(lists, nil)
	}
	lists = lists[:n+1]
	lists[n] = lists[n][:0]
	return lists
}

// NewVar makes a variable. The solver tries first to make it wrong.
func (s *Solver) NewVar() Lit {
	v := len(s.reasons)
	s.values = append(s.values, open, open)
	s.watched = append(s.watched, false, false)
	s.watches = emptied(emptied(s.watches))
	s.reasons = append(s.reasons, nil)
	s.levels = append(s.levels, 0)
	s.phase = append(s.phase, true)
	s.marks = append(s.marks, false)
	s.order.add(v)
	return Lit(2 * v)
}

// Add adds a clause: one of the literals holds. It must not be called during a question.
func (s *Solver) Add(lits ...Lit) {
	s.backTo(0)
	if s.failed {
		return
	}
	kept := s.added[:0]
	for _, l := range lits {
		switch {
		case s.values[l] == right || contains(kept, l.Not()):
			return // it holds whatever else does
		case s.values[l] != wrong && !contains(kept, l):
			kept = append(kept, l)
		}
	}
	s.added = kept
	switch len(kept) {
	case 0:
		s.failed = true
	case 1:
		s.set(kept[0], nil)
		s.failed = s.propagate() != nil
	default:
		s.clauses++
		s.attach(s.arena.clause(kept))
	}
}

func contains(lits []Lit, l Lit) bool {
	for _, m := range lits {
		if m == l {
			return true
		}
	}
	return false
}

// Solve asks whether all clauses and assumptions can hold, and gives up after so many conflicts;
// none is no bound.
func (s *Solver) Solve(budget int, assumptions ...Lit) Result {
	s.core, s.model = nil, nil
	s.backTo(0)
	if s.failed {
		return Unsat
	}
	last := s.Conflicts + budget
	for round := 1; ; round++ {
		stop := s.Conflicts + restartEvery*luby(round) // at least one more
		if budget > 0 {
			stop = min(stop, last)
		}
		r := s.search(stop, assumptions)
		if r == Sat {
			s.model = append([]value(nil), s.values...)
		}
		s.backTo(0)
		if r != Unknown || budget > 0 && s.Conflicts >= last || s.Stopped() {
			return r
		}
		s.reduce()
	}
}

// Stopped reports whether somebody wants the question to be given up.
func (s *Solver) Stopped() bool { return s.Stop != nil && s.Stop() }

// Value reports, after Sat, whether a literal holds.
func (s *Solver) Value(l Lit) bool { return s.model[l] == right }

// Core is, after Unsat, assumptions that cannot hold together with the clauses.
func (s *Solver) Core() []Lit { return s.core }

// restartEvery is the unit of the numbers of conflicts between restarts.
const restartEvery = 100

// luby returns the i-th number of the sequence 1 1 2 1 1 2 4 … (Luby, Sinclair, Zuckerman, 1993).
func luby(i int) int {
	for size := 1; ; size = 2*size + 1 {
		switch {
		case i == size:
			return (size + 1) / 2
		case i < 2*size+1 && i > size:
			return luby(i - size)
		}
	}
}
