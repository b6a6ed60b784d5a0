package ptx_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestArrivalsThatReturnNothing: if an arrival returns no state, no instruction can use its read,
// as with red, so a fence after it acquires nothing. An arrival that returns a state begins an
// acquire pattern.
func TestArrivalsThatReturnNothing(t *testing.T) {
	const returns = `PTX arrivals
{ shared s0=0; shared s1=0; shared m; 0:.reg .b64 q=0; 0:r0=0; 1:r1=0; }
 P0@cta 0                                   | P1@cta 0                                                 ;
 mbarrier.init.shared::cta.b64 [m], 1       | bar.sync 0                                               ;
 bar.sync 0                                 | st.shared.u32 [s1], 5                                    ;
 st.shared.u32 [s0], 4                      | mbarrier.arrive.shared::cta.b64 _, [m]                   ;
 mbarrier.arrive.shared::cta.b64 q, [m]     | W: mbarrier.try_wait.parity.shared::cta.b64 p, [m], 0    ;
 fence.acq_rel.cta                          | @!p bra W                                                ;
 ld.shared.u32 r0, [s1]                     | ld.shared.u32 r1, [s0]                                   ;
exists (0:r0=0 /\ 1:r1=0)
`
	m := simtest.LoadModel(t, "ptx")
	for text, want := range map[string]sim.Outcome{returns: sim.Forbidden, strings.Replace(returns, "b64 q,", "b64 _,", 1): sim.Allowed} {
		if got := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), m).Outcome(); got != want {
			t.Errorf("%v, want %v\n%s", got, want, text)
		}
	}
}
