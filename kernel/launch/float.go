package launch

import (
	"math"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// domain evaluates instructions on concrete values: integers, and floating-point numbers as their
// bits. A result of .f32 is computed in 64 bits and rounded, which gives the nearest number for
// sums, products, quotients and roots. Other roundings and approximate instructions may differ from
// hardware in the last bit, which affects races only if a floating-point number becomes an index.
type domain struct{ isa.Integers }

// float returns the bits of a constant in the format of an instruction.
func float(o *kernel.Operand, bits int) int64 {
	switch {
	case o.Size == 64 && bits == 32:
		return encode(decode(int64(o.Bits), 64), 32)
	case o.Size == 32 && bits == 64:
		return encode(decode(int64(o.Bits), 32), 64)
	}
	return int64(o.Bits)
}

// formatOf maps sizes in bits to the formats of PTX's scalar types other than .bf16.
var formatOf = map[int]arith.Float{16: arith.F16, 32: arith.F32, 64: arith.F64}

func decode(v int64, bits int) float64 { return formatOf[bits].Decode(v) }

func encode(x float64, bits int) int64 { return formatOf[bits].Encode(x) }

// functions are the operations of floating-point instructions.
var functions = map[isa.Code]func(x []float64) float64{
	isa.Add: func(x []float64) float64 { return x[0] + x[1] },
	isa.Sub: func(x []float64) float64 { return x[0] - x[1] },
	isa.Mul: func(x []float64) float64 { return x[0] * x[1] },
	isa.Div: func(x []float64) float64 { return x[0] / x[1] },
	isa.Mad: func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) },
	isa.Fma: func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) },
	isa.Min: func(x []float64) float64 { return math.Min(x[0], x[1]) },
	isa.Max: func(x []float64) float64 { return math.Max(x[0], x[1]) },
	isa.Abs: func(x []float64) float64 { return math.Abs(x[0]) }, isa.Neg: func(x []float64) float64 { return -x[0] },
	isa.Rcp:      func(x []float64) float64 { return 1 / x[0] },
	isa.Sqrt:     func(x []float64) float64 { return math.Sqrt(x[0]) },
	isa.Rsqrt:    func(x []float64) float64 { return 1 / math.Sqrt(x[0]) },
	isa.Sin:      func(x []float64) float64 { return math.Sin(x[0]) },
	isa.Cos:      func(x []float64) float64 { return math.Cos(x[0]) },
	isa.Lg2:      func(x []float64) float64 { return math.Log2(x[0]) },
	isa.Ex2:      func(x []float64) float64 { return math.Exp2(x[0]) },
	isa.Tanh:     func(x []float64) float64 { return math.Tanh(x[0]) },
	isa.Copysign: func(x []float64) float64 { return math.Copysign(x[1], x[0]) },
}

// comparisons are the comparisons of setp and set.
var comparisons = map[isa.Comparison]func(x, y float64) bool{
	isa.Eq: func(x, y float64) bool { return x == y }, isa.Ne: func(x, y float64) bool { return x < y || x > y },
	isa.Lt: func(x, y float64) bool { return x < y }, isa.Le: func(x, y float64) bool { return x <= y },
	isa.Gt: func(x, y float64) bool { return x > y }, isa.Ge: func(x, y float64) bool { return x >= y },
	isa.Equ: func(x, y float64) bool { return !(x < y || x > y) }, isa.Neu: func(x, y float64) bool { return x != y },
	isa.Ltu: func(x, y float64) bool { return !(x >= y) }, isa.Leu: func(x, y float64) bool { return !(x > y) },
	isa.Gtu: func(x, y float64) bool { return !(x <= y) }, isa.Geu: func(x, y float64) bool { return !(x < y) },
	isa.Num: func(x, y float64) bool { return x == x && y == y },
	isa.NaN: func(x, y float64) bool { return x != x || y != y },
}

// Opaque evaluates floating-point instructions.
func (domain) Opaque(in *isa.Opcode, t arith.Type, args ...int64) (int64, error) {
	if in.Class() == isa.ClassAtomic {
		return updated(in, args[0], args[1])
	}
	for _, typ := range in.Types {
		if s := typ.String(); typ.Kind == isa.Floating && s != "f16" && s != "f32" && s != "f64" {
			return 0, refuse(src.Span{}, "%s: numbers of the type .%s are not modelled", in.Text, typ)
		}
	}
	switch in.Code {
	case isa.Cvt:
		return convert(in, args[0]), nil
	case isa.Setp, isa.Set:
		bits := in.Type(len(in.Types) - 1).Bits
		return truth(comparisons[in.Cmp](decode(args[0], bits), decode(args[1], bits))), nil
	case isa.Slct:
		return truth(decode(args[0], in.Type(1).Bits) >= 0), nil
	}
	f := functions[in.Code]
	if f == nil {
		return 0, refuse(src.Span{}, "%s is not modelled", in.Text)
	}
	var x []float64
	for _, a := range args {
		x = append(x, decode(a, in.Type(0).Bits))
	}
	v := f(x)
	if in.Saturate {
		v = min(1, max(0, v))
	}
	return encode(v, t.Bits), nil
}

// updated returns the value that an atomic writes over old. The numbers of a packed type are
// updated separately.
func updated(in *isa.Opcode, old, by int64) (all int64, err error) {
	op, t, ok := in.ElementOp()
	if !ok {
		return 0, refuse(src.Span{}, "%s is not modelled", in.Text)
	}
	for at := 0; at < in.Type(0).Bits; at += t.Bits {
		v, err := arith.Compute(op, t, arith.Operands{old >> at, by >> at})
		if err != nil {
			return 0, err
		}
		all |= int64(bitsOf(v, t.Bits/8)) << at
	}
	return all, nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// roundings are the rounding modes to integers.
var roundings = map[string]func(float64) float64{
	"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
}

// convert evaluates cvt from or to a floating-point number.
func convert(in *isa.Opcode, v int64) int64 {
	to, from := in.Type(0), in.Type(1)
	x := 0.0
	switch {
	case from.Kind == isa.Floating:
		x = decode(v, from.Bits)
	case from.Kind == isa.Signed:
		x = float64(v)
	default:
		x = float64(uint64(v) << (64 - from.Bits) >> (64 - from.Bits))
	}
	if round := roundings[in.Rounding]; round != nil {
		x = round(x)
	}
	if to.Kind == isa.Floating {
		if in.Saturate {
			x = min(1, max(0, x))
		}
		return encode(x, to.Bits)
	}
	return integer(x, to)
}

// integer converts a number to an integer type. Out of range, it is clamped (PTX ISA, "cvt").
func integer(x float64, t isa.Type) int64 {
	x = math.Trunc(x)
	switch n := float64(t.Bits); {
	case x != x:
		return 0
	case t.Kind == isa.Signed:
		low, high := -math.Ldexp(1, t.Bits-1), math.Ldexp(1, t.Bits-1)
		switch {
		case x < low:
			return -1 << (t.Bits - 1)
		case x >= high:
			return 1<<(t.Bits-1) - 1
		}
		return int64(x)
	case x < 0:
		return 0
	case x >= math.Exp2(n):
		return -1 // all ones
	}
	return int64(uint64(x))
}
