package cat

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
)

// Summary is what a model defines, checks and uses.
type Summary struct {
	Definitions []Definition `json:"definitions"`
	Checks      []CheckInfo  `json:"checks"`
	Flags       []CheckInfo  `json:"flags"`
	Choices     []string     `json:"choices"` // names that with binds
	Base        []BaseName   `json:"base"`    // base names used, sorted
	// Strata are the recursive definitions in an order in which they can be computed:
	// those of one stratum need each other, and only strata before it.
	Strata   [][]string      `json:"strata"`
	Warnings src.Diagnostics `json:"-"`
}

// newSummary is a summary of nothing, with lists that are empty in JSON too.
func newSummary() *Summary {
	return &Summary{
		Definitions: []Definition{}, Checks: []CheckInfo{}, Flags: []CheckInfo{}, Choices: []string{},
		Base: []BaseName{}, Strata: [][]string{},
	}
}

// Definition is a name that the model defines at its top level.
type Definition struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Line int    `json:"line"`
	File string `json:"file"`
}

// CheckInfo is a check of the model.
type CheckInfo struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Line int    `json:"line"`
	File string `json:"file"`
}

// BaseName is a name that executions define.
type BaseName struct {
	Name    string `json:"name"`
	Dynamic bool   `json:"dynamic"` // depends on rf, co or values
}

func (s *Summary) define(b *syntax.Binding, t typ) {
	if name := nameOf(b); name != "" {
		at := b.Span()
		s.Definitions = append(s.Definitions, Definition{name, t.String(), at.Pos().Line, at.File.Name})
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

// addRecursion orders the bindings of a let rec: the strongly connected components of
// "mentions", dependencies first.
func (s *Summary) addRecursion(bindings []*syntax.Binding) {
	index := map[string]int64{}
	g := simple.NewDirectedGraph()
	for i, b := range bindings {
		index[nameOf(b)] = int64(i)
		g.AddNode(simple.Node(i))
	}
	for i, b := range bindings {
		syntax.Walk(b.Body, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				// gonum's simple graphs have no self edges; a component of one
				// needs none.
				if j, ok := index[id.Text]; ok && j != int64(i) {
					g.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(j)})
				}
			}
			return true
		})
	}
	for _, component := range inOrder(g, topo.TarjanSCC(g)) {
		var stratum []string
		for _, node := range component {
			stratum = append(stratum, nameOf(bindings[node.ID()]))
		}
		s.Strata = append(s.Strata, stratum)
	}
}

// inOrder sorts components, which come with those that they need in front, by how many
// they build on, one on the other, and then by the order of the text: gonum's order
// differs from run to run.
func inOrder(g graph.Directed, components [][]graph.Node) [][]graph.Node {
	level := map[int64]int{}
	for _, c := range components {
		slices.SortFunc(c, func(a, b graph.Node) int { return cmp.Compare(a.ID(), b.ID()) })
		height := 0
		for _, n := range c {
			for _, needed := range graph.NodesOf(g.From(n.ID())) {
				if h, found := level[needed.ID()]; found {
					height = max(height, h+1)
				}
			}
		}
		for _, n := range c {
			level[n.ID()] = height
		}
	}
	slices.SortFunc(components, func(a, b []graph.Node) int {
		return cmp.Or(cmp.Compare(level[a[0].ID()], level[b[0].ID()]), cmp.Compare(a[0].ID(), b[0].ID()))
	})
	return components
}

// summarize notes the base names that the model uses.
func (c *checker) summarize() {
	for _, name := range slices.Sorted(maps.Keys(c.used)) {
		c.summary.Base = append(c.summary.Base, BaseName{name, c.vocab.Dynamic != nil && c.vocab.Dynamic(name)})
	}
}
