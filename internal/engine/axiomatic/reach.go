package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Which relations go along a line, from one to whichever comes after it, and to who reads from that.

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

// reachOnlooker finds of pairs to a read that is not of the line which go there from all that come before what it reads from, and says so. It returns false
// if there was no time to find out.
func (n *line) reachOnlooker(o event.ID, all []*reached) bool {
	if !n.probe(func(p sat.Probe) {
		n.alreadySeen(p, o, all)
		n.seenByFirstStep(p, o, all)
	}) {
		return false
	}
	for _, r := range all {
		if r.first {
			n.eachTwo(func(i, last int, before sat.Lit) {
				n.say(n.readsFrom(o, n.all[last].write).Not(), n.all[i].here.Not(), before.Not(), r.pairs[i][last])
			})
		}
		r.first = r.first || r.known
	}
	return true
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
