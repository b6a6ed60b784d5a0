package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/compile"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// fromOpenCL is what is said of a kernel in OpenCL C, where there is a compiler.
func fromOpenCL(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	in := modules.Input{Config: verify.Config{Launch: verify.Launch{Grid: verify.Dim{4, 1, 1}, Block: verify.Dim{64, 1, 1}}}, From: true}
	if _, err := compile.File(t.Context(), file); err != nil && strings.Contains(err.Error(), "there is no ") {
		t.Skipf("sources are not compiled: %v", err)
	}
	m := in.Verify(t.Context(), file)
	if m.Err != nil {
		t.Fatal(m.Err)
	}
	return strings.Join(said(m), "; ")
}

// TestOpenCL: what OpenCL C has of work items and atomics needs no library.
func TestOpenCL(t *testing.T) {
	got := fromOpenCL(t, `kernel void k(global int *a, global uint *n, local int *h) {
  h[get_local_id(0)] = a[get_global_id(0)] + get_num_groups(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = h[get_local_size(0) - 1 - get_local_id(0)];
  atomic_max(&n[1], atomic_inc(n));
}`)
	if got != "k verified" {
		t.Error(got)
	}
}
