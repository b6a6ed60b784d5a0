package barrier

import "encoding/binary"

// search looks for the ways in which the threads of one combination of tracks meet. Two ways are
// different if they pair different arrivals and waits; the order of events makes no difference. So
// the search remembers histories, but only those that lead to an end. Whether an end is reachable
// depends only on the standing of the threads, which the search checks first.
type search struct {
	wanted func(*simulation) bool // an end is one that the search is for
	found  func(*simulation) bool // takes such an end, and reports whether to go on
	budget *Budget
	seen   map[string]bool // histories from which the search has gone on
	dead   map[string]bool // standings from which no way ends as wanted
	over   bool
}

// all finds all ways to go on. It reports whether it came to the end of the search.
func (m *search) all(s *simulation) bool {
	m.seen, m.dead = map[string]bool{}, map[string]bool{}
	m.explore(s)
	return !m.over
}

// explore lets the threads arrive in every order that may make a difference, and reports whether
// some order ends as wanted. It compares results as soon as a round is complete, so that the rest
// of the search does not depend on them.
func (m *search) explore(s *simulation) (ends bool) {
	if s.advance(); s.wrong {
		return false
	}
	standing := s.standing()
	if m.dead[standing] {
		return false
	}
	history := s.history()
	if m.seen[history] {
		return true
	}
	arriving := s.arriving()
	for _, t := range arriving {
		next := s.clone()
		next.arrive(t)
		ends = m.explore(next) || ends
		if m.over = m.over || m.budget.Spend(); m.over {
			return ends
		}
	}
	if len(arriving) == 0 && m.wanted(s) {
		ends = true
		m.over = !m.found(s)
	}
	if ends {
		m.seen[history] = true
	} else {
		m.dead[standing] = true
	}
	return ends
}

// history returns a key of the rounds in which threads have met, independent of the order of
// events: for each visit of each thread, the number of its round. Rounds are numbered by their
// first arrivals.
func (s *simulation) history() string {
	number := make([]int, len(s.rounds)) // plus one
	var h []byte
	next := 0
	for _, met := range s.met {
		h = binary.AppendUvarint(h, uint64(len(met)))
		for _, r := range met {
			if number[r] == 0 {
				next++
				number[r] = next
			}
			h = binary.AppendUvarint(h, uint64(number[r]))
		}
	}
	return string(h)
}

// standing returns all that decides how the threads can go on: how far each has come, and which of
// its arrivals are in a round that is not complete yet. A site has at most one such round, so the
// standing need not name it.
func (s *simulation) standing() string {
	var key []byte
	for _, met := range s.met {
		key = binary.AppendUvarint(key, uint64(len(met)))
		for i, r := range met {
			if !s.rounds[r].complete {
				key = binary.AppendUvarint(key, uint64(i+1))
			}
		}
		key = append(key, 0)
	}
	return string(key)
}
