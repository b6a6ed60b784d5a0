// Package sat decides the satisfiability of clauses by conflict-driven clause learning
// (Marques-Silva, Sakallah, 1996; Eén, Sörensson, "An Extensible SAT-solver", 2003).
//
//	Lit     a variable or its negation
//	Solver  clauses; more can be added between questions
//	Result  Sat, Unsat, or Unknown if the budget did not suffice
//
// Questions are asked under assumptions, and learnt clauses are kept between questions. Budgets
// count conflicts, not seconds, so answers do not depend on the machine.
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

// value is the current value of a literal.
type value int8

const (
	open  value = 0
	right value = 1
	wrong value = -1
)

// clause is a disjunction of literals. The first two are watched: the clause implies nothing while
// neither of them is wrong, or the first is right. A literal that it implies is the first.
type clause struct {
	lits     []Lit
	levels   int // number of decision levels when it was learnt, smaller is better; 0 if given
	activity float64
	dropped  bool
}

// watch is a clause to visit when a literal becomes wrong, and another literal of it: if that is
// right, the visit is skipped.
type watch struct {
	c       *clause
	blocker Lit
}

// Solver decides questions about clauses.
type Solver struct {
	values  []value   // by literal
	watches [][]watch // by literal: clauses to visit when it becomes right
	reasons []*clause // by variable: the clause that implied it; nil for a decision
	levels  []int     // by variable: decision level
	phase   []bool    // by variable: whether it was last set to wrong
	order   order     // unset variables, the most active first
	bump    float64   // activity increment

	trail   []Lit // literals set, in order
	next    int   // index of the first literal in the trail that is not propagated
	limits  []int // start of each decision level in the trail
	clauses int   // number of clauses
	arena   arena
	learnt  []*clause
	failed  bool // the clauses are contradictory

	theory  Theory
	watched []bool // by literal: the theory watches it
	told    int    // index of the first literal in the trail that the theory has not seen

	marks []bool
	added []Lit // buffer of Add
	core  []Lit
	model []value

	// Conflicts is the total number of conflicts of all questions.
	Conflicts int
	// Stop, if not nil, is polled; true abandons the question.
	Stop  func() bool
	steps int // conflicts and decisions of all questions
}

// New returns a solver without clauses.
func New() *Solver { return &Solver{bump: 1} }

// Reset removes all variables and clauses but keeps their memory. The solver is then as New returns
// it, except for Conflicts.
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

// emptied appends an empty list, reusing the memory of a list from before a Reset.
func emptied(lists [][]watch) [][]watch {
	n := len(lists)
	if n == cap(lists) {
		return append(lists, nil)
	}
	lists = lists[:n+1]
	lists[n] = lists[n][:0]
	return lists
}

// NewVar makes a variable. The solver first tries false.
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
			return // the clause always holds
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

// Solve asks whether all clauses and assumptions can hold. It returns Unknown after budget
// conflicts; 0 is no bound.
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

// Stopped reports whether the question should be abandoned.
func (s *Solver) Stopped() bool { return s.Stop != nil && s.Stop() }

// Value reports whether a literal holds in the model of the last Sat answer.
func (s *Solver) Value(l Lit) bool { return s.model[l] == right }

// Core returns, after Unsat, assumptions that contradict the clauses together.
func (s *Solver) Core() []Lit { return s.core }

// restartEvery is the unit of the restart intervals, in conflicts.
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
