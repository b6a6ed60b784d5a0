package term

import "math/bits"

// Solve returns the value of variable v for which t equals is, if t is v, or a sum with v times a
// power of two, perhaps extended. It returns nil otherwise. Bits that do not fit into v are cut
// off.
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

// has reports whether a term contains a variable.
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
