package harness

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/muster-gpu/muster/litmus"
)

// Tuned is settings and what they are worth.
type Tuned struct {
	Settings  Settings
	Weak      int     // instances that ended as the conditions ask
	Instances int     // of all tests
	Rate      float64 // weak instances a second
}

// Tuning is a search for settings by which tests most often end as their conditions ask: the
// weak outcome, in generated tests. It draws settings, and runs those that are best so far
// longer, until one is left (successive halving; Jamieson, Talwalkar, "Non-stochastic best arm
// identification", AISTATS 2016).
type Tuning struct {
	Machine   Machine
	Plans     []*Plan
	First     Settings // one of those to begin with
	Draws     int      // how many these are
	Instances int      // of each test, in the first round
	Seed      uint64
	// Progress is told each trial, if it is not nil.
	Progress func(round int, t Tuned)
}

// Run searches. The result is sorted, the best settings first: those that reached the last
// round before the others.
func (t *Tuning) Run(ctx context.Context) ([]Tuned, error) {
	random := rand.New(rand.NewPCG(t.Seed, 0))
	field := []Tuned{{Settings: t.First}}
	for len(field) < t.Draws {
		field = append(field, Tuned{Settings: drawSettings(random)})
	}
	var out []Tuned // those that have been left behind, best first
	for round, n := 0, t.Instances; ; round, n = round+1, 2*n {
		for i := range field {
			if err := t.try(ctx, &field[i], n); err != nil {
				return nil, err
			}
			if t.Progress != nil {
				t.Progress(round, field[i])
			}
		}
		slices.SortStableFunc(field, func(a, b Tuned) int { return cmp.Compare(b.Rate, a.Rate) })
		if len(field) == 1 {
			return append(field, out...), nil
		}
		keep := (len(field) + 1) / 2
		out = append(slices.Clone(field[keep:]), out...)
		field = field[:keep]
	}
}

// try runs all tests with some settings.
func (t *Tuning) try(ctx context.Context, tuned *Tuned, instances int) error {
	var seconds float64
	tuned.Weak, tuned.Instances = 0, 0
	for _, p := range t.Plans {
		h, err := p.Run(ctx, t.Machine, tuned.Settings, t.Seed, instances)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		tuned.Weak += h.Asked(p.Test)
		tuned.Instances += h.Instances
		seconds += h.Elapsed.Seconds()
	}
	tuned.Rate = float64(tuned.Weak) / seconds
	return nil
}

// Asked is how many instances ended as the condition asks: as the proposition says, or, for
// forall, as it does not.
func (h *Histogram) Asked(t *litmus.Test) int {
	n := 0
	for _, c := range h.States {
		if t.Cond.Prop.Eval(c.State.Lookup(h.Refs)) != (t.Cond.Quant == litmus.Forall) {
			n += c.N
		}
	}
	return n
}

// drawSettings draws settings: each knob by itself.
func drawSettings(random *rand.Rand) Settings {
	pick := func(values ...int) int { return values[random.IntN(len(values))] }
	return Settings{
		CTAs: pick(32, 64, 128, 256, 512, 1024), Threads: pick(64, 128, 256, 512), Stride: pick(4, 16, 32, 64, 128, 256, 1024),
		SharedStride: pick(4, 8, 32, 128), Permute: random.IntN(4) > 0, Patience: pick(0, 20, 100, 500), LoopBound: 1000,
		PreRounds: pick(0, 0, 2, 8, 32), PrePattern: random.IntN(len(Patterns)),
		StressCTAs: pick(0, 16, 64, 256), StressRounds: pick(16, 64, 256, 1024), Pattern: random.IntN(len(Patterns)),
		Lines: pick(1, 4, 16, 64, 256), LineStride: pick(32, 128, 256, 1024),
	}
}
