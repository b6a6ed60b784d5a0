package models_test

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestBarrierInCommon: everything a thread does before a barrier comes before everything that
// others do after it, under every model that orders locations.
func TestBarrierInCommon(t *testing.T) {
	const text = `PTX %s
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 %s             | %s             ;
 bar.sync 0     | bar.sync 0     ;
 %s             | %s             ;
exists (%s)`
	for name, columns := range map[string][]any{
		"MP":   {"st x,1", "ld r1,x", "st y,1", "ld r0,x", "P1:r0=0"},
		"SB":   {"st x,1", "st y,1", "ld r0,y", "ld r0,x", "P0:r0=0 /\\ P1:r0=0"},
		"LB":   {"ld r0,y", "ld r0,x", "st x,1", "st y,1", "P0:r0=1 /\\ P1:r0=1"},
		"2+2W": {"st x,1", "st y,1", "st y,2", "st x,2", "x=1 /\\ y=1"},
		"R":    {"st x,1", "st y,1", "st y,2", "ld r0,x", "y=1 /\\ P1:r0=0"},
	} {
		test := simtest.Load(t, fmt.Sprintf(text, append([]any{name}, columns...)...), sim.Defaults())
		for _, model := range []string{"sc", "tso", "rmo", "ptx-6.0", "ptx-7.5", "ptx"} {
			if got := simtest.Run(t, test, simtest.LoadModel(t, model)).Outcome(); got != sim.Forbidden {
				t.Errorf("%s under %s: %v", name, model, got)
			}
		}
		if got := simtest.Run(t, test, simtest.LoadModel(t, "coherence")).Outcome(); got != sim.Allowed {
			t.Errorf("%s: %v by coherence, which knows no order between locations", name, got)
		}
	}
}

// TestPTXAllowsWhatSCAllows: no version of PTX forbids the outcome of an interleaving of the
// threads, barriers included. (muster compare -m sc -m ptx lists no other difference.)
func TestPTXAllowsWhatSCAllows(t *testing.T) {
	for test, verdicts := range simtest.ExpectedVerdicts(t) {
		for _, weaker := range []string{"tso", "rmo", "ptx-6.0", "ptx-7.5", "ptx"} {
			if verdicts["sc"] == "allowed" && verdicts[weaker] == "forbidden" {
				t.Errorf("%s: sc allows it, %s forbids it", test, weaker)
			}
		}
	}
}
