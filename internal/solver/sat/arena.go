package sat

// arena allocates the clauses of a solver, which are freed together by Reset.
type arena struct {
	clauses chunks[clause]
	lits    chunks[Lit]
}

// clause returns a clause with a copy of the literals.
func (a *arena) clause(lits []Lit) *clause {
	c := &a.clauses.take(1)[0]
	*c = clause{lits: append(a.lits.take(len(lits))[:0], lits...)}
	return c
}

func (a *arena) reset() {
	a.clauses.reset()
	a.lits.reset()
}

// chunks allocates slices from chunks, in order.
type chunks[T any] struct {
	all  [][]T
	next int // index of the chunk after the current one
	left []T
}

// perChunk is the number of elements in a chunk.
const perChunk = 1 << 12

// take returns n uninitialised elements. The caller must not append to the slice.
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
