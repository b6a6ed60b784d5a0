package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// The locations of counters, tickets and barriers are written by atomic read-modify-writes only.
// Coherence makes these a line: each reads from its predecessor. From clauses alone a solver
// derives the consequences by trying all n! orders. This file adds them as clauses:
//
//  - Each member has a rank, and all ranks differ. If all members compute the same function, the
//    rank determines the value read (rank.go).
//  - A relation that holds from each member to the next, and extends from there, holds from each
//    member to all later ones (reach.go).
//  - An onlooker, a read outside the line, sees a number of members (look.go).
//
// The argument does not rely on the text of the model. Each step that the proof of a line needs is
// checked on the clauses: assume its premises and look at what unit propagation derives
// (sat.Probe). The rest is induction along the line.

// line is the read-modify-writes of one location.
type line struct {
	*question
	// the write that the line starts from: the initial one, or that of an instruction that sets the
	// location up, such as mbarrier.init
	first event.ID
	stale []event.ID // the writes before first
	all   []inLine
	left  int         // how many more literals the probes may assume
	least [][]sat.Lit // by member, by k: its rank is at least k (rank.go)
	// by k: the value that the k-th member writes; nil if the rank does not determine it
	told []event.Value
	// true if a meaningless computation may leave reads, including those of the line, without a
	// source (values.haveValue)
	excused sat.Lit
}

// inLine is a member of a line: a read-modify-write. here is the literal that it writes.
type inLine struct {
	read, write event.ID
	here        sat.Lit
}

// Bounds on the length of a line. Shorter lines are solved fast without help; longer ones take too
// many probes.
const (
	shortestLine = 3
	longestLine  = 48
)

// linesAfter is the call of lineUp at which it looks for lines: earlier, it does not pay.
const linesAfter = 2

// lineUp looks for lines and adds their clauses. Questions that take long call it repeatedly; only
// the linesAfter-th call does anything.
func (q *question) lineUp() {
	if len(q.orders) == 0 {
		return // the model has no clauses yet
	}
	if q.lined++; q.lined != linesAfter {
		return
	}
	for l := range q.s.Locs {
		if event.Physical(q.s.Locs, l) != l {
			continue
		}
		if n, ok := q.lineAt(l); ok && n.holds() {
			q.Lines++
			n.count()
			n.reach()
			n.place()
			n.lookOn()
		}
	}
}

// lineAt returns the read-modify-writes of a location. ok is false if other writes may be there,
// except for one that sets the location up.
func (q *question) lineAt(l event.Loc) (n *line, ok bool) {
	n = &line{question: q, first: -1, excused: q.both(q.loose, q.tight.Not()), left: mostAssumed}
	setUp := event.ID(-1)
	at := func(e event.ID) (may, sure bool) {
		for _, x := range q.at[e].values {
			may = may || q.physical(x) == l
		}
		return may, may && q.sure(e, q.s.Events[e].Addr)
	}
	for w := range q.s.Events {
		if q.s.Events[w].Kind != event.Write {
			continue
		}
		switch may, sure := at(w); {
		case !may:
		case !sure:
			return nil, false
		case q.s.Events[w].IsInit():
			n.first = w
		default:
			r := slices.IndexFunc(q.reads, func(r event.ID) bool { return q.s.Rmw.Has(r, w) })
			if r < 0 && setUp < 0 {
				setUp = w
				continue
			}
			if r < 0 {
				return nil, false
			}
			if _, sure := at(q.reads[r]); !sure {
				return nil, false
			}
			n.all = append(n.all, inLine{q.reads[r], w, q.present.here[w]})
		}
	}
	if setUp >= 0 {
		n.first, n.stale = setUp, []event.ID{n.first}
	}
	return n, n.first >= 0 && len(n.all) >= shortestLine && len(n.all) <= longestLine
}

// before returns the literal that the i-th member precedes the j-th in coherence. together is false
// if the two are never both present.
func (n *line) before(i, j int) (l sat.Lit, together bool) {
	if i == j {
		return 0, false
	}
	a, b := n.all[i].write, n.all[j].write
	return n.coherence().ahead[a][b], n.Compatible == nil || n.Compatible.Has(a, b)
}

// others visits the members that may be present together with the i-th, with the literals that they
// come before and after it.
func (n *line) others(i int, visit func(j int, before, after sat.Lit)) {
	for j := range n.all {
		if before, together := n.before(j, i); together {
			after, _ := n.before(i, j)
			visit(j, before, after)
		}
	}
}

// eachTwo visits the ordered pairs of members that may be present together, with the literal that i
// precedes j.
func (n *line) eachTwo(visit func(i, j int, before sat.Lit)) {
	for i := range n.all {
		n.others(i, func(j int, _, after sat.Lit) { visit(i, j, after) })
	}
}

// holds reports whether the read-modify-writes form a line in each execution: coherence is total on
// them, no member comes between a member and the one that it reads from, and no member reads a
// write before first.
func (n *line) holds() (ok bool) {
	if n.coherence().graph == nil {
		return false
	}
	complete := n.probe(func(p sat.Probe) {
		ok = true
		for i := range n.all {
			n.others(i, func(j int, before, after sat.Lit) {
				ok = ok && before != 0 && after != 0 && n.total(p, i, j, before, after)
			})
			ok = ok && n.startsWith(p, i) && n.readsNoneOf(p, i, n.stale)
			n.others(i, func(j int, before, _ sat.Lit) { ok = ok && n.followsAtOnce(p, j, i, before) })
		}
	})
	return ok && complete
}

// mostAssumed bounds the literals that the probes of a line may assume.
const mostAssumed = 100_000

// probe calls look with a probe that assumes that all members read. It returns false if a bound was
// hit; then the results of look are void.
func (n *line) probe(look func(p sat.Probe)) (complete bool) {
	n.Probe(func(p sat.Probe) { n.assuming(p, func() { look(p) }, n.excused.Not()) })
	return n.left >= 0 && !n.over()
}

// assuming calls do under assumed literals, unless they contradict each other.
func (n *line) assuming(p sat.Probe, do func(), lits ...sat.Lit) {
	switch n.left--; {
	case n.left < 0 || n.over():
	case len(lits) == 0:
		do()
	default:
		if p.Assume(lits[0]) {
			n.assuming(p, do, lits[1:]...)
		}
		p.Drop()
	}
}

// entails reports whether unit propagation derives l from literals, or these contradict each other.
func (n *line) entails(p sat.Probe, l sat.Lit, from ...sat.Lit) (follows bool) {
	follows = true
	n.assuming(p, func() { follows = p.Holds(l) }, from...)
	return follows
}

// total reports whether two members are ordered if both are present.
func (n *line) total(p sat.Probe, i, j int, before, after sat.Lit) bool {
	return before == after.Not() || n.entails(p, after, n.all[i].here, n.all[j].here, before.Not())
}

// reads returns the literal that the i-th member reads from w.
func (n *line) reads(i int, w event.ID) sat.Lit { return n.readsFrom(n.all[i].read, w) }

// startsWith reports whether the i-th member precedes all others if it reads from first.
func (n *line) startsWith(p sat.Probe, i int) (ok bool) {
	ok = true
	n.others(i, func(j int, _, after sat.Lit) {
		ok = ok && n.entails(p, after, n.all[i].here, n.reads(i, n.first), n.all[j].here)
	})
	return ok
}

// readsNoneOf reports whether the i-th member cannot read from any of some writes.
func (n *line) readsNoneOf(p sat.Probe, i int, writes []event.ID) bool {
	return !slices.ContainsFunc(writes, func(w event.ID) bool { return !n.entails(p, n.no, n.all[i].here, n.reads(i, w)) })
}

// followsAtOnce reports whether, if the i-th member reads from the j-th, it comes after it with no
// other member between.
func (n *line) followsAtOnce(p sat.Probe, j, i int, before sat.Lit) (ok bool) {
	ok = true
	n.assuming(p, func() {
		ok = p.Holds(before)
		n.others(i, func(k int, beforeI, _ sat.Lit) {
			if afterJ, together := n.before(j, k); together {
				ok = ok && n.entails(p, beforeI.Not(), n.all[k].here, afterJ)
			}
		})
	}, n.all[i].here, n.reads(i, n.all[j].write))
	return ok
}

// say adds a clause for executions in which all members of the line read.
func (n *line) say(lits ...sat.Lit) { n.Add(append(lits[:len(lits):len(lits)], n.excused)...) }
