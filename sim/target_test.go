package sim_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
)

// TestOriginal: states of a translation are told in the words of the test, in which a variable may
// have another name and another place.
func TestOriginal(t *testing.T) {
	test := simtest.Load(t, `CUDA renamed
{ x=0; y=0; z=0; }
P0@cta 0,gpu 0 (cuda::atomic<int>* y, cuda::atomic<int>* z) {
  int s = 5;
  int x1 = 0;
  unsigned int x = 7;
  x = z->load(cuda::memory_order_relaxed);
  s = y->load(cuda::memory_order_relaxed) + 3;
}
exists (0:x>0 /\ 0:s=3 \/ 0:x1=1)`, sim.Defaults())
	as, err := test.For("ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*sim.Test{test, as} {
		r := simtest.Run(t, of, simtest.LoadModel(t, "coherence"))
		if len(r.States) != 1 {
			t.Fatalf("%d states", len(r.States))
		}
		state := of.Original(r.States[0].State())
		if got, want := state.Format(test.Observables()), "0:s=3; 0:x=0; 0:x1=0;"; got != want {
			t.Errorf("in %s the test ends in %s, want %s", litmus.Names(of.Observables()), got, want)
		}
	}
}
