package sim_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// compareLearned demands that the learning engine finds the states and flags of the fast one, with
// witnesses that the model allows, and the same verdict when only that is asked for. It returns how
// many structures the learning engine looked at, and how many it left to the fast one.
func compareLearned(t testing.TB, text string, config sim.Config, name string, m *cat.Model) (all, left int) {
	t.Helper()
	config.Effort = solve.States
	config.Limits.MaxCandidates = 20_000
	test, err := sim.Load(src.NewFile("test.litmus", text), config)
	if err != nil {
		return 0, 0
	}
	want, errFast := test.Run(context.Background(), m)
	if errFast == nil && hitLimit(want) {
		return 0, 0
	}
	config.Engine = sim.Learning
	test = load(t, text, config)
	got, err := test.Run(context.Background(), m)
	if err == nil && hitLimit(got) && config.Timeout > 0 || err != nil && errFast != nil {
		return 0, 0
	}
	if err != nil || errFast != nil {
		t.Fatalf("under %s: the learning engine says %v, the fast one %v\n%s", name, err, errFast, text)
	}
	if states(got) != states(want) || !slices.Equal(got.Flags, want.Flags) || !slices.Equal(got.Undefined, want.Undefined) || got.Loop() != want.Loop() {
		t.Fatalf("under %s: the learning engine finds\n%s %v %v %v\nthe fast one\n%s %v %v %v\n%s", name,
			states(got), got.Flags, got.Undefined, got.Loop(), states(want), want.Flags, want.Undefined, want.Loop(), text)
	}
	for i := range got.States {
		checkWitness(t, text, name, m, test, &got.States[i])
	}
	config.Effort = solve.Quick
	r, err := load(t, text, config).Run(context.Background(), m)
	if err != nil || !hitLimit(r) && (r.Outcome() != want.Outcome() || r.Holds() != want.Holds()) {
		t.Fatalf("under %s, verdict only: %v %v, want %v\n%s", name, r.Outcome(), err, want.Outcome(), text)
	}
	return got.Stats.Structures, got.Work.Left
}

// TestLearningOnTheCorpus compares the learning engine with the fast one on every shipped test under
// every shipped model, or nightly in all readings of these.
func TestLearningOnTheCorpus(t *testing.T) {
	for name, m := range everyModel(t, anyTest) {
		t.Run(name, func(t *testing.T) {
			all, left := 0, 0
			for i, f := range corpus(t) {
				if !isFor(t, name, f) {
					continue
				}
				if reading := strings.Contains(name, " "); !nightly() && (reading && i%20 != len(name)%20 || !reading && i%4 != len(name)%4) {
					continue
				}
				a, l := compareLearned(t, f.Text, sim.Defaults(), f.Name+" "+name, m)
				all, left = all+a, left+l
			}
			t.Logf("%s: %d of %d structures left", name, left, all)
		})
	}
}

// TestLearningOnRandomTests compares the learning engine with the fast one on random programs.
func TestLearningOnRandomTests(t *testing.T) {
	all := everyModel(t, "PTX")
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	config := sim.Config{Reading: frontend.Options{Unroll: randomUnroll}, Timeout: time.Second}
	multiplyChecks(t, 10, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		switch rapid.SampledFrom([]string{"scoped", "plain", "pointers"}).Draw(rt, "kind") {
		case "scoped":
			text = drawScopedTest(rt).String()
		case "pointers":
			text = drawPointerTest(rt)
		default:
			text = drawProgram(rt).String()
		}
		name := rapid.SampledFrom(names).Draw(rt, "model")
		compareLearning(t, text, config, name, all[name])
	})
}

// TestLearningOnRandomModels compares the learning engine with the fast one on models that nobody would
// write.
func TestLearningOnRandomModels(t *testing.T) {
	multiplyChecks(t, 5, 200)
	var n drawnModels
	rapid.Check(t, func(rt *rapid.T) { n.onRandomModel(rt, compareLearning) })
}

func compareLearning(t testing.TB, text string, config sim.Config, name string, m *cat.Model) {
	t.Helper()
	compareLearned(t, text, config, name, m)
}
