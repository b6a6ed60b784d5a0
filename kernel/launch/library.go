package launch

import (
	"math"
	"strings"
)

// library are the functions of libdevice (Libdevice User's Guide) that kernels call most. They are
// computed in 64 bits and rounded. Functions of one argument ignore the second.
var library = map[string]func(x, y float64) float64{
	"sin": one(math.Sin), "cos": one(math.Cos), "tan": one(math.Tan), "asin": one(math.Asin), "acos": one(math.Acos),
	"atan": one(math.Atan),
	"sinh": one(math.Sinh), "cosh": one(math.Cosh), "tanh": one(math.Tanh), "exp": one(math.Exp),
	"exp2":  one(math.Exp2),
	"exp10": func(x, _ float64) float64 { return math.Pow(10, x) }, "expm1": one(math.Expm1),
	"log": one(math.Log), "log2": one(math.Log2), "log10": one(math.Log10), "log1p": one(math.Log1p),
	"erf": one(math.Erf), "erfc": one(math.Erfc), "cbrt": one(math.Cbrt), "sqrt": one(math.Sqrt), "fabs": one(math.Abs),
	"round": one(math.Round), "floor": one(math.Floor), "ceil": one(math.Ceil), "trunc": one(math.Trunc),
	"pow": math.Pow, "atan2": math.Atan2, "fmod": math.Mod, "hypot": math.Hypot, "copysign": math.Copysign,
	"fmin": math.Min, "fmax": math.Max,
}

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// computed returns the result of a function of libdevice, of the given number of bits, or false if
// the function is unknown. Names of .f32 functions end in f.
func computed(name string, args func(int) int64, bits int) (int64, bool) {
	name, ok := strings.CutPrefix(name, "__nv_")
	if !ok {
		return 0, false
	}
	name = strings.TrimPrefix(name, "fast_")
	if bits == 32 {
		name = strings.TrimSuffix(name, "f")
	}
	f := library[name]
	if f == nil {
		return 0, false
	}
	return encode(f(decode(args(0), bits), decode(args(1), bits)), bits), true
}
