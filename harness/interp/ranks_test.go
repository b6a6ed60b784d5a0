package interp_test

import (
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
)

// masked copies to the second and third CTA of three, and maps an address of the third: each CTA
// must receive its part, in whichever CTA of the launch's cluster an instance begins.
const masked = `PTX masked
{ shared full; shared s=0; g=1; f=0; }
 P0@cta 0,cluster 0                                 | P1@cta 1,cluster 0                                      | P2@cta 2,cluster 0                                      ;
 mbarrier.init.shared::cta.b64 [full], 1            | mbarrier.init.shared::cta.b64 [full], 1                 | mbarrier.init.shared::cta.b64 [full], 1                 ;
 barrier.cluster.arrive                             | mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16 | mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16 ;
 barrier.cluster.wait                               | barrier.cluster.arrive                                  | barrier.cluster.arrive                                  ;
 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [full], 6 | barrier.cluster.wait | barrier.cluster.wait            ;
 barrier.cluster.arrive                             | wait: mbarrier.try_wait.parity.shared::cta.b64 p, [full], 0 | wait: mbarrier.try_wait.parity.shared::cta.b64 p, [full], 0 ;
 barrier.cluster.wait                               | @!p bra wait                                            | @!p bra wait                                            ;
 ld.shared.u32 r0, [s]                              | ld.shared.u32 r0, [s]                                   | ld.shared.u32 r0, [s]                                   ;
 mapa.shared::cluster.u32 a, s, 2                   | barrier.cluster.arrive                                  | barrier.cluster.arrive                                  ;
 ld.shared::cluster.u32 r1, [a]                     | barrier.cluster.wait                                    | barrier.cluster.wait                                    ;
exists (not (0:r0=0 /\ 0:r1=1 /\ 1:r0=1 /\ 2:r0=1))
`

func TestMasked(t *testing.T) {
	plan := planOf(t, parse(t, "masked", masked), harness.SM90)
	if plan == nil {
		t.Fatal("it cannot be run")
	}
	s := small()
	s.CTAs = 6
	for _, m := range []*interp.Machine{interp.New(1), interp.NewWeak(1)} {
		h, err := plan.Run(t.Context(), m, s, 1, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.States) != 1 || h.Unfinished > 0 ||
			h.States[0].State.Format(h.Refs) != "0:r0=0; 0:r1=1; 1:r0=1; 2:r0=1;" {
			t.Errorf("%d gave up, states %v", h.Unfinished, h.States)
		}
	}
}
