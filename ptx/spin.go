package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
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
type round struct {
	events int
	regs   map[string]event.Expr // what is live
}

// beginRound notes the state at a loop head.
func (w *walk) beginRound() {
	live, head := w.heads[w.pc]
	if !head {
		return
	}
	r := round{len(w.path.Events), map[string]event.Expr{}}
	for name := range live {
		r.regs[name] = w.regs[name].value
	}
	w.rounds[w.pc] = r
}

// goRound decides whether the path takes a backward branch. A round without a trace
// counts against no bound. It may be the first of endlessly many; and if it has reads, and
// none was before it, the path goes on after it.
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

// leftNoTrace reports that the round of the loop with the given head, which ends here,
// has no trace; reads are those of the round.
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
	for name, value := range r.regs {
		if w.regs[name].value != value {
			return nil, false
		}
	}
	return reads, true
}

// loopHeads finds the targets of backward branches, and for each the registers that are
// live there: that may be read before they are set, or are observed at the end.
func (t *thread) loopHeads() map[int]map[string]bool {
	heads := map[int]map[string]bool{}
	for pc, in := range t.code {
		if in.Target != nil && in.TargetPC <= pc {
			heads[in.TargetPC] = nil
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

// liveness is the registers that are live before each instruction, and at the end: the
// usual backward analysis, to its fixpoint.
func (t *thread) liveness() []map[string]bool {
	live := make([]map[string]bool, len(t.code)+1)
	for pc := range t.code {
		live[pc] = map[string]bool{}
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
func (t *thread) liveBefore(pc int, live []map[string]bool) {
	in := t.code[pc]
	for _, next := range t.successors(pc) {
		for name := range live[next] {
			if in.Dst == nil || in.Guard != nil || in.Dst.Text != name {
				live[pc][name] = true
			}
		}
	}
	for _, o := range in.reads() {
		if o.Kind == Register {
			live[pc][o.Text] = true
		}
	}
}

// successors are the instructions that may follow the one at pc; len(t.code) is the end.
func (t *thread) successors(pc int) []int {
	in := t.code[pc]
	always := in.Guard == nil && in.Op.Cmp == isa.NoComparison
	switch {
	case in.Target != nil && always:
		return []int{in.TargetPC}
	case in.Target != nil:
		return []int{pc + 1, in.TargetPC}
	case in.Ends() && always:
		return []int{len(t.code)}
	case in.Ends():
		return []int{pc + 1, len(t.code)}
	}
	return []int{pc + 1}
}

// reads lists the operands that an instruction looks at.
func (in *Instr) reads() []*Operand {
	var operands []*Operand
	if in.Guard != nil {
		operands = append(operands, &in.Guard.Reg)
	}
	if in.Addr != nil {
		operands = append(operands, in.Addr)
	}
	for i := range in.Srcs {
		operands = append(operands, &in.Srcs[i])
	}
	if in.Vote != nil {
		operands = append(operands, in.Vote)
	}
	return operands
}
