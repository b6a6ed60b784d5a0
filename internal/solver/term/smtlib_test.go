package term_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/solver/term"
)

func TestSMTLIB(t *testing.T) {
	b := term.NewBuilder()
	tid, n := b.Var("tid", 8), b.Var("n", 32)
	i := b.Add(b.Mul(b.ZExt(tid, 32), b.Const(4, 32)), b.Const(8, 32))
	loaded := b.App("A", 32, i)
	var text strings.Builder
	if err := term.WriteSMTLIB(&text, b.ULt(loaded, n), b.Eq(b.Extract(n, 3, 5), b.Const(7, 5))); err != nil {
		t.Fatal(err)
	}
	want := `(set-logic QF_UFBV)
(declare-fun |tid| () (_ BitVec 8))
(define-fun t2 () (_ BitVec 32) ((_ zero_extend 24) |tid|))
(define-fun t6 () (_ BitVec 32) (bvadd (_ bv8 32) (bvmul (_ bv4 32) t2)))
(declare-fun |A| ((_ BitVec 32)) (_ BitVec 32))
(declare-fun |n| () (_ BitVec 32))
(define-fun t8 () (_ BitVec 1) (ite (bvult (|A| t6) |n|) #b1 #b0))
(assert (= t8 #b1))
(define-fun t9 () (_ BitVec 5) ((_ extract 7 3) |n|))
(define-fun t11 () (_ BitVec 1) (ite (= t9 (_ bv7 5)) #b1 #b0))
(assert (= t11 #b1))
(check-sat)
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSolverAgrees asks z3 whether random terms can differ from their simplified values: the
// written text means what the terms mean.
func TestSolverAgrees(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("no z3 on PATH: terms are not compared with a solver (apt-get install z3)")
	}
	for seed := range uint64(60) {
		m := newMaker(seed)
		for range 25 {
			m.step()
		}
		values, _ := m.values()
		var conditions []*term.Term
		for i, v := range m.vars {
			conditions = append(conditions, m.Eq(v.t, m.Const(values[i], v.t.Width())))
		}
		differs := m.Bool(false)
		for _, p := range m.made {
			differs = m.Or(differs, m.Ne(p.t, m.Const(p.want(values), p.t.Width())))
		}
		conditions = append(conditions, differs)
		if got := solve(t, z3, conditions); got != "unsat" {
			t.Errorf("seed %d: z3 says %s of terms that differ from their values", seed, got)
		}
	}
}

// solve asks a solver whether conditions can hold together.
func solve(t *testing.T, solver string, conditions []*term.Term) string {
	t.Helper()
	var text bytes.Buffer
	if err := term.WriteSMTLIB(&text, conditions...); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(solver, "-in")
	cmd.Stdin = &text
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}
