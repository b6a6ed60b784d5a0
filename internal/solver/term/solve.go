package term

import "math/bits"

// Solve returns the value of a variable with which a term is another, if the term is the variable,
// or a sum with it times a power of two, perhaps extended; nil if it is not. What does not fit into
// the variable is cut off.
func (b *Builder) Solve(t, v, is *Term) *Term {
	one := func(t *Term) bool { return t == v || t.op == ZExt && t.args[0] == v }
	if one(t) {
		return b.Extract(is, 0, v.width)
	}
	if t.op != Sum {
		return nil
	}
	for i, a := range t.args {
		if !one(a) || bits.OnesCount64(t.coefs[i]) != 1 {
			continue
		}
		rest := b.Sub(t, b.scale(a, t.coefs[i]))
		if !rest.has(v) {
			shift := b.Const(uint64(bits.TrailingZeros64(t.coefs[i])), a.width)
			return b.Extract(b.LShr(b.Sub(is, rest), shift), 0, v.width)
		}
	}
	return nil
}

// has reports whether a variable is in a term.
func (t *Term) has(v *Term) bool {
	seen := map[*Term]bool{}
	var visit func(t *Term) bool
	visit = func(t *Term) bool {
		if t == v || seen[t] {
			return t == v
		}
		seen[t] = true
		for _, a := range t.args {
			if visit(a) {
				return true
			}
		}
		return false
	}
	return visit(t)
}
