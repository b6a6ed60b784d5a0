// Package guard represents path conditions as reduced ordered binary decision diagrams, a canonical
// form of Boolean functions (Bryant, "Graph-based algorithms for Boolean function manipulation",
// 1986).
//
//	Guard   a condition; equal conditions are the same number
//	Guards  the manager: makes guards from terms, and terms from guards
//
// Where paths meet, the conditions of both are combined by or. In canonical form nothing remains of
// a test whose two sides have met again, however deeply it was nested. The package does not
// interpret terms: different terms are independent atoms.
package guard

import (
	"errors"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// Guard is a condition. It belongs to the Guards that made it.
type Guard int32

// The constant conditions.
const (
	False Guard = iota
	True
)

// ErrTooMany is the panic value of Guards that exceed their number of nodes.
var ErrTooMany = errors.New("the conditions of the paths are too many to keep apart")

// ErrStopped is the panic value of Guards when Guards.Stop returns true.
var ErrStopped = term.ErrStopped

// maxNodes bounds the number of nodes: diagrams can grow exponentially.
const maxNodes = 100_000

// node is a test of an atom: the condition is yes if the atom holds, else no.
type node struct {
	atom    int32
	yes, no Guard
}

type operation struct {
	under   bool // operation is Under, not And
	a, b, c Guard
}

// Guards makes and combines conditions. It belongs to one goroutine.
type Guards struct {
	Stop  func() bool // polled; true stops; nil never stops
	b     *term.Builder
	nodes []node
	table map[node]Guard
	atoms []*term.Term // in the order of tests
	index map[*term.Term]int32
	known map[operation]Guard
	terms map[Guard]*term.Term
	of    map[*term.Term]Guard // memoises Of: terms are graphs with many more paths than nodes
	steps int                  // number of operations that were not memoised
}

// New returns a manager of conditions over the terms of a builder.
func New(b *term.Builder) *Guards {
	g := &Guards{
		b:     b,
		table: map[node]Guard{},
		index: map[*term.Term]int32{},
		known: map[operation]Guard{},
		of:    map[*term.Term]Guard{},
	}
	leaf := int32(^uint32(0) >> 1) // ordered after all atoms
	g.nodes = []node{{atom: leaf}, {atom: leaf}}
	g.terms = map[Guard]*term.Term{False: b.Bool(false), True: b.Bool(true)}
	return g
}

// Of returns the condition of a truth value. It decomposes conjunctions, disjunctions and choices.
func (g *Guards) Of(t *term.Term) Guard {
	made, known := g.of[t]
	if !known {
		made = g.make(t)
		g.of[t] = made
	}
	return made
}

// make computes Of for a new term.
func (g *Guards) make(t *term.Term) Guard {
	args := t.Args()
	switch {
	case t.True():
		return True
	case t.False():
		return False
	case t.Op() == term.And:
		return g.And(g.Of(args[0]), g.Of(args[1]))
	case t.Op() == term.Or:
		return g.Or(g.Of(args[0]), g.Of(args[1]))
	case t.Op() == term.Xor:
		x, y := g.Of(args[0]), g.Of(args[1])
		return g.choose(x, g.Not(y), y)
	case t.Op() == term.Ite:
		return g.choose(g.Of(args[0]), g.Of(args[1]), g.Of(args[2]))
	}
	i, ok := g.index[t]
	if !ok {
		i = int32(len(g.atoms))
		g.index[t] = i
		g.atoms = append(g.atoms, t)
	}
	return g.node(i, True, False)
}

func (g *Guards) node(atom int32, yes, no Guard) Guard {
	if yes == no {
		return yes
	}
	n := node{atom, yes, no}
	if old, ok := g.table[n]; ok {
		return old
	}
	if len(g.nodes) >= maxNodes {
		panic(ErrTooMany)
	}
	made := Guard(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.table[n] = made
	return made
}

// Not returns the negation.
func (g *Guards) Not(a Guard) Guard { return g.choose(a, False, True) }

// And returns the conjunction.
func (g *Guards) And(a, b Guard) Guard { return g.choose(a, b, False) }

// Or returns the disjunction.
func (g *Guards) Or(a, b Guard) Guard { return g.choose(a, True, b) }

// choose is b if a holds, else c.
func (g *Guards) choose(a, b, c Guard) Guard {
	switch {
	case a == True || b == c:
		return b
	case a == False:
		return c
	case b == True && c == False:
		return a
	}
	op := operation{false, a, b, c}
	if made, ok := g.known[op]; ok {
		return made
	}
	g.step()
	atom := min(g.nodes[a].atom, g.nodes[b].atom, g.nodes[c].atom)
	a1, a0 := g.split(a, atom)
	b1, b0 := g.split(b, atom)
	c1, c0 := g.split(c, atom)
	made := g.node(atom, g.choose(a1, b1, c1), g.choose(a0, b0, c0))
	g.known[op] = made
	return made
}

// stopEvery is the number of operations between calls of Stop.
const stopEvery = 1 << 12

// step counts an operation. There may be many more operations than nodes.
func (g *Guards) step() {
	if g.steps++; g.steps%stopEvery == 0 && g.Stop != nil && g.Stop() {
		panic(ErrStopped)
	}
}

// split returns the cofactors of a condition: what remains if an atom, not after the first atom of
// a, holds, and if it does not.
func (g *Guards) split(a Guard, atom int32) (yes, no Guard) {
	if n := g.nodes[a]; n.atom == atom {
		return n.yes, n.no
	}
	return a, a
}

// Under returns a condition that agrees with a wherever given holds, and that is simpler if
// possible (Coudert and Madre's restrict operator). It is a constant if given implies a or its
// negation.
func (g *Guards) Under(a, given Guard) Guard {
	switch {
	case given == True || a <= True:
		return a
	case given == False:
		return False
	case a == given:
		return True
	}
	op := operation{true, a, given, 0}
	if made, ok := g.known[op]; ok {
		return made
	}
	g.step()
	var made Guard
	switch n, m := g.nodes[a], g.nodes[given]; {
	case m.atom < n.atom:
		made = g.Under(a, g.Or(m.yes, m.no))
	default:
		yes, no := g.split(given, n.atom)
		switch {
		case yes == False:
			made = g.Under(n.no, no)
		case no == False:
			made = g.Under(n.yes, yes)
		default:
			made = g.node(n.atom, g.Under(n.yes, yes), g.Under(n.no, no))
		}
	}
	g.known[op] = made
	return made
}

// Term returns the condition as a term.
func (g *Guards) Term(a Guard) *term.Term {
	if t, ok := g.terms[a]; ok {
		return t
	}
	n := g.nodes[a]
	t := g.b.Ite(g.atoms[n.atom], g.Term(n.yes), g.Term(n.no))
	g.terms[a] = t
	return t
}
