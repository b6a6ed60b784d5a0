package sim

import (
	"iter"
	"sync/atomic"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// Progress is the progress of the simulation of one test. It may be read while the simulation runs.
// A nil Progress records nothing.
type Progress struct {
	total, reached    atomic.Int64 // combinations of control paths
	waiting           atomic.Int64 // those reached that wait for the learning engine
	states, conflicts atomic.Int64
}

// Extent is a snapshot of a Progress: combinations of control paths explored and in total, final
// states found, and conflicts of the learning engine.
type Extent struct {
	Done, Total       int
	States, Conflicts int
}

// Now returns the current progress.
func (p *Progress) Now() Extent {
	done := max(0, p.reached.Load()-p.waiting.Load())
	return Extent{int(done), int(p.total.Load()), int(p.states.Load()), int(p.conflicts.Load())}
}

// Watched returns the test with p recording the progress of its simulation.
func (t *Test) Watched(p *Progress) *Test {
	watched := *t
	watched.config.progress = p
	return &watched
}

// found records the number of states that an engine knows.
func (p *Progress) found(states int) {
	if p != nil && int64(states) > p.states.Load() {
		p.states.Store(int64(states))
	}
}

// learnt records the number of conflicts.
func (p *Progress) learnt(conflicts int) {
	if p != nil {
		p.conflicts.Store(int64(conflicts))
	}
}

// waits records the number of combinations that wait for the learning engine.
func (p *Progress) waits(combinations int) {
	if p != nil {
		p.waiting.Store(int64(combinations))
	}
}

// watch yields structures of a program and records how many were explored. A structure counts as
// explored when the caller asks for the next one.
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
