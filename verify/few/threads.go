package few

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// thread is a thread of the block: the trace with its coordinates and with the values that it has
// read.
type thread struct {
	index  int
	place  [3]uint64
	is     *term.Renaming
	read   map[*term.Term]*term.Term // values of the trace's variables that stand for reads
	events []*event                  // accesses in program order
	facts  []*term.Term              // facts of the trace
}

// event is an access of a thread to one element.
type event struct {
	*thread
	access *trace.Access
	number int        // index among the events of the thread
	offset *term.Term // as a term of the trace
	write  *term.Term // the written value as a term of the trace; nil for a read
	read   *term.Term // the trace's variable for the value read
	size   int
	// Terms of the thread, once its earlier reads are known:
	epoch     uint64
	when      *term.Term
	at, value *term.Term
	stamp     *term.Term // time within its interval: see schedules
}

// spawn makes the threads from the trace.
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

// names maps the variables of the trace to terms of a thread. Parameters are named by number, so
// that two kernels share them.
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

// param returns the term of a parameter, or of a part of one.
func (b *block) param(v *kernel.Variable, offset, width int) *term.Term {
	if value, ok := b.config.Values[v.Name]; ok && offset == 0 {
		return b.Const(value, width)
	}
	return b.Var(fmt.Sprintf("parameter %d+%d", slices.Index(b.result.Kernel.Params, v), offset), width)
}

// events splits the accesses of the trace into elements.
func (b *block) events() (all []*event) {
	for _, a := range b.trace.Accesses {
		if a.Kind == trace.Atomic {
			b.refuse(a.Instr, "", "atomics are not modelled for a few threads")
		}
		if a.Kind == trace.Load {
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

// loaded returns the elements that an access reads: the reads directly before it.
func (b *block) loaded(a *trace.Access) []trace.Read {
	from, bytes := a.Reads, 0
	for from > 0 && bytes < a.Size {
		from--
		bytes += b.trace.Reads[from].Size
	}
	return b.trace.Reads[from:a.Reads]
}

// term returns a term of the trace for a thread, with the values that it has read so far.
func (t *thread) term(x *term.Term) *term.Term { return t.is.Term(x) }

// in makes the terms of an event. It reports whether the event is in the interval.
func (b *block) in(e *event, interval uint64) bool {
	epoch, known := e.term(e.access.Epoch[trace.Block]).Value()
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
			if _, most := e.term(e.access.Epoch[trace.Block]).Range(); most < 1<<16 {
				n = max(n, most)
			} else {
				b.refuse(e.access.Instr, "", "how many barriers thread %d has passed here is not known", t.index)
			}
		}
	}
	return n
}
