package verify_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestSources: kernels in CUDA C++ and OpenCL C, compiled as by --from, are right, wrong, or open
// as their names say. No message mentions the PTX by its name.
func TestSources(t *testing.T) {
	files, err := filepath.Glob("testdata/sources/*.c[lu]")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d sources are too few: %v", len(files), err)
	}
	for _, file := range files {
		compiled, err := compile.By(t.Context(), compile.Clang, file)
		if err != nil && strings.Contains(err.Error(), "there is no ") {
			t.Skipf("sources are not compiled: %v", err)
		} else if err != nil {
			t.Fatal(err)
		}
		m, err := kernel.Parse(src.NewFile("nobody-has-it.ptx", compiled.PTX))
		if err != nil {
			t.Fatal(err)
		}
		m.Compiled = file
		for _, f := range m.Funcs {
			if !f.Entry {
				continue
			}
			r, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}})
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := errors.Join(replay.All(t.Context(), r, ""), r.WriteText(&text)); err != nil {
				t.Fatal(err)
			}
			if want := meant(f.Name); r.Verdict != want || strings.Contains(text.String(), m.Name) {
				t.Errorf("%s, want %v", text.String(), want)
			}
			if says := strings.Contains(text.String(), "volatile accesses do not race"); says != strings.Contains(f.Name, "volatile") {
				t.Errorf("%s: it says of volatile accesses: %v", text.String(), says)
			}
		}
	}
}

// meant returns what the name of a kernel says of it; C++ has mangled some.
func meant(name string) verify.Verdict {
	switch {
	case strings.Contains(name, "right_"):
		return verify.Verified
	case strings.Contains(name, "wrong_"):
		return verify.Alarmed
	}
	return verify.Undecided
}
