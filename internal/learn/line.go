package learn

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/prove/sat"
)

// Counters, tickets and barriers are locations that nothing but atomic read-modify-writes write. These stand in line: each reads from the
// one before it in coherence. A solver that knows clauses alone finds what follows from that by trying all n! lines; said in clauses, it
// takes no trying:
//
//   - each has a rank, no two have the same, and where all compute the same, the rank says what is read;
//   - a relation that goes from each to the next, and on from there, goes from each to all that come after.
//
// That it is so is not taken from the model's text but from its clauses: those that a line needs are found to hold by
// assuming what comes first, and looking at what follows (sat.Probe). Everything else is an induction along the line.

// line is the read-modify-writes of a location.
type line struct {
	*question
	first   event.ID // the initial write
	all     []inLine
	left    int     // how many literals may still be assumed
	excused sat.Lit // a computation without meaning excuses reads from reading, those of the line, too (values.mustRead)
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

// How often somebody must have called lineUp until it pays to look for lines, and for who looks on, which are many.
const (
	linesAfter     = 2
	onlookersAfter = 8
)

// lineUp looks for lines, and says what follows. It is called again and again, while a question takes long.
func (q *question) lineUp() {
	if len(q.orders) == 0 {
		return // nothing is known of the model yet
	}
	switch q.lined++; q.lined {
	case linesAfter:
		for l := range q.s.Locs {
			if event.Physical(q.s.Locs, l) != l {
				continue
			}
			if n, ok := q.lineAt(l); ok && n.holds() {
				q.Lines++
				q.lines = append(q.lines, n)
				n.count()
				n.reach()
			}
		}
	case onlookersAfter:
		for _, n := range q.lines {
			n.place()
			n.reachOnlookers()
		}
	}
}

// lineAt is the read-modify-writes of a location; false if something else may write it.
func (q *question) lineAt(l event.Loc) (n *line, ok bool) {
	n = &line{question: q, first: -1, excused: q.both(q.loose, q.tight.Not()), left: mostAssumed}
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
			if r < 0 {
				return nil, false
			}
			if _, sure := at(q.reads[r]); !sure {
				return nil, false
			}
			n.all = append(n.all, inLine{q.reads[r], w, q.present.here[w]})
		}
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

// holds reports that the read-modify-writes stand in line in each execution: coherence is total on them, and none comes between one and
// what it reads from.
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
			ok = ok && n.startsWith(p, i)
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

// count gives each its rank, from 1 on, as literals: for each k, that it has at least that.
func (n *line) count() {
	ranks := len(n.all)
	least := make([][]sat.Lit, ranks)
	is := make([][]sat.Lit, ranks)
	for i := range n.all {
		least[i] = make([]sat.Lit, ranks+2)
		least[i][1], least[i][ranks+1] = n.all[i].here, n.no
		for k := 2; k <= ranks; k++ {
			least[i][k] = n.NewVar()
			n.say(least[i][k].Not(), least[i][k-1])
		}
		is[i] = make([]sat.Lit, ranks+1)
		for k := 1; k <= ranks; k++ {
			is[i][k] = n.both(least[i][k], least[i][k+1].Not())
		}
	}
	sure := 0
	for i := range n.all {
		if n.all[i].here == n.yes {
			sure++
		}
	}
	for k := 1; k <= ranks; k++ {
		var some []sat.Lit
		for i := range n.all {
			for j := range i {
				n.say(is[i][k].Not(), is[j][k].Not())
			}
			some = append(some, is[i][k])
		}
		if k <= sure {
			n.say(some...)
		}
	}
	for i := range n.all {
		n.rank(i, least, is)
	}
	if n.compute() && !n.tellBy(is) {
		n.grow()
	}
}

// compute says that each has a value that it reads, and one that it writes, if these follow from each other: the first reads the initial one. It
// returns false if they do not.
func (n *line) compute() bool {
	for i := range n.all {
		for _, v := range n.val[n.all[i].read].values {
			if _, ok := n.makes(i, v); !ok {
				return false
			}
		}
	}
	for i := range n.all {
		n.say(append(slices.Clone(n.val[n.all[i].read].lits), n.all[i].here.Not())...)
		n.say(append(slices.Clone(n.val[n.all[i].write].lits), n.all[i].here.Not())...)
	}
	return true
}

// rank says which rank the i-th has by those before it, and by what it reads from.
func (n *line) rank(i int, least, is [][]sat.Lit) {
	here, reads := n.all[i].here, n.reads(i, n.first)
	n.say(here.Not(), reads.Not(), least[i][2].Not())
	n.say(here.Not(), reads, least[i][2])
	n.others(i, func(j int, before, _ sat.Lit) {
		there, reads := n.all[j].here, n.reads(i, n.all[j].write)
		for k := 1; k <= len(n.all); k++ {
			n.say(before.Not(), here.Not(), there.Not(), least[j][k].Not(), least[i][k+1])
			if k < len(n.all) {
				n.say(here.Not(), reads.Not(), is[j][k].Not(), is[i][k+1])
				n.say(here.Not(), reads.Not(), is[j][k], is[i][k+1].Not())
			}
		}
	})
}

// tellBy says what is read by the rank, if all compute the same from it. It returns false if they do not.
func (n *line) tellBy(is [][]sat.Lit) (told bool) {
	start := &n.val[n.first]
	if len(start.values) != 1 {
		return false
	}
	for k, value := 1, start.values[0]; k <= len(n.all); k++ {
		var next []event.Value
		for i := range n.all {
			n.say(is[i][k].Not(), n.val[n.all[i].read].has(n.circuit, value))
			made, ok := n.makes(i, value)
			if !ok {
				return false
			}
			if !slices.Contains(next, made) {
				next = append(next, made)
			}
		}
		if len(next) > 1 {
			return false
		}
		value = next[0]
	}
	return true
}

// makes is what one writes if it reads a value; false if that depends on anything else.
func (n *line) makes(i int, value event.Value) (made event.Value, ok bool) {
	path, x := n.s.own[n.all[i].write], n.s.Events[n.all[i].write].Data
	for _, r := range n.needs(path, x) {
		if r != n.all[i].read {
			return made, false
		}
	}
	made, err := x.Eval(func(int) (event.Value, bool) { return value, true })
	return made, err == nil
}

// grow says of values that only grow along the line, those of a maximum, or only shrink, that they do. What each makes of what it reads
// is known (compute).
func (n *line) grow() {
	var values []event.Value
	for i := range n.all {
		for _, v := range n.val[n.all[i].write].values {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	if slices.ContainsFunc(values, event.Value.IsAddress) {
		return
	}
	for _, bound := range values {
		n.keep(func(v event.Value) bool { return v.Int >= bound.Int })
		n.keep(func(v event.Value) bool { return v.Int <= bound.Int })
	}
}

// keep says that what holds of the value that one writes holds of those that are written later, and read there, if it stays so whatever one makes
// of it.
func (n *line) keep(holds func(event.Value) bool) {
	for i := range n.all {
		for _, v := range n.val[n.all[i].read].values {
			if made, _ := n.makes(i, v); holds(v) && !holds(made) {
				return
			}
		}
	}
	others := func(e event.ID) (lits []sat.Lit) { // values of which it does not hold
		for i, v := range n.val[e].values {
			if !holds(v) {
				lits = append(lits, n.val[e].lits[i])
			}
		}
		return lits
	}
	other := make([]sat.Lit, len(n.all))
	for j := range n.all {
		other[j] = n.any(others(n.all[j].write))
	}
	n.eachTwo(func(j, i int, before sat.Lit) {
		for _, l := range append(others(n.all[i].read), others(n.all[i].write)...) {
			n.say(n.all[i].here.Not(), n.all[j].here.Not(), before.Not(), other[j], l.Not())
		}
	})
}

// reach looks for relations that go on along the line, and says of each that it goes from one to whichever comes after.
func (n *line) reach() {
	reading, writing := n.ends()
	var along []*reached
	for _, from := range [2][]event.ID{reading, writing} {
		along = append(along, n.asked(from, func(j int) event.ID { return reading[j] })...)
		along = append(along, n.asked(from, func(j int) event.ID { return writing[j] })...)
	}
	n.drain()
	for n.reachAlong(along) {
		along = slices.DeleteFunc(along, func(r *reached) bool { return r.known })
	}
}

// ends is the reads and the writes of a line.
func (n *line) ends() (reading, writing []event.ID) {
	for i := range n.all {
		reading, writing = append(reading, n.all[i].read), append(writing, n.all[i].write)
	}
	return reading, writing
}

// onlookers is the reads that are not of the line and may read there.
func (n *line) onlookers() (all []event.ID) {
	for _, o := range n.question.reads {
		member := func(x inLine) bool { return x.read == o }
		sees := func(x inLine) bool { return n.readsFrom(o, x.write) != n.no }
		if !slices.ContainsFunc(n.all, member) && slices.ContainsFunc(n.all, sees) {
			all = append(all, o)
		}
	}
	return all
}

// place says of who looks on whether what it reads from comes before or after others of the line: those of its own thread, to begin with.
func (n *line) place() {
	type placed struct{ reads, there, where sat.Lit }
	var found []placed
	onlookers := n.onlookers()
	complete := n.probe(func(p sat.Probe) {
		for _, o := range onlookers {
			for k := range n.all {
				reads := n.readsFrom(o, n.all[k].write)
				n.assuming(p, func() {
					n.others(k, func(j int, before, after sat.Lit) {
						switch there := n.all[j].here; {
						case n.entails(p, n.no, there, after):
							found = append(found, placed{reads, there, before})
						case n.entails(p, n.no, there, before):
							found = append(found, placed{reads, there, after})
						}
					})
				}, reads)
			}
		}
	})
	if complete {
		for _, x := range found {
			n.say(x.reads.Not(), x.there.Not(), x.where)
		}
	}
}

// reachOnlookers is reach for relations to reads that are not of the line.
func (n *line) reachOnlookers() {
	reading, writing := n.ends()
	for _, o := range n.onlookers() {
		at := func(int) event.ID { return o }
		to := append(n.asked(reading, at), n.asked(writing, at)...)
		n.drain()
		n.reachOnlooker(o, to)
	}
}

// reached is pairs of one value from what belongs to each of the line to what belongs to others, or looks on, and what is known of them.
type reached struct {
	pairs [][]sat.Lit
	known bool // that they go to whichever comes after
	steps bool // that they go from each to the one after it
	first bool // that they go on from the one after it
}

// asked is the values of which somebody wants to know such pairs.
func (n *line) asked(from []event.ID, to func(j int) event.ID) (all []*reached) {
	for s := range n.pairs {
		asked := false
		n.eachTwo(func(i, j int, _ sat.Lit) {
			row := n.pairs[s]
			asked = asked || row != nil && row[from[i]] != nil && row[from[i]][to(j)].ways&up != 0
		})
		if !asked {
			continue
		}
		r := &reached{pairs: make([][]sat.Lit, len(n.all))}
		for i := range r.pairs {
			r.pairs[i] = make([]sat.Lit, len(n.all))
		}
		n.eachTwo(func(i, j int, _ sat.Lit) { r.pairs[i][j] = n.lit(plan.Slot(s), from[i], to(j), up) })
		all = append(all, r)
	}
	return all
}

// eachTwo visits each two that may be there together, in both orders, with the literal that the first comes before the second.
func (n *line) eachTwo(visit func(i, j int, before sat.Lit)) {
	for i := range n.all {
		n.others(i, func(j int, _, after sat.Lit) { visit(i, j, after) })
	}
}

// look looks at what follows for pairs, while they may be of use.
func look(all []*reached, may func(r *reached) *bool, holds func(r *reached) bool) (some bool) {
	for _, r := range all {
		if is := may(r); *is {
			*is = holds(r)
			some = some || *is
		}
	}
	return some
}

func known(r *reached) *bool { return &r.known }
func steps(r *reached) *bool { return &r.steps }
func first(r *reached) *bool { return &r.first }

// reachAlong finds of pairs between two of the line which go to whichever comes after, and says so. It returns false if nothing is to be said.
func (n *line) reachAlong(all []*reached) (more bool) {
	if !n.probe(func(p sat.Probe) {
		n.alreadyAlong(p, all)
		n.byFirstStep(p, all)
		for _, r := range all {
			r.first = r.first || r.steps && n.byLastStep(p, r.pairs)
		}
	}) {
		return false
	}
	for _, r := range all {
		if r.known || !r.first {
			continue
		}
		more, r.known = true, true
		n.eachTwo(func(i, j int, before sat.Lit) {
			n.say(n.all[i].here.Not(), n.all[j].here.Not(), before.Not(), r.pairs[i][j])
		})
	}
	return more
}

// alreadyAlong finds the pairs that are known to go to whichever comes after.
func (n *line) alreadyAlong(p sat.Probe, all []*reached) {
	some := len(all) > 0
	for _, r := range all {
		r.known = true
	}
	n.eachTwo(func(i, j int, before sat.Lit) {
		if some {
			n.assuming(p, func() {
				some = look(all, known, func(r *reached) bool { return p.Holds(r.pairs[i][j]) })
			}, n.all[i].here, n.all[j].here, before)
		}
	})
}

// byFirstStep finds the pairs that go from each to the one after it, and to whichever comes after, whoever is the one after it.
func (n *line) byFirstStep(p sat.Probe, all []*reached) {
	some := false
	for _, r := range all {
		r.steps, r.first = !r.known, !r.known
		some = some || r.steps
	}
	n.eachTwo(func(i, next int, _ sat.Lit) {
		if !some {
			return
		}
		n.assuming(p, func() {
			some = look(all, steps, func(r *reached) bool { return p.Holds(r.pairs[i][next]) })
			others := look(all, first, func(r *reached) bool { return r.steps })
			n.others(next, func(k int, _, after sat.Lit) {
				if _, together := n.before(i, k); !together || !others {
					return
				}
				n.assuming(p, func() {
					others = look(all, first, func(r *reached) bool { return p.Holds(r.pairs[i][k]) })
				}, n.all[k].here, after)
			})
		}, n.all[next].here, n.reads(next, n.all[i].write))
	})
}

// byLastStep reports that pairs, which go from each to the one after it, go on from there: an induction along the line.
func (n *line) byLastStep(p sat.Probe, pairs [][]sat.Lit) (ok bool) {
	ok = true
	n.eachTwo(func(i, j int, _ sat.Lit) {
		if !ok {
			return
		}
		n.assuming(p, func() {
			n.others(j, func(k int, _, _ sat.Lit) {
				if _, together := n.before(i, k); together {
					ok = ok && n.entails(p, pairs[i][k], n.all[k].here, n.reads(k, n.all[j].write))
				}
			})
		}, pairs[i][j], n.all[i].here, n.all[j].here)
	})
	return ok
}

// reachOnlooker finds of pairs to a read that is not of the line which go there from all that come before what it reads from, and says so.
func (n *line) reachOnlooker(o event.ID, all []*reached) {
	if !n.probe(func(p sat.Probe) {
		n.alreadySeen(p, o, all)
		n.seenByFirstStep(p, o, all)
	}) {
		return
	}
	for _, r := range all {
		if r.first {
			n.eachTwo(func(i, last int, before sat.Lit) {
				n.say(n.readsFrom(o, n.all[last].write).Not(), n.all[i].here.Not(), before.Not(), r.pairs[i][last])
			})
		}
	}
}

// alreadySeen finds the pairs that are known to go to what reads from a later one.
func (n *line) alreadySeen(p sat.Probe, o event.ID, all []*reached) {
	some := len(all) > 0
	for _, r := range all {
		r.known = true
	}
	for last := range n.all {
		n.assuming(p, func() {
			n.others(last, func(i int, before, _ sat.Lit) {
				if some {
					n.assuming(p, func() {
						some = look(all, known, func(r *reached) bool { return p.Holds(r.pairs[i][last]) })
					}, n.all[i].here, before)
				}
			})
		}, n.readsFrom(o, n.all[last].write))
	}
}

// seenByFirstStep finds the pairs that go from each to what reads from a later one, whoever is the one after the first.
func (n *line) seenByFirstStep(p sat.Probe, o event.ID, all []*reached) {
	some := false
	for _, r := range all {
		r.first = !r.known
		some = some || r.first
	}
	for last := range n.all {
		n.assuming(p, func() {
			n.others(last, func(i int, _, _ sat.Lit) {
				holds := func() { some = some && look(all, first, func(r *reached) bool { return p.Holds(r.pairs[i][last]) }) }
				n.assuming(p, func() {
					n.assuming(p, holds, n.reads(last, n.all[i].write))
					n.others(i, func(next int, _, _ sat.Lit) {
						if before, together := n.before(next, last); together && some {
							n.assuming(p, holds, n.all[next].here, n.reads(next, n.all[i].write), before)
						}
					})
				}, n.all[i].here)
			})
		}, n.readsFrom(o, n.all[last].write))
	}
}
