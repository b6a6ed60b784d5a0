package gen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/src"
)

// TestAsync compares whole tests: both halves of a copy are in the cycle; an operation completes on
// an mbarrier of another CTA; a copy is waited for, and its result read through another proxy.
func TestAsync(t *testing.T) {
	for cycle, text := range map[string]string{
		"Rfe@cta Bulk.load MbardWR Fre@cta": `PTX W+RW+R+bulk.load-mbar-intra-cta-global-shared
Generator=muster gen
Cycle=Rfe@cta Bulk.load MbardWR@cta Fre@cta
{
 x=0; y=1; m0=0;
}
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0                                                                    | P2@cta 0,gpu 0                                ;
 bar.sync 15    | bar.sync 15                                                                       | mbarrier.init.b64 [m0],1                      ;
 st.weak x,2    | cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [y],[x],16,[m0] | mbarrier.arrive.expect_tx.b64 _,[m0],16       ;
                |                                                                                   | bar.sync 15                                   ;
                |                                                                                   | WAIT0: mbarrier.try_wait.parity.b64 p0,[m0],0 ;
                |                                                                                   | @!p0 bra WAIT0                                ;
                |                                                                                   | ld.weak r0,x                                  ;
x: global, y: shared, m0: shared
exists (2:r0=0 /\ [y]=2)
`,
		"[st.async] MbarsWR@cluster Fre": `PTX CoW+R+st.async-mbar.loc+weak-intra-cluster-shared
Generator=muster gen
Cycle=[st.async] MbarsWR@cluster Fre@cluster
{
 x=0; m0=0;
}
 P0@cta 0,cluster 0,gpu 0                                             | P1@cta 1,cluster 0,gpu 0                                      ;
 fence.mbarrier_init.release.cluster                                  | mbarrier.init.b64 [m0],1                                      ;
 barrier.cluster.arrive.relaxed                                       | mbarrier.arrive.expect_tx.b64 _,[m0],4                        ;
 barrier.cluster.wait                                                 | fence.mbarrier_init.release.cluster                           ;
 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [x],1,[m0] | barrier.cluster.arrive.relaxed                                ;
                                                                      | barrier.cluster.wait                                          ;
                                                                      | WAIT0: mbarrier.try_wait.parity.acquire.cluster.b64 p0,[m0],0 ;
                                                                      | @!p0 bra WAIT0                                                ;
                                                                      | ld.weak r0,x                                                  ;
x: shared, m0: shared
exists (1:r0=0)
`,
		"[cp.async] Wait.proxysWR [bulk.store] Fri": `PTX CoWR0+cp.async-wait.proxy.loc-bulk.store-shared
Generator=muster gen
Cycle=[cp.async] Wait.proxysWR [bulk.store] Fri
{
 x=0; y=1; z=0;
}
 P0@cta 0,gpu 0                                         ;
 cp.async.ca.shared.global [x],[y],4                    ;
 cp.async.commit_group                                  ;
 cp.async.wait_group 0                                  ;
 fence.proxy.async                                      ;
 cp.async.bulk.global.shared::cta.bulk_group [z],[x],16 ;
x: shared, y: global, z: global
exists ([z]=0)
`,
		"[red.async] MbarsWR@cluster Fre": `PTX CoW+R+red.async-mbar.loc+weak-intra-cluster-shared
Generator=muster gen
Cycle=[red.async] MbarsWR@cluster Fre@cluster
{
 x=0; m0=0;
}
 P0@cta 0,cluster 0,gpu 0                                                                  | P1@cta 1,cluster 0,gpu 0                                      ;
 fence.mbarrier_init.release.cluster                                                       | mbarrier.init.b64 [m0],1                                      ;
 barrier.cluster.arrive.relaxed                                                            | mbarrier.arrive.expect_tx.b64 _,[m0],4                        ;
 barrier.cluster.wait                                                                      | fence.mbarrier_init.release.cluster                           ;
 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x],1,[m0] | barrier.cluster.arrive.relaxed                                ;
                                                                                           | barrier.cluster.wait                                          ;
                                                                                           | WAIT0: mbarrier.try_wait.parity.acquire.cluster.b64 p0,[m0],0 ;
                                                                                           | @!p0 bra WAIT0                                                ;
                                                                                           | ld.weak r0,x                                                  ;
x: shared, m0: shared
exists (1:r0=0 /\ [x]=1)
`,
		"Multicast.twin MbarsWR@cluster MbardRR@cluster Fre@cta": `PTX WW+R+R+multicast.twin-mbar.loc+mbar-cluster-cluster-cta-shared
Generator=muster gen
Cycle=Multicast.twin MbarsWR@cluster MbardRR@cluster Fre@cta
{
 x=0; z=2; m0=0; m1=0;
}
 P0@cta 0,cluster 0,gpu 0                                                                               | P1@cta 1,cluster 0,gpu 0                                      | P2@cta 0,cluster 0,gpu 0                                      ;
 mbarrier.init.b64 [m0],1                                                                               | mbarrier.init.b64 [m0],1                                      | mbarrier.init.b64 [m1],1                                      ;
 mbarrier.arrive.expect_tx.b64 _,[m0],16                                                                | mbarrier.arrive.expect_tx.b64 _,[m0],16                       | fence.mbarrier_init.release.cluster                           ;
 fence.mbarrier_init.release.cluster                                                                    | fence.mbarrier_init.release.cluster                           | barrier.cluster.arrive.relaxed                                ;
 barrier.cluster.arrive.relaxed                                                                         | barrier.cluster.arrive.relaxed                                | barrier.cluster.wait                                          ;
 barrier.cluster.wait                                                                                   | barrier.cluster.wait                                          | WAIT0: mbarrier.try_wait.parity.acquire.cluster.b64 p0,[m1],0 ;
 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [x],[z],16,[m0],3 | WAIT0: mbarrier.try_wait.parity.acquire.cluster.b64 p0,[m0],0 | @!p0 bra WAIT0                                                ;
                                                                                                        | @!p0 bra WAIT0                                                | ld.weak r0,x                                                  ;
                                                                                                        | ld.weak r0,x                                                  |                                                               ;
                                                                                                        | mbarrier.arrive.release.cluster.shared::cluster.b64 _,[m1]    |                                                               ;
x: shared, z: global, m0: shared, m1: shared
exists (2:r0=0)
`,
		"Rfe@cluster Multicast MbarsWR@cluster PodRR Fre@cta": `PTX WRC+multicast-mbar.loc+po-cluster-cluster-cta-global-shared
Generator=muster gen
Cycle=Rfe@cluster Multicast MbarsWR@cluster PodRR Fre@cta
{
 x=0; y=1; m0=0;
}
 P0@cta 0,cluster 0,gpu 0            | P1@cta 1,cluster 0,gpu 0                                                                               | P2@cta 0,cluster 0,gpu 0                                      ;
 fence.mbarrier_init.release.cluster | mbarrier.init.b64 [m0],1                                                                               | mbarrier.init.b64 [m0],1                                      ;
 barrier.cluster.arrive.relaxed      | mbarrier.arrive.expect_tx.b64 _,[m0],16                                                                | mbarrier.arrive.expect_tx.b64 _,[m0],16                       ;
 barrier.cluster.wait                | fence.mbarrier_init.release.cluster                                                                    | fence.mbarrier_init.release.cluster                           ;
 st.weak x,2                         | barrier.cluster.arrive.relaxed                                                                         | barrier.cluster.arrive.relaxed                                ;
                                     | barrier.cluster.wait                                                                                   | barrier.cluster.wait                                          ;
                                     | cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [y],[x],16,[m0],3 | WAIT0: mbarrier.try_wait.parity.acquire.cluster.b64 p0,[m0],0 ;
                                     |                                                                                                        | @!p0 bra WAIT0                                                ;
                                     |                                                                                                        | ld.weak r0,y                                                  ;
                                     |                                                                                                        | ld.weak r1,x                                                  ;
x: global, y: shared, m0: shared
exists (2:r1=0 /\ [y]=2)
`,
		"Proxy.syncsWR [wgmma] Fre": `PTX CoW+R+proxy.sync.loc+wgmma-intra-cta-shared
Generator=muster gen
Cycle=Proxy.syncsWR@cta [wgmma] Fre@cta
{
 x=0; y=1;
}
 P0@cta 0,gpu 0    | P1@cta 0,gpu 0                                                         ;
 st.weak x,1       | bar.sync 1                                                             ;
 fence.proxy.async | wgmma.fence.sync.aligned                                               ;
 bar.sync 1        | wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {r0},x,y,0,1,1,0,0 ;
x: shared, y: shared
exists (1:r0=0)
`,
	} {
		found := tests(t, gen.PTX, cycle)
		if diff := cmp.Diff(text, found[0].String()); diff != "" {
			t.Errorf("%s\n%s", cycle, diff)
		}
	}
}

// TestSenselessAsync: meaningless edges have no test, and the error says why.
func TestSenselessAsync(t *testing.T) {
	for cycle, why := range map[string]string{
		"WaitsWR Fri":                                                    "nothing asynchronous is waited for",
		"Wait.mbarsWR Fre":                                               "nothing asynchronous is waited for",
		"[cp.async] Wait.readsRW Rfi":                                    "no thread can wait for the reads alone",
		"[bulk.store] MbarsRW Rfe":                                       "bulk.store tells no mbarrier",
		"[wgmma] MbarsRW Rfe":                                            "wgmma tells no mbarrier",
		"[bulk.load] Proxy.mbarsWR Fre":                                  "not waited for",
		"Rfe@cta DpDatadW [bulk.load] MbardWR Fre@cta":                   "are known",
		"Rfe@cta [bulk.store] DpAddrdW Coe@cta PodWW":                    "returns nothing",
		"Rfe Cp.async Rfe Cp.async":                                      "out of thin air",
		"Rfe@cta Cp.async Coe@cta PodWW":                                 "nothing tells what was copied",
		"[bulk.store] PosRW [cp.async] Rfi":                              "",
		"[bulk.load] PosWR [bulk.load] Fri":                              "in global memory and in shared memory",
		"[bulk.load] SyncsWR@cluster Fre@cluster":                        "must be in one cta",
		"SyncdWW SyncdWW":                                                "nothing but handovers",
		"[multicast] MbarsWR Fre":                                        "copies to one CTA alone",
		"Multicast.twin MbarsWR@cluster PodRR Fre@cluster":               "would write twice to one CTA",
		"Rfe Multicast MbarsWR@cluster PodRR Fre@cluster":                "no final state shows y of another CTA than the first",
		"Rfe Bulk.load Multicast.twin MbarsWR@cluster PodRR Fre":         "Multicast.twin is another operation",
		"[multicast] MbardWR@cluster Fre@cluster PodWW":                  "writes to another CTA than that which waits",
		"[multicast] MbarsWR@cluster Fre@cluster [st.async] Coe@cluster": "st.async cannot write x of another CTA",
	} {
		p, err := gen.Parse(src.NewFile("cycle", cycle), gen.PTX)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Cycles(t.Context(), nil, nil, func(*gen.Cycle) bool { return true })
		if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", cycle, err, why)
		}
	}
}
