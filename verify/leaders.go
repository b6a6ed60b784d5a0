package verify

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Where one lane of a warp, its leader, takes places from a counter for all of them, and they get from it by shfl where these begin, it is the
// master of its warp (masters.go): a third thread, in the rounds of the first. That it comes to the shfl needs no proof of its own: it is asked of
// all lanes that the mask names (warps.go). So it is used in questions about races only, for what is asked there would be its own reason.

// leaders finds the values that leaders of warps hand out.
func (q *questions) leaders() (all []handed) {
	if len(q.count) == 0 {
		return nil
	}
	for i, x := range q.trace.Exchanges {
		of := q.counts(x.Value)
		if len(of) == 0 {
			continue
		}
		if m := q.leader(fmt.Sprintf("°%d", i), x); m != nil {
			brings := q.And(m.Term(x.Guard), q.Eq(x.Got, m.Term(x.Value)))
			all = append(all, handed{x.Got, q.Implies(q.And(x.Guard, x.There), brings), countedBy(m, of), x.From})
		}
	}
	return all
}

// leader is the lane of the warp of a thread from which it gets something, where it gets it; nil if its place is not known, in blocks of several dimensions.
func (q *questions) leader(name string, x *symbolic.Exchange) *term.Renaming {
	trace, one := q.trace, q.Const(1, 32)
	sh := trace.Shape
	if sh.Threads[1] != one || sh.Threads[2] != one || len(sh.Thread[0].Args()) != 1 {
		return nil
	}
	mine, same := sh.Thread[0].Args()[0], q.ofBlock()
	for _, r := range x.Rounds {
		same[r.Args()[0]] = true
	}
	first := q.And(sh.Linear, q.Const(1<<32-32, 32))
	place := q.Extract(q.Or(first, x.From), 0, mine.Width())
	return q.Rename(func(v *term.Term) *term.Term {
		switch {
		case v == mine:
			return place
		case !trace.Private[v] || same[v]:
			return v
		}
		return q.owned(v, v.Name()+name)
	})
}
