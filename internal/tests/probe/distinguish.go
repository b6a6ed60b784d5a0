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

// Distinction is the search for the smallest tests on which two models differ. It tries cycles with
// an increasing number of edges and, for each size, an increasing number of marks (gen.Generator).
type Distinction struct {
	Models [2]*cat.Model
	Cycles gen.Generator // the vocabulary of cycles, and their largest size
	Marks  int           // the largest number of marks
	Config sim.Config
	// Workers is the number of tests that run concurrently.
	Workers int
	// Enough is the number of tests, allowed by one model alone, that ends the search for more of
	// them; 0 finds all.
	Enough int
	// Either ends the search when there are enough tests for one of the models.
	Either bool
	// Progress, unless nil, is called now and then with the progress of the search.
	Progress func(Progress)
	// Found, unless nil, is called with each difference when it is found.
	Found func(*Difference)
}

// Progress is the progress of a search.
type Progress struct {
	Size, Marks int // of the present cycles
	Tried       int // cycles so far, of all sizes
	Cycles      int // number of cycles of all sizes; 0 while they are being counted
}

// Difference is a minimal test on which the models differ: no part of its cycle can be weakened,
// and, if tests of its language can be shrunk, no event, fence or annotation can be dropped or
// weakened, so that the models still differ.
type Difference struct {
	*Minimized
	Cycle     *gen.Cycle // the cycle for which it was found
	Size      int        // of the cycle
	Allowed   int        // the model that allows it; the other forbids it
	Undefined bool       // that model leaves the behaviour undefined, instead of allowing it
}

// Distinguished is the result of a search.
type Distinguished struct {
	Tried   int                // tests
	Unknown int                // the tests for which a limit left an answer open
	Limit   error              // the first such limit
	Allowed [2][]*Difference   // by the model that allows them, smallest first
	cycles  int                // number of cycles tried
	known   [2]map[string]bool // cycles of one size on which the models differ, by Cycle.Anywhere
	alike   [2]map[string]bool // canonical forms of the tests in Allowed
}

// Run searches. If the context ends, it returns the result so far.
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

// countCycles returns the number of cycles of all sizes, or 0 if it is stopped.
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

// look tries all cycles of a size with the given number of marks. It skips a cycle if a weaker one
// makes a difference, too.
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

// hasWeaker reports whether the models also differ on the cycle with one part weakened.
func (f *Distinguished) hasWeaker(side int, c *gen.Cycle) bool {
	for w := range c.Weaker() {
		if f.known[side][w.Anywhere()] {
			return true
		}
	}
	return false
}

// numbered is a cycle with its number and result. It does not hold the cycle's test, because there
// are very many cycles of large sizes.
type numbered struct {
	number int
	cycle  *gen.Cycle
	tested bool  // it has a test
	allows int   // the model that alone allows it, or -1
	limit  error // why that is not known, or nil
}

// differing are the cycles on which the models differ, by the model that allows them and by
// Cycle.Anywhere. Cycles that differ only in the placement of threads count once; the first is
// kept.
type differing [2]map[string]numbered

func (f *differing) add(n numbered) {
	anywhere := n.cycle.Anywhere()
	if first, ok := f[n.allows][anywhere]; !ok || n.number < first.number {
		f[n.allows][anywhere] = n
	}
}

// try runs the tests of all cycles under both models. It returns the cycles on which they differ,
// except those that a model allows that has enough tests.
func (d *Distinction) try(ctx context.Context, g *gen.Generator, found *Distinguished, tell func()) (differing, error) {
	limited := ctx // its limit may be a clock, which does not cancel the context (sim.Config.Limited)
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

// tellEvery is the number of cycles between reports of progress.
const tellEvery = 500

func byNumber(a, b numbered) int { return a.number - b.number }

// leaveOpen records the tests for which an answer is not known.
func (f *Distinguished) leaveOpen(open []numbered) {
	f.Unknown += len(open)
	if f.Limit == nil && len(open) > 0 {
		f.Limit = slices.MinFunc(open, byNumber).limit
	}
}

// ahead bounds the cycles that wait for a worker.
const ahead = 256

// failure returns why a search ended, unless it was a limit.
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

// onlyOneAllows returns which of two models allows, or leaves undefined, what the other forbids; -1
// for none.
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

// add minimizes a test, and keeps it unless an earlier one was minimized to the same test.
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
	if sim.IsLimit(err) { // a verdict needs less work than all states
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

// smallest shrinks a test. A test in a language whose tests cannot be shrunk is returned unchanged.
func smallest(ctx context.Context, test *sim.Test, config sim.Config, keep Property) (*Minimized, error) {
	if !shrink.Knows(test.Test) {
		return &Minimized{Test: test}, nil
	}
	return Minimize(ctx, test.Test, config, keep)
}
