package plan

import "github.com/muster-gpu/muster/internal/engine/relop"

// The operations of nodes that are no operators.
const (
	OpInput relop.Op = relop.End + iota
	OpChoice
	OpRecursive // what a fixpoint has reached so far
	OpFixpoint
	OpProjection // one of the results of a fixpoint
	opCheck      // only in code: X is an index into the checks
)

// Node is a set or relation of a plan that is being built: an index into its nodes. The
// zero Node is no node.
type Node int32

type node struct {
	op   relop.Op
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
	op   relop.Op
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

// add is the node of an operation; there is one of each, whichever way round the operands of a
// union or intersection stand. They keep the order in which they come first: numbers of nodes tell
// what a model mentions before, needed or not.
func (b *Builder) add(n node) Node {
	k := key{n.op, n.set, n.x, n.y, n.name}
	if n.op == relop.Union || n.op == relop.Inter {
		k.x, k.y = min(n.x, n.y), max(n.x, n.y)
	}
	if old, ok := b.shared[k]; ok {
		return old
	}
	b.nodes = append(b.nodes, n)
	b.shared[k] = Node(len(b.nodes) - 1)
	return b.shared[k]
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
