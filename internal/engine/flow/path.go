package flow

import (
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// path is a path and what its computations need.
type path struct {
	*event.Path
	unknown bool // its values do not follow from what is known here
	addr    []reads
	writes  []write
	claims  []claim // of all of its conditions
	effects map[set]effect
}

// write is a write, and what must have happened before: the value that it writes comes of the reads
// of one claim.
type write struct {
	event   int
	from    claim
	besides []claim
}

// claim is what conditions ask of reads that depend on each other.
type claim struct {
	of    reads
	conds []cond
}

// cond is a condition of the path. Its reads are known once the last is.
type cond struct {
	event.Cond
	of   reads // addresses of reads included
	last int   // or -1
}

// reads is a set of events of a path.
type reads uint64

const mostEvents = 64

// last returns the last of some reads, or -1.
func (r reads) last() int { return bits.Len64(uint64(r)) - 1 }

// readsOf returns the reads that an expression is computed from. A nil expression has no reads.
func readsOf(x event.Expr) (all reads) {
	if x != nil {
		event.EachRead(x, func(n int) { all |= 1 << n })
	}
	return all
}

// written is the reads that the value of a write is computed from.
func written(ev *event.Event) reads {
	if ev.Kind != event.Write {
		return 0
	}
	return readsOf(ev.Data)
}

// closure is reads and what they come from.
func closure(of reads, from []reads) reads {
	for found := of; found != 0; {
		i := found.last()
		found = found&^(1<<i) | from[i]&^of
		of |= from[i]
	}
	return of
}

// path is what is known of a path.
func (f *Flow) path(q *event.Path) *path {
	p := f.paths[q]
	if p == nil {
		p = &path{Path: q, effects: map[set]effect{}}
		f.paths[q] = p
		p.unknown = len(q.Events) > mostEvents || !p.prepare(f.causes)
	}
	return p
}

// prepare finds what depends on what. It returns false if a value depends on something else than
// the causes.
func (p *path) prepare(causes Causes) bool {
	all, before := causes.of(p.Path)
	p.addr = make([]reads, len(p.Events))
	for i := range p.Events {
		ev := &p.Events[i]
		p.addr[i] = readsOf(ev.Addr)
		if needs := p.addr[i] | written(ev); needs&^before[i] != 0 || needs>>i != 0 {
			return false
		}
	}
	var conds []cond
	for _, c := range p.Conds {
		of := closure(readsOf(c.X), p.addr)
		if of&^all != 0 {
			return false
		}
		conds = append(conds, cond{c, of, of.last()})
	}
	for i := range p.Events {
		if p.Events[i].Kind == event.Write {
			p.writes = append(p.writes, p.write(i, closure(before[i], before), conds))
		}
	}
	p.claims = claims(nil, conds)
	return true
}

// write is the i-th event with the conditions on what must have happened before.
func (p *path) write(i int, before reads, conds []cond) write {
	own := claim{of: closure(p.addr[i]|written(&p.Events[i]), p.addr)}
	conds = slices.DeleteFunc(slices.Clone(conds), func(c cond) bool { return c.of&^before != 0 })
	all := claims([]claim{own}, conds)
	from := slices.IndexFunc(all, func(c claim) bool { return own.of&^c.of == 0 })
	return write{event: i, from: all[from], besides: slices.Delete(slices.Clone(all), from, from+1)}
}

// claims adds conditions to claims. Those on reads that have nothing to do with each other come
// apart.
func claims(all []claim, conds []cond) []claim {
	for _, c := range conds {
		one := claim{c.of, []cond{c}}
		all = slices.DeleteFunc(all, func(other claim) bool {
			shared := other.of&c.of != 0
			if shared {
				one.of |= other.of
				one.conds = append(one.conds, other.conds...)
			}
			return shared
		})
		all = append(all, one)
	}
	return all
}
