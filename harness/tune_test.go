package harness_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

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

// search is a search on the interpreter; drawn are the settings that it draws, one after the other.
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

// with is the usual settings of the interpreter with a change.
func with(change func(*harness.Settings)) harness.Settings {
	s := harness.Few()
	change(&s)
	return s
}

// TestTuningDrawsAgain has settings drawn that do not fit the test, or the memory of the machine: others
// take their place, and the search goes on.
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

// TestTuningKeepsTheBest ends a search early: what was found until then is the result.
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

// TestBestFor finds for each test the settings that suit it best.
func TestBestFor(t *testing.T) {
	one, other := harness.Tuned{Settings: harness.Usual()}, harness.Tuned{Settings: harness.Few()}
	one.Tests = []harness.Score{{Weak: 10, Seconds: 1}, {Weak: 1, Seconds: 1}, {}}
	other.Tests = []harness.Score{{Weak: 1, Seconds: 1}, {Weak: 1, Seconds: 0.5}, {}}
	tuned := []harness.Tuned{one, other}
	for plan, want := range []*harness.Tuned{&tuned[0], &tuned[1], nil} {
		if got := harness.BestFor(tuned, plan); got != want {
			t.Errorf("for test %d: %+v", plan, got)
		}
	}
}
