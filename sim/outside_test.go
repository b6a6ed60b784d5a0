package sim_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestOutsideModelIsNoError: a model that does not cover a test may allow an execution in which the program has no
// meaning, such as the use of what is no mbarrier yet. That is no error of the test, whichever engine is asked.
func TestOutsideModelIsNoError(t *testing.T) {
	const text = `PTX init
{ shared m; x=0; }
 P0@cta 0                          | P1@cta 0                             ;
 mbarrier.init.shared.b64 [m], 1   | bar.sync 0                           ;
 bar.sync 0                        | mbarrier.arrive.shared.b64 r0, [m]   ;
exists (x=0)
`
	for model, outside := range map[string]bool{"ptx": false, "coherence": true} {
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
