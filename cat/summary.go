package cat

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// Summary lists what a model defines, checks and uses.
type Summary struct {
	Definitions []Definition
	Checks      []CheckInfo
	Flags       []CheckInfo
	Choices     []string   // names that with statements bind
	Base        []BaseName // base names used, sorted
	// strangers that the model uses, sorted: names that no test of muster defines, and that are
	// empty
	Absent []string
	// Strata are the recursive definitions in an order of computation: the definitions of a stratum
	// depend on each other and on earlier strata only.
	Strata   [][]string
	Warnings src.Diagnostics
}

// newSummary returns an empty summary whose lists are not nil, so that JSON has [].
func newSummary() *Summary {
	return &Summary{
		Definitions: []Definition{}, Checks: []CheckInfo{}, Flags: []CheckInfo{}, Choices: []string{},
		Base: []BaseName{}, Absent: []string{}, Strata: [][]string{},
	}
}

// Definition is a name that the model defines at its top level.
type Definition struct {
	Name string
	Type string
	Line int
	File string

	At src.Span
}

// CheckInfo is a check of the model.
type CheckInfo struct {
	Name string
	Text string
	Line int
	File string
}

// BaseName is a name that executions define and the model uses.
type BaseName struct {
	Name    string
	Dynamic bool // it depends on rf, co or values
}

func (s *Summary) define(b *syntax.Binding, t typ) {
	if name := nameOf(b); name != "" {
		at := b.Span()
		s.Definitions = append(s.Definitions, Definition{name, t.String(), at.Pos().Line, at.File.Name, at})
	}
}

func (s *Summary) addCheck(c *syntax.Check) {
	at := c.Span()
	unnamed := *c
	unnamed.As = nil
	info := CheckInfo{CheckName(c), syntax.Print(&unnamed), at.Pos().Line, at.File.Name}
	if c.Role == syntax.Flag {
		s.Flags = append(s.Flags, info)
	} else {
		s.Checks = append(s.Checks, info)
	}
}

// addRecursion adds the bindings of a let rec as strata, in the order of their dependencies.
func (s *Summary) addRecursion(bindings []*syntax.Binding) {
	index := map[string]int{}
	for i, b := range bindings {
		index[nameOf(b)] = i
	}
	mentions := rel.New(len(bindings))
	for i, b := range bindings {
		syntax.Walk(b.Body, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				if j, ok := index[id.Text]; ok {
					mentions.Add(i, j)
				}
			}
			return true
		})
	}
	for _, component := range strata(mentions) {
		var names []string
		for _, i := range component {
			names = append(names, nameOf(bindings[i]))
		}
		s.Strata = append(s.Strata, names)
	}
}

// strata returns the strongly connected components of needs, dependencies first: sorted by the
// length of the longest chain of components below, then by number.
func strata(needs rel.Rel) [][]int {
	reaches := needs.Star()
	component := reaches.Inter(reaches.Inverse())
	height := heights(reaches.Diff(component))
	var all [][]int
	for a := range needs.N() {
		if members := component.Row(a).Elems(); members[0] == a {
			all = append(all, members)
		}
	}
	slices.SortStableFunc(all, func(a, b []int) int { return cmp.Compare(height[a[0]], height[b[0]]) })
	return all
}

// heights returns, for each element of a strict order, the length of the longest path from it.
func heights(order rel.Rel) []int {
	all := make([]int, order.N())
	byReach := slices.SortedStableFunc(rel.Universe(order.N()).All(), func(a, b int) int {
		return cmp.Compare(order.Row(a).Len(), order.Row(b).Len())
	})
	for _, a := range byReach {
		for b := range order.Row(a).All() {
			all[a] = max(all[a], all[b]+1)
		}
	}
	return all
}

// summarize adds the base names and the strangers that the model uses.
func (c *checker) summarize() {
	c.summary.Absent = slices.Sorted(maps.Keys(c.absent))
	for _, name := range slices.Sorted(maps.Keys(c.used)) {
		c.summary.Base = append(c.summary.Base, BaseName{name, c.vocab.Get(name).Depends > vocab.Program})
	}
}
