package verify

import (
	"encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
)

// conjunction is conditions that must all hold.
type conjunction struct {
	b   *term.Builder
	all []*term.Term
	has map[*term.Term]bool
	no  bool // they cannot

	looked int                 // so many of the conditions have been looked through
	seen   map[*term.Term]bool // what was found in them
	speak  map[*term.Term]bool // variables in them, and applications of functions
}

func newConjunction(b *term.Builder) *conjunction {
	return &conjunction{b: b, has: map[*term.Term]bool{}, seen: map[*term.Term]bool{}, speak: map[*term.Term]bool{}}
}

func (c *conjunction) add(all ...*term.Term) {
	for _, t := range all {
		switch {
		case t.True() || c.has[t]:
		case t.Op() == term.And:
			c.add(t.Args()...)
		case t.False() || c.has[c.b.Not(t)]:
			c.no = true
		default:
			c.has[t] = true
			c.all = append(c.all, t)
		}
	}
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
