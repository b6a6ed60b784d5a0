package verify_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/compile"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestSources: kernels in CUDA C++ and OpenCL C, which are compiled as --from does, are what their names say: right, wrong, or open.
func TestSources(t *testing.T) {
	files, err := filepath.Glob("testdata/sources/*.c[lu]")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d sources are too few: %v", len(files), err)
	}
	for _, file := range files {
		compiled, err := compile.File(t.Context(), file)
		if err != nil && strings.Contains(err.Error(), "there is no ") {
			t.Skipf("sources are not compiled: %v", err)
		} else if err != nil {
			t.Fatal(err)
		}
		m, err := kernel.Parse(src.NewFile(filepath.Base(file), compiled.PTX))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Funcs {
			if !f.Entry {
				continue
			}
			r, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}})
			if err != nil {
				t.Fatal(err)
			}
			if want := meant(f.Name); r.Verdict != want {
				t.Errorf("%s: %s is %v, want %v: %v", file, f.Name, r.Verdict, want, r.Open)
			}
		}
	}
}

// meant is what the name of a kernel says of it; C++ has mangled some.
func meant(name string) verify.Verdict {
	switch {
	case strings.Contains(name, "right_"):
		return verify.Verified
	case strings.Contains(name, "wrong_"):
		return verify.Alarmed
	}
	return verify.Undecided
}
