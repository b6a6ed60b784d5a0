package sat

import (
	"cmp"
	"slices"
)

// learn analyzes a conflict, backtracks to the level at which the learnt clause is unit, and adds
// that clause, the one of the first unique implication point.
func (s *Solver) learn(conflict *clause) {
	lits, back := s.analyze(conflict)
	s.decay()
	s.backTo(back)
	if len(lits) == 1 {
		s.set(lits[0], nil)
		return
	}
	c := &clause{lits: lits, levels: s.countLevels(lits), activity: s.bump}
	s.learnt = append(s.learnt, c)
	s.attach(c)
	s.set(lits[0], c)
}

// analyze resolves a conflict clause with the reasons of its literals until only one literal of the
// current level is left. That literal comes first, one of the highest other level second.
func (s *Solver) analyze(conflict *clause) (lits []Lit, back int) {
	lits = []Lit{None}
	var seen []int
	left := 0 // number of unresolved literals of the current level
	why, at := conflict, len(s.trail)
	for {
		why.activity = s.bump
		for _, l := range why.lits {
			v := l.Var()
			if s.marks[v] || s.levels[v] == 0 || s.values[l] == right {
				continue
			}
			s.marks[v] = true
			seen = append(seen, v)
			s.order.raise(v, s.bump)
			if s.levels[v] == len(s.limits) {
				left++
			} else {
				lits = append(lits, l)
			}
		}
		for at--; !s.marks[s.trail[at].Var()]; at-- {
		}
		left--
		if left == 0 {
			lits[0] = s.trail[at].Not()
			break
		}
		why = s.reasons[s.trail[at].Var()]
	}
	lits = slices.DeleteFunc(lits, func(l Lit) bool { return l != lits[0] && s.follows(l) })
	for _, v := range seen {
		s.marks[v] = false
	}
	for i := 1; i < len(lits); i++ {
		if level := s.levels[lits[i].Var()]; level > back {
			back = level
			lits[1], lits[i] = lits[i], lits[1]
		}
	}
	return lits, back
}

// follows reports whether a literal of the clause being learnt is redundant: the reason of its
// negation has only literals of the clause.
func (s *Solver) follows(l Lit) bool {
	why := s.reasons[l.Var()]
	if why == nil {
		return false
	}
	for _, m := range why.lits {
		if v := m.Var(); v != l.Var() && !s.marks[v] && s.levels[v] > 0 {
			return false
		}
	}
	return true
}

// because returns assumptions that imply the negation of an assumption, and that assumption.
func (s *Solver) because(failed Lit) []Lit {
	core := []Lit{failed}
	s.marks[failed.Var()] = true
	for at := len(s.trail) - 1; at >= 0; at-- {
		l := s.trail[at]
		if v := l.Var(); s.marks[v] {
			switch why := s.reasons[v]; {
			case why != nil:
				for _, m := range why.lits {
					s.marks[m.Var()] = true
				}
			case s.levels[v] > 0:
				core = append(core, l)
			}
			s.marks[v] = false
		}
	}
	s.marks[failed.Var()] = false
	return core
}

// countLevels returns the number of distinct decision levels of literals.
func (s *Solver) countLevels(lits []Lit) int {
	levels := make([]int, len(lits))
	for i, l := range lits {
		levels[i] = s.levels[l.Var()]
	}
	slices.Sort(levels)
	return len(slices.Compact(levels))
}

// decay reduces the weight of past activity by increasing that of future activity.
func (s *Solver) decay() {
	const growth, most = 1 / 0.95, 1e100
	if s.bump *= growth; s.bump < most {
		return
	}
	s.bump /= most
	s.order.rescale(1 / most)
	for _, c := range s.learnt {
		c.activity /= most
	}
}

// keepAll is the number of learnt clauses below which none is dropped, and keepLevels the number of
// levels up to which a clause is always kept.
const (
	keepAll    = 2000
	keepLevels = 2
)

// reduce drops half of the learnt clauses once there are many: first those of many levels, and
// among equals the least recently used. It is called at level 0.
func (s *Solver) reduce() {
	if len(s.learnt) < keepAll+s.clauses/4 {
		return
	}
	slices.SortStableFunc(s.learnt, func(a, b *clause) int {
		return cmp.Or(cmp.Compare(a.levels, b.levels), cmp.Compare(b.activity, a.activity))
	})
	kept := s.learnt[:0]
	for i, c := range s.learnt {
		if i < len(s.learnt)/2 || c.levels <= keepLevels || s.reasons[c.lits[0].Var()] == c {
			kept = append(kept, c)
		} else {
			c.dropped = true
		}
	}
	clear(s.learnt[len(kept):])
	s.learnt = kept
}
