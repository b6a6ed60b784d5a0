package term

// Mentions reports that a variable or an application of a function in a term is of some kind.
func Mentions(t *Term, is func(*Term) bool) bool { return Visit(t, map[*Term]bool{}, is) }

// Visit calls is for the variables and applications of functions in a term, once for each, until it says so; terms that were
// seen are left out, and noted.
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
