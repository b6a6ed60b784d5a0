package sat

// arena is memory for the clauses of a solver, which all go at once: with Reset.
type arena struct {
	clauses chunks[clause]
	lits    chunks[Lit]
}

// clause returns a clause with its own copy of literals.
func (a *arena) clause(lits []Lit) *clause {
	c := &a.clauses.take(1)[0]
	*c = clause{lits: append(a.lits.take(len(lits))[:0], lits...)}
	return c
}

func (a *arena) reset() {
	a.clauses.reset()
	a.lits.reset()
}

// chunks is slices of elements, which are handed out in order.
type chunks[T any] struct {
	all  [][]T
	next int // the chunk after the one that is handed out
	left []T
}

// perChunk is how many elements a chunk has.
const perChunk = 1 << 12

// take returns n elements, of whatever value. The caller may not append to more.
func (c *chunks[T]) take(n int) []T {
	if n > perChunk {
		return make([]T, n)
	}
	if n > len(c.left) {
		if c.next == len(c.all) {
			c.all = append(c.all, make([]T, perChunk))
		}
		c.left = c.all[c.next]
		c.next++
	}
	some := c.left[:n:n]
	c.left = c.left[n:]
	return some
}

func (c *chunks[T]) reset() { c.next, c.left = 0, nil }
