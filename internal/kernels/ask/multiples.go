package ask

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// onMultiples repeats a question about a race if its answer has an access at an address that is not
// a multiple of the access's size because of the inputs: with such inputs a GPU traps. The repeated
// question assumes that the array begins at such a multiple, as the arrays of launches do. The
// alarm stays if the two threads make no access at a multiple for any inputs: then the kernel is
// wrong.
func (q *inquiry) onMultiples(answer prove.Answer) prove.Answer {
	if q.x.Kind != Race || q.x.Thread == nil || slices.Contains(q.x.Accesses[:], nil) || q.aligned(answer.Model) {
		return answer
	}
	if !q.mayAlign(answer.Model) {
		return answer
	}
	for _, base := range []*term.Term{q.c.b.Const(0, 64), q.c.b.Var(fmt.Sprintf("base of %s", q.x.Accesses[0].Region.Name), 64)} {
		within := slices.Clone(q.c.all)
		for i, access := range q.x.Accesses {
			within = append(within, q.multiple(i, access, base))
		}
		if answer = q.check(within); answer.Result != sat.Unsat {
			return answer
		}
	}
	q.a.stands.rely(assume.Aligned)
	return answer
}

// mayAlign reports whether the two threads of a model make the accesses of a race at multiples of
// their sizes, with some inputs.
func (q *inquiry) mayAlign(m *term.Model) bool {
	var within []*term.Term
	for _, v := range slices.Concat(q.a.trace.Shape.Thread[:], q.a.trace.Shape.Block[:]) {
		other := q.x.Thread.Term(v)
		within = append(within, q.c.b.Eq(v, q.c.b.Const(m.Eval(v), v.Width())), q.c.b.Eq(other, q.c.b.Const(m.Eval(other), other.Width())))
	}
	for i, access := range q.x.Accesses {
		within = append(within, q.multiple(i, access, q.c.b.Const(0, 64)))
	}
	return q.check(within).Result != sat.Unsat
}

// aligned reports whether a model has the accesses of a race at multiples of their sizes.
func (q *inquiry) aligned(m *term.Model) bool {
	for i, access := range q.x.Accesses {
		if m.Eval(q.multiple(i, access, q.c.b.Const(0, 64))) == 0 {
			return false
		}
	}
	return true
}

// multiple returns whether an access is at a multiple of its size in an array that begins at an
// address.
func (q *inquiry) multiple(i int, access *trace.Access, base *term.Term) *term.Term {
	offset := access.Offset
	if i == 1 {
		offset = q.x.Thread.Term(offset)
	}
	size := access.Size
	if access.Tile != nil || access.Copy != nil && !access.Copy.Own || size&(size-1) != 0 {
		size = access.Unit
	}
	return q.c.b.Eq(q.c.b.And(q.c.b.Add(base, offset), q.c.b.Const(uint64(size-1), 64)), q.c.b.Const(0, 64))
}
