package guard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
)

const atoms = 4

// holds evaluates a condition under an assignment of the atoms.
func holds(g *guard.Guards, c guard.Guard, values int) bool {
	m := &term.Model{Vars: map[string]uint64{}}
	for i := range atoms {
		m.Vars[fmt.Sprint("x", i)] = uint64(values >> i & 1)
	}
	return m.Eval(g.Term(c)) == 1
}

// TestAgainstTruthTables makes random conditions beside their truth tables.
func TestAgainstTruthTables(t *testing.T) {
	type condition struct {
		guard guard.Guard
		table int // a bit for each assignment
	}
	const all = 1<<(1<<atoms) - 1
	b := term.NewBuilder()
	g := guard.New(b)
	r := rand.New(rand.NewPCG(1, 2))
	conditions := []condition{{guard.True, all}, {guard.False, 0}}
	for i := range atoms {
		c := condition{guard: g.Of(b.Var(fmt.Sprint("x", i), 1))}
		for v := range 1 << atoms {
			c.table |= (v >> i & 1) << v
		}
		conditions = append(conditions, c)
	}
	byTable := map[int]guard.Guard{}
	for range 3000 {
		x, y := conditions[r.IntN(len(conditions))], conditions[r.IntN(len(conditions))]
		made := condition{g.And(x.guard, y.guard), x.table & y.table}
		switch r.IntN(4) {
		case 0:
			made = condition{g.Or(x.guard, y.guard), x.table | y.table}
		case 1:
			made = condition{g.Not(x.guard), all &^ x.table}
		case 2:
			made = condition{g.Of(g.Term(x.guard)), x.table}
		}
		if old, ok := byTable[made.table]; ok && old != made.guard {
			t.Fatalf("one condition has two forms: %v and %v", old, made.guard)
		}
		byTable[made.table] = made.guard
		conditions = append(conditions, made)
		under := g.Under(x.guard, y.guard)
		for v := range 1 << atoms {
			if holds(g, made.guard, v) != (made.table>>v&1 == 1) {
				t.Fatal("a condition does not mean what it was made of")
			}
			if y.table>>v&1 == 1 && holds(g, under, v) != (x.table>>v&1 == 1) {
				t.Fatal("Under differs where what is given holds")
			}
		}
		if y.table != 0 && x.table&y.table == y.table && under != guard.True {
			t.Fatal("Under does not see what is implied")
		}
	}
}

// TestMeeting: nothing remains of nested tests whose sides have met again.
func TestMeeting(t *testing.T) {
	b := term.NewBuilder()
	g := guard.New(b)
	left, total := guard.True, guard.False
	for i := range 50 {
		c := g.Of(b.Var(fmt.Sprint("c", i), 1))
		total = g.Or(total, g.And(left, g.Not(c))) // out of a loop in its i-th round
		left = g.And(left, c)
	}
	if got := g.Or(total, left); got != guard.True {
		t.Errorf("%v is left of 50 rounds", g.Term(got))
	}
}

func TestTooMany(t *testing.T) {
	b := term.NewBuilder()
	g := guard.New(b)
	defer func() {
		if r := recover(); r != guard.ErrTooMany { //nolint:errorlint // a panic's value
			t.Errorf("panic with %v, want ErrTooMany", r)
		}
	}()
	const n = 20 // x0 y0 ∨ x1 y1 …, tested in the order x0 x1 … y0 y1 …, has 2ⁿ nodes
	var x, y []guard.Guard
	for i := range n {
		x = append(x, g.Of(b.Var(fmt.Sprint("x", i), 1)))
	}
	for i := range n {
		y = append(y, g.Of(b.Var(fmt.Sprint("y", i), 1)))
	}
	total := guard.False
	for i := range n {
		total = g.Or(total, g.And(x[i], y[i]))
	}
	t.Error("no bound was met")
}

// TestShared makes a condition from a term with 2^100 paths, choices that share operands.
func TestShared(t *testing.T) {
	b := term.NewBuilder()
	g := guard.New(b)
	x, y := b.Var("x", 1), b.Var("y", 1)
	for range 100 {
		x, y = b.Ite(b.Var("c", 1), x, y), b.Ite(b.Var("d", 1), y, x)
	}
	if g.Of(x) == g.Of(b.Not(x)) {
		t.Error("a term and its negation are one condition")
	}
}

// TestStop stops operations that are slow although they make few nodes.
func TestStop(t *testing.T) {
	b := term.NewBuilder()
	g := guard.New(b)
	g.Stop = func() bool { return true }
	defer func() {
		if r := recover(); r != guard.ErrStopped { //nolint:errorlint // a panic's value
			t.Errorf("panic with %v, want ErrStopped", r)
		}
	}()
	all := guard.True
	for i := range 1 << 10 {
		all = g.And(all, g.Of(b.Var(fmt.Sprint("x", i%100), 1)))
		all = g.Or(all, g.Of(b.Var(fmt.Sprint("y", i), 1)))
	}
}
