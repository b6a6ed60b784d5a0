package sat

import (
	"cmp"
	"slices"
)

// learn finds out why a clause failed, goes back to where that could have been known, and has
// the solver know it: the clause of the first unique implication point.
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

// analyze resolves a failed clause with the reasons of its literals until only one of the current
// level is left. That literal comes first, one of the highest other level second.
func (s *Solver) analyze(conflict *clause) (lits []Lit, back int) {
	lits = []Lit{None}
	var seen []int
	left := 0 // literals of the current level that have not been resolved
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

// follows reports whether a literal of the clause which is being learnt follows from the others:
// the clause that implied its negation has no other literals.
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

// because returns the assumptions that make an assumption wrong, and that one.
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

// countLevels is on how many decision levels literals were set.
func (s *Solver) countLevels(lits []Lit) int {
	levels := make([]int, len(lits))
	for i, l := range lits {
		levels[i] = s.levels[l.Var()]
	}
	slices.Sort(levels)
	return len(slices.Compact(levels))
}

// decay makes what was active before count less: what is active now counts more.
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

// keepAll is up to how many learnt clauses none is forgotten, and keepLevels up to how many levels
// a clause is kept always.
const (
	keepAll    = 2000
	keepLevels = 2
)

// reduce forgets half of the learnt clauses once they are many: those of many levels, of these the
// ones that were of no use for longest. It is called when nothing is decided.
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
