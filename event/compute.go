package event

import (
	"errors"
	"fmt"

	"github.com/muster-gpu/muster/arith"
)

// Meaningless is the error of a computation that has no meaning, such as the sum of two
// addresses.
type Meaningless struct {
	X   Expr // an Op or a Call
	Why error
}

func (m *Meaningless) Error() string { return m.Why.Error() }

// Fault is the cause of Execution.Wrong: an Op or a Call that has no value for its operands, or an
// access to an address outside all locations.
type Fault struct {
	Thread  int
	X       Expr // the Op or Call, or the address of the access
	Address bool // it is the address of an access
	Why     error
}

func (f *Fault) Error() string { return f.Why.Error() }

func (f *Fault) Unwrap() error { return f.Why }

// compute returns the value of an operation on operands that may be addresses.
func compute(code arith.Op, t arith.Type, args *[arith.MaxOperands]Value) (Value, error) {
	if code == arith.Select {
		if args[2].True() {
			return args[0].Wrap(t), nil
		}
		return args[1].Wrap(t), nil
	}
	var x arith.Operands
	for i, v := range args[:code.Arity()] {
		switch {
		case v.IsAddress():
			return onAddresses(code, t, args)
		case v.IsOpaque() && code == arith.Wrap && t.Bits == 64:
			return v, nil
		case v.IsOpaque():
			return Value{}, fmt.Errorf("%v of the state of an object has no meaning: it is opaque, and can only be moved", code)
		}
		x[i] = v.Int
	}
	v, err := arith.Compute(code, t, x)
	switch {
	case err == nil:
	case errors.Is(err, arith.ErrZero):
		return Value{}, fmt.Errorf("%v by zero has no meaning", code)
	case errors.Is(err, arith.ErrIndex):
		return Value{}, fmt.Errorf("the value %d is out of range: 0 to %d", args[0].Int, args[1].Int-1)
	}
	return Int(v), err
}

// Wrap brings a value into the range of a type. Addresses and states of objects stay what they are.
func (v Value) Wrap(t arith.Type) Value {
	if v.Base != NoLoc {
		return v
	}
	return Int(t.Wrap(v.Int))
}

// onAddresses computes with operands that include an address. An address is kept whole, whatever
// the type: it can be moved, compared, and have integers added.
func onAddresses(code arith.Op, t arith.Type, args *[arith.MaxOperands]Value) (Value, error) {
	a, b := args[0].Wrap(t), args[1].Wrap(t)
	switch {
	case code == arith.Wrap, code == arith.Extend:
		return a, nil
	case code.Compares():
		return compareAddresses(code, t, a, b)
	case code == arith.Add && !b.IsAddress():
		return Value{a.Base, a.Int + b.Int}, nil
	case code == arith.Add && !a.IsAddress():
		return Value{b.Base, a.Int + b.Int}, nil
	case code == arith.Sub && !b.IsAddress():
		return Value{a.Base, a.Int - b.Int}, nil
	case code == arith.Sub && a.Base == b.Base:
		return Int(a.Int - b.Int), nil
	}
	return Value{}, fmt.Errorf("%v of an address has no meaning here: addresses can be moved, compared for equality, and have integers added", code)
}

// compareAddresses compares two values, at least one of them an address. Addresses within one
// location are ordered; other values only compare unequal.
func compareAddresses(code arith.Op, t arith.Type, a, b Value) (Value, error) {
	switch {
	case a.Base == b.Base:
		v, err := arith.Compute(code, arith.Type{Signed: t.Signed, Bits: 64}, arith.Operands{a.Int, b.Int})
		return Int(v), err
	case code == arith.Eq:
		return Int(0), nil
	case code == arith.Ne:
		return Int(1), nil
	}
	return Value{}, fmt.Errorf("%v of addresses of different locations has no meaning", code)
}
