package axiomatic_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// ring is a pipeline of three stages. A producer warp copies four tiles, the last one into the
// first stage again, and two consumer warps load each tile. arrivals is the number of consumer
// arrivals that the producer waits for; with 0 it does not wait.
func ring(arrivals int) string {
	threads := [3][]string{{"P0@cta 0"}, {"P1@cta 0"}, {"P2@cta 0"}}
	say := func(t int, format string, args ...any) { threads[t] = append(threads[t], fmt.Sprintf(format, args...)) }
	for i := range 3 {
		say(0, "mbarrier.init.shared::cta.b64 [full%d], 1", i)
	}
	say(0, "mbarrier.init.shared::cta.b64 [empty], %d", max(1, arrivals))
	say(0, "fence.mbarrier_init.release.cluster")
	for t := range threads {
		say(t, "bar.sync 0")
	}
	for tile := range 4 {
		stage, parity := tile%3, tile/3
		if parity > 0 && arrivals > 0 {
			say(0, "free: mbarrier.try_wait.parity.shared::cta.b64 p, [empty], 0")
			say(0, "@!p bra free")
		}
		say(0, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full%d], 16", stage)
		say(0, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s%d], [tile%d], 16, [full%d]", stage, tile, stage)
		for t := 1; t <= 2; t++ {
			say(t, "wait%d: mbarrier.try_wait.parity.shared::cta.b64 p, [full%d], %d", tile, stage, parity)
			say(t, "@!p bra wait%d", tile)
			say(t, "ld.shared.u32 r%d, [s%d]", tile, stage)
			if tile == 0 {
				say(t, "fence.proxy.async.shared::cta")
				say(t, "mbarrier.arrive.shared::cta.b64 _, [empty]")
			}
		}
	}
	var b strings.Builder
	b.WriteString("PTX ring\n{ shared full0; shared full1; shared full2; shared empty; shared s0=0; shared s1=0; shared s2=0; tile0=1; tile1=2; tile2=3; tile3=4; }\n")
	for i := range max(len(threads[0]), len(threads[1])) {
		cells := make([]string, len(threads))
		for t := range threads {
			if i < len(threads[t]) {
				cells[t] = threads[t][i]
			}
		}
		b.WriteString(strings.Join(cells, " | ") + " ;\n")
	}
	b.WriteString("exists (not (P1:r0=1 /\\ P1:r1=2 /\\ P1:r2=3 /\\ P1:r3=4 /\\ P2:r0=1 /\\ P2:r3=4))\n")
	return b.String()
}

// TestBigPipeline checks that the learning engine alone answers for a pipeline of more than 64
// events. An mbarrier that would be misused if a wait did not work is no reason to leave the test
// to another engine.
func TestBigPipeline(t *testing.T) {
	config := sim.Defaults()
	config.Want = sim.Verdict
	for arrivals, want := range map[int]sim.Outcome{2: sim.Forbidden, 1: sim.Allowed} {
		test := simtest.Load(t, ring(arrivals), config)
		if n := test.Program.MaxEvents(); n <= plan.MaxEvents {
			t.Fatalf("the test has %d events", n)
		}
		r := simtest.Run(t, test, simtest.LoadModel(t, "ptx"))
		if r.Outcome() != want || r.Work.Engine != sim.Learning {
			t.Errorf("the producer waits for %d arrivals: %v, by engine %d: %s", arrivals, r.Outcome(), r.Work.Engine, r.Work.Reason)
		}
	}
}

// TestBigPipelineUsedWrongly checks that the learning engine alone finds misuse of an mbarrier:
// without the wait for an empty stage, the producer may arrive once more in a phase that waits for
// bytes only.
func TestBigPipelineUsedWrongly(t *testing.T) {
	for _, effort := range []sim.Want{sim.Verdict, sim.States} {
		config := sim.Defaults()
		config.Want, config.Engine, config.Limits.MaxCandidates = effort, sim.Learning, 100
		_, err := simtest.Load(t, ring(0), config).Run(context.Background(), simtest.LoadModel(t, "ptx"))
		if err == nil || !strings.Contains(err.Error(), "16:1: 1 arrivals at an mbarrier that waits for 0") {
			t.Errorf("effort %v: %v", effort, err)
		}
	}
}
