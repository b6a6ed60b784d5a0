package term

// Mentions reports whether is holds of a variable or of an application of a function in t.
func Mentions(t *Term, is func(*Term) bool) bool { return Visit(t, map[*Term]bool{}, is) }

// Visit calls is for each variable and application of a function in t, until it returns true, and
// reports whether it did. It skips the terms in seen, and adds the terms that it visits.
func Visit(t *Term, seen map[*Term]bool, is func(*Term) bool) bool {
	if len(t.Args()) == 0 && t.Op() != Var && t.Op() != App || seen[t] {
		return false
	}
	seen[t] = true
	if (t.Op() == Var || t.Op() == App) && is(t) {
		return true
	}
	for _, a := range t.Args() {
		if Visit(a, seen, is) {
			return true
		}
	}
	return false
}
