package harness_test

import (
	"errors"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
)

// assembled is how many tests of each preset are assembled for each target.
const assembled = 3

// TestAssembles has ptxas, where there is one, assemble kernels for every target.
func TestAssembles(t *testing.T) {
	tools := optcheck.FindTools()
	if tools.Ptxas == "" {
		t.Skip("no ptxas: kernels are not assembled; `pip download nvidia-cuda-nvcc-cu12` has one, for PATH or $MUSTER_CUDA_BIN")
	}
	assemble := func(t *testing.T, p *harness.Plan, target harness.Target) {
		t.Helper()
		if _, err := tools.Assemble(t.Context(), p.Kernels(), target, 3); err != nil {
			t.Errorf("%s for %s: %v", p.Test.Name.Text, target, err)
		}
	}
	for i, target := range harness.Targets {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{mp, scoped} {
				p, err := plan(t, parse(t, text), target)
				var unable *harness.Unable
				switch {
				case err == nil:
					assemble(t, p, target)
				case !errors.As(err, &unable) || target.Clusters():
					t.Error(err)
				}
			}
			for _, preset := range gen.Presets {
				for test, err := range gen.Sample(gen.Distinct(preset.Cycles(t.Context()), &gen.Counts{}), assembled, uint64(i)) {
					if err != nil {
						t.Fatal(err)
					}
					if p, err := plan(t, test.Test, target); err == nil {
						assemble(t, p, target)
					}
				}
			}
		})
	}
}
