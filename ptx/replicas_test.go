package ptx_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// copiedToOne is a multicast copy that goes to the second CTA of a cluster alone.
const copiedToOne = `PTX one
{ shared m; shared s=7; g=1; }
 P0@cta 0,cluster 0                                                                                       | P1@cta 1,cluster 0                     ;
 mbarrier.init.shared::cta.b64 [m], 1                                                                     | mbarrier.init.shared::cta.b64 [m], 1   ;
 barrier.cluster.arrive                                                                                   | barrier.cluster.arrive                 ;
 barrier.cluster.wait                                                                                     | barrier.cluster.wait                   ;
 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [m], 2 | mbarrier.arrive.expect_tx.b64 _, [m], 16 ;
 ld.shared.u32 r0, [s]                                                                                    | ld.shared.u32 r0, [s]                  ;
locations [s; s@1;]
`

// TestLocationOfAnotherCTA: a condition names the shared memory of each CTA of a cluster; other
// names with a rank are errors.
func TestLocationOfAnotherCTA(t *testing.T) {
	r := simtest.Run(t, simtest.Load(t, copiedToOne+"forall (s=7 /\\ s@1=1)", sim.Defaults()), simtest.LoadModel(t, "ptx"))
	if !r.Holds() || !strings.Contains(simtest.States(r), "[s]=7; [s@1]=1") {
		t.Errorf("%v: %s", r.Holds(), simtest.States(r))
	}
	for text, want := range map[string]string{
		copiedToOne + "exists (s@2=1)": "the test has no location s@2",
		copiedToOne + "exists (g@1=1)": "the test has no location g@1",
		strings.Replace(copiedToOne, "g=1;", "g=1; shared s@1=3;", 1) + "exists (true)": "the s of each CTA begins as the declaration says",
	} {
		if _, err := sim.Load(src.NewFile("one.litmus", text), sim.Defaults()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	test := simtest.Load(t, copiedToOne+"exists (s@1=1)", sim.Defaults())
	again := simtest.Load(t, test.Test.String(), sim.Defaults())
	if test.Test.String() != again.Test.String() {
		t.Errorf("printed, it is another test:\n%s", test.Test)
	}
}
