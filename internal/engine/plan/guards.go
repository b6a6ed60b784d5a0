package plan

// Guard says whether a check must hold: it is Required, Disabled, or the number of a group, from 1.
// Of the checks that have groups, those of one group may fail in an execution, whichever group that
// is.
type Guard int

// The guards that are not groups.
const (
	Required Guard = 0
	Disabled Guard = -1 // the check may fail
)

// Guards says which checks of a plan must hold, by check. Nil requires all of them.
//
// Where some checks need not hold, what passes the others may be inconsistent: it raises no flags,
// and a computation without meaning in it is no error.
type Guards []Guard

// Of returns the guard of a check.
func (g Guards) Of(check int) Guard {
	if g == nil {
		return Required
	}
	return g[check]
}

// Group returns the group of a check, 0 if it has none.
func (g Guards) Group(check int) int { return max(0, int(g.Of(check))) }

// Lenient reports whether some check need not hold.
func (g Guards) Lenient() bool {
	for _, guard := range g {
		if guard != Required {
			return true
		}
	}
	return false
}

// Groups returns the largest group, or 0.
func (g Guards) Groups() int {
	most := 0
	for check := range g {
		most = max(most, g.Group(check))
	}
	return most
}

// Disable returns guards for n checks that disable some of them and require the others.
func Disable(n int, checks ...int) Guards {
	g := make(Guards, n)
	for _, c := range checks {
		g[c] = Disabled
	}
	return g
}
