package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/muster-gpu/muster/litmus"
)

// Tuned is settings and what they are worth.
type Tuned struct {
	Settings Settings
	Score            // of all tests
	Tests    []Score // of each test, in the order of the plans
}

// String says what the settings are worth.
func (t Tuned) String() string {
	text, _ := json.Marshal(t.Settings) // a struct of numbers and flags
	return fmt.Sprintf("%.0f a second, %d of %d at %.2g a second: %s", t.Rate(), t.Weak, t.Instances, float64(t.Instances)/t.Seconds, text)
}

// Score is how often runs ended as the conditions ask.
type Score struct {
	Weak      int // instances that did
	Instances int
	Seconds   float64 // of launches
}

// Rate is weak instances a second.
func (s Score) Rate() float64 {
	if s.Weak == 0 {
		return 0
	}
	return float64(s.Weak) / s.Seconds
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
	Draw      func(*rand.Rand) Settings
	Instances int // of each test, in the first round
	Seed      uint64
	// Progress is told each trial, if it is not nil; Unfit, which settings were drawn in vain.
	Progress func(round int, t Tuned)
	Unfit    func(s Settings, why error)
}

// mostMisfits bounds how many settings are drawn in vain for one that fits.
const mostMisfits = 100

// Run searches. The result is sorted, the best settings first: those that reached the last
// round before the others. If the search ends early, by the context or an error, the result is
// what has been tried until then.
func (t *Tuning) Run(ctx context.Context) ([]Tuned, error) {
	field, err := t.begin(ctx)
	var out []Tuned // those that have been left behind, best first
	for round, n := 1, 2*t.Instances; ; round, n = round+1, 2*n {
		slices.SortStableFunc(field, func(a, b Tuned) int { return cmp.Compare(b.Rate(), a.Rate()) })
		if err != nil || len(field) < 2 {
			return append(field, out...), err
		}
		keep := (len(field) + 1) / 2
		out = append(slices.Clone(field[keep:]), out...)
		field = field[:keep]
		for i := range field {
			tried, failed := t.try(ctx, field[i].Settings, n)
			if failed != nil {
				err = failed
				break
			}
			field[i] = tried
			t.tell(round, tried)
		}
	}
}

// begin tries the first settings and others that are drawn. Those that do not fit a test or the
// machine are replaced by others.
func (t *Tuning) begin(ctx context.Context) (field []Tuned, err error) {
	random := rand.New(rand.NewPCG(t.Seed, 0))
	for s, misfits := t.First, 0; len(field) < t.Draws; s = t.Draw(random) {
		s.Opaque = t.First.Opaque
		tried, err := t.try(ctx, s, t.Instances)
		var misfit *Unfit
		switch {
		case errors.As(err, &misfit) && misfits < mostMisfits:
			misfits++
			if t.Unfit != nil {
				t.Unfit(s, err)
			}
		case err != nil:
			return field, err
		default:
			misfits = 0
			field = append(field, tried)
			t.tell(0, tried)
		}
	}
	return field, nil
}

func (t *Tuning) tell(round int, tried Tuned) {
	if t.Progress != nil {
		t.Progress(round, tried)
	}
}

// try runs all tests with some settings.
func (t *Tuning) try(ctx context.Context, s Settings, instances int) (Tuned, error) {
	tuned := Tuned{Settings: s}
	for _, p := range t.Plans {
		if _, err := p.Shape(s); err != nil { // before any test has run
			return tuned, err
		}
	}
	for _, p := range t.Plans {
		h, err := p.Run(ctx, t.Machine, s, t.Seed, instances)
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return tuned, err
		}
		score := Score{h.Asked(p.Test), h.Instances, h.Elapsed.Seconds()}
		tuned.Tests = append(tuned.Tests, score)
		tuned.Weak += score.Weak
		tuned.Instances += score.Instances
		tuned.Seconds += score.Seconds
	}
	return tuned, nil
}

// BestFor is the best of tuned settings for one of the plans; nil if none showed its outcome.
func BestFor(tuned []Tuned, plan int) *Tuned {
	var best *Tuned
	for i := range tuned {
		if rate := tuned[i].Tests[plan].Rate(); rate > 0 && (best == nil || rate > best.Tests[plan].Rate()) {
			best = &tuned[i]
		}
	}
	return best
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

// Draw draws settings for a GPU: each knob by itself.
func Draw(random *rand.Rand) Settings {
	pick := func(values ...int) int { return values[random.IntN(len(values))] }
	return Settings{
		CTAs: pick(32, 64, 128, 256, 512, 1024), Threads: pick(64, 128, 256, 512), Stride: pick(4, 8, 12, 16, 32, 64, 128, 256, 1024),
		SharedStride: pick(4, 8, 32, 128), Permute: random.IntN(4) > 0, Patience: pick(0, 20, 100, 500), LoopBound: 1000,
		PreRounds: pick(0, 0, 2, 8, 32), PrePattern: random.IntN(len(Patterns)),
		StressCTAs: pick(0, 16, 64, 256), StressRounds: pick(16, 64, 256, 1024), Pattern: random.IntN(len(Patterns)),
		Lines: pick(1, 4, 16, 64, 256), LineStride: pick(32, 128, 256, 1024), Vary: random.IntN(2) > 0,
		WithoutMeeting: pick(0, 0, 25, 75), WithoutPre: pick(0, 0, 25, 75), WithoutStress: pick(0, 0, 25, 75),
		InTurns: pick(0, 0, 25, 100), VaryThreads: random.IntN(4) == 0,
	}
}

// DrawFew draws settings for a machine that interprets.
func DrawFew(random *rand.Rand) Settings {
	pick := func(values ...int) int { return values[random.IntN(len(values))] }
	s := Draw(random)
	s.CTAs, s.Threads, s.Patience, s.LoopBound = pick(2, 4, 8), pick(64, 128), min(s.Patience, 40), Few().LoopBound
	s.PreRounds, s.StressCTAs, s.StressRounds = min(s.PreRounds, 2), min(s.StressCTAs, 1), pick(2, 4)
	return s
}

// BestTunings is the best settings of all tests, and those of tests that do better with others.
func BestTunings(plans []*Plan, found []Tuned) Tunings {
	best := Tunings{Settings: found[0].Settings, Tests: map[string]Settings{}}
	for i, p := range plans {
		if own := BestFor(found, i); own != nil && own.Settings != best.Settings {
			best.Tests[p.Test.Name.Text] = own.Settings
		}
	}
	return best
}
