package few

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/verify"
)

// intervals goes from barrier to barrier. Threads run one after the other, and accesses of
// different threads must not conflict. If none do, the order did not matter.
func (b *block) intervals() {
	for interval := range b.last() + 1 {
		var events []*event
		for _, t := range b.threads {
			for _, e := range t.events {
				if !b.in(e, interval) || e.when.False() {
					b.skip(e, interval)
					continue
				}
				b.do(e)
				events = append(events, e)
			}
		}
		if b.conflicts(events); b.ended() {
			return
		}
	}
}

// skip gives a read that does not happen an arbitrary value.
func (b *block) skip(e *event, interval uint64) {
	if e.read != nil && e.epoch == interval && e.when != nil && e.when.False() {
		e.thread.read[e.read] = b.Const(0, e.read.Width())
	}
}

// do makes an access take effect.
func (b *block) do(e *event) {
	if e.write != nil {
		b.memory.write(e)
		return
	}
	e.value = b.memory.read(e.access.Region, e.at, e.size)
	e.thread.read[e.read] = e.value
}

// conflicts asks whether two accesses of an interval race.
func (b *block) conflicts(events []*event) {
	done := map[[2]*kernel.Instr]bool{}
	for i, x := range events {
		for _, y := range events[:i] {
			if x.thread == y.thread || x.access.Region != y.access.Region || x.write == nil && y.write == nil ||
				done[[2]*kernel.Instr{y.access.Instr, x.access.Instr}] {
				continue
			}
			b.result.Stats.Pairs++
			n := len(b.result.Alarms)
			meet := []*term.Term{x.when, y.when, b.overlap(x.at, x.size, y.at, y.size)}
			if b.ask("race", append(meet, facts(x, y)...), func(m *term.Model) *verify.Alarm {
				return b.race(m, y, x)
			}); len(b.result.Alarms) > n {
				done[[2]*kernel.Instr{y.access.Instr, x.access.Instr}] = true
			}
			if b.ended() {
				return
			}
		}
	}
}

// divergence asks whether a thread can reach a barrier that another thread does not reach.
func (b *block) divergence() {
	for _, barrier := range b.trace.Barriers {
		if barrier.Scope != trace.Block {
			continue
		}
		first := b.threads[0]
		for _, t := range b.threads[1:] {
			x, y := first.term(barrier.Guard), t.term(barrier.Guard)
			differ := []*term.Term{b.Ne(x, y)}
			for _, f := range b.trace.Facts[:barrier.Facts] {
				differ = append(differ, first.term(f), t.term(f))
			}
			b.ask("divergence", differ, func(m *term.Model) *verify.Alarm {
				reached, missed := first, t
				if m.Eval(b.resolve(y)) == 1 {
					reached, missed = t, first
				}
				a := b.alarm(m, verify.Divergence, "")
				a.Points = []verify.Point{b.point(reached, &barrier.Point), b.point(missed, &barrier.Point)}
				return a
			})
			if b.ended() {
				return
			}
		}
	}
}

// checks asks whether annotations fail.
func (b *block) checks() {
	for _, c := range b.trace.Checks {
		for _, t := range b.threads {
			if b.ended() {
				return
			}
			fails := []*term.Term{t.term(c.Guard), b.Not(t.term(c.Holds))}
			for _, f := range b.trace.Facts[:c.Facts] {
				fails = append(fails, t.term(f))
			}
			b.ask("assertion", fails, func(m *term.Model) *verify.Alarm {
				a := b.alarm(m, verify.Assertion, c.What)
				a.Points = []verify.Point{b.point(t, &c.Point)}
				return a
			})
		}
	}
}

// facts returns the facts that the threads of accesses have learned before them.
func facts(events ...*event) (all []*term.Term) {
	for _, e := range events {
		for _, f := range e.thread.facts[:e.access.Facts] {
			all = append(all, e.term(f))
		}
	}
	return all
}

// race returns an alarm about two accesses.
func (b *block) race(m *term.Model, x, y *event) *verify.Alarm {
	a := b.alarm(m, verify.Race, "")
	for _, e := range []*event{x, y} {
		p := b.point(e.thread, &e.access.Point)
		r := e.access.Region
		p.Access = &verify.Access{
			Kind:   verify.AccessKind(e.access.Kind),
			Array:  verify.Array{Name: r.Name, Space: r.Space, Param: r.Variable == nil},
			Offset: int64(m.Eval(b.resolve(e.at))),
			Size:   e.size,
			Strong: e.access.Strong,
		}
		if e.write != nil {
			p.Access.Value = m.Eval(b.resolve(e.value))
		}
		a.Points = append(a.Points, p)
	}
	return a
}

// alarm returns an alarm with the parameters and the initial contents of memory.
func (b *block) alarm(m *term.Model, kind verify.AlarmKind, what string) *verify.Alarm {
	a := &verify.Alarm{Kind: kind, What: what, Launch: b.result.Launch}
	for _, p := range b.trace.Params {
		a.Params = append(a.Params, verify.Value{
			Name:   p.Variable.Name,
			Offset: p.Offset,
			Size:   p.Size,
			Bits:   m.Eval(b.param(p.Variable, p.Offset, p.Term.Width())),
		})
	}
	said := map[string]bool{}
	for _, t := range b.threads {
		for _, e := range t.events {
			if e.read == nil || e.at == nil || e.when.False() || e.access.Region.Space == isa.Shared {
				continue
			}
			r, at := e.access.Region, m.Eval(b.resolve(e.at))
			if key := fmt.Sprintf("%s %d", r.Name, at); m.Eval(b.resolve(e.when)) == 1 && !said[key] {
				said[key] = true
				a.Reads = append(a.Reads, verify.Read{
					Instr: e.access.Instr, Array: verify.Array{Name: r.Name, Space: r.Space, Param: r.Variable == nil},
					Offset: int64(at), Size: e.size, Bits: m.Eval(b.first(r, b.Const(at, 64), e.size)),
				})
			}
		}
	}
	return a
}

func (b *block) point(t *thread, p *trace.Point) verify.Point {
	return verify.Point{Thread: t.place, Instr: p.Instr, Calls: p.Calls}
}
