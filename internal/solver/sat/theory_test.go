package sat

import (
	"testing"

	"pgregory.net/rapid"
)

// atMost is a theory: at most that number of its literals hold.
type atMost struct {
	most int
	held []Lit
}

func (a *atMost) Assign(l Lit) []Lit {
	if len(a.held) == a.most {
		return append(a.held[:len(a.held):len(a.held)], l)
	}
	a.held = append(a.held, l)
	return nil
}

func (a *atMost) Undo(Lit) { a.held = a.held[:len(a.held)-1] }

// TestTheory compares a theory with equivalent clauses.
func TestTheory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const vars = 6
		theory := &atMost{most: rapid.IntRange(0, vars).Draw(rt, "most")}
		with, without := New(), New()
		with.Use(theory)
		var lits []Lit
		for range vars {
			l := with.NewVar()
			with.Watch(l)
			without.NewVar()
			lits = append(lits, l)
		}
		for set := range 1 << vars {
			var clause []Lit
			for i, l := range lits {
				if set>>i&1 != 0 {
					clause = append(clause, l.Not())
				}
			}
			if len(clause) == theory.most+1 {
				without.Add(clause...)
			}
		}
		for range rapid.IntRange(1, 6).Draw(rt, "rounds") {
			var clause []Lit
			for range rapid.IntRange(1, 3).Draw(rt, "literals") {
				clause = append(clause, Lit(rapid.IntRange(0, 2*vars-1).Draw(rt, "literal")))
			}
			with.Add(clause...)
			without.Add(clause...)
			assumed := Lit(rapid.IntRange(0, 2*vars-1).Draw(rt, "assumed"))
			if got, want := with.Solve(0, assumed), without.Solve(0, assumed); got != want {
				rt.Fatalf("%v with a theory, %v with clauses", got, want)
			}
		}
	})
}
