package litmus

import (
	"slices"
	"strings"
)

// Machine describes the places of threads and memory in a test, in the words of its language. If a
// language's tests place nothing, it has neither levels nor regions.
type Machine struct {
	Levels []LevelInfo // from the widest to the narrowest
	// System is the words for the system around all levels. It adds no node to the scope tree:
	// every test runs in one system.
	System  []string
	Regions []RegionInfo // of memory; a location is in the first unless the test says otherwise
	Example []Level      // the levels of scope trees in hints; nil for all
}

// Level is a level at which threads stand together: its number in a machine, 0 for the widest.
type Level int

// LevelInfo describes a level.
type LevelInfo struct {
	Name   string   // in scope trees
	Words  []string // that mean the same there, in any case
	Header string   // the word behind the names of threads, as in P0@cta 0; "" if they cannot tell it
	Title  string   // in pictures; "" for the name
	// Own makes each thread that is in no place of this level be alone in one. Otherwise such
	// threads of a wider place share one.
	Own bool
	// Optional makes each place of the next level that is in no place of this level be alone in
	// one. Then only places that hold several need to be written.
	Optional bool
}

// Region is a region of memory: its number in a machine.
type Region int

// RegionInfo describes a region.
type RegionInfo struct {
	Name  string
	Words []string // that mean the same
}

// Place is the place of a thread: the number of its place at each level. Threads share a place if
// the numbers are equal. The numbers are unique in the whole test, so threads that share a place
// share those around it.
type Place []int

// around is the level of the system, which is around all others.
const around = -1

// level returns the level that a word names; around for the system.
func (m *Machine) level(name string) (l int, ok bool) {
	same := func(word string) bool { return len(word) == len(name) && strings.EqualFold(word, name) }
	for i := range m.Levels {
		if info := &m.Levels[i]; same(info.Name) || slices.ContainsFunc(info.Words, same) {
			return i, true
		}
	}
	return around, slices.ContainsFunc(m.System, same)
}

// levelWords lists the words for levels.
func (m *Machine) levelWords() (words []string) {
	for _, l := range m.Levels {
		words = append(append(words, l.Name), l.Words...)
	}
	return append(words, m.System...)
}

// levelNames lists the names of the levels.
func (m *Machine) levelNames() (names []string) {
	for _, l := range m.Levels {
		names = append(names, l.Name)
	}
	return names
}

// example lists the names of the levels of scope trees in hints.
func (m *Machine) example() (names []string) {
	if m.Example == nil {
		return m.levelNames()
	}
	for _, l := range m.Example {
		names = append(names, m.Levels[l].Name)
	}
	return names
}

// headerLevels lists the levels that the headers of threads can tell.
func (m *Machine) headerLevels() (levels []Level) {
	for i, l := range m.Levels {
		if l.Header != "" {
			levels = append(levels, Level(i))
		}
	}
	return levels
}

// headerWords lists the words for these levels, the narrowest first.
func (m *Machine) headerWords() (words []string) {
	for _, l := range slices.Backward(m.headerLevels()) {
		words = append(words, m.Levels[l].Header)
	}
	return words
}

// region returns the region that a word names.
func (m *Machine) region(name string) (r Region, ok bool) {
	name = strings.TrimPrefix(name, ".")
	i := slices.IndexFunc(m.Regions, func(r RegionInfo) bool { return r.Name == name || slices.Contains(r.Words, name) })
	return Region(max(i, 0)), i >= 0
}

// regionNames lists the names of the regions, the usual one last.
func (m *Machine) regionNames() (names []string) {
	for _, r := range slices.Backward(m.Regions) {
		names = append(names, r.Name)
	}
	return names
}

// regionWords lists the words for regions that a misspelt one may be meant as.
func (m *Machine) regionWords() (words []string) {
	reserved := func(word string) bool { return strings.HasPrefix(word, "__") } // as in C
	for _, r := range m.Regions {
		words = append(words, slices.DeleteFunc(append([]string{r.Name}, r.Words...), reserved)...)
	}
	return words
}

// alternatives writes words as an error message does.
func alternatives(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}
