package sat

// Theory knows of literals that cannot hold together without a clause that says so.
type Theory interface {
	// Assign notes that a literal has become right. If it cannot with others that are, it returns
	// them all, and notes nothing.
	Assign(l Lit) []Lit
	// Undo takes back the last Assign that is left.
	Undo(l Lit)
}

// Use has a theory be asked about the literals that are watched for it. There can be one.
func (s *Solver) Use(t Theory) { s.theory = t }

// Watch has the theory be told when a literal becomes right that is not yet.
func (s *Solver) Watch(l Lit) { s.watched[l] = true }

// Fixed says of a literal whether it must hold, Sat, cannot hold, Unsat, or may, Unknown, as far as
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

// tell tells the theory of the next literal. It returns the clause that this is against, if it is.
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
