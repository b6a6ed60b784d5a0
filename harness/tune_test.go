package harness_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
)

// narrow is a machine with little memory.
type narrow struct {
	*interp.Machine
	most int // bytes of an allocation
}

func (n narrow) Alloc(gpu, bytes, names int) ([]uint64, error) {
	if bytes > n.most {
		return nil, &harness.Unfit{Err: errors.New("too little memory")}
	}
	return n.Machine.Alloc(gpu, bytes, names)
}

// search returns a search on the interpreter; drawn are the settings that it draws, in order.
func search(t *testing.T, drawn ...harness.Settings) *harness.Tuning {
	t.Helper()
	p, err := plan(t, parse(t, mp), harness.SM70)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	return &harness.Tuning{
		Machine: interp.New(1), Plans: []*harness.Plan{p}, First: harness.Few(), Draws: 3, Instances: 100,
		Draw: func(*rand.Rand) harness.Settings {
			next++
			return drawn[(next-1)%len(drawn)]
		},
	}
}

// with returns the default settings of the interpreter with a change.
func with(change func(*harness.Settings)) harness.Settings {
	s := harness.Few()
	change(&s)
	return s
}

// TestTuningDrawsAgain: settings that do not fit the test, or the memory of the machine, are
// replaced by others, and the search continues.
func TestTuningDrawsAgain(t *testing.T) {
	lonely := with(func(s *harness.Settings) { s.CTAs = 0 })
	wide := with(func(s *harness.Settings) { s.Stride = 1 << 20 })
	good := with(func(s *harness.Settings) { s.Patience = 7 })
	s := search(t, lonely, wide, good)
	s.Machine = narrow{interp.New(1), 1 << 20}
	var misfits []harness.Settings
	s.Unfit = func(bad harness.Settings, _ error) { misfits = append(misfits, bad) }
	found, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 3 || len(misfits) != 4 || misfits[0] != lonely || misfits[1] != wide {
		t.Errorf("%d found, %d did not fit", len(found), len(misfits))
	}
	for _, f := range found {
		if f.Settings != good && f.Settings != s.First || len(f.Tests) != 1 || f.Instances < 100 {
			t.Errorf("found %+v", f)
		}
	}
	if s = search(t, lonely); len(must(s.Run(t.Context()))) != 1 {
		t.Error("a search ends although nothing that is drawn fits")
	}
}

func must(found []harness.Tuned, err error) []harness.Tuned {
	var unfit *harness.Unfit
	if !errors.As(err, &unfit) {
		panic("the error is not that nothing fits")
	}
	return found
}

// TestTuningKeepsTheBest: a search that ends early returns what it has found.
func TestTuningKeepsTheBest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := search(t, harness.Few())
	s.Progress = func(round int, _ harness.Tuned) {
		if round == 1 {
			cancel()
		}
	}
	found, err := s.Run(ctx)
	if !errors.Is(err, context.Canceled) || len(found) != 3 {
		t.Errorf("%d found, error %v", len(found), err)
	}
}

// fickle is a machine that fails in one of several runs; it continues to work unless it is broken.
type fickle struct {
	*interp.Machine
	every, runs int
	breaks      bool
	broken      error
}

func (f *fickle) Run(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	if f.runs++; f.runs%f.every == 0 {
		err := errors.New("a launch that the driver does not like")
		if f.breaks {
			f.broken = err
		}
		return 0, err
	}
	if f.broken != nil {
		return 0, f.broken
	}
	return f.Machine.Run(ctx, steps)
}

// TestTuningBearsErrors: after an error of a machine that still works, settings are redrawn or
// dropped. A broken machine ends the search, which returns the best so far.
func TestTuningBearsErrors(t *testing.T) {
	for _, tt := range []struct {
		breaks bool
		found  int
	}{{false, 8}, {true, 3}} {
		s := search(t, harness.Few())
		s.Machine, s.Draws = &fickle{Machine: interp.New(1), every: 7, breaks: tt.breaks}, 8
		vain := 0
		s.Unfit = func(harness.Settings, error) { vain++ }
		found, err := s.Run(t.Context())
		if tt.breaks != (err != nil) || tt.breaks != (vain == 0) || len(found) > tt.found || len(found) == 0 {
			t.Errorf("broken: %v: %d found, %d in vain, %v", tt.breaks, len(found), vain, err)
		}
	}
}

// picky is a machine that refuses modules whose text has a word.
type picky struct {
	*interp.Machine
	word string
}

func (p picky) Load(ctx context.Context, ptx string) error {
	if strings.Contains(ptx, p.word) {
		return errors.New("no such instruction")
	}
	return p.Machine.Load(ctx, ptx)
}

// TestTuningLeavesOut: a test that cannot be run with any settings is left out, and the others are
// tuned; without any test, the search ends.
func TestTuningLeavesOut(t *testing.T) {
	s := search(t, harness.Few())
	other, err := plan(t,
		parse(t, strings.Replace(strings.Replace(mp, "MP", "MP-sc", 1), "membar.gl ", "membar.sys", 1)), harness.SM70)
	if err != nil {
		t.Fatal(err)
	}
	s.Machine, s.Plans = picky{interp.New(1), "membar.sys"}, append(s.Plans, other)
	found, err := s.Run(t.Context())
	if err != nil || len(found) != 3 || found[0].Tests[0].Instances == 0 || found[0].Tests[1].Instances > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	s.Plans = s.Plans[1:]
	if found, err = s.Run(t.Context()); err == nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestTuningKeepsTime: a search with a deadline ends before it, with as many settings as time
// permits.
func TestTuningKeepsTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	s := search(t)
	s.Machine, s.Draw, s.Draws = interp.NewWeak(1), harness.DrawFew, 1000
	if found, err := s.Run(ctx); err != nil || len(found) == 0 || len(found) == s.Draws {
		t.Errorf("%d found, %v", len(found), err)
	}
}

// TestTuningConfirms: the remaining settings are run again, among them the given ones.
func TestTuningConfirms(t *testing.T) {
	p, err := plan(t, parse(t, strings.Replace(mp, " membar.gl       | membar.cta       ;\n", "", 1)), harness.SM70)
	if err != nil {
		t.Fatal(err)
	}
	s := search(t, with(func(s *harness.Settings) { s.Stride = 4 }),
		with(func(s *harness.Settings) { s.Permute = false }))
	s.Machine, s.Plans, s.Draws = interp.NewWeak(1), []*harness.Plan{p, p}, 4
	last := 0
	s.Progress = func(round int, tried harness.Tuned) {
		if tried.Confirmed {
			last = round
		}
	}
	found, err := s.Run(t.Context())
	if err != nil || len(found) != 4 || !found[0].Confirmed || found[0].Tests[0].Weak == 0 || last != 3 {
		t.Errorf("%d found, confirmed in round %d, %v", len(found), last, err)
	}
}

// TestBest: the best settings for some tests are better than most others for each, whatever the
// rates; a rate of few instances counts for less.
func TestBest(t *testing.T) {
	of := func(name int, rates ...int) harness.Tuned {
		tuned := harness.Tuned{Settings: harness.Settings{CTAs: name}}
		for _, r := range rates {
			tuned.Tests = append(tuned.Tests, harness.Score{Weak: r, Seconds: 1})
		}
		return tuned
	}
	tuned := []harness.Tuned{of(0, 9000, 1, 1, 0), of(1, 8000, 5, 5, 0), of(2, 10, 6, 2, 0)}
	for _, tt := range []struct {
		plans []int
		want  int
	}{{[]int{0}, 0}, {[]int{1}, 2}, {[]int{0, 2}, 1}, {[]int{0, 1, 2, 3}, 1}} {
		if got := harness.Best(tuned, tt.plans); got == nil || got.Settings.CTAs != tt.want {
			t.Errorf("for tests %d: %+v, want %d", tt.plans, got, tt.want)
		}
	}
	if got := harness.Best(tuned, []int{3}); got != nil {
		t.Errorf("for a test that no settings showed: %+v", got)
	}
	lucky, steady := of(0, 1), of(1, 90)
	lucky.Tests[0].Seconds, steady.Tests[0].Seconds = 0.01, 1
	if got := harness.Best([]harness.Tuned{lucky, steady}, []int{0}); got.Settings.CTAs != 1 {
		t.Error("one instance by chance is worth more than many")
	}
}

// TestKinds: the kinds of a test depend on where its threads and locations are, and on its fences.
func TestKinds(t *testing.T) {
	for _, tt := range []struct{ change, into, want string }{
		{"", "", "inter-CTA, fence.gpu|inter-CTA"},
		{"membar.gl ", "membar.sys", "inter-CTA, fence.sys|inter-CTA"},
		{"(cta (warp T0)) (cta (warp T1))", "(cta (warp T0) (warp T1))", "intra-CTA, fence.gpu|intra-CTA"},
		{"(cta (warp T0)) (cta (warp T1))", "(cta (warp T0 T1))", "intra-warp, fence.gpu|intra-warp"},
		{
			"(cta (warp T0)) (cta (warp T1))", "(cta (warp T0) (warp T1))\nx: shared",
			"intra-CTA shared, fence.gpu|intra-CTA shared|intra-CTA",
		},
		{"(cta (warp T0)) (cta (warp T1))", "(device (cta T0)) (device (cta T1))", "inter-GPU, fence.gpu|inter-GPU"},
		{" membar.gl       | membar.cta       ;\n", "", "inter-CTA, no fence|inter-CTA"},
	} {
		text := strings.Replace(mp, tt.change, tt.into, 1)
		if strings.Contains(tt.into, "shared") {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "st.cg", "st"), "ld.cg", "ld")
		}
		p, err := plan(t, parse(t, text), harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Kinds(), "|"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.into, got, tt.want)
		}
	}
}

// TestTuningsOf: a test has the settings of its name, or of the nearest kind, or of all; found
// settings list kinds and names only where tests do better.
func TestTuningsOf(t *testing.T) {
	var plans []*harness.Plan
	for i, tree := range []string{
		"(cta (warp T0)) (cta (warp T1))", "(cta (warp T0)) (cta (warp T1))", "(cta (warp T0) (warp T1))",
		"(cta (warp T0) (warp T1))",
	} {
		text := strings.Replace(strings.Replace(mp, "MP", fmt.Sprint("MP", i), 1),
			"(cta (warp T0)) (cta (warp T1))", tree, 1)
		if i == 3 {
			text = strings.Replace(text, "membar.gl ", "membar.cta", 1)
		}
		p, err := plan(t, parse(t, text), harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, p)
	}
	var found []harness.Tuned
	for name, rates := range [][]int{{50, 50, 50, 50}, {90, 40, 10, 10}, {10, 10, 90, 10}} {
		tuned := harness.Tuned{Settings: harness.Settings{CTAs: name, Opaque: true}}
		for _, r := range rates {
			tuned.Tests = append(tuned.Tests, harness.Score{Weak: r, Seconds: 1})
		}
		found = append(found, tuned)
	}
	best := harness.BestTunings(plans, found)
	if len(best.Tests) != 1 || len(best.Kinds) != 1 || best.Kinds["intra-CTA, fence.gpu"].CTAs != 2 {
		t.Errorf("%d tests, kinds %v", len(best.Tests), best.Kinds)
	}
	for i, want := range []int{1, 0, 2, 0} {
		if got := best.Of(plans[i]); got.CTAs != want || !got.Opaque {
			t.Errorf("test %d: %+v", i, got)
		}
	}
}

// brittle is a machine that some settings, or some test, break permanently; both are recognized by
// their threads.
type brittle struct {
	*interp.Machine
	breaks func(*harness.Launch) bool
	broken error
}

func (b *brittle) Run(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	for _, s := range steps {
		if s.Kernel != nil && b.breaks(s.Kernel) {
			b.broken = errors.New("the kernel hangs")
		}
	}
	if b.broken != nil {
		return 0, b.broken
	}
	return b.Machine.Run(ctx, steps)
}

// TestTuningGoesOn: after a trial that breaks the machine another process continues, and repeats no
// trial. Such settings are left out, and so is a test that breaks the machine twice. If no process
// can continue, the result is computed from the trials.
func TestTuningGoesOn(t *testing.T) {
	hangs := with(func(s *harness.Settings) { s.CTAs, s.Threads = 2, 128 })
	begin := func(past []harness.Trial, began time.Time) *harness.Tuning {
		drawn := []harness.Settings{hangs}
		for n := range 7 {
			drawn = append(drawn, with(func(s *harness.Settings) { s.Patience = n }))
		}
		s := search(t, drawn...)
		other, err := plan(t, parse(t, strings.Replace(mp, "MP", "hangs", 1)), harness.SM70)
		if err != nil {
			t.Fatal(err)
		}
		s.Plans, s.Draws, s.Past, s.Began = append(s.Plans, other), 6, past, began
		return s
	}
	var past []harness.Trial
	began, processes := time.Now(), 0
	made := map[string]int{}
	var found []harness.Tuned
	for again := true; again; {
		s := begin(past, began)
		var now harness.Trial
		s.Begin = func(trial harness.Trial) error {
			now = trial
			made[fmt.Sprint(trial)]++
			return nil
		}
		s.End = func(trial harness.Trial) error {
			past = append(past, trial)
			return nil
		}
		s.Machine = &brittle{Machine: interp.New(1), breaks: func(l *harness.Launch) bool {
			return l.Entry == harness.TestEntry &&
				(l.Block == 128 && l.Grid <= 3 && now.Test == "MP" || now.Test == "hangs" && now.Round > 0)
		}}
		var err error
		if found, err = s.Run(t.Context()); err != nil {
			now.Why, now.Broke, now.Ended = err.Error(), true, time.Now()
			past = append(past, now)
		}
		again = err != nil
		if processes++; processes > 9 {
			t.Fatal("it comes to no end: ", err)
		}
	}
	if processes != 4 {
		t.Errorf("%d processes for settings that hang and a test that does so twice", processes)
	}
	for trial, n := range made {
		if n > 1 {
			t.Errorf("made %d times: %s", n, trial)
		}
	}
	later := 0
	for _, trial := range past {
		if trial.Test == "hangs" && trial.Round > 0 {
			later++
		}
	}
	if len(found) == 0 || found[0].Tests[0].Instances == 0 || later != harness.MostBreaks {
		t.Errorf("%d trials of what hangs, found %+v", later, found)
	}
	for _, f := range found {
		if f.Settings == hangs {
			t.Error("what hangs is among what was found")
		}
	}
	replay := begin(past, began)
	replay.Machine = nil
	if again, err := replay.Run(t.Context()); err != nil || fmt.Sprint(again) != fmt.Sprint(found) {
		t.Errorf("%v: found again %v, want %v", err, again, found)
	}
	replay = begin(past[:len(past)-1], began)
	replay.Machine = nil
	if again, err := replay.Run(t.Context()); err == nil || len(again) == 0 {
		t.Errorf("%v: found %v without the last trial", err, again)
	}
}

// TestTuningDrawsNear: after the first 32 settings, half of those drawn differ from earlier ones in
// at most two knobs.
func TestTuningDrawsNear(t *testing.T) {
	s := search(t)
	s.Draws, s.Instances = 72, 1
	n := 0
	s.Draw = func(random *rand.Rand) harness.Settings { // no two are equal
		n++
		drawn := harness.DrawFew(random)
		drawn.Stride, drawn.SharedStride, drawn.Lines, drawn.LineStride, drawn.Patience = 4*n, 4*n, n, 4*n, n
		drawn.WithoutMeeting, drawn.WithoutPre, drawn.WithoutStress, drawn.InTurns = n%100, n%100, n%100, n%100
		return drawn
	}
	ctx, stop := context.WithCancel(t.Context())
	var tried []harness.Settings
	near := 0
	s.Progress = func(round int, found harness.Tuned) {
		if round > 0 {
			stop()
			return
		}
		const twoKnobs = 6 // fields
		if slices.ContainsFunc(tried, func(other harness.Settings) bool {
			return differences(other, found.Settings) <= twoKnobs
		}) {
			near++
			if len(tried) < 32 {
				t.Errorf("settings %d are near others: %v", len(tried), found.Settings)
			}
		}
		tried = append(tried, found.Settings)
	}
	if _, err := s.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if near < 10 || near > 30 {
		t.Errorf("%d of %d settings are near others, want some 20", near, len(tried))
	}
}

// differences counts the fields in which settings differ.
func differences(a, b harness.Settings) (n int) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !x.Field(i).Equal(y.Field(i)) {
			n++
		}
	}
	return n
}
