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

// Tuned is settings and what they are worth.
type Tuned struct {
	Settings  Settings
	Score             // of all tests, or of Test
	Test      string  // that was run; "" for all
	Tests     []Score // of each test, in the order of the plans
	Confirmed bool    // these are of last runs, which had no part in the choice of the settings
}

// String says what the settings are worth.
func (t Tuned) String() string {
	text, _ := json.Marshal(t.Settings) // a struct of numbers and flags
	of := ""
	if t.Test != "" {
		of = " of " + t.Test
	}
	return fmt.Sprintf("%.0f a second, %d of %d at %.2g a second%s: %s", t.Rate(), t.Weak, t.Instances,
		float64(t.Instances)/t.Seconds, of, text)
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

// cautious is a rate that is nearly that of many weak instances, and less than that of few: by one standard deviation (of
// a Poisson distribution), so that what was seen once by chance is no best.
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

// Tuning is a search for settings by which tests most often end as their conditions ask: the
// weak outcome, in generated tests. It draws settings, and runs those that are best so far for a test
// longer with that, until one is left for each (successive halving; Jamieson, Talwalkar, "Non-stochastic best arm
// identification", AISTATS 2016). Those are run again with all tests, since the best of many was lucky, too.
//
// Rounds share the time until the deadline of the context, if it has one.
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

	// Past are the trials of the same search in a process before this one, and Began is when it began. They are not made again. Without a machine,
	// the search ends behind them.
	Past  []Trial
	Began time.Time
	// Begin is told a trial before it is made, and End when it has been, if they are not nil. An error ends the search.
	Begin, End func(Trial) error
}

// Settings are drawn in vain if a test cannot be run with them. A search bears with some, and leaves out a test that ran with none.
const (
	mostMisfits = 100 // one after the other
	mostRefused = 10
)

// search is a search that is under way.
type search struct {
	*Tuning
	past   map[trialKey]Trial
	clock  time.Time  // when the last trial ended, if it is of the past; zero if it is not
	field  []*Tuned   // all that fit
	alive  [][]*Tuned // by test, those that may be the best for it
	ran    []bool     // the tests that could be run
	failed []int      // how often they could not
	broke  []int      // how often they broke the machine
	vain   int        // settings that were drawn in vain
}

// Run searches. The result is sorted, the best settings first: those that were confirmed before the others. If the search ends early, by
// the context or because the machine is broken, the result is what has been tried until then.
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

// most is how many settings are left for a test, at most.
func (s *search) most() (n int) {
	for _, alive := range s.alive {
		n = max(n, len(alive))
	}
	return n
}

// rounds is how many rounds it takes to leave one of so many, and to confirm it; and one more, for modules and memory take time, too.
func rounds(n int) int { return bits.Len(uint(max(1, n)-1)) + 2 }

// share is what a round may take if it is the first of so many until the deadline.
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

// draws reports that the first round, which began then, needs more settings, and leaves as much time for each of the others that those take which it has.
func (s *search) draws(ctx context.Context, began time.Time) bool {
	n := len(s.field)
	deadline, ok := ctx.Deadline()
	return n < s.Draws && (n == 0 || !ok || s.now().Sub(began)*time.Duration(rounds(n)) < deadline.Sub(s.now()))
}

// begin tries the first settings and others that are drawn. Those with which a test cannot be run are replaced by others.
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

// The first settings are drawn anew. Behind so many, half are near some of the best so far.
const (
	afresh = 32
	elite  = 4
)

// next draws settings: anew, or those of the best so far for some test with a knob or two of those.
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

// halve leaves the better half for each test, which runs longer with those. When the time of the round is over, what has not run is left behind.
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

// longer runs a test with settings again. Those with which it cannot be run are in the field no more.
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

// confirm runs all tests with the settings that are left for each, those that were given, and those that are best on the whole.
// Only what had no part in a choice can say how good it was.
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

// all runs all tests with settings, but those that ran with none.
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

// plays reports a test that is not left out because it ran with no settings, or broke the machine with several.
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

// bears reports that the search goes on after an error: the settings do not fit. It tells which were drawn in vain.
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

// works reports that the machine runs a kernel.
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

// sorted is what was found, what was confirmed first.
func (s *search) sorted() (all []Tuned) {
	for _, confirmed := range []bool{true, false} {
		some := slices.DeleteFunc(slices.Clone(s.field), func(t *Tuned) bool { return t.Confirmed != confirmed })
		for _, t := range byRank(some, upTo(len(s.Plans))) {
			all = append(all, *t)
		}
	}
	return all
}

// upTo is the numbers from 0 on, so many.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// byRank is tuned settings, the best for some of the tests first.
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

// meanRanks is, for each of tuned settings, how many others are better for one of the tests, on the average over these tests. The rates themselves have no
// average: those of one test are a thousand times those of another.
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

// Best is the best of tuned settings for some of the plans; nil if none showed an outcome of theirs.
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

// mostDrawn bounds the memory of a location, in bytes: smaller GPUs search, too.
const mostDrawn = 512 << 20

// Draw draws settings for a GPU: each knob by itself. Instances are always permuted over memory: a warp accesses those that lie beside each other all at
// once, so that they end alike, and 32 of them say no more than one.
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

// knobs are what settings near others differ in.
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

// towards is settings with one or two knobs of others.
func (s Settings) towards(other Settings, random *rand.Rand) Settings {
	for range 1 + random.IntN(2) {
		knobs[random.IntN(len(knobs))](&s, other)
	}
	return s
}

// DrawFew draws settings for a machine that interprets.
func DrawFew(random *rand.Rand) Settings {
	pick := func(values ...int) int { return values[random.IntN(len(values))] }
	s := Draw(random)
	s.CTAs, s.Threads, s.Patience, s.LoopBound = pick(2, 4, 8), pick(64, 128), min(s.Patience, 40), Few().LoopBound
	s.PreRounds, s.StressCTAs, s.StressRounds = min(s.PreRounds, 2), min(s.StressCTAs, 1), pick(2, 4)
	return s
}

// BestTunings is the best settings of all tests, those of kinds of tests that do better with others, and those of tests that do.
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
		for at, kind := range slices.Backward(kinds) { // from all tests to those that are most alike
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
