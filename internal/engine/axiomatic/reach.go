package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Here is which relations follow from the order of a line: from a member to all later members, and
// to the reads of onlookers.

// reach finds the relations that hold from each member of the line to all later ones, and adds them
// as clauses.
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

// ends returns the reads and the writes of a line, by member.
func (n *line) ends() (reading, writing []event.ID) {
	for i := range n.all {
		reading, writing = append(reading, n.all[i].read), append(writing, n.all[i].write)
	}
	return reading, writing
}

// onlookers returns the reads outside the line that may read from a member.
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

// place adds, for each onlooker and each write k that it may read from, which members are entailed
// to come before or after k. These are at first the members of the onlooker's own thread.
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

// reached is the literals of one relation from each member's event to another member's event (or to
// an onlooker), and what has been proved of them.
type reached struct {
	pairs [][]sat.Lit
	known bool // the clauses already imply a pair to each later member
	steps bool // there is a pair to the next member
	first bool // a pair to the next member implies one to each later member
}

// asked returns the relations that have a literal, in the direction up, for some pair of an event
// of from and one of to.
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

// look re-evaluates a property of the relations that still have it, and reports whether one keeps
// it.
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

// reachAlong finds the relations that hold from each member to all later ones, and adds them as
// clauses. It reports whether it added one.
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

// alreadyAlong sets known of the relations that the clauses already extend to all later members.
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

// byFirstStep sets steps and first: the relation holds from each member to the next one, and to all
// later ones, whichever member is the next.
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

// byLastStep reports whether a pair from i to j implies a pair from i to the member after j: the
// step of an induction along the line.
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

// reachOnlooker finds the relations that hold to an onlooker from each member before the one that
// it reads from, and adds them as clauses. It returns false if a bound was hit.
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

// alreadySeen sets known of the relations that the clauses already give from each member before the
// one that the onlooker reads from.
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

// seenByFirstStep sets first of the relations that hold to the onlooker from each earlier member,
// whichever member follows it.
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
