package isa

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/arith"
)

// Formula is the computation of an instruction, as a program without branches. Its values are
// numbered: the sources first, then one for each step.
//
// Every value has a type. The values of an operation have the same number of bits as its type:
// narrower values are first extended, by arith.Extend and arith.Wrap.
type Formula struct {
	Opcode  *Opcode
	Sources []arith.Type
	Steps   []Step
	Results []Value // one; two of an instruction that sets the carry, or a second predicate

	plain bool // it is one operation on all sources: most are
}

// Value is a value of a formula: its number and its type.
type Value struct {
	Number int
	Type   arith.Type
}

// Step is a step of a formula.
type Step struct {
	Kind StepKind
	Op   arith.Op   // of an Operation
	Type arith.Type // of the operands of an Operation; otherwise of the value
	Int  int64      // of a Literal
	Args []int
}

// StepKind is the kind of a step.
type StepKind uint8

// The kinds of step.
const (
	Operation StepKind = iota
	Literal
	Opaque // some function of the operands: floating point
)

// Domain is a kind of values that formulas are applied to. An error ends the formula.
type Domain[V any] interface {
	// Const is an integer in the range of t.
	Const(i int64, t arith.Type) V
	// Apply is an operation of arithmetic on values of type t. The last operand of Select is a
	// predicate, and that of Wrap has any type. It must not keep args.
	Apply(op arith.Op, t arith.Type, args ...V) (V, error)
	// Opaque returns the result of a floating-point instruction: a value of type t, the same for
	// the same operands. For setp, set and slct it is the result of the comparison only.
	Opaque(in *Opcode, t arith.Type, args ...V) (V, error)
}

// Evaluator applies one formula after the other over a domain, without allocating memory for each.
type Evaluator[V any] struct {
	Domain Domain[V]
	values []V
	args   [arith.MaxOperands]V
}

// Apply computes a formula of sources, which have the types that it says. The second result is
// the zero V if there is one only.
func (e *Evaluator[V]) Apply(f *Formula, sources ...V) (results [2]V, err error) {
	if len(sources) != len(f.Sources) {
		return results, fmt.Errorf("%s takes %d operands, not %d", f.Opcode.Text, len(f.Sources), len(sources))
	}
	if f.plain {
		results[0], err = e.Domain.Apply(f.Steps[0].Op, f.Steps[0].Type, sources...)
		return results, err
	}
	e.values = append(e.values[:0], sources...)
	for i := range f.Steps {
		v, err := e.step(f, &f.Steps[i])
		if err != nil {
			return results, err
		}
		e.values = append(e.values, v)
	}
	for i, r := range f.Results {
		results[i] = e.values[r.Number]
	}
	return results, nil
}

func (e *Evaluator[V]) step(f *Formula, s *Step) (V, error) {
	args := e.args[:0]
	for _, a := range s.Args {
		args = append(args, e.values[a])
	}
	switch s.Kind {
	case Literal:
		return e.Domain.Const(s.Int, s.Type), nil
	case Opaque:
		return e.Domain.Opaque(f.Opcode, s.Type, slices.Clone(args)...)
	}
	return e.Domain.Apply(s.Op, s.Type, args...)
}

// Apply computes a formula of sources over a domain.
func Apply[V any](d Domain[V], f *Formula, sources ...V) (results [2]V, err error) {
	e := Evaluator[V]{Domain: d}
	return e.Apply(f, sources...)
}

// Formula returns the computation of the instruction. For an atomic it computes the value to write,
// and the first source is the value that it has read. The error says that the instruction computes
// nothing, or nothing known here.
func (o *Opcode) Formula() (*Formula, error) {
	of := o.Code.row().formula
	if of == nil {
		return nil, fmt.Errorf("%s has no formula: it is of class %s", o.Text, o.Class())
	}
	for _, t := range o.Types {
		if t.Bits > 64 {
			return nil, fmt.Errorf("%s of .%s has no meaning here", o.Code, t)
		}
	}
	b := &builder{Formula: &Formula{Opcode: o}}
	of(b)
	if b.why != "" {
		return nil, fmt.Errorf("%s has no meaning: %s", o.Text, b.why)
	}
	b.plain = len(b.Results) == 1 && len(b.Steps) == 1 && b.Steps[0].Kind == Operation &&
		len(b.Steps[0].Args) == len(b.Sources) && inOrder(b.Steps[0].Args)
	return b.Formula, nil
}

func inOrder(numbers []int) bool {
	for i, n := range numbers {
		if i != n {
			return false
		}
	}
	return true
}

// builder makes a formula.
type builder struct {
	*Formula
	why string // the instruction has no meaning
}

// t returns the type of the instruction.
func (b *builder) t() arith.Type { return b.Opcode.Type(0).Int() }

// source returns the next source. All come before the first step.
func (b *builder) source(t arith.Type) Value {
	if len(b.Steps) > 0 {
		panic("isa: a source after a step")
	}
	b.Sources = append(b.Sources, t)
	return Value{len(b.Sources) - 1, t}
}

// two are two sources of the type of the instruction.
func (b *builder) two() (x, y Value) { return b.source(b.t()), b.source(b.t()) }

func (b *builder) result(v Value) { b.Results = append(b.Results, v) }

func (b *builder) step(s Step, result arith.Type) Value {
	b.Steps = append(b.Steps, s)
	return Value{len(b.Sources) + len(b.Steps) - 1, result}
}

func (b *builder) constant(i int64, t arith.Type) Value {
	return b.step(Step{Kind: Literal, Type: t, Int: t.Wrap(i)}, t)
}

// do applies an operation to values with the number of bits of its type.
func (b *builder) do(op arith.Op, t arith.Type, args ...Value) Value {
	numbers := make([]int, len(args))
	for i, a := range args {
		numbers[i] = a.Number
		if want := operandBits(op, t, i); want != 0 && a.Type.Bits != want {
			panic(fmt.Sprintf("isa: operand %d of %v in %s has %d bits, not %d", i, op, b.Opcode.Text, a.Type.Bits, want))
		}
	}
	return b.step(Step{Op: op, Type: t, Args: numbers}, op.Result(t))
}

// operandBits returns the number of bits of an operand of an operation, or 0 for any number.
func operandBits(op arith.Op, t arith.Type, i int) int {
	switch {
	case op == arith.Wrap:
		return 0
	case op == arith.Select && i == 2:
		return 1
	}
	return t.Bits
}

// opaque returns a function of values that arithmetic does not know.
func (b *builder) opaque(t arith.Type, args ...Value) Value {
	numbers := make([]int, len(args))
	for i, a := range args {
		numbers[i] = a.Number
	}
	return b.step(Step{Kind: Opaque, Type: t, Args: numbers}, t)
}

// resize returns a value as one of another type: widened as its own type says, or cut.
func (b *builder) resize(v Value, t arith.Type) Value {
	if v.Type.Bits < t.Bits {
		v = b.do(arith.Extend, v.Type, v)
	}
	if v.Type.Bits == t.Bits {
		return Value{v.Number, t}
	}
	return b.do(arith.Wrap, t, v)
}

// as returns a value whose bits are read in another way.
func (v Value) as(t arith.Type) Value { return Value{v.Number, t} }
