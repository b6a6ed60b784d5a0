package models_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestShippedModelsCompile: no shipped model needs the slow engine.
func TestShippedModelsCompile(t *testing.T) {
	for name, m := range simtest.EveryModel(t, simtest.AnyTest) {
		if _, err := m.Compile(sim.Vocabulary()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
