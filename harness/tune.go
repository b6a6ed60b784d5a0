package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-gpu/muster/litmus"
)

// Tuned is settings with their score.
type Tuned struct {
	Settings  Settings
	Score             // over all tests, or of Test
	Test      string  // the test that was run; "" for all
	Tests     []Score // of each test, in the order of the plans
	Confirmed bool    // the scores are from final runs that were not used to choose the settings
}

// String describes the settings and their score.
func (t Tuned) String() string {
	text, _ := json.Marshal(t.Settings) // cannot fail: a struct of numbers and flags
	of := ""
	if t.Test != "" {
		of = " of " + t.Test
	}
	return fmt.Sprintf("%.0f a second, %d of %d at %.2g a second%s: %s", t.Rate(), t.Weak, t.Instances,
		float64(t.Instances)/t.Seconds, of, text)
}

// Score counts how often runs ended as the conditions ask.
type Score struct {
	Weak      int // instances that did
	Instances int
	Seconds   float64 // of launches
}

// Rate returns the weak instances per second.
func (s Score) Rate() float64 {
	if s.Weak == 0 {
		return 0
	}
	return float64(s.Weak) / s.Seconds
}

// cautious returns a lower estimate of the rate, by one standard deviation of a Poisson
// distribution. It is close to the rate for many weak instances and lower for few, so that settings
// with a single lucky instance are not the best.
func (s Score) cautious() float64 {
	if s.Weak == 0 {
		return 0
	}
	n := float64(s.Weak + 1)
	return (n - math.Sqrt(n)) / s.Seconds
}

func (s *Score) add(more Score) {
	s.Weak, s.Instances, s.Seconds = s.Weak+more.Weak, s.Instances+more.Instances, s.Seconds+more.Seconds
}

// Tuning is a search for settings with which tests most often end as their conditions ask: with the
// weak outcome, in generated tests. It draws settings, and for each test runs the best ones so far
// longer, until one is left (successive halving; Jamieson, Talwalkar, "Non-stochastic best arm
// identification", AISTATS 2016). Finally it runs these again with all tests, because the best of
// many was also lucky.
//
// Rounds share the time until the deadline of the context, if it has one.
type Tuning struct {
	Machine   Machine
	Plans     []*Plan
	First     Settings // one of the initial settings
	Draws     int      // number of the initial settings
	Draw      func(*rand.Rand) Settings
	Instances int // of each test, in the first round
	Seed      uint64
	// Progress, unless nil, is called with each trial, and Unfit with settings that were drawn in
	// vain.
	Progress func(round int, t Tuned)
	Unfit    func(s Settings, why error)

	// Past are the trials of the same search in earlier processes, and Began is when it began. They
	// are not repeated. Without a machine, the search ends after them.
	Past  []Trial
	Began time.Time
	// Begin, unless nil, is called before a trial, and End after it. An error ends the search.
	Begin, End func(Trial) error
}

// Settings are drawn in vain if a test cannot be run with them. A search tolerates some such
// settings, and leaves out a test that cannot be run with any.
const (
	mostMisfits = 100 // consecutive
	mostRefused = 10
)

// search is a search under way.
type search struct {
	*Tuning
	past   map[trialKey]Trial
	clock  time.Time  // when the last trial ended, if it is a past one; else zero
	field  []*Tuned   // all settings that fit
	alive  [][]*Tuned // by test: the candidates for the best settings
	ran    []bool     // tests that could be run
	failed []int      // by test: how often it could not be run
	broke  []int      // by test: how often it broke the machine
	vain   int        // number of settings drawn in vain
}

// Run searches. The result is sorted, the best settings first, and confirmed ones before the
// others. If the context ends or the machine breaks, the result is what was tried until then.
func (t *Tuning) Run(ctx context.Context) ([]Tuned, error) {
	n := len(t.Plans)
	s := &search{
		Tuning: t, past: pastOf(t.Past),
		alive: make([][]*Tuned, n), ran: make([]bool, n), failed: make([]int, n), broke: make([]int, n),
	}
	if len(t.Past) > 0 {
		s.clock = t.Began
	}
	err := s.begin(ctx)
	round := 1
	for ; err == nil && s.most() > 1; round++ {
		err = s.halve(ctx, round)
	}
	if err == nil {
		err = s.confirm(ctx, round)
	}
	return s.sorted(), err
}

// most returns the largest number of candidates of a test.
func (s *search) most() (n int) {
	for _, alive := range s.alive {
		n = max(n, len(alive))
	}
	return n
}

// rounds returns the number of rounds that reduce n settings to one and confirm it, plus one for
// the time that modules and memory take.
func rounds(n int) int { return bits.Len(uint(max(1, n)-1)) + 2 }

// share is the time that a round may take.
type share struct {
	until time.Time
	trial time.Duration // of the machine, for a trial; 0 for no bound
}

func (s *search) share(ctx context.Context, rounds, trials int) (turn share) {
	if deadline, ok := ctx.Deadline(); ok {
		round := max(0, deadline.Sub(s.now())) / time.Duration(rounds)
		turn = share{s.now().Add(round), max(time.Millisecond, round/time.Duration(max(1, trials)))}
	}
	return turn
}

func (s *search) over(turn share) bool { return !turn.until.IsZero() && s.now().After(turn.until) }

// draws reports whether the first round, which began at the given time, needs more settings: enough
// time must remain for the later rounds, each of which takes as long as the first.
func (s *search) draws(ctx context.Context, began time.Time) bool {
	n := len(s.field)
	deadline, ok := ctx.Deadline()
	return n < s.Draws && (n == 0 || !ok || s.now().Sub(began)*time.Duration(rounds(n)) < deadline.Sub(s.now()))
}

// begin tries the first settings and others that are drawn. Settings with which a test cannot be
// run are replaced.
func (s *search) begin(ctx context.Context) error {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	turn := s.share(ctx, 1+rounds(s.Draws), s.Draws*len(s.Plans))
	began, misfits := s.now(), 0
	for drawn := s.First; s.draws(ctx, began); drawn = s.next(random) {
		drawn.Opaque = s.First.Opaque
		tried := &Tuned{Settings: drawn, Tests: make([]Score, len(s.Plans))}
		err := s.all(ctx, tried, Part{Seed: s.Seed, Instances: s.Instances, Time: turn.trial})
		if err == nil {
			misfits = 0
			s.field = append(s.field, tried)
			s.tell(0, *tried)
			continue
		}
		if misfits++; misfits > mostMisfits || !s.bears(ctx, drawn, err) ||
			!slices.ContainsFunc(upTo(len(s.Plans)), s.plays) {
			return err
		}
	}
	for i := range s.alive {
		if s.ran[i] && s.plays(i) {
			s.alive[i] = slices.Clone(s.field)
		}
	}
	return nil
}

// The first afresh settings are drawn independently. Afterwards, half of them vary one of the
// elite, the best so far.
const (
	afresh = 32
	elite  = 4
)

// next draws settings: independently, or by changing the best so far for some test in one or two
// knobs.
func (s *search) next(random *rand.Rand) Settings {
	drawn := s.Draw(random)
	if len(s.field) < afresh || random.IntN(2) == 0 {
		return drawn
	}
	near := slices.Clone(s.field)
	sortFor(near, random.IntN(len(s.Plans)))
	return near[random.IntN(elite)].Settings.towards(drawn, random)
}

// sortFor puts the best settings for a test first.
func sortFor(field []*Tuned, test int) {
	slices.SortStableFunc(field, func(a, b *Tuned) int {
		return cmp.Compare(b.Tests[test].cautious(), a.Tests[test].cautious())
	})
}

// halve keeps the better half of the settings for each test, and runs the test longer with those.
// When the time of the round is over, it drops the settings that have not run.
func (s *search) halve(ctx context.Context, round int) error {
	trials := 0
	for i, alive := range s.alive {
		sortFor(alive, i)
		s.alive[i] = alive[:(len(alive)+1)/2]
		trials += len(s.alive[i])
	}
	most := s.most()
	turn := s.share(ctx, rounds(2*most), trials)
	part := Part{Seed: s.Seed, Number: uint64(round), Instances: s.Instances << round, Time: turn.trial}
	for at := 0; at < most; at++ {
		for i, alive := range s.alive {
			if at >= len(alive) {
				continue
			}
			if at > 0 && s.over(turn) {
				s.alive[i] = alive[:at]
				continue
			}
			if err := s.longer(ctx, i, alive[at], part); err != nil {
				return err
			}
		}
	}
	for i := range s.alive {
		s.alive[i] = slices.DeleteFunc(s.alive[i], func(t *Tuned) bool { return !slices.Contains(s.field, t) })
	}
	return nil
}

// longer runs a test with settings again. It removes settings with which the test cannot be run.
func (s *search) longer(ctx context.Context, test int, with *Tuned, part Part) error {
	score, err := s.try(ctx, test, with.Settings, part)
	if err == nil {
		with.Tests[test].add(score)
		with.add(score)
		s.tell(int(part.Number), Tuned{Settings: with.Settings, Test: s.Plans[test].Test.Name.Text, Score: score})
		return nil
	}
	if err = s.refused(test, err); !s.bears(ctx, with.Settings, err) {
		return err
	}
	if !s.plays(test) {
		s.alive[test] = nil
	}
	s.field = slices.DeleteFunc(s.field, func(t *Tuned) bool { return t == with })
	return nil
}

// confirm runs all tests with the settings that are left for each test, the given ones, and those
// that are best overall. Only runs that had no part in a choice give an unbiased score.
func (s *search) confirm(ctx context.Context, round int) error {
	var left []*Tuned
	for i, t := range byRank(s.field, upTo(len(s.Plans))) {
		best := slices.ContainsFunc(s.alive, func(alive []*Tuned) bool { return slices.Contains(alive, t) })
		if best || i == 0 || t.Settings == s.First {
			left = append(left, t)
		}
	}
	if len(left) < 2 {
		return nil
	}
	turn := s.share(ctx, rounds(1), len(left)*len(s.Plans))
	part := Part{
		Seed:      s.Seed,
		Number:    uint64(round),
		Instances: s.Instances * max(1, len(s.field)/len(left)),
		Time:      turn.trial,
	}
	scores := map[*Tuned]Tuned{}
	for _, t := range left {
		again := Tuned{Settings: t.Settings, Tests: make([]Score, len(s.Plans)), Confirmed: true}
		err := s.all(ctx, &again, part)
		switch {
		case err == nil:
			scores[t] = again
			s.tell(round, again)
		case !s.bears(ctx, t.Settings, err):
			return err
		}
	}
	for t, again := range scores {
		*t = again
	}
	return nil
}

// all runs all tests with settings, except tests that are left out.
func (s *search) all(ctx context.Context, t *Tuned, part Part) error {
	for i, p := range s.Plans {
		if _, err := p.Shape(t.Settings); err != nil && s.plays(i) { // before any test has run
			return s.refused(i, err)
		}
	}
	for i := range s.Plans {
		if !s.plays(i) {
			continue
		}
		score, err := s.try(ctx, i, t.Settings, part)
		if err != nil {
			return s.refused(i, err)
		}
		s.ran[i] = true
		t.Tests[i] = score
		t.add(score)
	}
	return nil
}

// plays reports whether a test takes part: it is left out if it cannot be run with any settings, or
// broke the machine with several.
func (s *search) plays(test int) bool {
	return s.broke[test] < MostBreaks && (s.ran[test] || s.failed[test] < mostRefused)
}

// refused counts that a test could not be run.
func (s *search) refused(test int, err error) error {
	s.failed[test]++
	if !s.plays(test) {
		err = fmt.Errorf("%w; %s is left out", err, s.Plans[test].Test.Name.Text)
	}
	return err
}

// bears reports whether the search continues after an error, because the settings do not fit. It
// reports settings that were drawn in vain.
func (s *search) bears(ctx context.Context, with Settings, err error) bool {
	var misfit *Unfit
	if s.live() && ctx.Err() != nil || !errors.As(err, &misfit) {
		return false
	}
	s.vain++
	if s.Unfit != nil && s.live() {
		s.Unfit(with, fmt.Errorf("%w (%d in vain)", err, s.vain))
	}
	return true
}

// works reports whether the machine runs a kernel.
func (s *search) works(ctx context.Context) bool {
	if s.Machine.Load(ctx, s.Plans[0].Target.Trial()) != nil {
		return false
	}
	_, err := s.Machine.Run(ctx, []Step{{Kernel: &Launch{Entry: TrialEntry, Grid: 1, Block: WarpSize}}})
	return err == nil
}

func (s *search) tell(round int, tried Tuned) {
	if s.Progress != nil && s.live() {
		s.Progress(round, tried)
	}
}

// sorted returns the result, confirmed settings first.
func (s *search) sorted() (all []Tuned) {
	for _, confirmed := range []bool{true, false} {
		some := slices.DeleteFunc(slices.Clone(s.field), func(t *Tuned) bool { return t.Confirmed != confirmed })
		for _, t := range byRank(some, upTo(len(s.Plans))) {
			all = append(all, *t)
		}
	}
	return all
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// byRank sorts settings by their ranks for some of the tests, the best first.
func byRank(tuned []*Tuned, tests []int) []*Tuned {
	ranks := meanRanks(tuned, tests)
	order := upTo(len(tuned))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	sorted := make([]*Tuned, len(tuned))
	for at, i := range order {
		sorted[at] = tuned[i]
	}
	return sorted
}

// meanRanks returns, for each of the settings, how many others are better for a test, averaged over
// the tests. Rates cannot be averaged, because those of one test may be a thousand times those of
// another.
func meanRanks(tuned []*Tuned, tests []int) []float64 {
	ranks := make([]float64, len(tuned))
	for i := range tuned {
		for _, test := range tests {
			own := tuned[i].Tests[test].cautious()
			for j := range tuned {
				switch other := tuned[j].Tests[test].cautious(); {
				case other > own:
					ranks[i]++
				case other == own:
					ranks[i] += 0.5
				}
			}
		}
		ranks[i] /= float64(len(tests))
	}
	return ranks
}

// Best returns the best settings for some of the plans, or nil if none showed their outcomes.
func Best(tuned []Tuned, plans []int) *Tuned {
	var all []*Tuned
	for i := range tuned {
		all = append(all, &tuned[i])
	}
	for _, t := range byRank(all, plans) {
		if slices.ContainsFunc(plans, func(p int) bool { return t.Tests[p].Weak > 0 }) {
			return t
		}
	}
	return nil
}

// Asked returns how many instances ended as the condition asks: they satisfy the proposition, or
// violate that of a forall.
func (h *Histogram) Asked(t *litmus.Test) int {
	n := 0
	for _, c := range h.States {
		if t.Cond.Prop.Eval(c.State.Lookup(h.Refs)) != (t.Cond.Quant == litmus.Forall) {
			n += c.N
		}
	}
	return n
}

// mostDrawn bounds the memory of a location, in bytes, so that smaller GPUs can search, too.
const mostDrawn = 512 << 20

// Draw draws settings for a GPU, each knob independently. Instances are always permuted over
// memory: a warp accesses neighbouring ones at the same time, so that they end alike, and 32 of
// them tell no more than one.
func Draw(random *rand.Rand) Settings {
	pick := func(values ...int) int { return values[random.IntN(len(values))] }
	s := Settings{
		CTAs:         pick(32, 64, 128, 256, 512, 1024, 2048, 4096),
		Threads:      pick(32, 64, 128, 256, 512),
		Stride:       pick(4, 8, 12, 16, 32, 64, 128, 256, 1024, 4096, 16384),
		SharedStride: pick(4, 8, 32, 128), Permute: true, Patience: pick(0, 20, 100, 500), LoopBound: 1000,
		PreRounds: pick(0, 0, 2, 8, 32), PrePattern: random.IntN(len(Patterns)),
		StressCTAs: pick(0, 16, 64, 256), StressRounds: pick(16, 64, 256, 1024), Pattern: random.IntN(len(Patterns)),
		Lines: pick(1, 4, 16, 64, 256), LineStride: pick(32, 128, 256, 1024), Vary: random.IntN(2) > 0,
		WithoutMeeting: pick(0, 0, 25, 75), WithoutPre: pick(0, 0, 25, 75), WithoutStress: pick(0, 0, 25, 75),
		InTurns: pick(0, 0, 25, 100), VaryThreads: random.IntN(4) == 0,
	}
	for s.CTAs*s.Threads*s.Stride > mostDrawn {
		s.Stride /= 2
	}
	return s
}

// knobs are the groups of settings that towards copies.
var knobs = []func(to *Settings, from Settings){
	func(to *Settings, from Settings) {
		to.CTAs, to.Threads, to.VaryThreads = from.CTAs, from.Threads, from.VaryThreads
	},
	func(to *Settings, from Settings) { to.Stride, to.SharedStride = from.Stride, from.SharedStride },
	func(to *Settings, from Settings) { to.Vary = from.Vary },
	func(to *Settings, from Settings) { to.Patience, to.WithoutMeeting = from.Patience, from.WithoutMeeting },
	func(to *Settings, from Settings) {
		to.PreRounds, to.PrePattern, to.WithoutPre = from.PreRounds, from.PrePattern, from.WithoutPre
	},
	func(to *Settings, from Settings) {
		to.StressCTAs, to.WithoutStress = from.StressCTAs, from.WithoutStress
	},
	func(to *Settings, from Settings) { to.StressRounds, to.Pattern = from.StressRounds, from.Pattern },
	func(to *Settings, from Settings) { to.Lines, to.LineStride = from.Lines, from.LineStride },
	func(to *Settings, from Settings) { to.InTurns = from.InTurns },
}

// towards returns settings with one or two knobs of others.
func (s Settings) towards(other Settings, random *rand.Rand) Settings {
	for range 1 + random.IntN(2) {
		knobs[random.IntN(len(knobs))](&s, other)
	}
	return s
}

// DrawFew draws settings for an interpreter.
func DrawFew(random *rand.Rand) Settings {
	pick := func(values ...int) int { return values[random.IntN(len(values))] }
	s := Draw(random)
	s.CTAs, s.Threads, s.Patience, s.LoopBound = pick(2, 4, 8), pick(64, 128), min(s.Patience, 40), Few().LoopBound
	s.PreRounds, s.StressCTAs, s.StressRounds = min(s.PreRounds, 2), min(s.StressCTAs, 1), pick(2, 4)
	return s
}

// BestTunings returns the best settings over all tests, those of kinds of tests that do better with
// others, and those of single tests that do.
func BestTunings(plans []*Plan, found []Tuned) Tunings {
	if n := slices.IndexFunc(found, func(t Tuned) bool { return !t.Confirmed }); n > 0 {
		found = found[:n]
	}
	best := Tunings{Settings: found[0].Settings, Kinds: map[string]Settings{}, Tests: map[string]Settings{}}
	of := map[string][]int{} // the tests of each kind
	for i, p := range plans {
		for _, kind := range p.Kinds() {
			of[kind] = append(of[kind], i)
		}
	}
	for i, p := range plans {
		kinds := p.Kinds()
		for at, kind := range slices.Backward(kinds) { // from all tests to the most similar ones
			if own := Best(found, of[kind]); own != nil && own.Settings != best.ofKind(kinds[at+1:]) {
				best.Kinds[kind] = own.Settings
			}
		}
		if own := Best(found, []int{i}); own != nil && own.Settings != best.ofKind(kinds) {
			best.Tests[p.Test.Name.Text] = own.Settings
		}
	}
	return best
}
