// Package relop is the relational operators, in which .cat models are written and which plans
// compute.
//
//	Op       an operator
//	Row      its operands and result, the dependence of the result on the operands, and the
//	         operands that explain it
//	Meaning  its definition on sets and relations
//
// Each operator has one row. Models are checked, evaluated, compiled, bounded, encoded as clauses
// and explained by it. Only plan.Frame, the inner loop of the fast engine, implements the operators
// a second time, on words; its tests compare it with this package.
package relop

import "github.com/muster-gpu/muster/rel"

// Op is an operator. The zero Op is no operator.
type Op uint8

// The operators.
const (
	Union Op = 1 + iota
	Inter
	Diff
	Complement
	Seq
	Plus
	Star
	Opt
	Inverse
	Identity
	Product
	From // the pairs of a relation that begin in a set
	To   // the pairs of a relation that end in a set
	Domain
	Range
	Empty
	Full

	End // other operations of a plan have numbers from here on
)

// Kind is the kind of an operand or a result.
type Kind uint8

// The kinds.
const (
	None  Kind = iota // there is no such operand
	Set               // a set of events
	Rel               // a relation between events
	Alike             // a set or a relation; all that are Alike are of the same kind
)

// Sign says how a result changes when an operand grows.
type Sign uint8

// The signs. Operators are monotone in each operand.
const (
	Rises Sign = 1 + iota
	Falls
)

// Place says which pairs of an operand decide whether the pair (a, b) is in the result. For this
// purpose a set is the identity on its elements.
type Place uint8

// The places.
const (
	Here   Place = 1 + iota // (a, b)
	Turned                  // (b, a)
	Source                  // (a, a)
	Target                  // (b, b)

	// Several pairs decide from here on.
	Leaving  // the pairs (a, m), for all m
	Arriving // the pairs (m, b), for all m
	Between  // the pairs on paths from a to b
)

// Of returns the pair of an operand that decides (a, b), of a Local place.
func (p Place) Of(a, b int) (int, int) {
	switch p {
	case Turned:
		return b, a
	case Source:
		return a, a
	case Target:
		return b, b
	}
	return a, b
}

// Local reports whether a single pair decides.
func (p Place) Local() bool { return p < Leaving }

// Covers reports whether the pair that decides (a, b) is of the same two events.
func (p Place) Covers() bool { return p == Here || p == Turned }

// Telling says which operand tells why a pair is in the result.
type Telling uint8

// What tells why.
const (
	Nothing  Telling = 1 + iota // the pair needs no reason
	Itself                      // the result cannot be taken apart
	First                       // the first operand
	Stronger                    // the operand that does not merely restrict the other
	Either                      // an operand that has the pair
	Backward                    // the first operand, with the pair turned
	InTurn                      // the first operand, then the second
	Path                        // the first operand, over and over
)

// Row is what is known of an operator.
type Row struct {
	Text     string // as .cat writes it
	Operands [2]Kind
	Result   Kind
	Sign     [2]Sign  // by operand
	Strict   [2]bool  // by operand: the result is empty if the operand is
	Place    [2]Place // by operand
	// Any says of an operator whose places are local that the pair of one operand suffices.
	// Otherwise it takes those of all operands. A pair of an operand that Falls must be absent.
	Any bool
	// Reflexive says that a pair (a, a) is in every result.
	Reflexive bool
	Tells     Telling

	Meaning
}

// Meaning is what an operator makes of its operands, by their kinds: a function for each kind of
// result. An operator of one operand ignores y. The functions are apart, and not one of any
// operands, for speed: the naive engine calls them for every candidate execution.
type Meaning struct {
	Sets  func(x, y rel.Set) rel.Set
	Rels  func(x, y rel.Rel) rel.Rel
	Pairs func(x, y rel.Set) rel.Rel
	Cut   func(x rel.Rel, y rel.Set) rel.Rel
	Ends  func(x rel.Rel) rel.Set

	// Of operators without operands, over n events.
	ConstSet func(n int) rel.Set
	ConstRel func(n int) rel.Rel
}

// Row returns the row of an operator.
func (o Op) Row() *Row { return &table[o] }

// Arity returns the number of operands.
func (r *Row) Arity() int {
	switch {
	case r.Operands[0] == None:
		return 0
	case r.Operands[1] == None:
		return 1
	}
	return 2
}

// Local reports whether a single pair of each operand decides whether a pair is in the result.
func (r *Row) Local() bool { return r.Place[0].Local() && r.Place[1].Local() }

// Keeps reports whether a pair is in the result of a local operator, given whether the pairs that
// decide are in its operands.
func (r *Row) Keeps(in ...bool) bool {
	for i, is := range in {
		if is != (r.Sign[i] == Falls) == r.Any {
			return r.Any
		}
	}
	return !r.Any
}

// Relate returns what an operator makes of its operands, over n events. Sets are identities on
// their elements. set says that the result is a set, and so are operands that are Alike.
func (r *Row) Relate(n int, set bool, x, y rel.Rel) rel.Rel {
	switch {
	case r.Rels != nil:
		z := r.Rels(x, y)
		if set && r.Sign[0] == Falls {
			z = z.Inter(rel.Identity(rel.Universe(n)))
		}
		return z
	case r.Cut != nil:
		return r.Cut(x, y.Domain())
	case r.Pairs != nil:
		return r.Pairs(x.Domain(), y.Domain())
	case r.Ends != nil:
		return rel.Identity(r.Ends(x))
	case set:
		return rel.Identity(r.ConstSet(n))
	}
	return r.ConstRel(n)
}
