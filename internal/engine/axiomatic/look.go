package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// An onlooker is a read outside the line that may read from a member, such as the test of an
// mbarrier, or of a counter that a thread waits for. It sees the member that it reads from and all
// earlier ones. Their number determines the value read, the writes that precede, and a lower bound
// for the next onlooker of the same thread. Without these clauses a solver derives them separately
// for each possible last member.

// looking is an onlooker of a line.
type looking struct {
	*line
	read event.ID
	here sat.Lit
	// by k: it sees at least k members; the first is yes, the last no. nil if it may read a write
	// outside the line
	seen []sat.Lit
}

// lookOn adds the clauses of the numbers that onlookers see. If an onlooker may also read outside
// the line, it adds only those that follow from reading from a member.
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

// looksOnlyHere reports whether an onlooker reads only from the line or from a write before it.
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

// from returns the literal that the onlooker reads from the i-th member.
func (l *looking) from(i int) sat.Lit { return l.readsFrom(l.read, l.all[i].write) }

// beforeAll returns the literals that the onlooker reads from the writes before the line.
func (l *looking) beforeAll() (lits []sat.Lit) {
	for _, w := range append(slices.Clone(l.stale), l.first) {
		lits = append(lits, l.readsFrom(l.read, w))
	}
	return lits
}

// count defines seen by the write read from, and the value read by seen.
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

// contradict reports whether literals contradict each other.
func (l *looking) contradict(p sat.Probe, lits ...sat.Lit) bool { return l.entails(p, l.no, lits...) }

// beside adds clauses for the members that, whatever the onlooker reads, are always among those it
// sees, and for those that never are.
func (l *looking) beside() {
	var before, after []int
	if !l.probe(func(p sat.Probe) {
		for i := range l.all {
			is := l.all[i].here
			// early: i is the member read from or an earlier one; late: i is a later one
			early, late := true, l.contradict(p, l.here, is, l.from(i))
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

// goOn adds, if the probes prove it, that the next onlooker sees at least as many members.
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

// reach finds the relations that hold to the onlooker from the member that it reads from and from
// all earlier ones, and adds them by the number of members seen.
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

// pairFrom returns the literal of a relation from the i-th member to the onlooker.
func (l *looking) pairFrom(r *reached, i int) sat.Lit {
	for j, lit := range r.pairs[i] {
		if j != i && lit != 0 {
			return lit
		}
	}
	return l.no
}
