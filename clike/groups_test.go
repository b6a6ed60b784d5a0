package clike_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestCooperativeGroups: the barrier of a group is one of the threads that the group has, and
// orders what they did.
func TestCooperativeGroups(t *testing.T) {
	for _, c := range []struct {
		group, here, there string // of two threads
		ordered            bool
	}{
		{"thread_block", "cta 0,gpu 0", "cta 0,gpu 0", true},
		{"thread_block", "cta 0,gpu 0", "cta 1,gpu 0", false},
		{"cluster", "cta 0,cluster 0,gpu 0", "cta 1,cluster 0,gpu 0", true},
		{"cluster", "cta 0,cluster 0,gpu 0", "cta 0,cluster 1,gpu 0", false},
		{"grid", "cta 0,gpu 0", "cta 1,gpu 0", true},
		{"grid", "cta 0,gpu 0", "cta 0,gpu 1", false},
	} {
		text := fmt.Sprintf(`CUDA groups
{ x=0; }
P0@%[1]s (int* x) { auto g = cooperative_groups::this_%[3]s(); *x = 1; g.sync(); }
P1@%[2]s (int* x) { cg::sync(cg::this_%[3]s()); int r0 = *x; }
exists (1:r0=0)
`, c.here, c.there, c.group)
		r := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, "rc11-scoped"))
		if (r.Positive == 0) != c.ordered || (len(r.Undefined) == 0) != c.ordered || slices.Contains(r.Flags, sim.HangFlag) {
			t.Errorf("%s of %s and %s: positive %d, undefined by %v, flags %v", c.group, c.here, c.there, r.Positive, r.Undefined, r.Flags)
		}
	}
	// __syncthreads is the barrier of a block; a thread that does not reach it hangs the others.
	const mixed = `CUDA mixed
{ x=0; y=0; }
P0@cta 0,gpu 0 (int* x, int* y) { cooperative_groups::thread_block b = cooperative_groups::this_thread_block(); *x = 1; b.sync(); *y = 1; }
P1@cta 0,gpu 0 (int* x, int* y) { if (%s) { __syncthreads(); int r0 = *x; } }
exists (1:r0=0)
`
	for condition, hangs := range map[string]bool{"true": false, "false": true} {
		r := simtest.Run(t, simtest.Load(t, fmt.Sprintf(mixed, condition), sim.Defaults()), simtest.LoadModel(t, "rc11-scoped"))
		if slices.Contains(r.Flags, sim.HangFlag) != hangs || r.Positive > 0 || len(r.Undefined) > 0 {
			t.Errorf("%s: positive %d, undefined by %v, flags %v", condition, r.Positive, r.Undefined, r.Flags)
		}
	}
}
