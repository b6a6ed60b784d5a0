package plan

// placed is what is known of a node while the locations of some accesses are not. As they
// become known, a relation such as loc grows, but not between accesses whose locations were
// known already: there it is final. So (x & loc) \ loc is bounded from below by its value
// for the locations that are known, although it is the difference of two things that grow.
type placed struct {
	from, to       bool // its pairs begin, end, at accesses whose locations are known
	grows, shrinks bool // with Places, between accesses whose locations are known, too
}

// placedBy is what follows for an operation that grows with its operands, of which a set
// is both ends of its pairs.
func (n *node) placedBy(l, r *node) placed {
	p := placed{grows: l.placed.grows || r.placed.grows, shrinks: l.placed.shrinks || r.placed.shrinks}
	switch n.op {
	case OpUnion:
		p.from, p.to = l.placed.from && r.placed.from, l.placed.to && r.placed.to
	case OpInter:
		p.from, p.to = l.placed.from || r.placed.from, l.placed.to || r.placed.to
	case OpInverse:
		p.from, p.to = l.placed.to, l.placed.from
	case OpIdentity:
		p.from, p.to = l.placed.from, l.placed.from
	case OpProduct:
		p.from, p.to = l.placed.from, r.placed.from
	case OpFrom:
		p.from, p.to = l.placed.from || r.placed.from, l.placed.to
	case OpTo:
		p.from, p.to = l.placed.from, l.placed.to || r.placed.from
	default: // what is between two events depends on others
		p.grows, p.shrinks = n.rises.Has(Places), n.falls.Has(Places)
		p.from, p.to = l.placed.from, l.placed.to
		switch n.op {
		case OpSeq:
			p.to = r.placed.to
		case OpDomain:
			p.to = p.from
		case OpRange:
			p.from = p.to
		}
	}
	return p
}
