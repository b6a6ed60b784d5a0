package probe

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/solve"
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
	// Progress is told what is looked at next, if it is not nil.
	Progress func(size, marks int)
	// Found is told each difference when it is found, if it is not nil.
	Found func(*Difference)
}

// Difference is a test on which the models differ. No event, fence or annotation of it can be
// dropped or weakened so that they still do.
type Difference struct {
	*Minimized
	Cycle   *gen.Cycle // that it was found as
	Size    int        // of the cycle
	Allowed int        // the model that allows it; the other forbids it
}

// Distinguished is what was found.
type Distinguished struct {
	Tried   int                // tests
	Unknown int                // those of them of which a limit left an answer open
	Limit   error              // the first such limit
	Allowed [2][]*Difference   // by the model that allows them, smallest first
	known   [2]map[string]bool // cycles on which the models differ, by Cycle.Anywhere
	alike   [2]map[string]bool // the likenesses of the tests in Allowed
}

// Run searches. When the context ends, the result is what is known by then.
func (d *Distinction) Run(ctx context.Context) (*Distinguished, error) {
	found := &Distinguished{}
	for side := range found.known {
		found.known[side], found.alike[side] = map[string]bool{}, map[string]bool{}
	}
	for size := max(1, d.Cycles.Size.Min); size <= d.Cycles.Size.Max; size++ {
		for marks := range d.Marks + 1 {
			if d.Progress != nil {
				d.Progress(size, marks)
			}
			if err := d.look(ctx, size, marks, found); err != nil || ctx.Err() != nil || d.done(found) {
				return found, err
			}
		}
	}
	return found, nil
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
func (d *Distinction) look(ctx context.Context, size, marks int, found *Distinguished) error {
	g := d.Cycles
	g.Size, g.Marks = gen.Range{Min: size, Max: size}, &gen.Range{Min: marks, Max: marks}
	differing, err := d.try(ctx, &g, found)
	if err != nil {
		return err
	}
	for side, tests := range differing {
		for _, t := range tests {
			found.known[side][t.Cycle.Anywhere()] = true
		}
		for _, t := range tests {
			if d.enough(found, side) || ctx.Err() != nil {
				break
			}
			if found.hasWeaker(side, t.Cycle) {
				continue
			}
			if err := d.add(ctx, found, &Difference{Cycle: t.Cycle, Size: size, Allowed: side}, t); err != nil {
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

// numbered is a cycle with its place among all, and what became of it.
type numbered struct {
	number int
	cycle  *gen.Cycle
	test   *gen.Test // nil if the cycle has none
	allows int       // the model that alone allows it, or -1
	limit  error     // why that is not known; nil if it is
}

// try runs the tests of all cycles under both models. It returns those on which they differ,
// by the model that allows them, in the order of the cycles. One cycle counts once, wherever
// its threads are.
func (d *Distinction) try(ctx context.Context, g *gen.Generator, found *Distinguished) (differing [2][]*gen.Test, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting := make(chan numbered, ahead)
	var mu sync.Mutex
	var differ, open []numbered
	var workers sync.WaitGroup
	for range max(1, d.Workers) {
		workers.Go(func() {
			for n := range waiting {
				err := d.run(ctx, &n)
				mu.Lock()
				if err != nil {
					cancel(err)
				}
				if n.test != nil {
					found.Tried++
				}
				switch {
				case n.limit != nil:
					open = append(open, n)
				case n.allows >= 0:
					differ = append(differ, n)
				}
				mu.Unlock()
			}
		})
	}
	number := 0
	for c := range g.Cycles(ctx) {
		waiting <- numbered{number: number, cycle: c, allows: -1}
		number++
	}
	close(waiting)
	workers.Wait()
	found.leaveOpen(open)
	slices.SortFunc(differ, byNumber)
	seen := map[string]bool{}
	for _, n := range differ {
		if anywhere := n.test.Cycle.Anywhere(); !seen[anywhere] {
			seen[anywhere] = true
			differing[n.allows] = append(differing[n.allows], n.test)
		}
	}
	return differing, failure(ctx)
}

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
	n.test = t
	test, err := d.load(t, solve.Quick)
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
	n.allows = slices.Index(onlyOneAllows, outcomes)
	return nil
}

// onlyOneAllows are the outcomes where the first model alone allows, and where the second does.
var onlyOneAllows = [][2]sim.Outcome{{sim.Allowed, sim.Forbidden}, {sim.Forbidden, sim.Allowed}}

func (d *Distinction) load(t *gen.Test, effort solve.Effort) (*sim.Test, error) {
	config := d.Config
	config.Effort = effort
	return sim.Load(src.NewFile(t.File.Name, t.String()), config)
}

// add minimizes a test, and keeps it unless another has become the same.
func (d *Distinction) add(ctx context.Context, found *Distinguished, diff *Difference, t *gen.Test) error {
	test, err := d.load(t, solve.States)
	if err != nil {
		return err
	}
	config := d.Config
	config.Effort = solve.States
	kept, err := Keep(ctx, test, config, false, d.Models[0], d.Models[1])
	if err != nil {
		return err
	}
	if diff.Minimized, err = Minimize(ctx, test.Test, config, kept.By); err != nil {
		return err
	}
	like := likeness(diff.Test.Test)
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
