package modules

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/kernel"
)

// TestPrototype: parameters have their source names where the source is unambiguous, and none
// otherwise.
func TestPrototype(t *testing.T) {
	for _, test := range []struct {
		source, kernel string
		params         int
		want           []string
	}{
		{"__global__ void f(int* a, int w) {}", "_Z1fPii", 2, []string{"a", "w"}},
		{
			"extern \"C\" __global__ __launch_bounds__(64, 2) void f(const int *__restrict__ a,\n" +
				"  unsigned int w[])\n{}",
			"f", 2,
			[]string{"a", "w"},
		},
		{
			"__global__ void __launch_bounds__((64)) f(const float4 a, int = 3, unsigned) {}", "f", 3,
			[]string{"a", "", ""},
		},
		{"kernel void f(global int *a, local float4 *b /* c, d */, // e\n int n) {}", "f", 3, []string{"a", "b", "n"}},
		{"__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(__global int *a) {}", "f", 1, []string{"a"}},
		{
			"template<class T> __global__ void f(pair<T, int> p, T *a) {}", "_Z1fIiEv4pairIT_iEPS1_", 2,
			[]string{"p", "a"},
		},
		{"namespace n { __global__ void g(int x); __global__ void f(int y) {} }", "_ZN1n1fEi", 1, []string{"y"}},
		{"__global__ void f(int *a);\n__global__ void f(int *a) {}", "f", 1, []string{"a"}},
		{"__global__ void f(int *a);\n__global__ void f(int *b) {}", "f", 1, nil},
		{"__global__ void f(int *a) {}\n__global__ void f(int *a, int w) {}", "_Z1fPi", 1, nil},
		{"__global__ void f(struct empty e, int *a) {}", "f", 1, nil},
		{"__global__ void g(int *a) {}\nvoid f(int *b) {}", "f", 1, nil},
		{"#define K(name) __global__ void name\nK(f)(int *a) {}", "f", 1, nil},
		{"// __global__ void f(int *a)", "f", 1, nil},
		{"__global__ void f(int *a", "f", 1, nil},
		{"", "f", 1, nil},
	} {
		k := &kernel.Function{Name: test.kernel, Params: make([]*kernel.Variable, test.params)}
		if got := prototype(test.source, k); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.source, got, test.want)
		}
	}
}

// TestParameter: the name in the module comes first, then the name in the source, then the
// position.
func TestParameter(t *testing.T) {
	k := &kernel.Function{Params: []*kernel.Variable{{Name: "f_param_0"}, {Name: "f_param_1"}, {Name: "param_0"}}}
	source := []string{"w", "param_2", "n"}
	for name, want := range map[string]int{
		"f_param_1": 1, "w": 0, "n": 2, "param_0": 2, "param_1": 1, "param_2": 1,
		"param_3": -1, "param_01": -1, "param_": -1, "x": -1,
	} {
		switch got := parameter(k, source, name); {
		case got == nil && want >= 0, got != nil && (want < 0 || got != k.Params[want]):
			t.Errorf("%s: %v, want number %d", name, got, want)
		}
	}
}
