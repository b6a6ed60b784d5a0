package sim

import (
	"iter"
	"sync/atomic"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// Progress is how far the simulation of one test is. It may be looked at while the simulation runs; a nil one is not kept.
type Progress struct {
	total, reached    atomic.Int64 // combinations of control paths
	waiting           atomic.Int64 // of those that were reached: they are left to the learning engine
	states, conflicts atomic.Int64
}

// Extent is what a Progress says: how many combinations of control paths have been looked at, of how many, how many final
// states were found, and from how many conflicts the learning engine has learnt.
type Extent struct {
	Done, Total       int
	States, Conflicts int
}

// Now is how far the simulation is.
func (p *Progress) Now() Extent {
	done := max(0, p.reached.Load()-p.waiting.Load())
	return Extent{int(done), int(p.total.Load()), int(p.states.Load()), int(p.conflicts.Load())}
}

// Watched is the test with somebody who wants to know how far its simulation is.
func (t *Test) Watched(p *Progress) *Test {
	watched := *t
	watched.config.progress = p
	return &watched
}

// found notes how many states an engine knows.
func (p *Progress) found(states int) {
	if p != nil && int64(states) > p.states.Load() {
		p.states.Store(int64(states))
	}
}

// learnt notes how many conflicts there have been.
func (p *Progress) learnt(conflicts int) {
	if p != nil {
		p.conflicts.Store(int64(conflicts))
	}
}

// waits notes how many combinations wait for the learning engine.
func (p *Progress) waits(combinations int) {
	if p != nil {
		p.waiting.Store(int64(combinations))
	}
}

// watch yields structures of a program, and notes how many were looked at. Who asks for the next has looked at the last.
func (p *Progress) watch(of frontend.Program, structures iter.Seq2[*event.Structure, error]) iter.Seq2[*event.Structure, error] {
	p.reached.Store(0)
	p.waiting.Store(0)
	p.total.Store(int64(of.Combinations()))
	return func(yield func(*event.Structure, error) bool) {
		for s, err := range structures {
			if err == nil {
				p.reached.Store(int64(s.Combination))
			}
			if !yield(s, err) {
				return
			}
		}
		p.reached.Store(p.total.Load())
	}
}
