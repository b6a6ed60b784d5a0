package plan

// op is an operation of a node.
type op uint8

const (
	opInput op = iota
	opChoice
	opRecursive // what a fixpoint has reached so far
	opFixpoint
	opProjection // one of the results of a fixpoint

	// Of two sets, or of two relations.
	opUnion
	opInter
	opDiff
	opComplement

	// Of relations.
	opSeq
	opPlus
	opInverse
	opIdentity // of a set
	opProduct  // of two sets
	opFrom     // the pairs of X from the set Y
	opTo       // the pairs of X to the set Y

	// Of sets.
	opDomain
	opRange

	opEmpty
	opFull

	opCheck // only in code: X is an index into the checks
)

// Node is a set or relation of a plan that is being built: an index into its nodes. The
// zero Node is no node.
type Node int32

type node struct {
	op   op
	set  bool
	x, y Node
	name string // of an input

	of         Vars // what it depends on
	rises      Vars // what it can grow with
	falls      Vars // what it can shrink with
	placed     placed
	recursions uint64
	bodies     []Node // of a fixpoint
}

// Builder makes a plan.
type Builder struct {
	nodes  []node // [0] is no node
	shared map[key]Node
	recs   int // fixpoints so far

	choices []pendingChoice
	checks  []pendingCheck
	reports []pendingCheck
}

type key struct {
	op   op
	set  bool
	x, y Node
	name string
}

type pendingChoice struct {
	Choice
	node Node
	args [2]Node
}

type pendingCheck struct {
	Check
	x Node
}

// NewBuilder makes an empty builder.
func NewBuilder() *Builder { return &Builder{nodes: make([]node, 1), shared: map[key]Node{}} }

// IsSet reports that a node is a set of events, not a relation.
func (b *Builder) IsSet(x Node) bool { return b.nodes[x].set }

// add is the node of an operation; there is one of each.
func (b *Builder) add(n node) Node {
	k := key{n.op, n.set, n.x, n.y, n.name}
	if old, ok := b.shared[k]; ok {
		return old
	}
	b.nodes = append(b.nodes, n)
	b.shared[k] = Node(len(b.nodes) - 1)
	return b.shared[k]
}

// apply is an operation that grows with all of its operands.
func (b *Builder) apply(o op, set bool, x, y Node) Node {
	n, l, r := node{op: o, set: set, x: x, y: y}, &b.nodes[x], &b.nodes[y]
	n.of, n.rises, n.falls = l.of|r.of, l.rises|r.rises, l.falls|r.falls
	n.recursions = l.recursions | r.recursions
	n.placed = n.placedBy(l, r)
	return b.add(n)
}

// Input is a set or relation from outside; of is what decides it. It grows with that. While
// locations are known in part, an input that depends on anything relates only accesses whose
// locations are known, and what Places decides is final between those.
func (b *Builder) Input(name string, set bool, of Vars) Node {
	n := node{op: opInput, set: set, name: name, of: of, rises: of}
	if of != 0 {
		n.placed.from, n.placed.to = true, true
	}
	return b.add(n)
}

// VarOf is the set of one variable.
func VarOf(v Var) Vars { return v.bit() }

// Empty is the empty set or relation.
func (b *Builder) Empty(set bool) Node {
	return b.add(node{op: opEmpty, set: set, placed: placed{from: true, to: true}})
}

// Full is the universal set or relation.
func (b *Builder) Full(set bool) Node { return b.add(node{op: opFull, set: set}) }

func (b *Builder) is(x Node, o op) bool { return b.nodes[x].op == o }

// Union is x | y, of sets or of relations.
func (b *Builder) Union(x, y Node) Node { return b.lattice(opUnion, opEmpty, opFull, x, y) }

// Inter is x & y, of sets or of relations.
func (b *Builder) Inter(x, y Node) Node { return b.lattice(opInter, opFull, opEmpty, x, y) }

// lattice is an operation that the neutral operand leaves as the other is, and that the
// dominant one decides.
func (b *Builder) lattice(o, neutral, dominant op, x, y Node) Node {
	switch {
	case x == y || b.is(y, neutral) || b.is(x, dominant):
		return x
	case b.is(x, neutral) || b.is(y, dominant):
		return y
	}
	return b.apply(o, b.IsSet(x), min(x, y), max(x, y))
}

// Diff is x \ y, of sets or of relations.
func (b *Builder) Diff(x, y Node) Node {
	switch {
	case x == y || b.is(y, opFull):
		return b.Empty(b.IsSet(x))
	case b.is(y, opEmpty) || b.is(x, opEmpty):
		return x
	}
	n, l, r := node{op: opDiff, set: b.IsSet(x), x: x, y: y}, &b.nodes[x], &b.nodes[y]
	n.of, n.rises, n.falls = l.of|r.of, l.rises|r.falls, l.falls|r.rises
	if l.placed.from && l.placed.to && !r.placed.grows {
		n.falls &^= r.rises & Places.bit() &^ l.falls
	}
	n.placed = placed{l.placed.from, l.placed.to, l.placed.grows || r.placed.shrinks, l.placed.shrinks || r.placed.grows}
	n.recursions = l.recursions | r.recursions
	return b.add(n)
}

// Complement is ~x, of a set or of a relation.
func (b *Builder) Complement(x Node) Node {
	switch {
	case b.is(x, opEmpty):
		return b.Full(b.IsSet(x))
	case b.is(x, opFull):
		return b.Empty(b.IsSet(x))
	case b.is(x, opComplement):
		return b.nodes[x].x
	}
	n, l := node{op: opComplement, set: b.IsSet(x), x: x}, &b.nodes[x]
	n.of, n.rises, n.falls, n.recursions = l.of, l.falls, l.rises, l.recursions
	n.placed = placed{grows: l.placed.shrinks, shrinks: l.placed.grows}
	return b.add(n)
}

// Seq is x;y.
func (b *Builder) Seq(x, y Node) Node {
	switch {
	case b.is(x, opEmpty) || b.is(y, opEmpty):
		return b.Empty(false)
	case b.is(x, opIdentity):
		return b.From(y, b.nodes[x].x)
	case b.is(y, opIdentity):
		return b.To(x, b.nodes[y].x)
	}
	return b.apply(opSeq, false, x, y)
}

// From is the pairs of x that start in the set s.
func (b *Builder) From(x, s Node) Node {
	if b.is(s, opFull) {
		return x
	}
	return b.apply(opFrom, false, x, s)
}

// To is the pairs of x that end in the set s.
func (b *Builder) To(x, s Node) Node {
	if b.is(s, opFull) {
		return x
	}
	return b.apply(opTo, false, x, s)
}

// Plus is x+.
func (b *Builder) Plus(x Node) Node {
	if b.is(x, opEmpty) || b.is(x, opPlus) || b.is(x, opIdentity) {
		return x
	}
	return b.apply(opPlus, false, x, 0)
}

// Opt is x?.
func (b *Builder) Opt(x Node) Node { return b.Union(x, b.Identity(b.Full(true))) }

// Star is x*.
func (b *Builder) Star(x Node) Node { return b.Opt(b.Plus(x)) }

// Inverse is x^-1.
func (b *Builder) Inverse(x Node) Node {
	switch n := b.nodes[x]; n.op {
	case opInverse:
		return n.x
	case opEmpty, opFull, opIdentity:
		return x
	case opProduct:
		return b.Product(n.y, n.x)
	}
	return b.apply(opInverse, false, x, 0)
}

// Identity is [s].
func (b *Builder) Identity(s Node) Node {
	if b.is(s, opEmpty) {
		return b.Empty(false)
	}
	return b.apply(opIdentity, false, s, 0)
}

// Product is s * t.
func (b *Builder) Product(s, t Node) Node { return b.apply(opProduct, false, s, t) }

// Domain is the events that x relates to something.
func (b *Builder) Domain(x Node) Node { return b.apply(opDomain, true, x, 0) }

// Range is the events that x relates something to.
func (b *Builder) Range(x Node) Node { return b.apply(opRange, true, x, 0) }

// maxRecursions is how many fixpoints a plan may have: each has a bit.
const maxRecursions = 64

// Fixpoint is the least sets and relations that are what body makes of them; sets says of
// each whether it is a set. The body must grow with what it is given. It returns false if the
// plan has too many of them.
func (b *Builder) Fixpoint(sets []bool, body func([]Node) []Node) ([]Node, bool) {
	if b.recs == maxRecursions {
		return nil, false
	}
	bit := uint64(1) << b.recs
	b.recs++
	vars := make([]Node, len(sets))
	for i, set := range sets {
		b.nodes = append(b.nodes, node{op: opRecursive, set: set, recursions: bit})
		vars[i] = Node(len(b.nodes) - 1)
	}
	fix := node{op: opFixpoint, x: vars[0], bodies: body(vars)}
	for _, x := range fix.bodies {
		n := &b.nodes[x]
		fix.of, fix.rises, fix.falls = fix.of|n.of, fix.rises|n.rises, fix.falls|n.falls
		fix.recursions |= n.recursions &^ bit
	}
	fix.placed = placed{grows: fix.rises.Has(Places), shrinks: fix.falls.Has(Places)}
	b.nodes = append(b.nodes, fix)
	at := Node(len(b.nodes) - 1)
	results := make([]Node, len(sets))
	for i, v := range vars {
		fix.op, fix.set, fix.x, fix.y, fix.bodies = opProjection, sets[i], at, v, nil
		results[i] = b.add(fix)
	}
	return results, true
}

// Choose adds a choice of the model and returns what is chosen.
func (b *Builder) Choose(name string, f Family, args ...Node) Node {
	v := FirstChoice + Var(len(b.choices))
	n := b.add(node{op: opChoice, x: Node(v), of: v.bit(), rises: v.bit()})
	c := pendingChoice{Choice: Choice{Name: name, Family: f}, node: n}
	copy(c.args[:], args)
	b.choices = append(b.choices, c)
	return n
}

// TooManyChoices reports that the plan has no room for another choice.
func (b *Builder) TooManyChoices() bool { return FirstChoice+Var(len(b.choices)) >= 64 }

// Check adds a check that rejects.
func (b *Builder) Check(name string, t Test, negated bool, x Node) {
	b.checks = append(b.checks, pendingCheck{Check{Name: name, Test: t, Negated: negated}, x})
}

// Report adds a check that raises a flag, or says that the behaviour is undefined.
func (b *Builder) Report(name string, t Test, negated bool, x Node, undefined bool) {
	b.reports = append(b.reports, pendingCheck{Check{Name: name, Test: t, Negated: negated, Undefined: undefined}, x})
}
