package launch

import (
	"math"
	"testing"
)

// TestLibrary: functions of libdevice compute in the type that their names give, with the right
// number of arguments.
func TestLibrary(t *testing.T) {
	for _, c := range []struct {
		name    string
		x, y    float64
		bits    int
		want    float64
		unknown bool
	}{
		{name: "__nv_expf", x: 1, bits: 32, want: float64(float32(math.E))},
		{name: "__nv_exp", x: 1, bits: 64, want: math.E},
		{name: "__nv_fast_powf", x: 2, y: 5, bits: 32, want: 32},
		{name: "__nv_erf", x: 0, bits: 64, want: 0},
		{name: "__nv_sincos", bits: 64, unknown: true},
		{name: "exp", bits: 64, unknown: true},
	} {
		args := func(i int) int64 { return encode([]float64{c.x, c.y}[i], c.bits) }
		if v, known := computed(c.name, args, c.bits); known == c.unknown || known && decode(v, c.bits) != c.want {
			t.Errorf("%s(%g, %g) is %g, %t; want %g", c.name, c.x, c.y, decode(v, c.bits), known, c.want)
		}
	}
}
