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

// Summary is what a model defines, checks and uses.
type Summary struct {
	Definitions []Definition
	Checks      []CheckInfo
	Flags       []CheckInfo
	Choices     []string   // names that with binds
	Base        []BaseName // base names used, sorted
	Absent      []string   // names that no test of muster has, and that are empty, sorted
	// Strata are the recursive definitions in an order in which they can be computed:
	// those of one stratum need each other, and only strata before it.
	Strata   [][]string
	Warnings src.Diagnostics
}

// newSummary is a summary of nothing, with lists that are empty in JSON too.
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

// BaseName is a name that executions define.
type BaseName struct {
	Name    string
	Dynamic bool // depends on rf, co or values
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

// addRecursion orders the bindings of a let rec: those that need each other are together, and
// come after what they need.
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

// strata lists the strongly connected components of "needs", each after those that it needs:
// by how many they build on, one on the other, and then in the order of the numbers.
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

// heights are the lengths of the longest paths from each element of a strict order: those
// that reach fewer come first.
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

// summarize notes the base names that the model uses, and the strangers.
func (c *checker) summarize() {
	c.summary.Absent = slices.Sorted(maps.Keys(c.absent))
	for _, name := range slices.Sorted(maps.Keys(c.used)) {
		c.summary.Base = append(c.summary.Base, BaseName{name, c.vocab.Get(name).Depends > vocab.Program})
	}
}
