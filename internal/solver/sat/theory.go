package sat

// Theory rules out combinations of literals without explicit clauses.
type Theory interface {
	// Assign is called when a watched literal becomes right. If it contradicts others, Assign
	// returns all of them, itself included, and ignores the call.
	Assign(l Lit) []Lit
	// Undo undoes the last Assign that is not undone.
	Undo(l Lit)
}

// Use sets the theory of the solver.
func (s *Solver) Use(t Theory) { s.theory = t }

// Watch makes the solver tell the theory when a literal becomes right.
func (s *Solver) Watch(l Lit) { s.watched[l] = true }

// Fixed returns Sat if a literal must hold, Unsat if it cannot, and Unknown otherwise, as far as
// that is known between questions.
func (s *Solver) Fixed(l Lit) Result {
	s.backTo(0)
	switch s.values[l] {
	case right:
		return Sat
	case wrong:
		return Unsat
	}
	return Unknown
}

// tell tells the theory of the next literal. It returns the violated clause, or nil.
func (s *Solver) tell() *clause {
	l := s.trail[s.told]
	if s.watched[l] {
		if together := s.theory.Assign(l); together != nil {
			lits := make([]Lit, len(together))
			for i, m := range together {
				lits[i] = m.Not()
			}
			return &clause{lits: lits}
		}
	}
	s.told++
	return nil
}
