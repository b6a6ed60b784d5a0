package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Counters, tickets and barriers are locations that nothing but atomic read-modify-writes write. These stand in line: each reads from the
// one before it in coherence. A solver that knows clauses alone finds what follows from that by trying all n! lines; said in clauses, it
// takes no trying:
//
//   - each has a rank, no two have the same, and where all compute the same, the rank says what is read (rank.go);
//   - a relation that goes from each to the next, and on from there, goes from each to all that come after (reach.go);
//   - who looks on sees so many of them (look.go).
//
// That it is so is not taken from the model's text but from its clauses: those that a line needs are found to hold by
// assuming what comes first, and looking at what follows (sat.Probe). Everything else is an induction along the line.

// line is the read-modify-writes of a location.
type line struct {
	*question
	first   event.ID   // the write that they start from: the initial one, or that of an instruction that sets the location up, as mbarrier.init does
	stale   []event.ID // the writes before that
	all     []inLine
	left    int           // how many literals may still be assumed
	least   [][]sat.Lit   // by one of the line, by k: that its rank is k at least (rank.go)
	told    []event.Value // by k: what the k-th writes, if the rank tells
	excused sat.Lit       // a computation without meaning excuses reads from reading, those of the line, too (values.mustRead)
}

// inLine is a read-modify-write of a line; here is whether it writes.
type inLine struct {
	read, write event.ID
	here        sat.Lit
}

// A line has so many read-modify-writes: of fewer, every order is tried in no time; more take too many probes.
const (
	shortestLine = 3
	longestLine  = 48
)

// linesAfter is how often somebody must have called lineUp until it pays to look for lines.
const linesAfter = 2

// lineUp looks for lines, and says what follows. It is called again and again, while a question takes long.
func (q *question) lineUp() {
	if len(q.orders) == 0 {
		return // nothing is known of the model yet
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

// lineAt is the read-modify-writes of a location; false if something else may write it, but once.
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

// before is the literal that one comes before another in coherence; false if they are never there together.
func (n *line) before(i, j int) (l sat.Lit, together bool) {
	if i == j {
		return 0, false
	}
	a, b := n.all[i].write, n.all[j].write
	return n.coherence().ahead[a][b], n.Compatible == nil || n.Compatible.Has(a, b)
}

// others are those that may be there beside one, with the literals that they come before and after it.
func (n *line) others(i int, visit func(j int, before, after sat.Lit)) {
	for j := range n.all {
		if before, together := n.before(j, i); together {
			after, _ := n.before(i, j)
			visit(j, before, after)
		}
	}
}

// eachTwo visits each two that may be there together, in both orders, with the literal that the first comes before the second.
func (n *line) eachTwo(visit func(i, j int, before sat.Lit)) {
	for i := range n.all {
		n.others(i, func(j int, _, after sat.Lit) { visit(i, j, after) })
	}
}

// holds reports that the read-modify-writes stand in line in each execution: coherence is total on them, none comes between one and
// what it reads from, and none reads what was there before the first write.
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

// mostAssumed is how many literals the probes of a line may assume.
const mostAssumed = 100_000

// probe looks at what follows where all of the line read. It returns false if it did not come to the end: then what it has seen means nothing.
func (n *line) probe(look func(p sat.Probe)) (complete bool) {
	n.Probe(func(p sat.Probe) { n.assuming(p, func() { look(p) }, n.excused.Not()) })
	return n.left >= 0 && !n.over()
}

// assuming has something done while literals are assumed, if they do not contradict each other.
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

// entails reports that a literal follows from others, or that these contradict each other.
func (n *line) entails(p sat.Probe, l sat.Lit, from ...sat.Lit) (follows bool) {
	follows = true
	n.assuming(p, func() { follows = p.Holds(l) }, from...)
	return follows
}

// total reports that two are in one order or the other if both are there.
func (n *line) total(p sat.Probe, i, j int, before, after sat.Lit) bool {
	return before == after.Not() || n.entails(p, after, n.all[i].here, n.all[j].here, before.Not())
}

// reads is the literal that one reads from a write.
func (n *line) reads(i int, w event.ID) sat.Lit { return n.readsFrom(n.all[i].read, w) }

// startsWith reports that one that reads the initial value comes before all others.
func (n *line) startsWith(p sat.Probe, i int) (ok bool) {
	ok = true
	n.others(i, func(j int, _, after sat.Lit) {
		ok = ok && n.entails(p, after, n.all[i].here, n.reads(i, n.first), n.all[j].here)
	})
	return ok
}

// readsNoneOf reports that one reads from none of some writes.
func (n *line) readsNoneOf(p sat.Probe, i int, writes []event.ID) bool {
	return !slices.ContainsFunc(writes, func(w event.ID) bool { return !n.entails(p, n.no, n.all[i].here, n.reads(i, w)) })
}

// followsAtOnce reports that the i-th comes after the j-th if it reads from that, and that no other comes between.
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

// say adds a clause, of executions in which all of the line read.
func (n *line) say(lits ...sat.Lit) { n.Add(append(lits[:len(lits):len(lits)], n.excused)...) }
