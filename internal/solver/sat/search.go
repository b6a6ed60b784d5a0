package sat

// stepsBetween is the number of conflicts and decisions between calls of Stop. It takes
// milliseconds.
const stepsBetween = 64

// search searches until the total number of conflicts reaches stop. After Sat the trail is the
// model.
func (s *Solver) search(stop int, assumptions []Lit) Result {
	for {
		if s.steps++; s.steps%stepsBetween == 0 && s.Stopped() {
			return Unknown
		}
		if conflict := s.propagate(); conflict != nil {
			s.Conflicts++
			if len(s.limits) == 0 {
				s.failed = true
				return Unsat
			}
			if s.learn(conflict); s.Conflicts >= stop {
				return Unknown
			}
			continue
		}
		l, ok := s.decision(assumptions)
		switch {
		case !ok:
			return Unsat
		case l == None:
			return Sat
		}
		s.limits = append(s.limits, len(s.trail))
		s.set(l, nil)
	}
}

// decision returns the next literal to set: the assumptions first, one for each level, then the
// most active variable. It returns None if all variables are set; ok is false if an assumption is
// wrong.
func (s *Solver) decision(assumptions []Lit) (l Lit, ok bool) {
	for len(s.limits) < len(assumptions) {
		switch a := assumptions[len(s.limits)]; s.values[a] {
		case right:
			s.limits = append(s.limits, len(s.trail)) // a level without a decision
		case wrong:
			s.core = s.because(a)
			return None, false
		default:
			return a, true
		}
	}
	for {
		v, some := s.order.pop()
		if !some {
			return None, true
		}
		if l := Lit(2 * v); s.values[l] == open {
			if s.phase[v] {
				l = l.Not()
			}
			return l, true
		}
	}
}

// set makes a literal right, by a clause or by a decision (nil).
func (s *Solver) set(l Lit, why *clause) {
	v := l.Var()
	s.values[l], s.values[l.Not()] = right, wrong
	s.reasons[v], s.levels[v] = why, len(s.limits)
	s.trail = append(s.trail, l)
}

// backTo undoes the decisions above a level.
func (s *Solver) backTo(level int) {
	if level >= len(s.limits) {
		return
	}
	for ; s.told > s.limits[level]; s.told-- {
		if l := s.trail[s.told-1]; s.theory != nil && s.watched[l] {
			s.theory.Undo(l)
		}
	}
	for _, l := range s.trail[s.limits[level]:] {
		v := l.Var()
		s.values[l], s.values[l.Not()] = open, open
		s.phase[v], s.reasons[v] = l.Negated(), nil
		s.order.add(v)
	}
	s.trail, s.limits = s.trail[:s.limits[level]], s.limits[:level]
	s.next = len(s.trail)
}

// attach makes a clause watch its first two literals.
func (s *Solver) attach(c *clause) {
	for i, l := range c.lits[:2] {
		s.watches[l.Not()] = append(s.watches[l.Not()], watch{c, c.lits[1-i]})
	}
}

// propagate derives the consequences of the literals set. It returns a clause whose literals are
// all wrong, if there is one.
func (s *Solver) propagate() (conflict *clause) {
	for conflict == nil {
		switch {
		case s.next < len(s.trail):
			l := s.trail[s.next]
			s.next++
			conflict = s.visit(l)
		case s.told < len(s.trail):
			conflict = s.tell()
		default:
			return nil
		}
	}
	return conflict
}

// visit visits the clauses that watch the negation of a literal that has become right.
func (s *Solver) visit(l Lit) (conflict *clause) {
	list := s.watches[l]
	kept := list[:0]
	for i, w := range list {
		switch {
		case s.values[w.blocker] == right:
			kept = append(kept, w)
			continue
		case w.c.dropped:
			continue
		}
		lits := w.c.lits
		if lits[0] == l.Not() {
			lits[0], lits[1] = lits[1], lits[0]
		}
		first := lits[0]
		if s.values[first] != right && s.watchAnother(w.c) {
			continue
		}
		kept = append(kept, watch{w.c, first})
		switch s.values[first] {
		case wrong:
			s.watches[l] = append(kept, list[i+1:]...)
			s.next = len(s.trail)
			return w.c
		case open:
			s.set(first, w.c)
		}
	}
	s.watches[l] = kept
	return nil
}

// watchAnother makes a clause whose second literal is wrong watch another literal that is not, and
// reports whether there is one.
func (s *Solver) watchAnother(c *clause) bool {
	for k := 2; k < len(c.lits); k++ {
		if other := c.lits[k]; s.values[other] != wrong {
			c.lits[1], c.lits[k] = other, c.lits[1]
			s.watches[other.Not()] = append(s.watches[other.Not()], watch{c, c.lits[0]})
			return true
		}
	}
	return false
}
