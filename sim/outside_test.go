package sim_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestOutsideModelIsNoError: a model that does not cover a test may allow an execution in which the
// program has no meaning, such as the use of what is no mbarrier yet. That is no error of the test,
// whichever engine is asked.
func TestOutsideModelIsNoError(t *testing.T) {
	const text = `PTX init
{ shared m; x=0; }
 P0@cta 0                          | P1@cta 0                             ;
 mbarrier.init.shared.b64 [m], 1   | bar.sync 0                           ;
 bar.sync 0                        | mbarrier.arrive.shared.b64 r0, [m]   ;
exists (x=0)
`
	for model, outside := range map[string]bool{"ptx": false, "coherence": true, "rc11-scoped": true, "c11-partial-sc": true} {
		m, err := models.Load(model, models.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []sim.Engine{sim.Fast, sim.Naive} {
			config := sim.Defaults()
			config.Engine = engine
			test, err := sim.Load(src.NewFile("init", text), config)
			if err != nil {
				t.Fatal(err)
			}
			r, err := test.Run(t.Context(), m.Model)
			if err != nil {
				t.Errorf("%s, %v: %v", model, engine, err)
				continue
			}
			if slices.Contains(r.Flags, sim.OutsideModel) != outside {
				t.Errorf("%s, %v: flags %v, want outside-model: %t", model, engine, r.Flags, outside)
			}
		}
	}
}

// TestBarriersOfPTXAreOutsideC: to models of C a barrier is a fence on entry and one on exit. What
// PTX has instead relates its events to themselves: it must neither count nor forbid everything,
// but be flagged. Barriers of C are not.
func TestBarriersOfPTXAreOutsideC(t *testing.T) {
	const ptx = `PTX mp
{ x=0; y=0; }
 P0@cta 0,gpu 0                 | P1@cta 0,gpu 0                  ;
 st.relaxed.sys x,1             | ld.relaxed.sys r0,y             ;
 bar.sync 0                     | bar.sync 0                      ;
 st.relaxed.sys y,1             | ld.relaxed.sys r1,x             ;
exists (1:r0=1 /\ 1:r1=0)
`
	const c = `CUDA mp
{ x=0; }
P0@cta 0,gpu 0 (int* x) { *x = 1; __syncthreads(); }
P1@cta 0,gpu 0 (int* x) { __syncthreads(); int r0 = *x; }
exists (1:r0=0)
`
	for _, model := range []string{"rc11", "rc11-scoped", "c11-partial-sc", "opencl"} {
		m := simtest.LoadModel(t, model)
		for _, engine := range []sim.Engine{sim.Fast, sim.Learning, sim.Naive} {
			config := sim.Defaults()
			config.Engine = engine
			if r := simtest.Run(t, simtest.Load(t, ptx, config), m); len(r.States) != 4 || !slices.Contains(r.Flags, sim.OutsideModel) {
				t.Errorf("%s, engine %d, PTX: %d states, flags %v; want 4, outside-model", model, engine, len(r.States), r.Flags)
			}
			r := simtest.Run(t, simtest.Load(t, c, config), m)
			if slices.Contains(r.Flags, sim.OutsideModel) {
				t.Errorf("%s, engine %d, CUDA: flags %v", model, engine, r.Flags)
			}
			if model == "rc11-scoped" && (len(r.States) != 1 || len(r.Undefined) != 0) {
				t.Errorf("engine %d: %d states behind a barrier, undefined by %v", engine, len(r.States), r.Undefined)
			}
		}
	}
}

// TestLocalMemoryOfTwoWorkGroups: each work-group has its own. That two of them have a location
// there in common is flagged, and is not where the location is in global memory or the work-group
// is one.
func TestLocalMemoryOfTwoWorkGroups(t *testing.T) {
	for _, c := range []struct {
		space, group string
		outside      bool
	}{{"local", "1", true}, {"local", "0", false}, {"global", "1", false}} {
		text := `OPENCL two-groups
{ x=0; }
P0@wg 0, dev 0 (` + c.space + ` atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
P1@wg ` + c.group + `, dev 0 (` + c.space + ` atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }
exists (1:r0=1)
`
		for _, model := range []string{"opencl", "rc11", "c11-partial-sc"} {
			r := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, model))
			if slices.Contains(r.Flags, sim.OutsideModel) != c.outside || r.Positive != 1 || len(r.Undefined) > 0 {
				t.Errorf("%s, %s, work-group %s: flags %v, positive %d, undefined by %v", model, c.space, c.group, r.Flags, r.Positive, r.Undefined)
			}
		}
	}
}
