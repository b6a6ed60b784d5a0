package gpu

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
)

// Run queues the steps between two events and waits for the second, or for the limit. It queues as
// many steps at a time as the queues of the driver hold.
func (g *GPU) Run(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	most := cuda.MaxQueued - 2
	if slices.ContainsFunc(steps, func(s harness.Step) bool { return g.number(s) > 0 }) {
		most /= queuedElsewhere
	}
	var took time.Duration
	for len(steps) > 0 {
		n := fits(steps, most)
		t, err := g.part(ctx, steps[:n])
		if err != nil {
			return 0, err
		}
		took += t
		steps = steps[n:]
	}
	return took, nil
}

// queuedElsewhere bounds the entries that a step on another device than the first takes in any
// queue.
const queuedElsewhere = 3

// fits returns how many of the first steps form a part of at most the given size. Steps that run at
// the same time stay together.
func fits(steps []harness.Step, most int) int {
	n := min(len(steps), most)
	for i := n; i > 0; i-- {
		if i == len(steps) || !together(steps[i-1], steps[i]) {
			return i
		}
	}
	return n
}

// together reports whether two consecutive steps run at the same time.
func together(a, b harness.Step) bool {
	return a.Kernel != nil && b.Kernel != nil && a.Kernel.Stream > 0 && b.Kernel.Stream > 0
}

// part runs as many steps as fit into the queues.
func (g *GPU) part(ctx context.Context, steps []harness.Step) (time.Duration, error) {
	all := []queued{{0, g.begin.Recording()}}
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && together(steps[n-1], steps[n]) {
			n++
		}
		some, err := g.atOnce(steps[:n])
		if err != nil {
			return 0, err
		}
		all, steps = append(all, some...), steps[n:]
	}
	err := g.enqueue(append(all, queued{0, g.end.Recording()}))
	// Even if not all could be queued, the queued work runs; and drivers report a broken kernel in
	// any later call.
	if broken := g.wait(ctx); broken != nil {
		return 0, broken
	}
	if err != nil {
		return 0, err
	}
	return g.end.Since(g.begin)
}

// wait waits for all queued work.
func (g *GPU) wait(ctx context.Context) error {
	for _, d := range slices.Backward(g.devices) { // the first waits for the others
		if err := d.Wait(ctx, g.Limit); err != nil {
			var late *cuda.TimeoutError
			if errors.As(err, &late) {
				late.Kernel = "" // the last kernel that was queued, which need not be the one that runs
			}
			return err
		}
	}
	return nil
}

// queued is work for the device with a number.
type queued struct {
	number int
	work   cuda.Work
}

// atOnce returns the work of steps that run at the same time. Other devices begin theirs when the
// first device has reached this point, and the first continues when they are done.
func (g *GPU) atOnce(steps []harness.Step) (all []queued, err error) {
	var own, elsewhere []queued
	var others []int
	for _, s := range steps {
		work, err := g.work(s)
		if err != nil {
			return nil, err
		}
		number := g.number(s)
		if number == 0 {
			own = append(own, queued{0, work})
			continue
		}
		elsewhere = append(elsewhere, queued{number, work})
		if !slices.Contains(others, number) {
			others = append(others, number)
		}
	}
	if others == nil {
		return own, nil
	}
	all = append(all, queued{0, g.first.passed.Recording()})
	for _, n := range others {
		all = append(all, queued{n, g.devices[n].Awaiting(g.first.passed)})
	}
	all = append(append(all, elsewhere...), own...)
	for _, n := range others {
		all = append(all, queued{n, g.devices[n].passed.Recording()}, queued{0, g.first.Awaiting(g.devices[n].passed)})
	}
	return all, nil
}

// enqueue queues work, in order.
func (g *GPU) enqueue(all []queued) error {
	for len(all) > 0 {
		number := all[0].number
		var work []cuda.Work
		for _, q := range all {
			if q.number != number {
				break
			}
			work = append(work, q.work)
		}
		err := g.devices[number].Enqueue(work...)
		var large *cuda.UnfitError
		if errors.As(err, &large) || errors.Is(err, cuda.OutOfResources) {
			return &harness.Unfit{Err: err}
		}
		if err != nil {
			return err
		}
		all = all[len(work):]
	}
	return nil
}

// number returns the number of the device of a step.
func (g *GPU) number(s harness.Step) int {
	if s.Kernel != nil {
		return s.Kernel.GPU
	}
	return g.memory[s.Clear].gpu
}

// work returns a step as work for the driver.
func (g *GPU) work(s harness.Step) (cuda.Work, error) {
	if s.Kernel == nil {
		m, err := g.at(s.Clear)
		if err != nil {
			return cuda.Work{}, err
		}
		return m.Filling(0), nil
	}
	l := s.Kernel
	f, err := g.function(l)
	if err != nil {
		return cuda.Work{}, err
	}
	args := make([]any, len(l.Params))
	for i, p := range l.Params {
		args[i] = p
		if !l.Wide[i] {
			args[i] = uint32(p)
		}
	}
	line := func(n int) cuda.Dim { return cuda.Dim{X: uint32(n)} }
	return f.Launching(
		cuda.Launch{
			Grid:    line(l.Grid),
			Block:   line(l.Block),
			Cluster: line(l.Cluster),
			Shared:  uint32(l.Shared),
			Stream:  l.Stream,
		}, args...), nil
}

// function returns the entry point of a launch, on its device.
func (g *GPU) function(l *harness.Launch) (*cuda.Function, error) {
	if g.cubin == nil {
		return nil, errors.New("no module is loaded")
	}
	d, err := g.device(l.GPU)
	if err != nil {
		return nil, err
	}
	m, err := d.load(g.ptx, g.cubin)
	if err != nil {
		return nil, err
	}
	return m.function(l.Entry)
}
