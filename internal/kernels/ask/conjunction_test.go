package ask

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestConjunction: parts are added once, in order; a condition and its negation contradict each
// other; and what is known simplifies what it is a part of.
func TestConjunction(t *testing.T) {
	b := term.NewBuilder()
	p, q, r := b.Var("p", 1), b.Var("q", 1), b.Var("r", 1)
	for _, test := range []struct {
		name          string
		add           []*term.Term
		want          []*term.Term // after propagate
		unsatisfiable bool
	}{
		{"parts of a conjunction", []*term.Term{b.And(p, q), q, r}, []*term.Term{p, q, r}, false},
		{"true adds nothing", []*term.Term{b.Bool(true), p}, []*term.Term{p}, false},
		{"false", []*term.Term{p, b.Bool(false)}, nil, true},
		{"a contradiction", []*term.Term{p, b.Not(p)}, nil, true},
		{"an implication whose condition is known", []*term.Term{p, b.Implies(p, q)}, []*term.Term{p, q}, false},
		{"one that follows", []*term.Term{q, b.Implies(p, q)}, []*term.Term{q}, false},
		{"a chain", []*term.Term{b.Implies(q, r), b.Implies(p, q), p}, []*term.Term{r, q, p}, false},
		{"a chain into a contradiction", []*term.Term{b.Implies(q, r), b.Implies(p, q), p, b.Not(r)}, nil, true},
	} {
		c := newConjunction(b)
		c.Add(test.add...)
		c.propagate()
		if c.unsatisfiable != test.unsatisfiable {
			t.Errorf("%s: unsatisfiable is %v", test.name, c.unsatisfiable)
		}
		if !test.unsatisfiable && !slices.Equal(c.All(), test.want) {
			t.Errorf("%s: %v, want %v", test.name, c.All(), test.want)
		}
	}
}

// TestMentions: what was added since is looked through, too.
func TestMentions(t *testing.T) {
	b := term.NewBuilder()
	x, y := b.Var("x", 32), b.Var("y", 32)
	f := b.App("f", 32, y)
	c := newConjunction(b)
	if c.Add(b.ULt(x, b.Const(5, 32))); !c.Mentions(x) || c.Mentions(y) {
		t.Error("only x is mentioned at first")
	}
	if c.Add(b.ULt(f, x)); !c.Mentions(f) || !c.Mentions(y) {
		t.Error("an application and its argument are mentioned then")
	}
	if apps := c.Applications()["f"]; len(apps) != 1 || apps[0] != f {
		t.Errorf("the applications of f are %v", apps)
	}
}
