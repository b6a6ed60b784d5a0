package event

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// Value is the value of a register, a location or an expression: an integer, the address of a
// location plus an offset in bytes, or the state of an object whose bits programs cannot see
// (Opaque). Integers of 32 bits are kept sign-extended, whatever their type: the operations
// interpret them.
type Value struct {
	Base Loc   // NoLoc for an integer, Opaque for the state of an object
	Int  int64 // the integer, the offset, or what the front end keeps
}

// Opaque is the base of the states of objects. Programs can move states, and apply the functions of
// their front end to them (Call).
const Opaque Loc = -2

// Int returns an integer value.
func Int(i int64) Value { return Value{NoLoc, i} }

// AddressOf returns the address of a location.
func AddressOf(l Loc) Value { return Value{l, 0} }

// IsAddress reports whether v is an address.
func (v Value) IsAddress() bool { return v.Base >= 0 }

// IsOpaque reports whether v is the state of an object.
func (v Value) IsOpaque() bool { return v.Base == Opaque }

// Compare orders values: integers by size, then addresses.
func (v Value) Compare(w Value) int {
	return cmp.Or(cmp.Compare(v.Base, w.Base), cmp.Compare(v.Int, w.Int))
}

// True reports whether v counts as true for a predicate: it is not zero.
func (v Value) True() bool { return v.IsAddress() || v.Int != 0 }

// Expr is a value computed by a thread, as a function of what its reads return.
// It is a Const, a ReadOf, an Op or a Call; Exprs are immutable, and == compares them by structure.
type Expr interface {
	// Eval computes the value. read gives what the thread's n-th event returned,
	// and false while that is not known; then the error is ErrUnknown. Any other
	// error is a *Meaningless.
	Eval(read Env) (Value, error)
	String() string
}

// Env returns the value that the n-th event of a thread returned, and false while that is not
// known. A thread computes only with values that it read itself.
type Env func(n int) (Value, bool)

// ErrUnknown is the error of an expression that needs a read whose value is not yet known.
var ErrUnknown = errors.New("value not known yet")

// Const is an expression that needs no read.
type Const Value

// Eval returns the constant.
func (c Const) Eval(Env) (Value, error) { return Value(c), nil }

// constant returns a value as an expression. Zero and the addresses of the first locations occur in
// all programs, and need no allocation.
func constant(v Value) Expr {
	if v.Int == 0 && v.Base >= NoLoc && v.Base < len(common)+NoLoc {
		return common[v.Base-NoLoc]
	}
	return Const(v)
}

// common are the constants whose integer is 0, by their base.
var common = func() (all [16]Expr) {
	for i := range all {
		all[i] = Const{Base: NoLoc + i}
	}
	return all
}()

func (c Const) String() string {
	if Value(c).IsAddress() {
		return fmt.Sprintf("&%d+%d", c.Base, c.Int)
	}
	return fmt.Sprint(c.Int)
}

// ReadOf is the value that the thread's n-th event, a read, returned.
type ReadOf int

// Eval looks the read up.
func (r ReadOf) Eval(read Env) (Value, error) {
	if v, ok := read(int(r)); ok {
		return v, nil
	}
	return Value{}, ErrUnknown
}

func (r ReadOf) String() string { return fmt.Sprintf("v%d", int(r)) }

// Op is an operation on values: a code, a type and operands. Ops are compared by structure: two
// are equal, as interface values too, if they compute the same thing in the same way.
type Op struct {
	Code arith.Op
	Type arith.Type
	size int32                   // number of operations in the expression, written as a tree
	Args [arith.MaxOperands]Expr // the operands of Code; the rest is nil
}

// BaseOf returns the location that an expression computes an address in: for all values of the
// reads, its value is an offset from there or has no meaning.
func BaseOf(x Expr) (l Loc, ok bool) {
	switch x := x.(type) {
	case Const:
		return x.Base, Value(x).IsAddress()
	case Op:
		if x.Code == arith.Add { // of two addresses there is no sum
			if l, ok = BaseOf(x.Args[0]); ok {
				return l, true
			}
			return BaseOf(x.Args[1])
		}
	}
	return NoLoc, false
}

// maxSize bounds an expression. Programs that double a register again and again
// describe trees of exponential size.
const maxSize = 1 << 14

// Apply returns the expression code(args…) on operands of type t, computed at once if the operands
// are constants. The error is the error of the computation.
func Apply(code arith.Op, t arith.Type, args ...Expr) (Expr, error) {
	if code == arith.Wrap && within(t, args[0]) {
		return args[0], nil
	}
	op := Op{Code: code, Type: t, size: 1}
	for i, a := range args {
		op.Args[i] = a
		if sub, ok := a.(Op); ok {
			op.size += sub.size
		}
	}
	if op.size > maxSize {
		return nil, fmt.Errorf("a value is the result of more than %d operations", maxSize)
	}
	v, err := op.Eval(nothingKnown)
	switch err {
	case nil:
		return Const(v), nil
	case ErrUnknown:
		return op, nil
	}
	return nil, err
}

// within reports whether an expression is always in the range of a type, so that wrapping it
// changes nothing.
func within(t arith.Type, x Expr) bool {
	op, computed := x.(Op)
	return t.Bits == 64 || computed && op.Code.Result(op.Type).Bits == t.Bits
}

func nothingKnown(int) (Value, bool) { return Value{}, false }

// operands returns the part of Args that the operation uses.
func (o *Op) operands() []Expr { return o.Args[:o.Code.Arity()] }

// Eval evaluates the operands, then applies the operation. An error but ErrUnknown is a
// *Meaningless.
func (o Op) Eval(read Env) (Value, error) {
	var args [arith.MaxOperands]Value
	for i, a := range o.operands() {
		v, err := a.Eval(read)
		if err != nil {
			return Value{}, err
		}
		args[i] = v
	}
	v, err := compute(o.Code, o.Type, &args)
	if err != nil {
		return Value{}, &Meaningless{o, err}
	}
	return v, nil
}

func (o Op) String() string {
	var b strings.Builder
	for i, a := range o.operands() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(a.String())
	}
	return o.Code.String() + "(" + b.String() + ")"
}

// Function is an operation of a front end beyond arithmetic: it changes the state of an object, or
// tells a program about it. Functions are compared with ==.
type Function interface {
	Apply(args [2]Value) (Value, error)
	String() string
}

// Call is a function of one or two values.
type Call struct {
	Of   Function
	Args [2]Expr // the second may be nil
}

// ApplyFunction builds the expression f(args…), computed at once if the operands are constants.
func ApplyFunction(f Function, args ...Expr) (Expr, error) {
	call := Call{Of: f}
	copy(call.Args[:], args)
	v, err := call.Eval(nothingKnown)
	switch err {
	case nil:
		return Const(v), nil
	case ErrUnknown:
		return call, nil
	}
	return nil, err
}

// Eval evaluates the operands, then applies the function.
func (c Call) Eval(read Env) (Value, error) {
	var args [2]Value
	for i, a := range c.Args {
		if a == nil {
			continue
		}
		v, err := a.Eval(read)
		if err != nil {
			return Value{}, err
		}
		args[i] = v
	}
	v, err := c.Of.Apply(args)
	if err != nil {
		return Value{}, &Meaningless{c, err}
	}
	return v, nil
}

func (c Call) String() string {
	text := c.Of.String() + "(" + c.Args[0].String()
	if c.Args[1] != nil {
		text += "," + c.Args[1].String()
	}
	return text + ")"
}

// Numeric reports whether the value of an expression is a number, and has a meaning, whatever
// numbers the reads return.
func Numeric(x Expr) bool {
	switch x := x.(type) {
	case Const:
		return x.Base == NoLoc
	case ReadOf:
		return true
	case Op:
		if !x.Code.Total() {
			return false
		}
		for _, a := range x.operands() {
			if !Numeric(a) {
				return false
			}
		}
		return true
	}
	return false
}

// EachRead calls visit with the number of each event of its thread that an expression
// depends on.
func EachRead(x Expr, visit func(n int)) {
	switch x := x.(type) {
	case ReadOf:
		visit(int(x))
	case Op:
		for _, a := range x.operands() {
			EachRead(a, visit)
		}
	case Call:
		for _, a := range x.Args {
			EachRead(a, visit)
		}
	}
}
