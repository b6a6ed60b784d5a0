package litmus

import (
	"strconv"

	"github.com/muster-gpu/muster/src"
)

// Quantifier is the required relation of the final states to a proposition.
type Quantifier uint8

// The quantifiers.
const (
	Exists    Quantifier = iota // some final state satisfies it
	NotExists                   // ~exists: none does
	Forall                      // every one does
	Final                       // final: as exists, in the words of the paper's figures
)

// String returns the quantifier as tests write it.
func (q Quantifier) String() string {
	return [...]string{"exists", "~exists", "forall", "final"}[q]
}

// Cond is the final condition of a test.
type Cond struct {
	Quant Quantifier
	Prop  Prop
	At    src.Span
}

// String returns the condition in herd's words, which have no "final".
func (c Cond) String() string {
	quant := c.Quant
	if quant == Final {
		quant = Exists
	}
	const usual = 64 // bytes
	b := append(make([]byte, 0, usual), quant.String()...)
	b = appendProp(append(b, " ("...), c.Prop)
	return string(append(b, ')'))
}

// Prop is a proposition about a final state: a Truth, a Not, a Binary or an Atom.
type Prop interface {
	// Eval evaluates the proposition. get returns the values of its references.
	Eval(get func(Ref) Value) bool
	// String is the proposition as herd writes it, with no more parentheses than
	// it takes to be read back.
	String() string
}

// The propositions.
type (
	// Truth is true or false.
	Truth bool

	// Not is ~p.
	Not struct{ X Prop }

	// Binary is p op q.
	Binary struct {
		Op   Connective
		X, Y Prop
	}

	// Atom compares two operands.
	Atom struct {
		Op   Comparison
		X, Y Operand
	}
)

// Connective joins two propositions.
type Connective uint8

// The connectives, tightest last. => may not be mixed with the others without
// parentheses: herd and mathematics disagree about its precedence.
const (
	Implies Connective = iota
	Or
	And
)

func (c Connective) String() string { return [...]string{"=>", `\/`, `/\`}[c] }

// Comparison compares two values. Addresses of different locations are not ordered.
type Comparison uint8

// The comparisons.
const (
	Equal Comparison = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

func (c Comparison) String() string { return [...]string{"=", "!=", "<", "<=", ">", ">="}[c] }

// Operand is a constant, or the value of a register or a location.
type Operand struct {
	Ref   *Ref // nil for a constant
	Const Value
	At    src.Span
}

// Ref names something that has a final value: a register of a thread, or a
// location.
type Ref struct {
	Thread int    // index into Test.Threads; -1 for a location
	ID     int    // of that thread, as tests and logs write it; 0 for a location
	Name   string // of the register or location
	Array  bool   // the location is an array
	Index  int    // element of an array; 0 for a scalar
	At     src.Span
}

// String returns the reference as logs write it: 0:r1, [x] or a[0].
func (r Ref) String() string { return string(r.append(nil)) }

func (r Ref) append(b []byte) []byte {
	switch {
	case r.Thread >= 0:
		b = strconv.AppendInt(b, int64(r.ID), 10)
		b = append(b, ':')
		return append(b, r.Name...)
	case r.Array:
		b = append(b, r.Name...)
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(r.Index), 10)
		return append(b, ']')
	}
	b = append(b, '[')
	b = append(b, r.Name...)
	return append(b, ']')
}

// Evaluation.

// Eval is the truth itself.
func (t Truth) Eval(func(Ref) Value) bool { return bool(t) }

// Eval is the opposite of X.
func (n Not) Eval(get func(Ref) Value) bool { return !n.X.Eval(get) }

// Eval joins X and Y. It evaluates Y only if X does not decide.
func (b Binary) Eval(get func(Ref) Value) bool {
	x := b.X.Eval(get)
	switch b.Op {
	case And:
		return x && b.Y.Eval(get)
	case Or:
		return x || b.Y.Eval(get)
	}
	return !x || b.Y.Eval(get)
}

// Eval compares X and Y. An integer and an address, or addresses of different
// locations, are different; neither is less than the other.
func (a Atom) Eval(get func(Ref) Value) bool {
	return a.Op.Holds(a.X.value(get), a.Y.value(get))
}

// Holds compares two values as Atom.Eval does.
func (c Comparison) Holds(x, y Value) bool {
	switch c {
	case Equal:
		return x == y
	case NotEqual:
		return x != y
	}
	if x.Loc != y.Loc {
		return false
	}
	switch c {
	case Less:
		return x.Int < y.Int
	case LessEqual:
		return x.Int <= y.Int
	case Greater:
		return x.Int > y.Int
	}
	return x.Int >= y.Int
}

func (o Operand) value(get func(Ref) Value) Value {
	if o.Ref == nil {
		return o.Const
	}
	return get(*o.Ref)
}

// EachRef calls f for every mention of a register or location in p, in order.
func EachRef(p Prop, f func(*Ref)) {
	EachOperand(p, func(o Operand) {
		if o.Ref != nil {
			f(o.Ref)
		}
	})
}

// Mentions returns the registers and locations in the locations clause, the condition and the
// filter, in that order.
func (t *Test) Mentions() []Ref {
	const usual = 4 // in the condition and the filter
	refs := append(make([]Ref, 0, len(t.Observed)+usual), t.Observed...)
	add := func(r *Ref) { refs = append(refs, *r) }
	EachRef(t.Cond.Prop, add)
	EachRef(t.Filter, add)
	return refs
}

// EachConst calls f for every constant in p, in order.
func EachConst(p Prop, f func(Value)) {
	EachOperand(p, func(o Operand) {
		if o.Ref == nil {
			f(o.Const)
		}
	})
}

// EachOperand calls f for what each comparison in p compares, in order.
func EachOperand(p Prop, f func(Operand)) {
	switch p := p.(type) {
	case Not:
		EachOperand(p.X, f)
	case Binary:
		EachOperand(p.X, f)
		EachOperand(p.Y, f)
	case Atom:
		f(p.X)
		f(p.Y)
	}
}

// MapAtoms returns p with each comparison replaced; p itself if they are as before.
func MapAtoms(p Prop, f func(Atom) Prop) Prop {
	mapped, _ := mapAtoms(p, f)
	return mapped
}

// mapAtoms also reports whether p has changed: comparing propositions at each connective is slow if
// there are many.
func mapAtoms(p Prop, f func(Atom) Prop) (mapped Prop, changed bool) {
	switch q := p.(type) {
	case Not:
		if x, changed := mapAtoms(q.X, f); changed {
			return Not{x}, true
		}
	case Binary:
		x, first := mapAtoms(q.X, f)
		y, second := mapAtoms(q.Y, f)
		if first || second {
			return Binary{q.Op, x, y}, true
		}
	case Atom:
		if a := f(q); a != p {
			return a, true
		}
	}
	return p, false
}

// Printing.

func (t Truth) String() string  { return propString(t) }
func (n Not) String() string    { return propString(n) }
func (b Binary) String() string { return propString(b) }
func (a Atom) String() string   { return propString(a) }

func propString(p Prop) string {
	const usual = 64 // bytes
	return string(appendProp(make([]byte, 0, usual), p))
}

func appendProp(b []byte, p Prop) []byte {
	switch p := p.(type) {
	case Truth:
		return strconv.AppendBool(b, bool(p))
	case Not:
		return appendNot(b, p)
	case Binary:
		b = appendOperandOf(b, p.Op, p.X, false)
		b = append(b, ' ')
		b = append(b, p.Op.String()...)
		b = append(b, ' ')
		return appendOperandOf(b, p.Op, p.Y, true)
	case Atom:
		b = p.X.append(b)
		b = append(b, p.Op.String()...)
		return p.Y.append(b)
	}
	return append(b, p.String()...)
}

// appendNot puts parentheses around all but a truth value: ~0:r1=0 is unambiguous, but people
// misread it.
func appendNot(b []byte, n Not) []byte {
	if _, ok := n.X.(Truth); ok {
		return appendProp(append(b, '~'), n.X)
	}
	b = append(b, "~("...)
	b = appendProp(b, n.X)
	return append(b, ')')
}

// appendOperandOf prints an operand of a connective, in parentheses where it would
// be read differently without: /\ and \/ group to the left, => to the right, and
// => does not mix with the others.
func appendOperandOf(b []byte, op Connective, p Prop, right bool) []byte {
	inner, ok := p.(Binary)
	if !ok || inner.Op == op && right == (op == Implies) || inner.Op > op && op != Implies {
		return appendProp(b, p)
	}
	b = append(b, '(')
	b = appendProp(b, p)
	return append(b, ')')
}

// append prints an operand. The address of x is &x; x alone is the contents of x.
func (o Operand) append(b []byte) []byte {
	switch {
	case o.Ref != nil:
		return o.Ref.append(b)
	case o.Const.Loc != "":
		b = append(b, '&')
	}
	return o.Const.append(b)
}
