package solve

import (
	"encoding/binary"

	"github.com/muster-gpu/muster/event"
)

// Merge is what several engines have found out together that were asked the same about different structures of a program
// (ExploreNth): counts add up, and witnesses are those of the first structure that has any, whichever engine was given it.
func Merge(answers ...*Answer) *Answer {
	if len(answers) == 1 {
		return answers[0]
	}
	all, table := &Answer{}, map[string]*State{}
	flags, undefined := map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		for _, s := range a.States {
			key := string(appendKey(nil, s.Values))
			switch known := table[key]; {
			case known == nil:
				table[key] = s
				all.States = append(all.States, s)
			default:
				known.Count = Add(known.Count, s.Count)
				if s.at < known.at {
					known.Witness, known.at = s.Witness, s.at
				}
			}
		}
		all.Flags = appendNew(all.Flags, a.Flags, flags)
		all.Undefined = appendNew(all.Undefined, a.Undefined, undefined)
		all.ThinAir = all.ThinAir || a.ThinAir
		if a.Hang != nil && (all.Hang == nil || a.hangAt < all.hangAt) {
			all.Hang, all.hangAt = a.Hang, a.hangAt
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

// appendKey appends the key of a state in a table.
func appendKey(key []byte, values []event.Value) []byte {
	for _, v := range values {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(v.Base)), v.Int)
	}
	return key
}
