package ptx

import (
	"fmt"

	"github.com/muster-gpu/muster/event"
)

// binary are the operations of two operands, on integers of type t. Operands and
// result of 32-bit types are sign-extended.
var binary = map[string]func(t Type, a, b int64) int64{
	"add": func(_ Type, a, b int64) int64 { return a + b },
	"sub": func(_ Type, a, b int64) int64 { return a - b },
	"and": func(_ Type, a, b int64) int64 { return a & b },
	"or":  func(_ Type, a, b int64) int64 { return a | b },
	"xor": func(_ Type, a, b int64) int64 { return a ^ b },
	"min": func(t Type, a, b int64) int64 { return pick(t.less(a, b), a, b) },
	"max": func(t Type, a, b int64) int64 { return pick(t.less(a, b), b, a) },
	"mul": func(_ Type, a, b int64) int64 { return a * b },
	"div": func(t Type, a, b int64) int64 { q, _ := t.divide(a, b); return q },
	"rem": func(t Type, a, b int64) int64 { _, r := t.divide(a, b); return r },
	"shl": func(t Type, a, b int64) int64 { return a << t.shift(b) },
	"shr": func(t Type, a, b int64) int64 {
		if t.Signed {
			return a >> t.shift(b)
		}
		return int64(t.natural(a) >> t.shift(b))
	},
}

// natural is the number that the bits of an unsigned value stand for.
func (t Type) natural(a int64) uint64 {
	if t.Bits == 32 {
		return uint64(uint32(a))
	}
	return uint64(a)
}

// shift is a shift count: one of more than the bits of the type is one of all of them
// (PTX ISA, "shl", "shr").
func (t Type) shift(b int64) uint64 { return min(t.natural(b), uint64(t.Bits)) }

// divide is quotient and remainder, rounded towards zero (PTX ISA, "div"). The divisor
// is not 0.
func (t Type) divide(a, b int64) (q, r int64) {
	if t.Signed {
		return a / b, a % b
	}
	return int64(t.natural(a) / t.natural(b)), int64(t.natural(a) % t.natural(b))
}

// comparisons are the operators of setp.
var comparisons = map[string]func(t Type, a, b int64) bool{
	"eq": func(_ Type, a, b int64) bool { return a == b },
	"ne": func(_ Type, a, b int64) bool { return a != b },
	"lt": func(t Type, a, b int64) bool { return t.less(a, b) },
	"le": func(t Type, a, b int64) bool { return !t.less(b, a) },
	"gt": func(t Type, a, b int64) bool { return t.less(b, a) },
	"ge": func(t Type, a, b int64) bool { return !t.less(a, b) },
}

// updates are the operations of atom and red that compute from the old value (PTX
// ISA, "atom"); inc and dec wrap round at their operand b.
var updates = map[string]func(t Type, old, b int64) int64{
	"add": binary["add"],
	"sub": binary["sub"],
	"and": binary["and"],
	"or":  binary["or"],
	"xor": binary["xor"],
	"min": binary["min"],
	"max": binary["max"],
	"inc": func(t Type, old, b int64) int64 {
		return pick(!(Type{false, t.Bits}).less(old, b), 0, old+1)
	},
	"dec": func(t Type, old, b int64) int64 {
		return pick(old == 0 || (Type{false, t.Bits}).less(b, old), b, old-1)
	},
}

func pick(first bool, a, b int64) int64 {
	if first {
		return a
	}
	return b
}

// less compares as the type says. Sign-extension keeps the unsigned order of 32-bit
// values.
func (t Type) less(a, b int64) bool {
	if t.Signed {
		return a < b
	}
	return uint64(a) < uint64(b)
}

// wrap brings an integer into the range of t. Addresses stay what they are.
func (t Type) wrap(v event.Value) event.Value {
	switch {
	case v.IsAddress() || t.Bits == 64:
		return v
	case t.Bits == 1:
		return event.Int(pick(v.Int != 0, 1, 0))
	}
	return event.Int(int64(int32(v.Int)))
}

// widen is how a value of type t looks in 64 bits.
func (t Type) widen(v event.Value) event.Value {
	if !v.IsAddress() && t.Bits == 32 && !t.Signed {
		return event.Int(int64(uint32(v.Int)))
	}
	return v
}

// arith returns the operation called name for operands of type t.
func arith(name string, t Type, op func(Type, int64, int64) int64) event.Func {
	return func(args []event.Value) (event.Value, error) {
		a, b := t.wrap(args[0]), t.wrap(args[1])
		if a.IsAddress() || b.IsAddress() {
			return onAddresses(name, a, b)
		}
		if (name == "div" || name == "rem") && b.Int == 0 {
			return b, fmt.Errorf("%s by zero has no meaning", name)
		}
		return t.wrap(event.Int(op(t, a.Int, b.Int))), nil
	}
}

// onAddresses computes address ± integer and address - address.
func onAddresses(name string, a, b event.Value) (event.Value, error) {
	switch {
	case name == "add" && !b.IsAddress():
		return event.Value{Base: a.Base, Int: a.Int + b.Int}, nil
	case name == "add" && !a.IsAddress():
		return event.Value{Base: b.Base, Int: a.Int + b.Int}, nil
	case name == "sub" && !b.IsAddress():
		return event.Value{Base: a.Base, Int: a.Int - b.Int}, nil
	case name == "sub" && a.Base == b.Base:
		return event.Int(a.Int - b.Int), nil
	}
	return event.Value{}, fmt.Errorf("%s of an address has no meaning here: addresses can be moved, compared for equality, and have integers added", name)
}

// comparison returns the operation of setp.cmp for operands of type t: 1 or 0.
func comparison(cmp string, t Type) event.Func {
	return func(args []event.Value) (event.Value, error) {
		a, b := t.wrap(args[0]), t.wrap(args[1])
		switch {
		case a.Base == b.Base:
			return event.Int(pick(comparisons[cmp](t, a.Int, b.Int), 1, 0)), nil
		case cmp == "eq" || cmp == "ne":
			return event.Int(pick(cmp == "ne", 1, 0)), nil
		}
		return event.Value{}, fmt.Errorf("setp.%s of addresses of different locations has no meaning", cmp)
	}
}

func unary(f func(event.Value) event.Value) event.Func {
	return func(args []event.Value) (event.Value, error) { return f(args[0]), nil }
}

// selection is selp: the first value if the predicate, the third, holds.
func selection(t Type) event.Func {
	return func(args []event.Value) (event.Value, error) {
		if args[2].True() {
			return t.wrap(args[0]), nil
		}
		return t.wrap(args[1]), nil
	}
}
