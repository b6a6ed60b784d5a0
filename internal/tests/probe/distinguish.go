package probe

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/language/shrink"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Distinction is the search for the smallest tests on which two models differ: cycles of ever
// more edges, and among those of one size, with ever more marks (gen.Generator).
type Distinction struct {
	Models [2]*cat.Model
	Cycles gen.Generator // what cycles are made of, and how long they may be
	Marks  int           // how many marks they may have
	Config sim.Config
	// Workers is how many tests are tried at a time.
	Workers int
	// Enough is how many tests that one model alone allows end the search for them; 0 to find
	// all.
	Enough int
	// Either ends the search when there are enough tests for one of the models.
	Either bool
	// Progress is told now and then how far the search is, if it is not nil.
	Progress func(Progress)
	// Found is told each difference when it is found, if it is not nil.
	Found func(*Difference)
}

// Progress is how far a search is.
type Progress struct {
	Size, Marks int // of the cycles that are looked at
	Tried       int // cycles so far, of all sizes
	Cycles      int // how many there are of all sizes; 0 while they are being counted
}

// Difference is a test on which the models differ. No part of the cycle that it is from can be weakened, and no event,
// fence or annotation of the test dropped or weakened, if it is of a language whose tests shrink, so that they still do.
type Difference struct {
	*Minimized
	Cycle     *gen.Cycle // that it was found as
	Size      int        // of the cycle
	Allowed   int        // the model that allows it; the other forbids it
	Undefined bool       // that model does not so much allow it as leave the behaviour undefined
}

// Distinguished is what was found.
type Distinguished struct {
	Tried   int                // tests
	Unknown int                // those of them of which a limit left an answer open
	Limit   error              // the first such limit
	Allowed [2][]*Difference   // by the model that allows them, smallest first
	cycles  int                // that were looked at
	known   [2]map[string]bool // cycles of one size on which the models differ, by Cycle.Anywhere
	alike   [2]map[string]bool // the likenesses of the tests in Allowed
}

// Run searches. When the context ends, the result is what is known by then.
func (d *Distinction) Run(ctx context.Context) (*Distinguished, error) {
	found := &Distinguished{alike: [2]map[string]bool{{}, {}}}
	var all atomic.Int64
	var over atomic.Bool
	var counting sync.WaitGroup
	defer counting.Wait()
	defer over.Store(true)
	if d.Progress != nil {
		counting.Go(func() { all.Store(d.countCycles(ctx, &over)) })
	}
	for size := max(1, d.Cycles.Size.Min); size <= d.Cycles.Size.Max; size++ {
		found.known = [2]map[string]bool{{}, {}} // a weaker cycle has the same size
		for marks := range d.Marks + 1 {
			tell := func() {
				if d.Progress != nil {
					d.Progress(Progress{size, marks, found.cycles, int(all.Load())})
				}
			}
			if err := d.look(ctx, size, marks, found, tell); err != nil || ctx.Err() != nil || d.done(found) {
				return found, err
			}
		}
	}
	return found, nil
}

// countCycles counts the cycles of all sizes; 0 if it is stopped.
func (d *Distinction) countCycles(ctx context.Context, stop *atomic.Bool) (n int64) {
	g := d.Cycles
	g.Marks = &gen.Range{Max: d.Marks}
	for range g.Cycles(ctx) {
		if n++; stop.Load() {
			return 0
		}
	}
	if ctx.Err() != nil {
		return 0
	}
	return n
}

func (d *Distinction) enough(f *Distinguished, side int) bool {
	return d.Enough > 0 && len(f.Allowed[side]) >= d.Enough
}

func (d *Distinction) done(f *Distinguished) bool {
	first, second := d.enough(f, 0), d.enough(f, 1)
	return first && second || d.Either && (first || second)
}

// look tries all cycles with so many edges and marks. A cycle is not looked at closer if a
// weaker one makes the difference, too.
func (d *Distinction) look(ctx context.Context, size, marks int, found *Distinguished, tell func()) error {
	g := d.Cycles
	g.Size, g.Marks = gen.Range{Min: size, Max: size}, &gen.Range{Min: marks, Max: marks}
	tell()
	differing, err := d.try(ctx, &g, found, tell)
	if err != nil {
		return err
	}
	for side, cycles := range differing {
		for anywhere := range cycles {
			found.known[side][anywhere] = true
		}
		for _, n := range slices.SortedFunc(maps.Values(cycles), byNumber) {
			if d.enough(found, side) || ctx.Err() != nil {
				break
			}
			if found.hasWeaker(side, n.cycle) {
				continue
			}
			if err := d.add(ctx, found, &Difference{Cycle: n.cycle, Size: size, Allowed: side}); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasWeaker reports that the models also differ on the cycle with one part weaker.
func (f *Distinguished) hasWeaker(side int, c *gen.Cycle) bool {
	for w := range c.Weaker() {
		if f.known[side][w.Anywhere()] {
			return true
		}
	}
	return false
}

// numbered is a cycle with its place among all, and what became of it. It is kept without its
// test: of large sizes there are very many.
type numbered struct {
	number int
	cycle  *gen.Cycle
	tested bool  // it has a test
	allows int   // the model that alone allows it, or -1
	limit  error // why that is not known; nil if it is
}

// differing is the cycles on which the models differ, by the model that allows them and by
// Cycle.Anywhere. One cycle counts once, wherever its threads are: the first is kept.
type differing [2]map[string]numbered

func (f *differing) add(n numbered) {
	anywhere := n.cycle.Anywhere()
	if first, ok := f[n.allows][anywhere]; !ok || n.number < first.number {
		f[n.allows][anywhere] = n
	}
}

// try runs the tests of all cycles under both models. It returns those on which they differ,
// but of a model of which there are enough.
func (d *Distinction) try(ctx context.Context, g *gen.Generator, found *Distinguished, tell func()) (differing, error) {
	limited := ctx // its limit may be a clock, which tells nobody (sim.Config.Limited)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting := make(chan numbered, ahead)
	differ := differing{{}, {}}
	var open []numbered
	var mu sync.Mutex
	note := func(n numbered, err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			cancel(err)
		case n.limit != nil:
			open = append(open, n)
		case n.allows >= 0 && !d.enough(found, n.allows):
			differ.add(n)
		}
		if n.tested {
			found.Tried++
		}
		if found.cycles++; found.cycles%tellEvery == 0 {
			tell()
		}
	}
	var workers sync.WaitGroup
	for range max(1, d.Workers) {
		workers.Go(func() {
			for n := range waiting {
				err := d.run(ctx, &n)
				note(n, err)
			}
		})
	}
	number := 0
	for c := range g.Cycles(limited) {
		if ctx.Err() != nil {
			break
		}
		waiting <- numbered{number: number, cycle: c, allows: -1}
		number++
	}
	close(waiting)
	workers.Wait()
	found.leaveOpen(open)
	return differ, failure(ctx)
}

// tellEvery is after how many cycles those who wait are told.
const tellEvery = 500

func byNumber(a, b numbered) int { return a.number - b.number }

// leaveOpen notes the tests of which an answer is not known.
func (f *Distinguished) leaveOpen(open []numbered) {
	f.Unknown += len(open)
	if f.Limit == nil && len(open) > 0 {
		f.Limit = slices.MinFunc(open, byNumber).limit
	}
}

// ahead is how many cycles may wait for a worker.
const ahead = 256

// failure is why a search has ended, unless it was a limit.
func failure(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && !sim.IsLimit(err) && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// run makes the test of a cycle, if it has one, and runs it under both models.
func (d *Distinction) run(ctx context.Context, n *numbered) error {
	t, err := n.cycle.Test()
	var unsuitable *gen.Unsuitable
	if errors.As(err, &unsuitable) {
		return nil
	}
	if err != nil {
		return err
	}
	n.cycle, n.tested = t.Cycle, true
	test, err := d.load(t, sim.Verdict)
	if err != nil {
		return err
	}
	var outcomes [2]sim.Outcome
	for i, m := range d.Models {
		r, err := test.Run(ctx, m)
		if err != nil {
			return err
		}
		if outcomes[i] = r.Outcome(); outcomes[i] == sim.Unknown {
			n.limit = r.Limit
		}
	}
	n.allows = onlyOneAllows(outcomes)
	return nil
}

// onlyOneAllows is which of two models allows what the other forbids, or leaves it undefined; -1 for none.
func onlyOneAllows(outcomes [2]sim.Outcome) int {
	for i, o := range outcomes {
		if (o == sim.Allowed || o == sim.Undefined) && outcomes[1-i] == sim.Forbidden {
			return i
		}
	}
	return -1
}

func (d *Distinction) load(t *gen.Test, want sim.Want) (*sim.Test, error) {
	config := d.Config
	config.Want = want
	return sim.Load(src.NewFile(t.File.Name, t.String()), config)
}

// add minimizes a test, and keeps it unless another has become the same.
func (d *Distinction) add(ctx context.Context, found *Distinguished, diff *Difference) error {
	t, err := diff.Cycle.Test()
	if err != nil {
		return err
	}
	test, err := d.load(t, sim.States)
	if err != nil {
		return err
	}
	config := d.Config
	config.Want = sim.States
	kept, err := Keep(ctx, test, config, false, d.Models[0], d.Models[1])
	if sim.IsLimit(err) { // a verdict takes less than all states
		found.leaveOpen([]numbered{{limit: err}})
		return nil
	}
	if err != nil {
		return err
	}
	diff.Undefined = kept.Outcomes[diff.Allowed] == sim.Undefined
	if diff.Minimized, err = smallest(ctx, test, config, kept.By); err != nil {
		return err
	}
	like := shrink.Likeness(diff.Test.Test)
	if found.alike[diff.Allowed][like] {
		return nil
	}
	found.alike[diff.Allowed][like] = true
	found.Allowed[diff.Allowed] = append(found.Allowed[diff.Allowed], diff)
	if d.Found != nil {
		d.Found(diff)
	}
	return nil
}

// smallest is what a test shrinks to. One in a language whose tests do not shrink stays as its cycle made it.
func smallest(ctx context.Context, test *sim.Test, config sim.Config, keep Property) (*Minimized, error) {
	if !shrink.Knows(test.Test) {
		return &Minimized{Test: test}, nil
	}
	return Minimize(ctx, test.Test, config, keep)
}
