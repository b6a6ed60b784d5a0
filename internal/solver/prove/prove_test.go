package prove_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// questions draws random terms over small variables, and questions about them.
type questions struct {
	*prove.Prover
	*rand.Rand
	vars  []*term.Term
	terms []*term.Term
}

func ask(seed uint64) *questions {
	q := &questions{Prover: prove.New(), Rand: rand.New(rand.NewPCG(seed, 7))}
	for i, width := range []int{1, 2, 3, 4} {
		q.vars = append(q.vars, q.Var(fmt.Sprint("v", i), width))
	}
	q.vars = append(q.vars, q.UpTo("most", 5))
	q.terms = slices.Clone(q.vars)
	return q
}

// of returns a term of width bits, made of an existing one.
func (q *questions) of(width int) *term.Term {
	if q.IntN(5) == 0 {
		return q.Const(q.Uint64(), width)
	}
	t := q.terms[q.IntN(len(q.terms))]
	switch {
	case t.Width() >= width:
		return q.Extract(t, q.IntN(t.Width()-width+1), width)
	case q.IntN(2) == 0:
		return q.SExt(t, width)
	}
	return q.ZExt(t, width)
}

// grow makes one more term.
func (q *questions) grow(functions bool) {
	width := []int{1, 3, 4, 6, 8}[q.IntN(5)]
	op := arith.Op(q.IntN(int(arith.Select) + 1))
	args := []*term.Term{q.of(width), q.of(width), q.of(1)}
	if functions && q.IntN(4) == 0 {
		q.terms = append(q.terms, q.App(fmt.Sprint("f", width), width, args[0]))
		return
	}
	if op == arith.Wrap || op == arith.Extend {
		q.terms = append(q.terms, q.Not(args[0]))
		return
	}
	t := arith.Type{Signed: q.IntN(2) == 0, Bits: width}
	q.terms = append(q.terms, q.Apply(op, t, args...))
}

// conditions returns up to three truth values of the terms.
func (q *questions) conditions() []*term.Term {
	var all []*term.Term
	for range 1 + q.IntN(3) {
		width := []int{1, 3, 4, 8}[q.IntN(4)]
		switch q.IntN(5) {
		case 0:
			all = append(all, q.Eq(q.of(width), q.of(width)))
		case 1:
			v := q.vars[q.IntN(len(q.vars))]
			all = append(all, q.Eq(v, q.Add(q.of(v.Width()), q.of(v.Width()))))
		case 2:
			v := q.vars[q.IntN(len(q.vars))]
			all = append(all, q.ULt(v, q.Const(q.Uint64(), v.Width())), q.ULe(v, q.of(v.Width())))
		case 3:
			all = append(all, q.SLt(q.of(width), q.of(width)))
		default:
			all = append(all, q.Not(q.of(1)))
		}
	}
	return all
}

// possible reports whether conditions are satisfiable, by enumeration.
func (q *questions) possible(conditions []*term.Term) bool {
	bits := 0
	for _, v := range q.vars {
		bits += v.Width()
	}
	for values := range uint64(1) << bits {
		m := &term.Model{Vars: map[string]uint64{}}
		for _, v := range q.vars {
			m.Vars[v.Name()] = values & term.Mask(v.Width())
			values >>= v.Width()
		}
		if m.Vars["most"] <= 5 && holds(m, conditions) {
			return true
		}
	}
	return false
}

func holds(m *term.Model, conditions []*term.Term) bool {
	return !slices.ContainsFunc(conditions, func(c *term.Term) bool { return m.Eval(c) == 0 })
}

// TestAgainstAllValues asks random questions in sequence: the answers are those of enumeration, and
// models satisfy the conditions.
func TestAgainstAllValues(t *testing.T) {
	decided := map[sat.Result]int{}
	for seed := range uint64(60) {
		q := ask(seed)
		for range 10 {
			q.grow(false)
			if q.IntN(3) == 0 {
				q.Forget()
			}
			conditions := q.conditions()
			a := q.Check(0, conditions...)
			decided[a.Result]++
			if want := q.possible(conditions); (a.Result == sat.Sat) != want {
				t.Fatalf("seed %d: %v is %v", seed, conditions, a.Result)
			}
			if a.Result == sat.Sat && (a.Model.Vars["most"] > 5 || !holds(a.Model, conditions)) {
				t.Fatalf("seed %d: the model %v is none of %v", seed, a.Model.Vars, conditions)
			}
		}
	}
	if decided[sat.Sat] < 100 || decided[sat.Unsat] < 100 {
		t.Errorf("questions were too much of one kind: %v", decided)
	}
}

// TestSolverAgrees asks z3 the same questions, with uninterpreted functions, too.
func TestSolverAgrees(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("no z3 on PATH: answers are not compared with a solver (apt-get install z3)")
	}
	for seed := range uint64(sample.Of(150, 40)) {
		q := ask(seed)
		for range 12 {
			q.grow(true)
		}
		conditions := q.conditions()
		a := q.Check(0, conditions...)
		if a.Result == sat.Sat && (a.Model.Vars["most"] > 5 || !holds(a.Model, conditions)) {
			t.Fatalf("seed %d: the model %v is none of %v", seed, a.Model.Vars, conditions)
		}
		var text bytes.Buffer
		if err := term.WriteSMTLIB(&text, conditions...); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(z3, "-in")
		cmd.Stdin = &text
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != a.Result.String() {
			t.Fatalf("seed %d: %v is %v, z3 says %s (%v)", seed, conditions, a.Result, got, err)
		}
	}
}

// TestForget asks questions with known answers whose numbers of gates grow and shrink, and so does
// the table of gates.
func TestForget(t *testing.T) {
	p := prove.New()
	for _, n := range []int{4, 16, 2, 30, 3, 5} {
		x, y := p.Var(fmt.Sprint("x", n), n), p.Var(fmt.Sprint("y", n), n)
		p.Forget()
		if a := p.Check(0, p.Ne(p.Mul(x, y), p.Const(0, n)), p.Eq(x, p.Const(0, n))); a.Result != sat.Unsat {
			t.Errorf("%d bits: 0 times anything is not 0: %v", n, a.Result)
		}
		three, seven := p.Const(3, n), p.Const(7, n)
		if a := p.Check(0, p.Eq(p.Mul(x, y), p.Mul(three, seven)), p.Ne(x, three)); a.Result != sat.Sat ||
			a.Model.Eval(p.Mul(x, y)) != 21&term.Mask(n) {
			t.Errorf("%d bits: nothing else has this product: %v", n, a.Result)
		}
	}
}

// TestHardQuestion: the prover gives up at the end of its budget or when stopped, on the question
// whether a prime is the product of two 24-bit numbers above 1.
func TestHardQuestion(t *testing.T) {
	p := prove.New()
	x, y := p.ZExt(p.Var("x", 24), 48), p.ZExt(p.Var("y", 24), 48)
	one := p.Const(1, 48)
	question := []*term.Term{p.ULt(one, x), p.ULt(one, y), p.Eq(p.Mul(x, y), p.Const(2147483647, 48))}
	if a := p.Check(200, question...); a.Result != sat.Unknown || p.Conflicts() > 200 {
		t.Errorf("%v after %d conflicts", a.Result, p.Conflicts())
	}
	asked := 0
	p.Until(func() bool { asked++; return asked > 3 })
	if a := p.Check(0, question...); a.Result != sat.Unknown || asked > 10 {
		t.Errorf("stopped: %v, asked %d times", a.Result, asked)
	}
}

// BenchmarkRows asks whether two threads of a grid meet in y*w+x, for a symbolic width w of n bits.
func BenchmarkRows(b *testing.B) {
	for _, n := range []int{4, 5} {
		b.Run(fmt.Sprint(n, " bits"), func(b *testing.B) {
			for b.Loop() {
				if a := rows(n); a.Result != sat.Unsat {
					b.Fatal(a.Result)
				}
			}
		})
	}
}

func rows(n int) prove.Answer {
	p := prove.New()
	v := func(name string) *term.Term { return p.ZExt(p.Var(name, n), 2*n+2) }
	w, x, y, s, t := v("w"), v("x"), v("y"), v("s"), v("t")
	return p.Check(0, p.ULt(x, w), p.ULt(s, w), p.Ne(y, t), p.Eq(p.Add(p.Mul(y, w), x), p.Add(p.Mul(t, w), s)))
}
