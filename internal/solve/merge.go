package solve

// Merge is what several engines have found out together that were asked the same about different structures of a program
// (ExploreNth): counts add up, and witnesses are those of the first structure that has any, whichever engine was given it.
func Merge(effort Effort, answers ...*Answer) *Answer {
	if len(answers) == 1 {
		return answers[0]
	}
	var known table
	all := &Answer{}
	flags, undefined := map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		for _, s := range a.States {
			same := known.find(all.States, s.key)
			if same == nil {
				all.States = append(all.States, s)
				known.add(all.States)
				continue
			}
			if effort == Counts {
				same.Count = Add(same.Count, s.Count)
			}
			if s.at < same.at {
				same.Witness, same.at = s.Witness, s.at
			}
		}
		all.Flags = appendNew(all.Flags, a.Flags, flags)
		all.Undefined = appendNew(all.Undefined, a.Undefined, undefined)
		all.ThinAir = all.ThinAir || a.ThinAir
		if a.Hang != nil && (all.Hang == nil || a.hangAt < all.hangAt) {
			all.Hang, all.hangAt = a.Hang, a.hangAt
		}
		if a.Race != nil && (all.Race == nil || a.raceAt < all.raceAt) {
			all.Race, all.raceAt = a.Race, a.raceAt
		}
	}
	return all
}

// appendNew appends names that are not known yet.
func appendNew(to, names []string, known map[string]bool) []string {
	for _, name := range names {
		if !known[name] {
			known[name] = true
			to = append(to, name)
		}
	}
	return to
}

// Merge adds what another engine has done.
func (s *Stats) Merge(t *Stats) {
	s.Structures += t.Structures
	s.Candidates += t.Candidates
	s.ThinAir += t.ThinAir
	s.Truncated += t.Truncated
	for i, times := range t.Cuts {
		s.Cuts[i] += times
	}
	s.Counted = Add(s.Counted, t.Counted)
	s.Forced += t.Forced
	s.Steps += t.Steps
}
