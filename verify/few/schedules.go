package few

import (
	"fmt"
	"math/bits"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/verify"
)

// schedules encodes all interleavings. Each access has a unique stamp within its barrier interval,
// and the stamps of a thread are in program order. A read returns the value of the write to its
// element with the latest earlier stamp. Two conflicting accesses race if no other access is
// between them.
func (b *block) schedules() {
	var events []*event
	for interval := range b.last() + 1 {
		var here []*event
		for _, t := range b.threads {
			for _, e := range t.events {
				if b.in(e, interval) && !e.when.False() {
					here = append(here, e)
				}
			}
		}
		b.stamp(here)
		events = append(events, here...)
	}
	b.memory.events = events
	for _, e := range events {
		if e.read == nil {
			continue
		}
		e.value = e.term(e.read)
		if got, settled := b.memory.latest(e.access.Region, e.at, e.size, e); settled {
			b.settled[e.value] = got
		} else {
			b.assumed = append(b.assumed, b.Implies(e.when, b.Eq(e.value, got)))
		}
	}
	b.resolved = b.Rename(func(v *term.Term) *term.Term {
		if got := b.settled[v]; got != nil {
			return b.resolved.Term(got) // from an earlier interval
		}
		return v
	})
	for i, t := range b.assumed {
		b.assumed[i] = b.resolve(t)
	}
	b.adjacent(events)
}

// resolve replaces reads by the values that earlier intervals wrote, which are the same in all
// schedules.
func (b *block) resolve(t *term.Term) *term.Term {
	if b.resolved == nil {
		return t
	}
	return b.resolved.Term(t)
}

// stamp gives the accesses of an interval their stamps.
func (b *block) stamp(events []*event) {
	n := uint64(len(events))
	if n == 0 {
		return
	}
	for i, e := range events {
		e.stamp = b.UpTo(fmt.Sprintf("stamp#%d", b.Len()), max(n-1, 1))
		for _, before := range events[:i] {
			order := b.Ne(before.stamp, e.stamp)
			if before.thread == e.thread {
				order = b.ULt(before.stamp, e.stamp)
			}
			b.assumed = append(b.assumed, order)
		}
	}
}

// before returns the condition that one access comes before another.
func (b *block) before(x, y *event) *term.Term {
	switch {
	case x.epoch != y.epoch:
		return b.Bool(x.epoch < y.epoch)
	case x.thread == y.thread:
		return b.Bool(x.number < y.number)
	}
	return b.ULt(x.stamp, y.stamp)
}

// latest returns the value of the last write to an element before an access, or before the end if
// reader is nil. It is settled if no write of the reader's own interval may reach the reader.
func (m *memory) latest(
	r *trace.Region, offset *term.Term, size int, reader *event,
) (value *term.Term, settled bool) {
	var writes []*event
	hits := map[*event]*term.Term{}
	sure := uint64(0) // the last earlier interval in which a write is certain
	for _, w := range m.events {
		if w.write == nil || w.access.Region != r || w == reader {
			continue
		}
		hit := m.And(w.when, m.overlap(w.at, w.size, offset, size))
		if reader != nil {
			hit = m.And(hit, m.before(w, reader))
		}
		if hit.False() {
			continue
		}
		if w.size != size {
			m.refuse(w.access.Instr, "",
				"accesses of %d and of %d bytes to the same place of %s are not modelled for a few threads", w.size,
				size, r.Name)
		}
		if writes, hits[w] = append(writes, w), hit; hit.True() {
			sure = max(sure, w.epoch)
		}
	}
	value, settled = m.first(r, offset, size), true
	for _, w := range writes {
		if w.epoch < sure {
			continue
		}
		settled = settled && reader != nil && w.epoch < reader.epoch
		last := hits[w]
		for _, other := range writes {
			if other != w && other.epoch >= sure {
				last = m.And(last, m.Not(m.And(hits[other], m.before(w, other))))
			}
		}
		value = m.Ite(last, w.value, value)
	}
	return value, settled
}

// adjacent asks whether two conflicting accesses can be adjacent in time.
func (b *block) adjacent(events []*event) {
	for i, x := range events {
		for _, y := range events[:i] {
			if x.thread == y.thread || x.epoch != y.epoch || x.access.Region != y.access.Region ||
				x.write == nil && y.write == nil {
				continue
			}
			if b.ended() {
				return
			}
			b.result.Stats.Pairs++
			wide := 1 + bits.Len(uint(len(events)))
			s, t := b.ZExt(x.stamp, max(wide, x.stamp.Width()+1)), b.ZExt(y.stamp, max(wide, y.stamp.Width()+1))
			one := b.Const(1, s.Width())
			next := b.Or(b.Eq(s, b.Add(t, one)), b.Eq(t, b.Add(s, one)))
			meet := []*term.Term{x.when, y.when, b.overlap(x.at, x.size, y.at, y.size), next}
			b.ask("race", append(meet, facts(x, y)...), func(m *term.Model) *verify.Alarm {
				return b.race(m, y, x)
			})
		}
	}
}
