package litmus

import (
	"slices"
	"strings"
)

// Moving threads. A user who tries placements wants to keep the rest of the text, with comments and
// columns. So this file edits the text rather than printing it anew.

// Levels returns the levels at which the test can tell its threads apart, in the way that it places
// them, widest first: all in a scope tree, some in the header of the program, none if it does not
// place its thread.
func (t *Test) Levels() []Level {
	switch {
	case len(t.Scopes) > 0:
		all := make([]Level, len(t.Machine.Levels))
		for i := range all {
			all[i] = Level(i)
		}
		return all
	case t.Threads[0].Place != nil:
		return t.Machine.headerLevels()
	}
	return nil
}

// Moved returns the text of the test with its threads at other places, one for each, and all
// else as it was written. Threads that share a place at a level but not around it are
// apart; differences at levels that the test cannot tell (Levels) are lost. So are comments
// within a scope tree: they are about the places that threads had.
func (t *Test) Moved(places []Place) string {
	switch {
	case len(t.Scopes) > 0:
		return t.withTree(places)
	case t.Threads[0].Place != nil:
		return t.withHeader(places)
	}
	return t.File.Text
}

// withTree writes another scope tree over the old one.
func (t *Test) withTree(places []Place) string {
	var tree printer
	tree.test = t
	tree.scopes(t.Machine.nodesOf(numbersTo(len(places)), 0, places))
	text, at := t.File.Text, t.ScopesAt
	return text[:at.Start] + strings.TrimPrefix(string(tree.text), " ") + text[at.End:]
}

// nodesOf returns the part of a scope tree from a level on that holds the given threads, which
// share all levels around it. Implied levels are omitted: a single device, and clusters of one CTA.
func (m *Machine) nodesOf(threads []int, l Level, places []Place) []*ScopeNode {
	var nodes []*ScopeNode
	groups := grouped(threads, l, places)
	for _, group := range groups {
		if int(l)+1 == len(m.Levels) {
			nodes = append(nodes, &ScopeNode{Level: l, Threads: group})
			continue
		}
		inner := m.nodesOf(group, l+1, places)
		if l == 0 && len(groups) == 1 || m.Levels[l].Optional && len(inner) == 1 {
			nodes = append(nodes, inner...)
		} else {
			nodes = append(nodes, &ScopeNode{Level: l, Children: inner})
		}
	}
	return nodes
}

// grouped deals threads out by their place at a level, in the order of the first of each.
func grouped(threads []int, l Level, places []Place) (groups [][]int) {
	for _, t := range threads {
		i := slices.IndexFunc(groups, func(g []int) bool { return places[g[0]][l] == places[t][l] })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// withHeader writes other placements into the header of the program.
func (t *Test) withHeader(places []Place) string {
	numbers := t.headerNumbers(t.Machine.nested(places))
	text := t.File.Text
	for i := range slices.Backward(t.Threads) {
		moved := Thread{Name: t.Threads[i].Name, Place: numbers[i]}
		_, place, _ := strings.Cut(moved.header(t.Format), "@")
		at := t.Threads[i].Place.At
		text = text[:at.Start] + place + padded(text[at.End:], at.End-at.Start-len(place))
	}
	return text
}

// padded adds blanks before a text, or removes some of its blanks, so that what follows keeps its
// column.
func padded(text string, more int) string {
	if more >= 0 {
		return strings.Repeat(" ", more) + text
	}
	spare := len(text) - len(strings.TrimLeft(text, " ")) - 1
	return text[min(-more, max(spare, 0)):]
}

// headerNumbers numbers the places of threads at the levels of the header, each within
// those around it.
func (t *Test) headerNumbers(places []Place) []*HeaderPlace {
	all, levels := make([]*HeaderPlace, len(places)), t.Machine.headerLevels()
	for i := range all {
		all[i] = &HeaderPlace{Numbers: slices.Repeat([]int{Nowhere}, len(t.Machine.Levels))}
	}
	var number func(threads []int, outer int)
	number = func(threads []int, outer int) {
		if outer == len(levels) {
			return
		}
		l := levels[outer]
		if !t.headerNeeds(l, places) {
			number(threads, outer+1)
			return
		}
		for n, group := range grouped(threads, l, places) {
			for _, i := range group {
				all[i].Numbers[l] = n
			}
			number(group, outer+1)
		}
	}
	number(numbersTo(len(places)), 0)
	return all
}

// headerNeeds reports whether the header must number a level: it did before, or the places would be
// ambiguous without.
func (t *Test) headerNeeds(l Level, places []Place) bool {
	had := slices.ContainsFunc(t.Threads, func(th *Thread) bool { return th.Place.Numbers[l] >= 0 })
	groups := func(l Level) int { return len(grouped(numbersTo(len(places)), l, places)) }
	switch {
	case l == t.Machine.headerLevels()[0]:
		return had || groups(l) > 1
	case t.Machine.Levels[l].Optional:
		return had || groups(l+1) > groups(l)
	}
	return true
}

// nested renumbers places so that threads that share a place share all enclosing ones.
func (m *Machine) nested(places []Place) []Place {
	return m.places(len(places), &ScopeNode{Children: m.nodesOf(numbersTo(len(places)), 0, places)})
}

func numbersTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
