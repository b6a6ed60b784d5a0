package plan

// Op is an operation of a node.
type Op uint8

// The operations.
const (
	OpInput Op = iota
	OpChoice
	OpRecursive // what a fixpoint has reached so far
	OpFixpoint
	OpProjection // one of the results of a fixpoint

	// Of two sets, or of two relations.
	OpUnion
	OpInter
	OpDiff
	OpComplement

	// Of relations.
	OpSeq
	OpPlus
	OpInverse
	OpIdentity // of a set
	OpProduct  // of two sets
	OpFrom     // the pairs of X from the set Y
	OpTo       // the pairs of X to the set Y

	// Of sets.
	OpDomain
	OpRange

	OpEmpty
	OpFull

	opCheck // only in code: X is an index into the checks
)

// Node is a set or relation of a plan that is being built: an index into its nodes. The
// zero Node is no node.
type Node int32

type node struct {
	op   Op
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
	op   Op
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

// add is the node of an operation; there is one of each, whichever way round the operands of a union or intersection stand.
// They keep the order in which they come first: numbers of nodes tell what a model mentions before, needed or not.
func (b *Builder) add(n node) Node {
	k := key{n.op, n.set, n.x, n.y, n.name}
	if n.op == OpUnion || n.op == OpInter {
		k.x, k.y = min(n.x, n.y), max(n.x, n.y)
	}
	if old, ok := b.shared[k]; ok {
		return old
	}
	b.nodes = append(b.nodes, n)
	b.shared[k] = Node(len(b.nodes) - 1)
	return b.shared[k]
}

// apply is an operation that grows with all of its operands.
func (b *Builder) apply(o Op, set bool, x, y Node) Node {
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
	n := node{op: OpInput, set: set, name: name, of: of, rises: of}
	if of != 0 {
		n.placed.from, n.placed.to = true, true
	}
	return b.add(n)
}

// VarOf is the set of one variable.
func VarOf(v Var) Vars { return v.bit() }

// Empty is the empty set or relation.
func (b *Builder) Empty(set bool) Node {
	return b.add(node{op: OpEmpty, set: set, placed: placed{from: true, to: true}})
}

// Full is the universal set or relation.
func (b *Builder) Full(set bool) Node { return b.add(node{op: OpFull, set: set}) }

func (b *Builder) is(x Node, o Op) bool { return b.nodes[x].op == o }

// Union is x | y, of sets or of relations.
func (b *Builder) Union(x, y Node) Node { return b.lattice(OpUnion, OpEmpty, OpFull, x, y) }

// Inter is x & y, of sets or of relations.
func (b *Builder) Inter(x, y Node) Node { return b.lattice(OpInter, OpFull, OpEmpty, x, y) }

// lattice is an operation that the neutral operand leaves as the other is, and that the
// dominant one decides.
func (b *Builder) lattice(o, neutral, dominant Op, x, y Node) Node {
	switch {
	case x == y || b.is(y, neutral) || b.is(x, dominant):
		return x
	case b.is(x, neutral) || b.is(y, dominant):
		return y
	}
	return b.apply(o, b.IsSet(x), x, y)
}

// Diff is x \ y, of sets or of relations.
func (b *Builder) Diff(x, y Node) Node {
	switch {
	case x == y || b.is(y, OpFull):
		return b.Empty(b.IsSet(x))
	case b.is(y, OpEmpty) || b.is(x, OpEmpty):
		return x
	}
	n, l, r := node{op: OpDiff, set: b.IsSet(x), x: x, y: y}, &b.nodes[x], &b.nodes[y]
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
	case b.is(x, OpEmpty):
		return b.Full(b.IsSet(x))
	case b.is(x, OpFull):
		return b.Empty(b.IsSet(x))
	case b.is(x, OpComplement):
		return b.nodes[x].x
	}
	n, l := node{op: OpComplement, set: b.IsSet(x), x: x}, &b.nodes[x]
	n.of, n.rises, n.falls, n.recursions = l.of, l.falls, l.rises, l.recursions
	n.placed = placed{grows: l.placed.shrinks, shrinks: l.placed.grows}
	return b.add(n)
}

// Seq is x;y.
func (b *Builder) Seq(x, y Node) Node {
	switch {
	case b.is(x, OpEmpty) || b.is(y, OpEmpty):
		return b.Empty(false)
	case b.is(x, OpIdentity):
		return b.From(y, b.nodes[x].x)
	case b.is(y, OpIdentity):
		return b.To(x, b.nodes[y].x)
	}
	return b.apply(OpSeq, false, x, y)
}

// From is the pairs of x that start in the set s.
func (b *Builder) From(x, s Node) Node {
	if b.is(s, OpFull) {
		return x
	}
	return b.apply(OpFrom, false, x, s)
}

// To is the pairs of x that end in the set s.
func (b *Builder) To(x, s Node) Node {
	if b.is(s, OpFull) {
		return x
	}
	return b.apply(OpTo, false, x, s)
}

// Plus is x+.
func (b *Builder) Plus(x Node) Node {
	if b.is(x, OpEmpty) || b.is(x, OpPlus) || b.is(x, OpIdentity) {
		return x
	}
	return b.apply(OpPlus, false, x, 0)
}

// Opt is x?.
func (b *Builder) Opt(x Node) Node { return b.Union(x, b.Identity(b.Full(true))) }

// Star is x*.
func (b *Builder) Star(x Node) Node { return b.Opt(b.Plus(x)) }

// Inverse is x^-1.
func (b *Builder) Inverse(x Node) Node {
	switch n := b.nodes[x]; n.op {
	case OpInverse:
		return n.x
	case OpEmpty, OpFull, OpIdentity:
		return x
	case OpProduct:
		return b.Product(n.y, n.x)
	}
	return b.apply(OpInverse, false, x, 0)
}

// Identity is [s].
func (b *Builder) Identity(s Node) Node {
	if b.is(s, OpEmpty) {
		return b.Empty(false)
	}
	return b.apply(OpIdentity, false, s, 0)
}

// Product is s * t.
func (b *Builder) Product(s, t Node) Node { return b.apply(OpProduct, false, s, t) }

// Domain is the events that x relates to something.
func (b *Builder) Domain(x Node) Node { return b.apply(OpDomain, true, x, 0) }

// Range is the events that x relates something to.
func (b *Builder) Range(x Node) Node { return b.apply(OpRange, true, x, 0) }

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
		b.nodes = append(b.nodes, node{op: OpRecursive, set: set, recursions: bit})
		vars[i] = Node(len(b.nodes) - 1)
	}
	fix := node{op: OpFixpoint, x: vars[0], bodies: body(vars)}
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
		fix.op, fix.set, fix.x, fix.y, fix.bodies = OpProjection, sets[i], at, v, nil
		results[i] = b.add(fix)
	}
	return results, true
}

// Choose adds a choice of the model and returns what is chosen.
func (b *Builder) Choose(name string, f Family, args ...Node) Node {
	v := FirstChoice + Var(len(b.choices))
	n := b.add(node{op: OpChoice, x: Node(v), of: v.bit(), rises: v.bit()})
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
