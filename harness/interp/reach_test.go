package interp_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// reached are tests that need more of a machine than memory and one kernel: tests with several
// names of one location, in several kernels or on several GPUs, which run at the same time, with
// barriers, with loads through a proxy of their own, and with vectors.
var reached = []string{
	"ptx/CoRR+alias-loads", "ptx/CoWW+alias", "ptx/CoWR+alias+fence.proxy.alias-after",
	"asplos15/mp-inter-kernel", "asplos15/sb-inter-kernel", "asplos15/coRR+membar.gl-inter-kernel",
	"ptx/MP+bar.arrive+bar.sync-named-intra-cta", "ptx/MP+bar.arrive.count+bar.sync.count-intra-cta",
	"ptx/MP+bar.sync.count-bystander-intra-cta",
	"ptx/MP+bar.syncs-twice-intra-cta", "ptx/SB+bar.sync.0+bar.sync.1-intra-cta", "ptx/SB+bar.syncs-ids-intra-cta",
	"ptx/SB+bar.syncs-reg-intra-cta", "ptx/SB+bar.syncs-reg-ids-intra-cta",
	"ptx/MP+cluster.barriers-inter-cta", "ptx/MP+cluster.barriers-inter-cluster", "ptx/MP+cluster.wait-early-inter-cta",
	"ptx/MP+cluster.barrier.rlx+cluster.barrier-inter-cta", "asplos15/mp-inter-device", "async/nc",
	"async/tensor-store", "async/tensor-reduce", "async/tensor-store-map-again", "async/tensormap",
	"async/tensormap-after-wait", "async/tensormap-other-cta",
	"async/tensormap-other-map", "async/tensormap-other-cta-shared",
	"ptx/CoWR+generic-texture", "ptx/CoWR+surface", "ptx/MP+surfaces+rel+acq", "ptx/MP+surfaces+rel+acq-intra-cta",
	"async/tma-multicast-no-wait", "async/st-async-release", "async/st-async-release-store-after",
	"async/red-async-release",
	"ptx/CoWR+v2", "ptx/MP+v2-data+rel+acq", "ptx/MP+v2-load.acquire", "ptx/MP+v2-store.release",
	"ptx/Tear+v2", "ptx/Tear+u64",
}

// TestReached runs these tests: on the sequential machine each outcome comes from an interleaving,
// on the weak one the model of PTX allows it, and there are different outcomes.
func TestReached(t *testing.T) {
	for i, name := range reached {
		if i%sample.Of(1, 3) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := litmustests.FS.ReadFile(name + ".litmus")
			if err != nil {
				t.Fatal(err)
			}
			test := parse(t, name, string(text))
			plan := planOf(t, test, harness.SM100)
			if plan == nil {
				t.Fatal("it cannot be run")
			}
			checkStates(t, test, run(t, plan, small(), 3, sample.Of(500, 100)), sequential(t, test))
			h := runWeak(t, plan, 5, sample.Of(1000, 200))
			checkStates(t, test, h, allowed(t, test, "ptx"))
			if n := len(allowed(t, test, "ptx")); len(test.Threads) > 1 && len(h.States) < min(2, n) {
				t.Errorf("%d outcomes of %d", len(h.States), n)
			}
		})
	}
}

// TestLaunches: if a launch has one instance, an outcome is seen in as many launches as instances;
// if one launch has them all, in one.
func TestLaunches(t *testing.T) {
	text, err := litmustests.FS.ReadFile("ptx/MP+rlx.gpus.litmus")
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, parse(t, "mp", string(text)), harness.SM90)
	one := small()
	one.OneInstance, one.CTAs, one.Threads = true, 2, 32
	for _, c := range run(t, plan, one, 1, 20).States {
		if c.Launches != c.N {
			t.Errorf("%d instances in %d launches of one", c.N, c.Launches)
		}
	}
	for _, c := range run(t, plan, small(), 1, 1).States {
		if c.Launches != 1 || c.N < 2 {
			t.Errorf("%d instances in %d launches of all", c.N, c.Launches)
		}
	}
}

// TestKernelsOverlap: the kernels of a test run at the same time, so that all four outcomes of
// store buffering are seen.
func TestKernelsOverlap(t *testing.T) {
	text, err := litmustests.FS.ReadFile("asplos15/sb-inter-kernel.litmus")
	if err != nil {
		t.Fatal(err)
	}
	test := parse(t, "sb", string(text))
	var all []string
	for seed := range uint64(8) {
		h := runWeak(t, planOf(t, test, harness.SM90), seed, 300)
		for _, c := range h.States {
			if state := c.State.Format(h.Refs); !slices.Contains(all, state) {
				all = append(all, state)
			}
		}
		if len(all) == 4 {
			return
		}
	}
	t.Errorf("only %v", all)
}
