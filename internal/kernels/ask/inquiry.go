package ask

import (
	"github.com/muster-gpu/muster/internal/solver/term"
)

// inquiry is a question as a conjunction. What follows is its order:
//
//	what the question says, that the threads are where they are       inquire
//	the facts of the first thread, and of the other                   assume
//	what rules know of two threads, and of each                       assume
//	instances of claims                                               instantiate
type inquiry struct {
	a *Asker
	x *Question
	c *Conjunction
}

// inquire returns the conditions of a question, without the facts, and false if simplification
// shows that they have no model.
func (a *Asker) inquire(x *Question) (*inquiry, bool) {
	c := newConjunction(a.prover.Builder)
	c.Add(x.More...)
	if x.Thread != nil {
		c.Add(x.Thread.apart...)
	} else {
		c.Add(a.trace.Geometry...)
	}
	c.Add(x.First.Guard)
	if x.Other != nil {
		there := x.Thread.Term(x.Other.Guard)
		if x.Missing { // and is not on its way there, in a loop that was left
			there = c.b.And(c.b.Not(there), c.b.Not(x.Thread.Term(a.trace.Lost)))
		}
		c.Add(there)
	}
	return &inquiry{a, x, c}, !c.unsatisfiable
}

// assume adds the facts. Each kind comes after those that may mention its variables.
func (q *inquiry) assume() {
	q.c.Add(q.a.trace.Facts[:q.x.First.Facts]...)
	if q.x.Thread != nil {
		facts := q.x.First.Facts
		if q.x.Other != nil {
			facts = q.x.Other.Facts
		}
		for _, f := range q.a.trace.Facts[:facts] {
			q.c.Add(q.x.Thread.Term(f))
		}
		q.define()
		for _, r := range q.a.rules.relates {
			r.Relate(q.c, q.x)
		}
	}
	for _, r := range q.a.rules.tells {
		r.Tell(q.c, q.x.Thread)
	}
	q.instantiate()
}

// define adds the definitions of the variables that stand for terms of the other thread.
func (q *inquiry) define() {
	if len(q.a.trace.Others) == 0 {
		return
	}
	seen := map[*term.Term]bool{}
	for i := 0; i < len(q.c.all); i++ {
		term.Visit(q.c.all[i], seen, func(v *term.Term) bool {
			if of, ok := q.a.trace.Others[v]; ok {
				q.c.Add(q.c.b.Eq(v, q.x.Thread.Term(of)))
			} else if of, ok := q.x.Thread.others[v]; ok {
				q.c.Add(q.c.b.Eq(v, of))
			}
			return false
		})
	}
}
