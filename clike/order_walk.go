package clike

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
)

// A walk evaluates an expression whose order is open as several strands, one for each operand.
// Until its next unit, what a strand does makes no difference to others, so it is done at once.
// Then the strands wait at units, whose order matters, and the walk forks for each strand that may
// be next. Of orders that differ only in swapping independent neighbours, only one is walked (sleep
// sets: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996).

// strand is an operand on its way.
type strand struct {
	pc, end  int
	parent   int      // -1 for the expression itself
	group    int      // the strand with the first operand of the same operator
	how      ordering // of the operands of that operator
	open     int      // operands of its own that have not ended
	begun    bool     // it has run a unit
	done     bool
	asleep   bool // what it does next has been tried in its place already
	controls []path.Control
}

// evaluation is an expression on its way.
type evaluation struct {
	strands []strand
	at      int // the strand that runs
	unit    int // the end of the unit that it runs; 0 for none
	steps   []step
	chosen  []int // the units that have run: the number of the first instruction of each, from 1
	free    bool  // there was more than one order
}

// step is an instruction that was executed.
type step struct {
	pc, strand int
	first      int      // its first event
	before     []uint64 // the steps that are sequenced before it, as bits
}

// noStrand is the index for no strand.
const noStrand = -1

func (e *evaluation) clone() *evaluation {
	if e == nil {
		return nil
	}
	f := *e
	f.strands, f.steps, f.chosen = slices.Clone(e.strands), slices.Clone(e.steps), slices.Clone(e.chosen)
	for i := range f.strands {
		f.strands[i].controls = slices.Clone(e.strands[i].controls)
	}
	return &f
}

// split begins the operands of the instruction before PC.
func (w *walk) split(in *Operands) {
	e := w.evaluation
	if e == nil {
		e = &evaluation{strands: []strand{{end: in.Ends[len(in.Ends)-1], parent: noStrand, controls: w.Controls}}}
		w.evaluation = e
	}
	parent, group := e.at, len(e.strands)
	e.strands[parent].pc, e.strands[parent].open = in.Ends[len(in.Ends)-1], len(in.Ends)
	e.strands[parent].controls = w.Controls
	for i := range in.Ends {
		p := in.part(w.PC-1, i)
		e.strands = append(e.strands, strand{
			pc: p.start, end: p.end, parent: parent, group: group, how: in.How, controls: slices.Clone(w.Controls),
		})
	}
	e.at = noStrand
}

// goesOn moves the walk to the next instruction of an expression. It returns false if another walk
// covers this one.
func (w *walk) goesOn() bool {
	e := w.evaluation
	if e.at != noStrand {
		s := &e.strands[e.at]
		s.pc = w.PC
		switch {
		case e.unit > 0 && w.PC < e.unit, e.unit == 0 && w.PC < s.end && w.free.unit[w.PC] == 0:
			return true
		}
		if w.PC == s.end {
			w.Join()
		}
		s.controls, e.at, e.unit = w.Controls, noStrand, 0
	}
	if e.finish(); e.strands[0].done {
		w.PC, w.Controls = e.strands[0].end, e.strands[0].controls
		w.conclude()
		w.Join()
		return true
	}
	return w.choose()
}

// finish ends the strands that have reached their ends.
func (e *evaluation) finish() {
	for i := len(e.strands) - 1; i >= 0; i-- {
		if s := &e.strands[i]; !s.done && s.open == 0 && s.pc == s.end {
			s.done = true
			if s.parent != noStrand {
				e.strands[s.parent].open--
			}
		}
	}
}

// choose runs a strand that can run.
func (w *walk) choose() bool {
	e := w.evaluation
	var ready []int
	for i := range e.strands {
		switch s := &e.strands[i]; {
		case s.done || s.open > 0:
		case w.free.unit[s.pc] == 0:
			w.run(i)
			return true
		case !e.blocked(i):
			ready = append(ready, i)
		}
	}
	awake := slices.DeleteFunc(slices.Clone(ready), func(i int) bool { return e.strands[i].asleep })
	if len(awake) == 0 {
		w.Drop()
		return false
	}
	e.free = e.free || len(ready) > 1
	for n := len(awake) - 1; n >= 0; n-- {
		next := w
		if n > 0 {
			next = ofC(w.Fork())
			next.OneWay()
			w.OneWay() // a round of a loop goes the same way, whatever the order
		}
		next.runUnit(awake[n], awake[:n])
	}
	return true
}

// blocked reports whether a strand must wait for a sibling that has begun.
func (e *evaluation) blocked(i int) bool {
	for ; i != noStrand; i = e.strands[i].parent {
		if e.strands[i].how != indeterminate {
			continue
		}
		for j := range e.strands {
			if t := &e.strands[j]; j != i && t.group == e.strands[i].group && t.parent != noStrand && t.begun && !t.done {
				return true
			}
		}
	}
	return false
}

// run makes a strand continue.
func (w *walk) run(i int) {
	s := &w.evaluation.strands[i]
	w.evaluation.at, w.PC, w.Controls = i, s.pc, s.controls
}

// runUnit makes a strand run its next unit. The strands that were tried in its place, or were
// asleep, sleep until a unit depends on them.
func (w *walk) runUnit(i int, tried []int) {
	e := w.evaluation
	for j := range e.strands {
		t := &e.strands[j]
		t.asleep = (t.asleep || slices.Contains(tried, j)) && j != i && w.independent(i, j)
	}
	for j := i; j != noStrand; j = e.strands[j].parent {
		e.strands[j].begun = true
	}
	w.run(i)
	e.unit = w.free.unit[w.PC]
	e.chosen = append(e.chosen, w.PC+1)
}

// independent reports whether the next units of two strands can change places.
func (w *walk) independent(i, j int) bool {
	e := w.evaluation
	how, _ := e.apart(i, j)
	if how == indeterminate {
		return false
	}
	p, q := e.strands[i].pc, e.strands[j].pc
	for a := p; a < w.free.unit[p]; a++ {
		for b := q; b < w.free.unit[q]; b++ {
			if w.depend(how, a, b) {
				return false
			}
		}
	}
	return true
}

// apart reports whether two strands belong to different operands of an operator, and how the
// operands are ordered.
func (e *evaluation) apart(i, j int) (how ordering, are bool) {
	for ; i != noStrand; i = e.strands[i].parent {
		for k := j; k != noStrand; k = e.strands[k].parent {
			s, t := &e.strands[i], &e.strands[k]
			if i == k {
				return sequenced, false
			}
			if s.parent != noStrand && t.parent != noStrand && s.group == t.group {
				return s.how, true
			}
		}
	}
	return sequenced, false
}

// note records that an instruction is about to be executed.
func (w *walk) note(pc int) {
	e := w.evaluation
	n := step{pc: pc, strand: e.at, first: len(w.Path.Events), before: make([]uint64, len(e.steps)/64+1)}
	for m := len(e.steps) - 1; m >= 0; m-- {
		if !n.follows(m) && w.inOrder(&e.steps[m], &n) {
			n.before[m/64] |= 1 << (m % 64)
			for i, word := range e.steps[m].before {
				n.before[i] |= word
			}
		}
	}
	e.steps = append(e.steps, n)
}

// follows reports whether a step is sequenced after the m-th.
func (s *step) follows(m int) bool { return s.before[m/64]>>(m%64)&1 != 0 }

// inOrder reports whether program order relates step m to a later step n of the walk: because the
// language sequences them, or because both orders are candidates (depend).
func (w *walk) inOrder(m, n *step) bool {
	if how, apart := w.evaluation.apart(m.strand, n.strand); apart {
		return w.depend(how, m.pc, n.pc)
	}
	return n.pc >= w.free.settled[m.pc]
}

// conclude ends the evaluation and records the events that have no order.
func (w *walk) conclude() {
	e := w.evaluation
	w.evaluation = nil
	for n := range e.steps {
		for m := range n {
			if !e.steps[n].follows(m) {
				w.unordered(e, m, n)
			}
		}
	}
	if e.free {
		w.Path.Chosen = append(w.Path.Chosen, e.chosen)
	}
}

// unordered records that two steps have no order. If they are not in the body of a function and
// access one object, behaviour is undefined (C11, 6.5p2; C++17, [intro.execution]p10).
func (w *walk) unordered(e *evaluation, m, n int) {
	before, after := &e.steps[m], &e.steps[n]
	plain := !w.free.called[before.pc] && !w.free.called[after.pc]
	end := len(w.Path.Events)
	if n+1 < len(e.steps) {
		end = e.steps[n+1].first
	}
	for a := before.first; a < e.steps[m+1].first; a++ {
		for b := after.first; b < end; b++ {
			pair := event.Pair{a, b}
			w.Path.Unordered = append(w.Path.Unordered, pair)
			if plain && mayClash(&w.Path.Events[a], &w.Path.Events[b]) {
				w.Path.Unsequenced = append(w.Path.Unsequenced, pair)
			}
		}
	}
	if r := w.variable(w.Code[before.pc], w.Code[after.pc]); plain && r != None && w.Path.Ending == event.Complete {
		w.clash(r, before.pc, after.pc)
	}
}

// mayClash reports whether two events may conflict: access one location, and at least one writes.
func mayClash(a, b *event.Event) bool {
	if !a.IsMem() || !b.IsMem() || a.Kind != event.Write && b.Kind != event.Write {
		return false
	}
	x, known := a.Addr.(event.Const)
	y, alsoKnown := b.Addr.(event.Const)
	return !known || !alsoKnown || x == y
}

// clash records unsequenced accesses to a variable of the thread. It adds an event for each access;
// models see these events only in the relation unsequenced.
func (w *walk) clash(r Register, pcs ...int) {
	first := len(w.Path.Events)
	for _, pc := range pcs {
		verb := "reads"
		if slices.Contains(w.Code[pc].Defs(), r) {
			verb = "sets"
		}
		n := w.Event(event.Event{Kind: event.Fence, Tags: inVariable, Mnemonic: verb + " " + w.Names[r]}, nil, nil, nil)
		w.Path.Events[n].Instr = pc + 1
	}
	w.Path.Unordered = append(w.Path.Unordered, event.Pair{first, first + 1})
	w.Path.Unsequenced = append(w.Path.Unsequenced, event.Pair{first, first + 1})
}
