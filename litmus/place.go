package litmus

// Places says where each thread runs, in the order of t.Threads. Numbers count from
// 0 at each level, in a walk through the tree.
//
// A level that the scope tree leaves out is filled in:
//
//   - Between a node and its children, or above the roots, it is one node around
//     all of them: "(device (cta P0) (cta P1))" has one kernel, and roots that are
//     not devices share one device.
//   - But a CTA that stands in no cluster is a cluster of its own: that is what PTX
//     says of a CTA that was not launched in one (PTX ISA, "Thread Hierarchy").
//   - Below a node, each thread that stands directly in it has a warp, a cluster
//     and a CTA of its own, as far as they are narrower than the node:
//     "(cta P0 P1)" is one CTA of two warps, "(kernel P0 P1)" two CTAs.
//
// A header such as "P0@cta 0,gpu 1" names CTAs within a cluster or GPU: threads
// share a CTA if all numbers agree, a cluster if the cluster and the GPU do. Each
// GPU runs one kernel, and each thread is a warp of its own. A thread without a cta
// is a CTA of its own, a CTA without a cluster is a cluster of its own, and without
// gpu all threads run on one.
func (t *Test) Places() []Place {
	p := placer{places: make([]Place, len(t.Threads))}
	p.fill(path{}, system, t.placement())
	return p.places
}

// placement is the scope tree, or one that says the same as the header, under a
// node for the system.
func (t *Test) placement() *ScopeNode {
	root := &ScopeNode{Children: t.Scopes}
	if len(t.Scopes) > 0 {
		return root
	}
	type key struct {
		parent *ScopeNode
		level  Level
		number int
	}
	nodes := make(map[key]*ScopeNode)
	for i, th := range t.Threads {
		n := root
		for _, h := range headerLevels {
			if th.Place == nil || *h.number(th.Place) < 0 {
				continue
			}
			k := key{n, h.level, *h.number(th.Place)}
			if nodes[k] == nil {
				nodes[k] = &ScopeNode{Level: h.level}
				n.Children = append(n.Children, nodes[k])
			}
			n = nodes[k]
		}
		n.Threads = append(n.Threads, i)
	}
	return root
}

// path gives the number of the place at each level around a point of the tree.
type path [levels]int

// placer numbers the places of a scope tree.
type placer struct {
	next   path // the first number not used yet
	places []Place
}

// fresh is a new place of a level.
func (p *placer) fresh(l int) int {
	p.next[l]++
	return p.next[l] - 1
}

// fill places the threads of n, which is a node of a level; at says where it is
// itself.
func (p *placer) fill(at path, level int, n *ScopeNode) {
	var filled [levels]bool
	around := at // and the left-out levels between n and its children
	shared := func(l int) int {
		if !filled[l] {
			around[l], filled[l] = p.fresh(l), true
		}
		return around[l]
	}
	for _, t := range n.Threads {
		here := at
		for l := level + 1; l < levels; l++ {
			if Level(l) <= Kernel {
				here[l] = shared(l)
			} else {
				here[l] = p.fresh(l)
			}
		}
		p.places[t] = here.place()
	}
	for _, child := range n.Children {
		here := at
		inner := int(child.Level)
		for l := level + 1; l < inner; l++ {
			if Level(l) == Cluster && child.Level == CTA {
				here[l] = p.fresh(l)
			} else {
				here[l] = shared(l)
			}
		}
		here[inner] = p.fresh(inner)
		p.fill(here, inner, child)
	}
}

func (p path) place() Place {
	return Place{Device: p[Device], Kernel: p[Kernel], Cluster: p[Cluster], CTA: p[CTA], Warp: p[Warp]}
}
