package plan

import "github.com/muster-gpu/muster/internal/engine/relop"

// placed is what is known of a node while the locations of some accesses are not. As they
// become known, a relation such as loc grows, but not between accesses whose locations were
// known already: there it is final. So (x & loc) \ loc is bounded from below by its value
// for the locations that are known, although it is the difference of two things that grow.
type placed struct {
	from, to       bool // its pairs begin, end, at accesses whose locations are known
	grows, shrinks bool // with Places, between accesses whose locations are known, too
}

// depend finds what the result of an operator depends on, and how.
func (b *Builder) depend(n *node) {
	row := n.op.Row()
	n.placed = placed{from: row.Any, to: row.Any}
	for i, x := range [2]Node{n.x, n.y} {
		operand, place := b.nodes[x], row.Place[i]
		n.of |= operand.of
		n.recursions |= operand.recursions
		switch row.Sign[i] {
		case relop.Rises:
			n.placed.confine(place, row.Any, operand.placed)
		case relop.Falls:
			if n.placed.from && n.placed.to && !operand.placed.grows {
				operand.rises &^= Places.bit() // what grows is elsewhere
			}
			operand.rises, operand.falls = operand.falls, operand.rises
			operand.placed.grows, operand.placed.shrinks = operand.placed.shrinks, operand.placed.grows
		}
		n.rises |= operand.rises
		n.falls |= operand.falls
		n.placed.grows = n.placed.grows || operand.placed.grows
		n.placed.shrinks = n.placed.shrinks || operand.placed.shrinks
	}
	if !row.Local() { // what is between two events depends on others
		n.placed.grows, n.placed.shrinks = n.rises.Has(Places), n.falls.Has(Places)
	}
	if n.set { // a set is both ends of its pairs
		n.placed.from = n.placed.from || n.placed.to
		n.placed.to = n.placed.from
	}
}

// confine notes where an operand has its pairs. Those of the result are there, too, unless the
// pairs of any operand suffice.
func (p *placed) confine(place relop.Place, any bool, operand placed) {
	from, to := operand.from, operand.to
	switch place {
	case relop.Turned:
		from, to = to, from
	case relop.Source, relop.Leaving:
		to = false
	case relop.Target, relop.Arriving:
		from = false
	}
	if any {
		p.from, p.to = p.from && from, p.to && to
	} else {
		p.from, p.to = p.from || from, p.to || to
	}
}
