package litmus

import "slices"

// Places returns where each thread runs, in the order of t.Threads. Numbers count from
// 0 at each level, in a walk through the tree.
//
// A level that the scope tree leaves out is filled in:
//
//   - Between a node and its children, or above the roots, it is one node around
//     all of them: "(device (cta P0) (cta P1))" has one kernel, and roots that are
//     not devices share one device.
//   - But around a child of the next level an optional one is a node of its own: a
//     CTA that stands in no cluster is a cluster, which is what PTX says of a CTA
//     that was not launched in one (PTX ISA, "Thread Hierarchy").
//   - Below a node, each thread that stands directly in it has a warp, a cluster
//     and a CTA of its own (LevelInfo.Own), as far as they are narrower than the
//     node: "(cta P0 P1)" is one CTA of two warps, "(kernel P0 P1)" two CTAs.
//
// A header such as "P0@cta 0,gpu 1" names CTAs within a cluster or GPU: threads
// share a CTA if all numbers agree, a cluster if the cluster and the GPU do. A
// level that it does not give is left out: each GPU runs one kernel, each thread is
// a warp of its own, and without gpu all threads run on one.
func (t *Test) Places() []Place { return t.Machine.places(len(t.Threads), t.placement()) }

// places numbers the places of n threads in a scope tree.
func (m *Machine) places(n int, root *ScopeNode) []Place {
	levels := len(m.Levels)
	p := placer{levels: m.Levels, next: make(Place, levels), places: make([]Place, n)}
	all := make([]int, n*levels)
	for i := range p.places {
		p.places[i] = all[i*levels : (i+1)*levels : (i+1)*levels]
	}
	p.fill(make(Place, levels), around, root)
	return p.places
}

// placement returns the scope tree, or one that says the same as the header, under a
// node for the system.
func (t *Test) placement() *ScopeNode {
	root := &ScopeNode{Children: t.Scopes}
	if len(t.Scopes) > 0 {
		return root
	}
	type key struct {
		parent        *ScopeNode
		level, number int
	}
	nodes := make(map[key]*ScopeNode)
	for i, th := range t.Threads {
		n := root
		if th.Place != nil {
			for l, number := range th.Place.Numbers {
				if number < 0 {
					continue
				}
				k := key{n, l, number}
				if nodes[k] == nil {
					nodes[k] = &ScopeNode{Level: Level(l)}
					n.Children = append(n.Children, nodes[k])
				}
				n = nodes[k]
			}
		}
		n.Threads = append(n.Threads, i)
	}
	return root
}

// placer numbers the places of a scope tree.
type placer struct {
	levels []LevelInfo
	next   Place // by level, the first number not used yet
	places []Place
}

// fresh returns a new place of a level.
func (p *placer) fresh(l int) int {
	p.next[l]++
	return p.next[l] - 1
}

// fill places the threads of n, which is a node of a level; at says where it is
// itself.
func (p *placer) fill(at Place, level int, n *ScopeNode) {
	var shared Place // the levels that are left out, around all that stands in n
	share := func(l int) int {
		if shared == nil {
			shared = slices.Repeat(Place{Nowhere}, len(p.levels))
		}
		if shared[l] == Nowhere {
			shared[l] = p.fresh(l)
		}
		return shared[l]
	}
	for _, t := range n.Threads {
		here := p.places[t]
		copy(here, at)
		for l := level + 1; l < len(p.levels); l++ {
			if p.levels[l].Own {
				here[l] = p.fresh(l)
			} else {
				here[l] = share(l)
			}
		}
	}
	for _, child := range n.Children {
		here := slices.Clone(at)
		inner := int(child.Level)
		for l := level + 1; l < inner; l++ {
			if p.levels[l].Optional && l+1 == inner {
				here[l] = p.fresh(l)
			} else {
				here[l] = share(l)
			}
		}
		here[inner] = p.fresh(inner)
		p.fill(here, inner, child)
	}
}
