package plan

import "math/bits"

// Relations here are rows of bits, one word for each event: row a holds the events that
// a is related to. Operations write to dst, which must not be an operand.

func empty(x []uint64) bool { return union(x) == 0 }

// union is the union of the rows: the range of a relation.
func union(x []uint64) uint64 {
	var all uint64
	for _, row := range x {
		all |= row
	}
	return all
}

func domain(x []uint64) uint64 {
	var s uint64
	for a, row := range x {
		if row != 0 {
			s |= 1 << a
		}
	}
	return s
}

func compose(dst, x, y []uint64) {
	for a, row := range x {
		var to uint64
		for ; row != 0; row &= row - 1 {
			to |= y[bits.TrailingZeros64(row)]
		}
		dst[a] = to
	}
}

// Close makes a relation transitive, in place (Warshall's algorithm).
func Close(x []uint64) {
	for k, via := range x {
		if via == 0 {
			continue
		}
		for a, row := range x {
			if row>>k&1 != 0 {
				x[a] = row | via
			}
		}
	}
}

func inverse(dst, x []uint64) {
	clear(dst)
	for a, row := range x {
		for ; row != 0; row &= row - 1 {
			dst[bits.TrailingZeros64(row)] |= 1 << a
		}
	}
}

func identity(dst []uint64, s uint64) {
	for a := range dst {
		dst[a] = s & (1 << a)
	}
}

// from relates each event of s to all of t.
func from(dst []uint64, s, t uint64) {
	for a := range dst {
		dst[a] = t & -(s >> a & 1)
	}
}

// HasLoop reports that some event is related to itself.
func HasLoop(x []uint64) bool {
	for a, row := range x {
		if row>>a&1 != 0 {
			return true
		}
	}
	return false
}

// acyclic takes away events that lead nowhere, round after round. What is left in the end
// leads on for ever. Most relations lead to later events, so each round begins with the last.
func acyclic(x []uint64, left uint64) bool {
	for left != 0 {
		before := left
		for rest := left; rest != 0; {
			a := bits.Len64(rest) - 1
			rest &^= 1 << a
			if x[a]&left == 0 {
				left &^= 1 << a
			}
		}
		if left == before {
			return false
		}
	}
	return true
}
