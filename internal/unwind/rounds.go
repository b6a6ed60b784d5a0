package unwind

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// A round of a loop that only reads and fences, and leaves all registers that anything looks at
// as they were, has no trace: whatever the thread does next it could have done a round
// earlier, with fewer events to keep in order. Only its reads may race. A race is between
// two accesses, one of them a write, so at most one such read has part in it: an execution
// needs one round without a trace at most, of one thread. That round keeps its fences, without
// which its reads would race with more. A thread that does not leave the loop after a round
// without a trace may spin for ever, reading the same values: a path that ends there
// (event.EndlessSpin).

// round is the state of a thread at the head of a loop.
type round[R comparable] struct {
	events int
	regs   map[R]event.Expr // what is live
}

// BeginRound notes the state where PC is the head of a loop: the values of the registers that are live.
func (w *Walk[R, M]) BeginRound(value func(R) event.Expr) {
	live, head := w.heads[w.PC]
	if !head {
		return
	}
	r := round[R]{len(w.Path.Events), make(map[R]event.Expr, len(live))}
	for reg := range live {
		r.regs[reg] = value(reg)
	}
	w.rounds[w.PC] = r
}

// EndRound decides whether the path takes a backward branch. A round without a trace counts against
// no bound. It may be the first of endlessly many; and if it has reads that may race, and none was before it,
// the path goes on after it. fork forks the walk.
func (w *Walk[R, M]) EndRound(from, head int, value func(R) event.Expr, fork func() *Walk[R, M]) bool {
	if reads, ok := w.leftNoTrace(head, value); ok {
		switch {
		case !w.Path.Idle && slices.ContainsFunc(reads, w.mayRace):
			endless := fork()
			endless.Path.Ending, endless.Path.Spin = event.EndlessSpin, reads
			w.Path.Idle, w.idleAt = true, from
			return true
		case w.Path.Idle && w.idleAt == from:
			w.dropped = true // the path that ends after the first of two rounds has all of this
		default:
			w.Path.Ending, w.Path.Spin = event.EndlessSpin, reads
		}
		return false
	}
	if w.jumps[from] == w.Opts.Unroll {
		w.Path.Ending, w.Path.Trace = event.Truncated, w.writes(head)
		return false
	}
	w.jumps[from]++
	return true
}

// mayRace reports that an event, a read, may race.
func (w *Walk[R, M]) mayRace(e int) bool { return !w.Path.Events[e].Poll }

// leftNoTrace reports that the round of the loop with the given head, which ends here, has no trace;
// reads are those of the round.
func (w *Walk[R, M]) leftNoTrace(head int, value func(R) event.Expr) (reads []int, ok bool) {
	r, begun := w.rounds[head]
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
		if value(reg) != before {
			return nil, false
		}
	}
	return reads, true
}

// writes is those of the round of the loop with the given head, which ends here.
func (w *Walk[R, M]) writes(head int) (all []int) {
	for e := w.rounds[head].events; e < len(w.Path.Events); e++ {
		if w.Path.Events[e].Kind == event.Write {
			all = append(all, e)
		}
	}
	return all
}

// Code is the instructions of a thread, as far as loops are concerned. The number behind the last
// instruction is the end.
type Code[R comparable] interface {
	Len() int
	// Back is where a backward branch leads to; false for other instructions.
	Back(pc int) (head int, ok bool)
	// Successors are the instructions that may follow.
	Successors(pc int) []int
	// Sets reports that the instruction gives a register another value, whatever it held before.
	Sets(pc int, r R) bool
	// EachRead visits the registers that the instruction looks at.
	EachRead(pc int, visit func(R))
}

// LoopHeads finds the targets of backward branches, and for each the registers that are live there: that
// may be read before they are set, or are observed at the end.
func LoopHeads[R comparable](code Code[R], observed map[R]bool) map[int]map[R]bool {
	heads := map[int]map[R]bool{}
	for pc := range code.Len() {
		if head, ok := code.Back(pc); ok {
			heads[head] = nil
		}
	}
	if len(heads) == 0 {
		return nil
	}
	live := liveness(code, observed)
	for pc := range heads {
		heads[pc] = live[pc]
	}
	return heads
}

// liveness is the registers that are live before each instruction, and at the end: the usual
// backward analysis, to its fixpoint.
func liveness[R comparable](code Code[R], observed map[R]bool) []map[R]bool {
	n := code.Len()
	live := make([]map[R]bool, n+1)
	for pc := range n {
		live[pc] = map[R]bool{}
	}
	live[n] = observed
	for changed := true; changed; {
		changed = false
		for pc := n - 1; pc >= 0; pc-- {
			before := len(live[pc])
			for _, next := range code.Successors(pc) {
				for r := range live[next] {
					if !code.Sets(pc, r) {
						live[pc][r] = true
					}
				}
			}
			code.EachRead(pc, func(r R) { live[pc][r] = true })
			changed = changed || len(live[pc]) > before
		}
	}
	return live
}
