package gen

import (
	"iter"
	"slices"
	"strings"
)

// Weaker yields the cycles with one edge or access weaker: a dependency, fence or barrier becomes
// program order, or gets a narrower scope or a weaker order; an access becomes the default, or gets
// a narrower scope or a weaker order. Some may have no test.
func (c *Cycle) Weaker() iter.Seq[*Cycle] {
	return func(yield func(*Cycle) bool) {
		for i, e := range c.Edges {
			for _, f := range c.ISA.weakerEdges(e) {
				d := *c
				d.Edges = slices.Clone(c.Edges)
				d.Edges[i] = f
				if !yield(&d) {
					return
				}
			}
		}
		for i := range c.Accesses {
			if c.half(i) != nil {
				continue
			}
			for _, a := range c.ISA.weakerAccesses(c.access(i)) {
				d := *c
				d.Accesses = slices.Clone(c.Accesses)
				d.Accesses[i] = a
				if a.suits(c.in(i), c.out(i)) && !yield(&d) {
					return
				}
			}
		}
	}
}

func (isa *ISA) weakerEdges(e Edge) []Edge {
	if !e.marked() {
		return nil
	}
	var found []Edge
	if !e.External && e.Kind != Copy {
		found = append(found, Edge{Kind: Po, Diff: e.Diff, Src: e.Src, Dst: e.Dst})
	}
	for _, s := range isa.stems {
		if s.edge.Kind == Fence && weakerName(s.edge.Instr, e.Instr) || s.edge.Kind == e.Kind && e.hasFewer(s.edge) {
			f := e
			f.Instr = s.edge.Instr
			found = append(found, f)
		}
	}
	return found
}

func (isa *ISA) weakerAccesses(a *Access) []*Access {
	var found []*Access
	for _, b := range isa.accesses {
		if b.Name != a.Name && (b.Name == isa.fallback.Name && !a.Atomic() || weakerName(b.Name, a.Name)) {
			found = append(found, b)
		}
	}
	return found
}

// scopeRanks and orderRanks order the words of instructions by strength. Acquire and release are
// incomparable.
var (
	scopeRanks = map[string]int{
		"cta": 1, "cluster": 2, "gl": 3, "gpu": 3, "sys": 4,
		"block": 1, "work_group": 1, "device": 3, "all_svm_devices": 4, "system": 4,
	}
	orderRanks = map[string]int{"relaxed": 1, "acquire": 2, "release": 2, "acq_rel": 3, "sc": 4, "seq_cst": 4}
)

// weakerName reports whether an instruction is another one with a narrower scope or a weaker order.
func weakerName(weak, strong string) bool {
	a, b := strings.Split(weak, "."), strings.Split(strong, ".")
	if len(a) != len(b) {
		return false
	}
	weaker := false
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		scope, order := scopeRanks[a[i]], orderRanks[a[i]]
		if !(0 < scope && scope < scopeRanks[b[i]] || 0 < order && order < orderRanks[b[i]]) {
			return false
		}
		weaker = true
	}
	return weaker
}
