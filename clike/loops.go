package clike

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// A round of a loop that only reads and fences, and leaves all registers that anything looks at as they
// were, has no trace: package ptx says what follows from that (spin.go), and it is the same here.

// round is the state of a thread at the head of a loop.
type round struct {
	events int
	regs   map[register]event.Expr // what is live
}

// beginRound notes the state at a loop head.
func (w *walk) beginRound() {
	live, head := w.heads[w.pc]
	if !head {
		return
	}
	r := round{len(w.path.Events), map[register]event.Expr{}}
	for reg := range live {
		r.regs[reg] = w.regs[reg].value
	}
	w.rounds[w.pc] = r
}

// goRound decides whether the path takes a backward jump. A round without a trace counts against no
// bound. It may be the first of endlessly many; and if it has reads, and none was before it, the path
// goes on after it.
func (w *walk) goRound(from, head int) bool {
	if reads, ok := w.leftNoTrace(head); ok {
		switch {
		case !w.path.idle && len(reads) > 0:
			endless := w.fork()
			endless.path.Ending, endless.path.Spin = event.EndlessSpin, reads
			w.path.idle, w.idleAt = true, from
			return true
		case w.path.idle && w.idleAt == from:
			w.dropped = true // the path that ends after the first of two rounds has all of this
		default:
			w.path.Ending, w.path.Spin = event.EndlessSpin, reads
		}
		return false
	}
	if w.jumps[from] == w.opts.Unroll {
		w.path.Ending = event.Truncated
		return false
	}
	w.jumps[from]++
	return true
}

// leftNoTrace reports that the round of the loop with the given head, which ends here, has no trace;
// reads are those of the round.
func (w *walk) leftNoTrace(head int) (reads []int, ok bool) {
	r, begun := w.rounds[head]
	if !begun {
		return nil, false
	}
	for e := r.events; e < len(w.path.Events); e++ {
		switch w.path.Events[e].Kind {
		case event.Read:
			reads = append(reads, e)
		case event.Fence:
		default:
			return nil, false
		}
	}
	for reg, value := range r.regs {
		if w.regs[reg].value != value {
			return nil, false
		}
	}
	return reads, true
}

// loopHeads finds the targets of backward jumps, and for each the registers that are live there: that
// may be read before they are set, or are observed at the end.
func (t *thread) loopHeads() map[int]map[register]bool {
	heads := map[int]map[register]bool{}
	for pc, in := range t.code {
		if j, ok := in.(*jump); ok && j.to <= pc {
			heads[j.to] = nil
		}
	}
	if len(heads) == 0 {
		return nil
	}
	live := t.liveness()
	for pc := range heads {
		heads[pc] = live[pc]
	}
	return heads
}

// liveness is the registers that are live before each instruction, and at the end.
func (t *thread) liveness() []map[register]bool {
	live := make([]map[register]bool, len(t.code)+1)
	for pc := range t.code {
		live[pc] = map[register]bool{}
	}
	live[len(t.code)] = t.observed
	for changed := true; changed; {
		changed = false
		for pc := len(t.code) - 1; pc >= 0; pc-- {
			before := len(live[pc])
			t.liveBefore(pc, live)
			changed = changed || len(live[pc]) > before
		}
	}
	return live
}

// liveBefore adds what is live before the instruction at pc.
func (t *thread) liveBefore(pc int, live []map[register]bool) {
	in := t.code[pc]
	for _, next := range successors(in, pc) {
		for r := range live[next] {
			if !slices.Contains(in.defs(), r) {
				live[pc][r] = true
			}
		}
	}
	for _, x := range in.uses() {
		x.registers(func(r register) { live[pc][r] = true })
	}
}

// successors are where a thread may go on after the instruction at pc.
func successors(in instr, pc int) []int {
	switch in := in.(type) {
	case *jump:
		return []int{in.to}
	case *branch:
		return []int{pc + 1, in.otherwise}
	}
	return []int{pc + 1}
}
