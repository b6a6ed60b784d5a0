package verify

import (
	"encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// conjunction is conditions that must all hold.
type conjunction struct {
	b   *term.Builder
	all []*term.Term
	has map[*term.Term]bool
	no  bool // they cannot

	parted map[*term.Term]bool // conjunctions whose parts were added: they may have parts in common
	looked int                 // so many of the conditions have been looked through
	seen   map[*term.Term]bool // what was found in them
	speak  map[*term.Term]bool // variables in them, and applications of functions
}

func newConjunction(b *term.Builder) *conjunction {
	return &conjunction{b: b, has: map[*term.Term]bool{}, parted: map[*term.Term]bool{}, seen: map[*term.Term]bool{}, speak: map[*term.Term]bool{}}
}

func (c *conjunction) add(all ...*term.Term) {
	for _, t := range all {
		switch {
		case t.True() || c.has[t] || c.parted[t]:
		case t.Op() == term.And:
			c.parted[t] = true
			c.add(t.Args()...)
		case t.False() || c.has[c.b.Not(t)]:
			c.no = true
		default:
			c.has[t] = true
			c.all = append(c.all, t)
		}
	}
}

// propagate has each condition be said under the others (unit propagation): what is a fact wherever a thread comes to a place is a fact if it is
// known to come there. Bounds are seen then that gates would have to find.
func (c *conjunction) propagate() {
	for i := 0; i < propagations && !c.no; i++ {
		said := newConjunction(c.b)
		under := map[*term.Term]*term.Term{}
		for _, t := range c.all {
			said.add(c.inside(t, under))
		}
		same := slices.Equal(said.all, c.all)
		if *c = *said; same {
			return
		}
	}
}

// propagations bounds how often conditions are said anew.
const propagations = 3

// inside is a condition with what is known put in its parts: a part is smaller than the condition that it is known by, so none is
// its own reason.
func (c *conjunction) inside(t *term.Term, under map[*term.Term]*term.Term) *term.Term {
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

// speaks reports that a variable, or an application of a function, is in a condition.
func (c *conjunction) speaks(of *term.Term) bool {
	for ; c.looked < len(c.all); c.looked++ {
		visit(c.all[c.looked], c.seen, func(v *term.Term) bool {
			c.speak[v] = true
			return false
		})
	}
	return c.speak[of]
}

// keyOf is the same for the same conditions, in whatever order.
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
