package compile_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// floating is a floating-point type, and the integer type of the same size.
type floating struct {
	name  string
	whole whole
}

var floats = []floating{{"float", whole{"int", 32, true}}, {"double", whole{"long", 64, true}}}

// of returns the number with the given bits.
func (t floating) of(x uint64) float64 {
	if t.whole.bits == 32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// normal returns the least positive number of the type that is normal.
func (t floating) normal() float64 {
	if t.whole.bits == 32 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// some returns a number of the type: one of a few, or one with random bits.
func (t floating) some(r *rand.Rand) uint64 {
	few := []float64{
		0, math.Copysign(0, -1), 0.5, -0.5, 1, -1, 1.75, -1.75, 127.5, 128, -128.5, -129, 255.9, 256, 32768, 65536, 1e9,
		0x1p31, -0x1p31, 0x1p32, 0x1p62, 0x1p63, -0x1p63,
		0x1p64, 1e30, -1e30, math.Inf(1), math.Inf(-1), math.NaN(), t.normal(), t.normal() / 2,
	}
	x := few[r.IntN(len(few))]
	switch {
	case r.IntN(4) == 0:
		return r.Uint64()
	case t.whole.bits == 32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// relations are predicates on two numbers (The OpenCL C Specification, 6.15.6).
var relations = map[string]func(t floating, x, y float64) bool{
	"isequal(x, y)":        func(_ floating, x, y float64) bool { return x == y },
	"isnotequal(x, y)":     func(_ floating, x, y float64) bool { return x != y },
	"isgreater(x, y)":      func(_ floating, x, y float64) bool { return x > y },
	"isgreaterequal(x, y)": func(_ floating, x, y float64) bool { return x >= y },
	"isless(x, y)":         func(_ floating, x, y float64) bool { return x < y },
	"islessequal(x, y)":    func(_ floating, x, y float64) bool { return x <= y },
	"islessgreater(x, y)":  func(_ floating, x, y float64) bool { return x < y || x > y },
	"isordered(x, y)":      func(_ floating, x, y float64) bool { return x == x && y == y },
	"isunordered(x, y)":    func(_ floating, x, y float64) bool { return x != x || y != y },
	"isnan(x)":             func(_ floating, x, _ float64) bool { return x != x },
	"isinf(x)":             func(_ floating, x, _ float64) bool { return math.IsInf(x, 0) },
	"isfinite(x)":          func(_ floating, x, _ float64) bool { return !math.IsInf(x, 0) && x == x },
	"isnormal(x)": func(t floating, x, _ float64) bool {
		return !math.IsInf(x, 0) && math.Abs(x) >= t.normal()
	},
	"signbit(x)": func(_ floating, x, _ float64) bool { return math.Signbit(x) },
}

// related returns the relations of a type, which are 0 or 1 for scalars and 0 or -1 for vectors.
func (t floating) related() (all []builtin) {
	for call, holds := range relations {
		all = append(all,
			builtin{call, t.whole.name, []string{t.name, t.name}, func(in []uint64, vector bool) (uint64, bool) {
				switch {
				case !holds(t, t.of(in[0]), t.of(in[1])):
					return 0, true
				case vector:
					return math.MaxUint64, true
				}
				return 1, true
			}})
	}
	return append(all, t.whole.selects(t.name)...)
}

// conversions returns the conversions to integers, toward zero. Saturating ones convert
// out-of-range numbers to the nearest integer, and NaN to 0.
func (t floating) conversions() (all []builtin) {
	for _, to := range wholes {
		saturate := func(in []uint64, _ bool) (uint64, bool) {
			switch x := t.of(in[0]); {
			case x != x:
				return 0, false
			case math.IsInf(x, 0):
				return bits(to.saturate(mul(power(64), number(int64(math.Copysign(1, x)))))), false
			default:
				whole, _ := big.NewFloat(x).Int(nil)
				nearest := to.saturate(whole)
				return bits(nearest), nearest.Cmp(whole) == 0
			}
		}
		all = append(all,
			builtin{"convert_" + to.name + "#(x)", to.name, []string{t.name}, saturate},
			builtin{
				"convert_" + to.name + "#_sat(x)", to.name,
				[]string{t.name},
				func(in []uint64, vector bool) (uint64, bool) {
					nearest, _ := saturate(in, vector)
					return nearest, true
				},
			})
	}
	return all
}

// TestRelations compares relations and conversions of floating-point numbers with the
// specification.
func TestRelations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range floats {
		compare(t, r, append(typ.related(), typ.conversions()...), func(name string) uint64 {
			if name == typ.name {
				return typ.some(r)
			}
			return typ.whole.some(r)
		})
	}
}

// TestTruth: any and all test the highest bits of numbers.
func TestTruth(t *testing.T) {
	compiled := program(t, `kernel void k(global int *r) {
  int4 few = (int4)(1, 0, 0, -1), none = (int4)(1, 2, 3, 0x40000000), most = (int4)(-1, -2, (int)0x80000000, -3);
  int wrong = any((char)1) | any((short)0x7fff) | any(none) | all(few) | all(1) | all((long)1) | all((long2)(-1, 1));
  int right = any(few) & any((char)-1) & all(most) & all((long3)(-1));
  r[get_global_id(0)] = wrong << 1 | right;
}
`)
	truth := builtin{call: "any and all", result: "int", is: func([]uint64, bool) (uint64, bool) { return 1, true }}
	truth.launch(t, compiled, "k", 1, nil)
}
