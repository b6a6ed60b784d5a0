package probe_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestCompareTranslations: a state of a test equals a state of its translation if variables have
// the same values, whatever their names.
func TestCompareTranslations(t *testing.T) {
	test, err := sim.Load(src.NewFile("test.litmus", `CUDA renamed
{ x=0; y=0; z=0; }
P0@cta 0,gpu 0 (cuda::atomic<int>* y, cuda::atomic<int>* z) {
  int x = z->load(cuda::memory_order_relaxed);
  int s = y->load(cuda::memory_order_relaxed) + 3;
}
exists (0:x=0 /\ 0:s=3)`), sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	all, err := models.LoadAll([]string{"rc11-scoped", "ptx"}, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := probe.Compare(t.Context(), test, all...)
	if err != nil {
		t.Fatal(err)
	}
	if c.Differs(true) {
		t.Error("the models differ in the states")
	}
}
