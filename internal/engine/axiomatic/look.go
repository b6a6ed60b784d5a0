package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Who looks on at a line sees as many of it as come before what it reads from, and that one: threads that wait at an mbarrier, or for a counter to
// reach a number. How many tells what is read, whose writes have come before, and how many the next of the thread sees at least. Without that, a solver
// of clauses finds out the same for each of the line that may have been the last.

// looking is who looks on at a line.
type looking struct {
	*line
	read event.ID
	here sat.Lit
	seen []sat.Lit // by k: that it sees k at least; the first is yes, the last no. nil if it may read something else
}

// lookOn says what follows from how many who looks on sees, and what from what it reads from alone where it may read something else.
func (n *line) lookOn() {
	var all []*looking
	for _, o := range n.onlookers() {
		l := &looking{line: n, read: o, here: n.present.here[o]}
		if n.looksOnlyHere(o) {
			l.count()
			all = append(all, l)
		}
		l.reach()
	}
	for _, o := range all {
		o.beside()
		for _, next := range all {
			between := func(p *looking) bool { return n.s.Po.Has(o.read, p.read) && n.s.Po.Has(p.read, next.read) }
			if n.s.Po.Has(o.read, next.read) && !slices.ContainsFunc(all, between) {
				o.goOn(next)
			}
		}
	}
}

// looksOnlyHere reports that a read reads from the line, or from what was there before it.
func (n *line) looksOnlyHere(o event.ID) bool {
	known := append(slices.Clone(n.stale), n.first)
	_, writing := n.ends()
	known = append(known, writing...)
	for w, l := range n.rf[o] {
		if l != 0 && !slices.Contains(known, w) {
			return false
		}
	}
	return n.sure(o, n.s.Events[o].Addr)
}

// from is the literal that it reads from one of the line.
func (l *looking) from(i int) sat.Lit { return l.readsFrom(l.read, l.all[i].write) }

// beforeAll is the literals that it reads what was there before the line.
func (l *looking) beforeAll() (lits []sat.Lit) {
	for _, w := range append(slices.Clone(l.stale), l.first) {
		lits = append(lits, l.readsFrom(l.read, w))
	}
	return lits
}

// count says how many it sees by what it reads from, and what it reads by how many it sees.
func (l *looking) count() {
	l.seen = make([]sat.Lit, len(l.all)+2)
	for k := range l.seen {
		l.seen[k] = l.NewVar()
	}
	l.seen[0], l.seen[len(l.all)+1] = l.yes, l.no
	nothing := l.beforeAll()
	l.say(append(nothing, l.here.Not(), l.seen[1])...)
	for _, r := range nothing {
		l.say(r.Not(), l.seen[1].Not())
	}
	for k := 2; k <= len(l.all); k++ {
		l.say(l.seen[k].Not(), l.seen[k-1])
	}
	for i := range l.all {
		for k := 1; k <= len(l.all); k++ {
			l.say(l.from(i).Not(), l.least[i][k].Not(), l.seen[k])
			l.say(l.from(i).Not(), l.least[i][k], l.seen[k].Not())
		}
	}
	for k, v := range l.told {
		if k > 0 && k <= len(l.all) {
			l.say(l.here.Not(), l.seen[k].Not(), l.seen[k+1], l.val[l.read].has(l.circuit, v))
		}
	}
}

// contradict reports that literals contradict each other.
func (l *looking) contradict(p sat.Probe, lits ...sat.Lit) bool { return l.entails(p, l.no, lits...) }

// beside says of each of the line that comes before, or after, whatever is read that it is, or is not, among what is seen.
func (l *looking) beside() {
	var before, after []int
	if !l.probe(func(p sat.Probe) {
		for i := range l.all {
			is := l.all[i].here
			early, late := true, l.contradict(p, l.here, is, l.from(i)) // comes before what is read at the latest; and not
			for _, r := range l.beforeAll() {
				early = early && l.contradict(p, l.here, is, r)
			}
			l.others(i, func(j int, beforeI, afterI sat.Lit) {
				early = early && l.contradict(p, l.here, is, l.from(j), beforeI)
				late = late && l.contradict(p, l.here, is, l.from(j), afterI)
			})
			if early {
				before = append(before, i)
			}
			if late {
				after = append(after, i)
			}
		}
	}) {
		return
	}
	for k := 1; k <= len(l.all); k++ {
		for _, i := range before {
			l.say(l.here.Not(), l.all[i].here.Not(), l.least[i][k].Not(), l.seen[k])
		}
		for _, i := range after {
			l.say(l.here.Not(), l.all[i].here.Not(), l.seen[k].Not(), l.least[i][k+1])
		}
	}
}

// goOn says that the next to look on sees no fewer, if that is so.
func (l *looking) goOn(next *looking) {
	ok := true
	if !l.probe(func(p sat.Probe) {
		for i := range l.all {
			for _, r := range next.beforeAll() {
				ok = ok && l.contradict(p, l.from(i), next.here, r)
			}
			l.others(i, func(j int, before, _ sat.Lit) { ok = ok && l.contradict(p, l.from(i), next.here, next.from(j), before) })
		}
	}) || !ok {
		return
	}
	for k := 1; k <= len(l.all); k++ {
		l.say(l.here.Not(), next.here.Not(), l.seen[k].Not(), next.seen[k])
	}
}

// reach says of relations that go to who looks on from all that come before what it reads from, and from that, that they go to who sees so many.
func (l *looking) reach() {
	reading, writing := l.ends()
	for _, from := range [2][]event.ID{reading, writing} {
		all := l.asked(from, func(int) event.ID { return l.read })
		l.drain()
		if !l.reachOnlooker(l.read, all) || l.seen == nil || !l.probe(func(p sat.Probe) {
			for i := range l.all {
				l.assuming(p, func() {
					look(all, first, func(r *reached) bool { return p.Holds(l.pairFrom(r, i)) })
				}, l.from(i))
			}
		}) {
			continue
		}
		for _, r := range all {
			for i := range l.all {
				for k := 1; r.first && k <= len(l.all); k++ {
					l.say(l.here.Not(), l.all[i].here.Not(), l.seen[k].Not(), l.least[i][k+1], l.pairFrom(r, i))
				}
			}
		}
	}
}

// pairFrom is the pair of a value from one of the line to who looks on.
func (l *looking) pairFrom(r *reached, i int) sat.Lit {
	for j, lit := range r.pairs[i] {
		if j != i && lit != 0 {
			return lit
		}
	}
	return l.no
}
