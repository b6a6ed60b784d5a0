package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// notCompiled are the sources of the suite that clang does not accept, with the reason.
var notCompiled = map[string]string{
	"CUDA__argument_promotion":                                           "textures",
	"CUDA__memcpy_simplification__global_passed_to_call":                 "textures",
	"CUDA__memcpy_simplification__i8_element_global_passed_to_call1":     "a kernel uses a variable of the host",
	"CUDA__curand_tests__fail__curand_mtgp32_block_race":                 "a generator that blocks share",
	"CUDA__curand_tests__fail__curand_mtgp32_race":                       "a generator that blocks share",
	"CUDA__curand_tests__pass__curand_mtgp32":                            "a generator that blocks share",
	"OpenCL__atomics__refined_atomic_abstraction__check_used_treated_ok": "a parameter of type size_t",
	"OpenCL__test_structs__store_ptr_array_element":                      "a structure with pointers as a parameter",
}

// TestSuiteSources: GPUVerify's sources are compiled unchanged, with the macros that their options
// define.
func TestSuiteSources(t *testing.T) {
	for i, test := range readSuite(t) {
		if i%sample.Of(10, 40) > 0 {
			continue
		}
		source := filepath.Join(suite, test.name, "kernel.cl")
		if _, err := os.Stat(source); err != nil {
			source = filepath.Join(suite, test.name, "kernel.cu")
		}
		var flags []string
		for _, o := range test.options {
			if strings.HasPrefix(o, "-D") {
				flags = append(flags, o)
			}
		}
		_, err := compile.By(t.Context(), compile.Clang, source, flags...)
		switch {
		case err != nil && strings.Contains(err.Error(), "there is no "):
			t.Skipf("sources are not compiled: %v", err)
		case err != nil && notCompiled[test.name] == "":
			t.Error(err)
		}
	}
}
