package few

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// thread is one of the threads: the trace with its place, and with what it has read.
type thread struct {
	index  int
	place  [3]uint64
	is     *term.Renaming
	read   map[*term.Term]*term.Term // the variables of the trace that stand for reads
	events []*event                  // accesses, in program order
	facts  []*term.Term              // of the trace
}

// event is an access of a thread to one element.
type event struct {
	*thread
	access *symbolic.Access
	number int        // among those of the thread
	offset *term.Term // as the trace has it
	write  *term.Term // what is written, as the trace has it; nil for a read
	read   *term.Term // the variable of the trace for what is read
	size   int
	// As terms of the thread, once what it has read before is known:
	epoch     uint64
	when      *term.Term
	at, value *term.Term
	stamp     *term.Term // when it is made, within its interval: see schedules
}

// spawn makes the threads of the trace.
func (b *block) spawn() {
	events := b.events()
	size := b.config.Block
	for i := range size[0] * size[1] * size[2] {
		t := &thread{
			index: i,
			place: [3]uint64{uint64(i % size[0]), uint64(i / size[0] % size[1]), uint64(i / size[0] / size[1])},
			read:  map[*term.Term]*term.Term{},
			facts: b.trace.Facts,
		}
		t.is = b.Rename(b.names(t))
		for n, e := range events {
			mine := *e
			mine.thread, mine.number = t, n
			t.events = append(t.events, &mine)
		}
		b.threads = append(b.threads, t)
	}
}

// names returns what stands for a variable of the trace in a thread. Parameters are named by their
// numbers, so that those of two kernels are the same.
func (b *block) names(t *thread) func(*term.Term) *term.Term {
	place := map[*term.Term]*term.Term{}
	for i, axis := range b.trace.Shape.Thread {
		for _, v := range axis.Args() { // a zero extension, or a number
			place[v] = b.Const(t.place[i], v.Width())
		}
	}
	params := map[*term.Term]*term.Term{}
	for _, p := range b.trace.Params {
		params[p.Term] = b.param(p.Variable, p.Offset, p.Term.Width())
	}
	return func(v *term.Term) *term.Term {
		switch {
		case place[v] != nil:
			return place[v]
		case params[v] != nil:
			return params[v]
		case t.read[v] != nil:
			return t.read[v]
		case b.trace.Private[v]:
			return b.Var(fmt.Sprintf("%s/%s@%d", b.name, v.Name(), t.index), v.Width())
		}
		return v
	}
}

// param returns a parameter, or a part of one.
func (b *block) param(v *kernel.Variable, offset, width int) *term.Term {
	if value, ok := b.config.Values[v.Name]; ok && offset == 0 {
		return b.Const(value, width)
	}
	return b.Var(fmt.Sprintf("parameter %d+%d", slices.Index(b.result.Kernel.Params, v), offset), width)
}

// events returns the accesses of the trace, element by element.
func (b *block) events() (all []*event) {
	for _, a := range b.trace.Accesses {
		if a.Kind == symbolic.Atomic {
			b.refuse(a.Instr, "", "atomics are not modelled for a few threads")
		}
		if a.Kind == symbolic.Load {
			for _, r := range b.loaded(a) {
				all = append(all, &event{access: a, offset: r.Offset, read: r.Value, size: r.Size})
			}
			continue
		}
		each := a.Size / len(a.Values)
		for i, v := range a.Values {
			all = append(all,
				&event{access: a, offset: b.Add(a.Offset, b.Const(uint64(i*each), 64)), write: v, size: each})
		}
	}
	return all
}

// loaded returns the elements that an access reads: the reads that come right before it.
func (b *block) loaded(a *symbolic.Access) []symbolic.Read {
	from, bytes := a.Reads, 0
	for from > 0 && bytes < a.Size {
		from--
		bytes += b.trace.Reads[from].Size
	}
	return b.trace.Reads[from:a.Reads]
}

// term returns a term of the trace for a thread that has read what it has read by now.
func (t *thread) term(x *term.Term) *term.Term { return t.is.Term(x) }

// in makes the terms of an event, in an interval or not; false if it is not in it.
func (b *block) in(e *event, interval uint64) bool {
	epoch, known := e.term(e.access.Epoch[symbolic.Block]).Value()
	if !known {
		b.refuse(e.access.Instr, "", "how many barriers thread %d has passed here depends on what it reads", e.index)
	}
	if epoch != interval {
		return false
	}
	e.epoch, e.when, e.at = epoch, e.term(e.access.Guard), e.term(e.offset)
	if e.write != nil {
		e.value = e.term(e.write)
	}
	return true
}

// last returns the number of the last interval.
func (b *block) last() (n uint64) {
	for _, t := range b.threads {
		for _, e := range t.events {
			if _, most := e.term(e.access.Epoch[symbolic.Block]).Range(); most < 1<<16 {
				n = max(n, most)
			} else {
				b.refuse(e.access.Instr, "", "how many barriers thread %d has passed here is not known", t.index)
			}
		}
	}
	return n
}
