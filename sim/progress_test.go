package sim_test

import (
	"context"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestProgress: while a test runs it is known how far that is, whichever engine looks at its
// combinations of control paths, and at the end all of them have been looked at.
func TestProgress(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	lock, _ := bench.KernelNamed("spin-lock")
	for _, engine := range []sim.Engine{sim.Fast, sim.Learning} {
		for _, effort := range []sim.Want{sim.Counts, sim.States} {
			c := sim.Defaults()
			c.Engine, c.Want = engine, effort
			test := simtest.Load(t, lock.Make(2, 1), c)
			p := &sim.Progress{}
			far := &asked{Context: context.Background(), p: p}
			r, err := test.Watched(p).Run(far, m)
			if err != nil {
				t.Fatal(err)
			}
			end := p.Now()
			if end.Total < 2 || end.Done != end.Total || r.Work.Learnt > 0 && end.Conflicts == 0 || engine == sim.Fast && effort == sim.Counts && end.States == 0 {
				t.Errorf("engine %v, effort %v: %+v at the end", engine, effort, end)
			}
			if far.last.Total != end.Total || far.last.Done > end.Done {
				t.Errorf("engine %v, effort %v: %+v on the way, %+v at the end", engine, effort, far.last, end)
			}
		}
	}
}

// asked is a context that looks at the progress whenever it is asked whether to stop.
type asked struct {
	context.Context
	p    *sim.Progress
	last sim.Extent
}

func (a *asked) Err() error {
	if now := a.p.Now(); now.Total > 0 {
		a.last = now
	}
	return nil
}
