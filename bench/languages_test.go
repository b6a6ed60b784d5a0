package bench_test

import (
	"io/fs"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// languages are the programs of bench.Languages.
var languages = []struct {
	name, model  string
	mostSteps    int // of the fast engine: runs of the model, and steps of similar cost
	mostLearnt   int // conflicts of the learning engine
	combinations int // of control paths
}{
	{"bounded-queue", "opencl", 40_000, 200, 81},
	{"compaction", "opencl", 40_000, 3000, 3},
	{"dissemination-barrier", "rc11", 40_000, 10, 405},
	{"grace-period", "rc11", 3000, 10, 54},
	{"hazard-pointers", "rc11-scoped", 3000, 10, 64},
	{"mcs-lock", "opencl", 40_000, 300, 319},
	{"queue-of-slots", "opencl", 35_000, 500, 640},
	{"sense-reversing-barrier", "rc11-scoped", 6000, 300, 54},
	{"stack-of-numbers", "opencl", 40_000, 300, 80},
	{"ticket-lock", "opencl", 8000, 2500, 64},
}

// TestLanguages: correct programs in C are found to be correct and race-free, quickly.
func TestLanguages(t *testing.T) {
	files, err := fs.Glob(bench.Languages, "languages/*.litmus")
	if err != nil || len(files) != len(languages) {
		t.Fatalf("%d programs, %d of them known: %v", len(files), len(languages), err)
	}
	for _, p := range languages {
		text, err := bench.Languages.ReadFile("languages/" + p.name + ".litmus")
		if err != nil {
			t.Fatal(err)
		}
		c := sim.Defaults()
		c.Want = sim.Verdict
		test, err := sim.Load(src.NewFile(p.name+".litmus", string(text)), c)
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, test, model(t, p.model))
		if r.Outcome() != sim.Forbidden || len(r.Undefined) > 0 || r.Incomplete() != "" {
			t.Errorf("%s: %v, %v, %s", p.name, r.Outcome(), r.Undefined, r.Incomplete())
		}
		if r.Work.Steps > p.mostSteps || r.Work.Learnt > p.mostLearnt || test.Program.Combinations() > p.combinations {
			t.Errorf("%s: %d steps, %d conflicts, %d combinations of control paths; want at most %d, %d, %d", p.name,
				r.Work.Steps, r.Work.Learnt, test.Program.Combinations(), p.mostSteps, p.mostLearnt, p.combinations)
		}
	}
}
