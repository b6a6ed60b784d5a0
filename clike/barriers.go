package clike

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
)

// A barrier is two events: an entry fence, which releases, and an exit fence, which acquires
// (OpenCL C, 6.13.8; CUDA C++ Programming Guide, "Synchronization Functions"). The relation syncbar
// leads from the entry events of all threads that meet to the exit events of the others: they
// synchronize.

// barrierRules are the rules of C: all threads that arrive in a turn synchronize, even if the
// barrier counts fewer.
var barrierRules = barrier.Rules{LateArrivals: true}

// barrier returns the barrier of a room. The k-th turns of all threads meet there.
func (r Room) barrier() barrier.Barrier {
	b := barrier.Barrier{Key: r.Name, ByTurn: true, Reduce: r.Reduces}
	switch {
	case r.Unit == event.ScopeThread:
		b.Level = litmus.Warp
	case r.Unit == event.ScopeCTA:
		b.Level = litmus.CTA
	case r.Unit == event.ScopeCluster:
		b.Level = litmus.Cluster
	case r.Unit == event.ScopeGPU && r.Name == "":
		b.Level = litmus.Kernel // a grid: only barriers in memory are of a device
	case r.Unit == event.ScopeGPU:
		b.Level = litmus.Device
	default:
		b.Level = barrier.Everyone
	}
	return b
}

// barriers returns the barriers at which the code of a thread has an arrival.
func (c Code) barriers() (all []barrier.Barrier) {
	for _, in := range c {
		if m, ok := in.(*Meet); ok && m.Arrives && !slices.Contains(all, m.Room.barrier()) {
			all = append(all, m.Room.barrier())
		}
	}
	return all
}

// meet appends the events of a barrier, and the visit.
func (w *walk) meet(in *Meet) error {
	v := barrier.Visit{At: in.Room.barrier(), Count: in.Room.Count, Arrive: barrier.None, Wait: barrier.None, Releases: true}
	if in.Vote != nil {
		vote, err := w.eval(in, in.Vote)
		if err != nil {
			return err
		}
		truth, other := w.Split(vote.Value, true)
		if other != nil {
			other.PC--
		}
		v.Vote = truth
	}
	e := event.Event{Kind: event.Barrier, Scope: in.Scope, Tags: in.Spaces, Mnemonic: in.Name, Barrier: in.barrier()}
	if in.Arrives {
		e.Order = event.Release
		v.Arrive = w.Event(e, nil, nil, nil)
	}
	if in.Waits {
		w.wait(v, e)
	} else {
		w.Meet(v)
	}
	return w.takeResult(in)
}

// wait appends the visit of a thread that waits, and its exit. On the path on which it never
// leaves, the thread waits at its arrival, or at an event that is no fence.
func (w *walk) wait(v barrier.Visit, e event.Event) {
	if v.Wait = v.Arrive; v.Arrive == barrier.None {
		v.Wait = len(w.Path.Events)
	}
	stuck := w.Meet(v)
	if v.Arrive == barrier.None {
		stuck.Event(e, nil, nil, nil)
	}
	e.Order = event.Acquire
	w.Path.Visits[len(w.Path.Visits)-1].Wait = w.Event(e, nil, nil, nil)
}

// barrier returns what people call the barrier.
func (in *Meet) barrier() string {
	if in.Room.Name != "" {
		return "barrier " + in.Room.Name
	}
	return in.Name
}

// takeResult sets the result of a barrier that reduces.
func (w *walk) takeResult(in *Meet) error {
	if in.Dst == None {
		return nil
	}
	most := 1
	if in.Room.Reduces == barrier.CountVotes {
		most = w.threads
	}
	return w.Results(most, func(here *path.Walk[Register], result event.Expr) error {
		here.Set(in.Dst, path.Held{Value: result})
		return nil
	})
}
