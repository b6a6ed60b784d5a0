package isa

import (
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// Kind is the interpretation of the bits of a type.
type Kind uint8

// The kinds of type (PTX ISA, "Fundamental Types").
const (
	Bits     Kind = iota // .b32 and kin
	Unsigned             // .u32
	Signed               // .s32
	Floating             // .f32, and what packs several small numbers
	Predicate
)

// Type is a type as an opcode writes it. Its bits can be read as a floating-point number, which
// arith.Type cannot say.
type Type struct {
	Kind  Kind
	Bits  int
	packs int // the number of scalar values that it packs; 1 for a scalar type
	name  string
}

// Int returns the type of the bits as integers. Those of .b128 are more than arithmetic has.
func (t Type) Int() arith.Type { return arith.Type{Signed: t.Kind == Signed, Bits: t.Bits} }

// String returns the type as it is written, without its dot.
func (t Type) String() string { return t.name }

// Elements returns the number of scalar values that the type packs: 2 for .f16x2, 1 for .f32 (PTX
// ISA, "Packed Data Types").
func (t Type) Elements() int { return max(1, t.packs) }

// Named returns the type of that name: "f16x2".
func Named(name string) (t Type, ok bool) {
	t, ok = types[name]
	return t, ok
}

// TypeOf returns the type whose bits are read as arith says: .u32, .s32 and kin, or .pred.
func TypeOf(t arith.Type) Type {
	if t.Bits == 1 {
		t = arith.Bool
	}
	return integers[t]
}

// integers are the types of integers and truth values by their arithmetic.
var integers = func() map[arith.Type]Type {
	all := map[arith.Type]Type{}
	for _, t := range types {
		if t.Kind == Predicate || t.Kind == Unsigned || t.Kind == Signed {
			all[t.Int()] = t
		}
	}
	return all
}()

// types are the types by name.
var types = func() map[string]Type {
	all := map[string]Type{}
	for _, row := range []struct {
		kind        Kind
		bits, packs int
		names       string
	}{
		{Predicate, 1, 1, "pred"},
		{Bits, 8, 1, "b8"},
		{Unsigned, 8, 1, "u8"},
		{Signed, 8, 1, "s8"},
		{Bits, 16, 1, "b16"},
		{Unsigned, 16, 1, "u16"},
		{Signed, 16, 1, "s16"},
		{Bits, 32, 1, "b32"},
		{Unsigned, 32, 1, "u32"},
		{Signed, 32, 1, "s32"},
		{Bits, 64, 1, "b64"},
		{Unsigned, 64, 1, "u64"},
		{Signed, 64, 1, "s64"},
		{Bits, 128, 1, "b128"},
		{Floating, 16, 1, "f16 bf16"},
		{Floating, 16, 2, "e4m3x2 e5m2x2"},
		{Floating, 32, 1, "f32 tf32"},
		{Floating, 32, 2, "f16x2 bf16x2 u16x2 s16x2"},
		{Floating, 64, 1, "f64"},
		{Floating, 64, 2, "f32x2"},
	} {
		for name := range words(row.names) {
			all[name] = Type{row.kind, row.bits, row.packs, name}
		}
	}
	return all
}()

func words(s string) func(func(string) bool) { return strings.FieldsSeq(s) }
