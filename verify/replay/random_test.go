package replay_test

import (
	"os"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify/replay"
)

// many returns the number of random kernels of a test: more with MUSTER_NIGHTLY.
func many(t *testing.T, n, atNight int) int {
	t.Helper()
	if os.Getenv("MUSTER_NIGHTLY") != "" {
		return atNight
	}
	return n
}

func parse(t *testing.T, text string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("random.ptx", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// TestRandom: the model of PTX flags exactly the races in random kernels that a launch finds, in
// litmus tests of the threads.
func TestRandom(t *testing.T) {
	ptx := model(t)
	races, ordered, others := 0, 0, 0
	for seed := range uint64(many(t, 300, 10_000)) {
		k := examples.RandomKernel(seed, examples.Kind{Reads: seed%2 == 0})
		program := launch.New(parse(t, k.Text))
		l := k.Launches(seed)[seed%4]
		l.Schedule = launch.Random(seed)
		r, err := program.Run(t.Context(), l)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
		}
		for _, race := range r.Races {
			races++
			text := replay.Litmus("race", r, race)
			switch {
			case flagged(t, ptx, text):
			case strings.Contains(text, "filter"):
				ordered++ // by values that the threads read
			default:
				t.Errorf("seed %d: the model sees no race in\n%s\n%s", seed, text, k.Text)
			}
		}
		if len(r.Races) > 0 || len(r.Divergences) > 0 {
			continue
		}
		others++
		threads := l.Grid.Count() * l.Block.Count()
		first := int(seed) % threads
		second := (first + 1 + int(seed/7)%(threads-1)) % threads
		if text := replay.Threads("threads", r, first, second); flagged(t, ptx, text) {
			t.Errorf("seed %d: the model sees a race in\n%s\n%s", seed, text, k.Text)
		}
	}
	if 100*ordered > races {
		t.Errorf("the model orders %d of %d races", ordered, races)
	}
	if races < 100 || others < 30 {
		t.Errorf("%d races, %d kernels without: the kernels are too much alike", races, others)
	}
}
