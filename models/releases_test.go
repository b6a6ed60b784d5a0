package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/oracle/rc11text"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// releases flags executions in which a release sequence differs from C11's definition.
const releases = `"release sequences"
include "c11-base.cat"
let words = mo & goes-on \ (mo \ goes-on; mo)
flag ~empty (words \ release-sequence) | (release-sequence \ words) as differ
flag ~empty words as some
`

// TestReleaseSequencesOfC11: release sequences, which the model defines monotonically in
// modification order, are those of C11's definition.
func TestReleaseSequencesOfC11(t *testing.T) {
	programs := 100
	if sample.Nightly() {
		programs = 20_000
	}
	loaded, err := models.Load("releases", models.Config{Files: map[string]string{"releases.cat": releases}})
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for seed := range programs {
		p := rc11text.Random(rand.New(rand.NewPCG(uint64(seed), 17)))
		r := simtest.Run(t, simtest.Load(t, p.Text(), sim.Defaults()), loaded.Model)
		for _, flag := range r.Flags {
			switch flag {
			case "differ":
				t.Fatalf("seed %d: an execution has other release sequences:\n%s", seed, p.Text())
			case "some":
				some++
			}
		}
	}
	if some < programs/2 {
		t.Errorf("%d of %d programs have a release sequence of more than one write: the test tests little", some,
			programs)
	}
}

// TestManyUpdatesOfOneThread: release sequences do not keep the fast engine from rejecting partial
// executions early.
func TestManyUpdatesOfOneThread(t *testing.T) {
	text := "OPENCL updates\n{}\nP0@wg 0, dev 0 (global atomic_int* x) {\n"
	for range 8 {
		text += "  atomic_fetch_add(x, 1);\n"
	}
	text += "}\nforall (x=8)\n"
	for _, model := range []string{"opencl", "c11-partial-sc"} {
		r := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, model))
		if r.Positive != 1 || r.Negative != 0 || r.Stats.Candidates > 1_000 {
			t.Errorf("%s: %d and %d executions, of %d candidates", model, r.Positive, r.Negative, r.Stats.Candidates)
		}
	}
}
