package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Threads elect one of them by an atomic that replaces what it finds: if (atomicExch(f, 1) == 0), if (atomicCAS(f, 0, tid + 1) == 0). Whatever
// memory holds at first, at most one thread finds 0, if whoever finds it replaces it, and nobody ever writes it: see RATIONALE.md, "When does an
// atomic elect one thread?".

// election is an atomic that replaces a number which nobody writes.
type election struct {
	symbolic.Read
	free *term.Term // the number
}

// elections are the atomics that elect a thread, as long as nothing but loads and such atomics happens to the array.
func (q *questions) elections() (all []election) {
	for _, r := range q.trace.Reads {
		if r.Swap == nil {
			continue
		}
		others := q.meanwhile(r)
		for _, free := range q.free(r, others) {
			if !slices.ContainsFunc(others, func(a *symbolic.Access) bool { return !q.leaves(a, r.Size, free) }) {
				all = append(all, election{r, free})
			}
		}
	}
	return all
}

// free are the numbers that an atomic may replace by others: the one that it looks for; of one that replaces anything, 0 and
// those that others look for.
func (q *questions) free(r symbolic.Read, others []*symbolic.Access) (all []*term.Term) {
	if r.Swap.Finds != nil {
		return numbers(r.Swap.Finds)
	}
	all = numbers(q.Const(0, 8*r.Size))
	for _, a := range others {
		if a.Swap != nil && a.Size == r.Size && a.Swap.Finds != nil {
			all = append(all, numbers(a.Swap.Finds)...)
		}
	}
	slices.SortFunc(all, func(x, y *term.Term) int { return x.ID() - y.ID() })
	return slices.Compact(all)
}

// numbers is a term, if it is a number.
func numbers(t *term.Term) []*term.Term {
	if t.Op() == term.Const {
		return []*term.Term{t}
	}
	return nil
}

// leaves reports that an access to an array of elements of so many bytes never writes a number.
func (q *questions) leaves(a *symbolic.Access, size int, number *term.Term) bool {
	switch {
	case a.Kind == symbolic.Load:
		return true
	case a.Swap == nil || a.Size != size || a.Copy != nil || !q.settled: // guesses that are not proved are no reason
		return false
	}
	writes := q.Eq(a.Swap.Writes, number)
	if writes.False() {
		return true
	}
	_, result := q.fails(&a.Point, writes)
	return result == sat.Unsat
}

// Atomics that go one way elect a thread, too: if (!(atomicOr(f, 1) & 1)), if (atomicMax(f, 3) < 3). Atomics of one place have an order, and as long as
// each joins something to what it finds, and nothing else writes there, the later of two finds no less than what the earlier has left.

// oneWay are the atomics that go one way, as long as nothing but loads and atomics that go the same way happens to the array.
func (q *questions) oneWay() (all []symbolic.Read) {
	for _, r := range q.trace.Reads {
		otherwise := func(a *symbolic.Access) bool {
			return a.Kind != symbolic.Load && (a.Join == nil || a.Join.Op != r.Join.Op || a.Join.Type != r.Join.Type || a.Copy != nil)
		}
		if r.Join != nil && !slices.ContainsFunc(q.meanwhile(r), otherwise) {
			all = append(all, r)
		}
	}
	return all
}

// joined adds that of two atomics that go one way the later finds what the earlier has left, or more.
func (q *questions) joined(c *conjunction, s *second) {
	for _, x := range q.joins {
		if !c.speaks(x.Value) {
			continue
		}
		for _, y := range q.joins {
			theirs := s.Term(y.Value)
			if x.Region != y.Region || !c.speaks(theirs) || !q.sameTime(x, y, s) {
				continue
			}
			after := func(later, earlier *term.Term) *term.Term {
				return q.Eq(q.Apply(x.Join.Op, x.Join.Type, later, earlier), later)
			}
			ordered := q.Or(after(theirs, x.Join.After(q.Builder, x.Value)), after(x.Value, s.Term(y.Join.After(q.Builder, y.Value))))
			both := q.And(q.And(x.Guard, s.Term(y.Guard)), q.Eq(x.Offset, s.Term(y.Offset)))
			c.add(q.Implies(both, ordered))
		}
	}
}

// sameTime reports that two reads of one array may be of the same memory, with nothing else done to it in between: in shared memory, of one block between
// the same two barriers.
func (q *questions) sameTime(x, y symbolic.Read, s *second) bool {
	return x.Region.Space != isa.Shared || !s.far && q.Eq(x.Epoch, s.Term(y.Epoch)).True()
}

// elected adds that two threads do not find the same number free.
func (q *questions) elected(c *conjunction, s *second) {
	for _, x := range q.elects {
		if !c.speaks(x.Value) {
			continue
		}
		for _, y := range q.elects {
			theirs := s.Term(y.Value)
			if x.Region != y.Region || x.free != y.free || !c.speaks(theirs) || !q.sameTime(x.Read, y.Read, s) {
				continue
			}
			both := q.And(q.And(x.Guard, s.Term(y.Guard)), q.Eq(x.Offset, s.Term(y.Offset)))
			c.add(q.Not(q.And(both, q.And(q.Eq(x.Value, x.free), q.Eq(theirs, y.free)))))
		}
	}
}
