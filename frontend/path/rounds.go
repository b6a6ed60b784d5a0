package path

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// A round of a loop has no trace if it only reads and fences, and leaves all live registers
// unchanged: whatever the thread does next, it could have done a round earlier, with fewer events
// to order. Only its reads may race. A race is between two accesses, one of them a write, so it
// involves at most one such read: an execution needs at most one round without a trace, of one
// thread. That round keeps its fences, because its reads would race with more accesses without
// them. A thread that does not leave the loop after a round without a trace may spin for ever,
// reading the same values: a path that ends there (event.EndlessSpin).

// round is the state of a thread at the point of a loop.
type round[R comparable] struct {
	events int
	forks  int              // how often the path had forked: by what reads decide, or other threads
	regs   map[R]event.Expr // what is live
}

// beginRound records the state if PC is the point of a loop (loops): the values of the registers
// that are live. It returns false if the path ends here, with the previous round.
func (w *Walk[R]) beginRound() bool {
	if from := w.back; from >= 0 {
		switch head := w.loops.head[from]; {
		case w.PC < head || w.PC > w.loops.last[head]:
			w.back = -1 // it has left
		case w.PC == w.loops.point[head]:
			if w.back = -1; !w.closeRound(from) {
				return false
			}
		}
	}
	live, point := w.loops.live[w.PC]
	if !point {
		return true
	}
	r := round[R]{len(w.Path.Events), w.forked, make(map[R]event.Expr, len(live))}
	for reg := range live {
		r.regs[reg] = w.regs[reg].Value
	}
	w.rounds[w.PC] = r
	return true
}

// endRound reports whether the path takes a backward branch. A round without a trace counts against
// no bound. It may be the first of infinitely many. If it has reads that may race, and no such
// round was before it, the path goes on after it. If the point of the loop is not its head, the
// decision is made at the point.
func (w *Walk[R]) endRound(from int) bool {
	if head := w.loops.head[from]; w.loops.point[head] != head {
		w.back = from
		return true
	}
	return w.closeRound(from)
}

func (w *Walk[R]) closeRound(from int) bool {
	point := w.loops.point[w.loops.head[from]]
	if reads, ok := w.leftNoTrace(point); ok {
		switch {
		case !w.Path.Idles() && slices.ContainsFunc(reads, w.mayRace):
			endless := w.Fork()
			endless.Path.Ending, endless.Path.Spin = event.EndlessSpin, reads
			w.Path.Idle, w.idleAt = reads, from
			return true
		case w.Path.Idles() && w.idleAt == from:
			w.dropped = true // the path that ends after the first of two rounds has all of this
		default:
			w.Path.Ending, w.Path.Spin = event.EndlessSpin, reads
		}
		return false
	}
	if w.Opts.Unroll > 0 && w.counted[from] < maxCounted && w.counts(point) {
		w.counted[from]++
		return true
	}
	if w.jumps[from] == w.Opts.Unroll {
		w.Path.Ending, w.Path.Trace = event.Truncated, w.writes(point)
		return false
	}
	w.jumps[from]++
	return true
}

// maxCounted bounds the iterations of a counting loop that count against no other bound. Such
// iterations are as good as straight-line code, but there may be thousands of them.
const maxCounted = 32

// counts reports whether there was only one way through the round that ends here, and the round
// changed a register to another number, as in for (i = 0; i < 8; i++). A loop that changes nothing
// goes on for ever.
func (w *Walk[R]) counts(point int) bool {
	r, begun := w.rounds[point]
	if !begun || r.forks != w.forked {
		return false
	}
	for reg, before := range r.regs {
		if _, number := w.regs[reg].Value.(event.Const); number && w.regs[reg].Value != before {
			return true
		}
	}
	return false
}

// mayRace reports whether an event, a read, may race.
func (w *Walk[R]) mayRace(e int) bool { return !w.Path.Events[e].Poll }

// leftNoTrace reports whether the round of the loop with the given point, which ends here, has no
// trace, and returns the reads of the round.
func (w *Walk[R]) leftNoTrace(point int) (reads []int, ok bool) {
	r, begun := w.rounds[point]
	if !begun {
		return nil, false
	}
	for e := r.events; e < len(w.Path.Events); e++ {
		switch w.Path.Events[e].Kind {
		case event.Read:
			reads = append(reads, e)
		case event.Fence:
		default:
			return nil, false
		}
	}
	for reg, before := range r.regs {
		if w.regs[reg].Value != before {
			return nil, false
		}
	}
	return reads, true
}

// writes returns the writes of the round of the loop with the given point, which ends here.
func (w *Walk[R]) writes(point int) (all []int) {
	for e := w.rounds[point].events; e < len(w.Path.Events); e++ {
		if w.Path.Events[e].Kind == event.Write {
			all = append(all, e)
		}
	}
	return all
}
