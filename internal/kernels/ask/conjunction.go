package ask

import (
	"encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// Conjunction is a list of conditions that must all hold. Their order affects the solver, and so
// the values of alarms.
type Conjunction struct {
	b             *term.Builder
	all           []*term.Term
	has           map[*term.Term]bool
	unsatisfiable bool // two of them contradict each other

	parted    map[*term.Term]bool // conjunctions whose parts were added: they may have parts in common
	looked    int                 // the number of conditions that have been searched
	seen      map[*term.Term]bool // terms that were found in them
	mentioned map[*term.Term]bool // variables in them, and applications of functions
}

func newConjunction(b *term.Builder) *Conjunction {
	return &Conjunction{
		b: b, has: map[*term.Term]bool{}, parted: map[*term.Term]bool{}, seen: map[*term.Term]bool{}, mentioned: map[*term.Term]bool{},
	}
}

// All returns the conditions, which the caller does not change.
func (c *Conjunction) All() []*term.Term { return c.all }

// Add adds the conjuncts of conditions, without duplicates.
func (c *Conjunction) Add(all ...*term.Term) {
	for _, t := range all {
		switch {
		case t.True() || c.has[t] || c.parted[t]:
		case t.Op() == term.And:
			c.parted[t] = true
			c.Add(t.Args()...)
		case t.False() || c.has[c.b.Not(t)]:
			c.unsatisfiable = true
		default:
			c.has[t] = true
			c.all = append(c.all, t)
		}
	}
}

// propagate simplifies each condition by the others (unit propagation): a fact about a place
// becomes unconditional if the thread is known to reach it. That exposes bounds that the solver
// would have to derive from gates.
func (c *Conjunction) propagate() {
	for i := 0; i < propagations && !c.unsatisfiable; i++ {
		said := newConjunction(c.b)
		under := map[*term.Term]*term.Term{}
		for _, t := range c.all {
			said.Add(c.inside(t, under))
		}
		same := slices.Equal(said.all, c.all)
		if *c = *said; same {
			return
		}
	}
}

// propagations bounds how often conditions are simplified.
const propagations = 3

// inside replaces the parts of a condition that are known. A part is smaller than the condition
// that it is known by, so none is its own reason.
func (c *Conjunction) inside(t *term.Term, under map[*term.Term]*term.Term) *term.Term {
	part := func(x *term.Term) *term.Term {
		switch {
		case c.has[x]:
			return c.b.Bool(true)
		case c.has[c.b.Not(x)]:
			return c.b.Bool(false)
		}
		return c.inside(x, under)
	}
	if is := under[t]; is != nil {
		return is
	}
	is := t
	switch not := c.b.Not(t); {
	case t.Op() == term.And:
		is = c.b.And(part(t.Args()[0]), part(t.Args()[1]))
	case t.Op() == term.Or:
		is = c.b.Or(part(t.Args()[0]), part(t.Args()[1]))
	case not.Op() == term.And || not.Op() == term.Or:
		is = c.b.Not(c.inside(not, under))
	}
	under[t] = is
	return is
}

// Mentions reports whether a variable, or an application of a function, is in a condition.
func (c *Conjunction) Mentions(v *term.Term) bool {
	for ; c.looked < len(c.all); c.looked++ {
		term.Visit(c.all[c.looked], c.seen, func(v *term.Term) bool {
			c.mentioned[v] = true
			return false
		})
	}
	return c.mentioned[v]
}

// Applications returns the applications of functions in the conditions, by function.
func (c *Conjunction) Applications() map[string][]*term.Term {
	apps, seen := map[string][]*term.Term{}, map[*term.Term]bool{}
	for _, t := range c.all {
		term.Visit(t, seen, func(v *term.Term) bool {
			if v.Op() == term.App {
				apps[v.Name()] = append(apps[v.Name()], v)
			}
			return false
		})
	}
	return apps
}

// keyOf returns a key of a set of conditions, independent of their order.
func keyOf(conditions []*term.Term) string {
	ids := make([]int, len(conditions))
	for i, c := range conditions {
		ids[i] = c.ID()
	}
	slices.Sort(ids)
	var key []byte
	for _, id := range ids {
		key = binary.AppendUvarint(key, uint64(id))
	}
	return string(key)
}
