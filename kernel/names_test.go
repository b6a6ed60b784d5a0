package kernel_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
)

// TestNamesOfTheSource: a function is known by the names that the module and the source have for it.
func TestNamesOfTheSource(t *testing.T) {
	for _, tt := range []struct{ name, source, declaration string }{
		{"scan", "scan", "scan"},
		{"_Z4scanPi", "scan", "scan(int*)"},
		{"_Z6reducePKfPfi", "reduce", "reduce(float const*, float*, int)"},
		{"_ZN5tools3sumIfEEvPT_j", "tools::sum<float>", "void tools::sum<float>(float*, unsigned int)"},
		{"_Zzz", "_Zzz", "_Zzz"},
	} {
		f := &kernel.Function{Name: tt.name}
		if f.Source() != tt.source || f.Declaration() != tt.declaration {
			t.Errorf("%s is %s, %s; want %s, %s", tt.name, f.Source(), f.Declaration(), tt.source, tt.declaration)
		}
		if !f.Called(tt.name) || !f.Called(tt.source) || f.Called("other") {
			t.Errorf("%s is not called what it is called", tt.name)
		}
	}
}
