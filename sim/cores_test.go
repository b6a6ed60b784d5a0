package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// told returns the answer for a test on some cores: its record with an execution for each state,
// and the work done.
func told(t testing.TB, text string, m *cat.Model, c sim.Config, cores *sim.Cores) (log, work string) {
	t.Helper()
	c.Cores = cores
	r, err := simtest.Load(t, text, c).Run(t.Context(), m)
	if err != nil {
		return err.Error(), ""
	}
	rec := r.Record()
	rec.Untimed = true
	var b strings.Builder
	if _, err := rec.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for i := range r.States {
		w := r.States[i].Witness()
		fmt.Fprintln(&b, w.Rf, w.Co, w.Val)
	}
	if c.Want == sim.Counts {
		fmt.Fprintln(&b, r.Stats.Structures, r.Stats.ThinAir, r.Stats.Truncated)
	}
	// Dividing a structure sometimes saves work: the choices of a part rule out candidates before
	// they are visited.
	return b.String(), fmt.Sprint(r.Stats.Candidates, r.Work.Cuts, r.Work.Counted, r.Work.Forced, r.Work.Left)
}

// sameOnAllCores compares the answers for a test on one core, on a pool of one, and on a pool of
// several cores.
func sameOnAllCores(t testing.TB, text string, m *cat.Model, efforts ...sim.Want) {
	t.Helper()
	for _, effort := range efforts {
		c := sim.Config{Reading: frontend.Options{Unroll: 2}, Want: effort}
		log, _ := told(t, text, m, c, nil)
		one, work := told(t, text, m, c, sim.AtOnce(1))
		several, more := told(t, text, m, c, sim.AtOnce(4))
		if one != log || several != log || more != work {
			t.Errorf("effort %v: alone:\n%s\non one core:\n%s%s\non several:\n%s%s\nof\n%s", effort, log, one, work, several, more, text)
		}
	}
}

// TestCores checks that the number of cores does not change the answer, whether cores share
// combinations of control paths, parts of a single one, or queries to the learning engine.
func TestCores(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	for name, size := range map[string][2]int{"spin-lock": {2, 1}, "grid-barrier": {3, 1}, "ticket-lock": {2, 1}, "deque": {2, 1}, "ring": {3, 1}} {
		k, _ := bench.KernelNamed(name)
		sameOnAllCores(t, k.Make(size[0], size[1]), m, sim.Counts, sim.States, sim.Verdict)
	}
	k, _ := bench.KernelNamed("spin-lock")
	sameOnAllCores(t, k.Make(2, 2), m, sim.Counts, sim.Verdict)
	sameOnAllCores(t, k.Make(3, 1), m, sim.Verdict) // the learning engine is asked about most of it
	for _, f := range bench.Families {
		p := f.Make(4)
		p.Name = f.Name
		sameOnAllCores(t, p.PTX(), m, sim.Counts)
		if f.Name == "sb" { // has more states than the learning engine is asked for
			p = f.Make(9)
			p.Name = f.Name
			sameOnAllCores(t, p.PTX(), m, sim.States)
		}
	}
}

// TestCoresAtRandom is TestCores for random tests.
func TestCoresAtRandom(t *testing.T) {
	m, n := simtest.LoadModel(t, "ptx"), simtest.LoadModel(t, "ptx-asplos15")
	sample.Checks(t, 1, 100)
	rapid.Check(t, func(rt *rapid.T) {
		switch rapid.SampledFrom([]string{"scoped", "plain", "pointers"}).Draw(rt, "kind") {
		case "scoped":
			sameOnAllCores(t, draw.Scoped(rt), m, sim.Counts, sim.Verdict)
		case "pointers":
			sameOnAllCores(t, draw.Pointers(rt), m, sim.Counts, sim.Verdict)
		default:
			sameOnAllCores(t, draw.Program(rt).String(), n, sim.Counts, sim.Verdict)
		}
	})
}
