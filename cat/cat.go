// Package cat gives .cat models their meaning. It loads a model with the files that it includes,
// checks it against the names that executions define, and evaluates it on candidate executions, one
// after another.
//
//	Model       a loaded model
//	Candidate   an execution as a model sees it: named sets and relations
//	Verdict     a model's answer for a candidate: the check that rejects it, or flags
//	Failure     one of the checks that reject a candidate
//	Violation   why a check failed: a cycle, or an offending pair or event
//	Summary     what a model defines, checks and uses
//
// Load (load.go) → Check (check.go, types.go, builtins.go for the predefined functions) → Eval
// (exec.go for statements, eval.go for expressions) → Violations (explain.go, memo.go for memoised
// evaluation).
//
// The package knows sets, relations and names, but no threads, scopes or instructions. A vocabulary
// (package vocab) holds what is known of a name, such as whether it depends on coherence. The
// evaluator walks the syntax tree for each candidate. Compile (compile.go) walks it once and
// generates straight-line code (package plan).
package cat

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// Candidate is a candidate execution as a model sees it. It defines every name of the vocabulary
// that the model was checked against, and the relation same-value of accesses.
type Candidate interface {
	N() int // number of events
	// Vocab returns the vocabulary of the candidate's names.
	Vocab() *vocab.Vocabulary
	Set(name string) (rel.Set, bool)
	Rel(name string) (rel.Rel, bool)
	// Located returns the accesses to the location of that name.
	Located(name string) (rel.Set, bool)
}

// sameValue is the relation of candidates from which the builtin different-values is computed.
const sameValue = "same-value"

// baseName returns the vocabulary's record of a name that candidates define, or nil.
func baseName(v *vocab.Vocabulary, name string) *vocab.Name {
	switch n := v.Find(name); {
	case n != nil && !n.Chosen:
		return n
	case name == sameValue:
		return &vocab.Name{Name: name, Depends: vocab.Rf}
	}
	return nil
}

// varsOf returns the decisions that the value of a name depends on.
func varsOf(n *vocab.Name) plan.Vars {
	switch n.Depends {
	case vocab.Program:
		return 0
	case vocab.Places:
		return plan.VarOf(plan.Places)
	}
	return plan.VarOf(plan.Rf)
}

// Model is a model with everything that it includes.
type Model struct {
	File   *src.File
	Header string // title in the header; may be empty

	stmts    []syntax.Stmt
	included map[*syntax.IncludeStmt][]syntax.Stmt
	prelude  *env            // the standard library
	bound    map[string]bool // every name that is bound somewhere; the others are base names
	variants map[string]bool

	plans sync.Map // what Compile returned, as a function, by vocabulary

	extend   sync.Once
	extended *Model

	preceding sync.Mutex
	preceded  map[*src.File]*Model // models returned by After, by preceding file

	check    sync.Once
	checking *Model // what CheckingCoherence returned
}

// Eval evaluates the model on a candidate and yields a verdict for each way to make the choices of
// the model, until yield returns false. A verdict stops at the first check that rejects the
// candidate; Violations returns all of them.
//
// The error is a *src.Diagnostic that points into the model (a failed assertion, a recursion that
// does not end), a *LimitError, or the cause of the context's end.
func (m *Model) Eval(ctx context.Context, c Candidate, yield func(*Verdict) bool) (err error) {
	defer catch(&err)
	x := &exec{evaluator: newEvaluator(ctx, m, c), yield: yield}
	x.run(m)
	return nil
}

// Judge returns Eval without stopping at the first check that rejects the candidate. It makes the
// choices after that check too, and Verdict.Failures lists all checks that fail.
func (m *Model) Judge(ctx context.Context, c Candidate, yield func(*Verdict) bool) (err error) {
	defer catch(&err)
	x := &exec{evaluator: newEvaluator(ctx, m, c), thorough: true, yield: yield}
	x.run(m)
	return nil
}

// Incomplete returns the verdict on a candidate for which a choice of the model has no element to
// choose, or nil if every choice has one. A check before that choice fails.
func (m *Model) Incomplete(c Candidate, choices []Choice) (found *Verdict, err error) {
	defer catch(&err)
	x := m.replay(c, choices)
	x.beyond = true
	x.yield = func(v *Verdict) bool {
		if v.Incomplete {
			found = v
		}
		return false
	}
	x.run(m)
	return found, nil
}

// Failure is a check that rejects a candidate. A check in a procedure or a forall can fail more
// than once.
type Failure struct {
	Check *syntax.Check
	Name  string // CheckName(Check), prefixed by the names of the calls around it
}

// Failures lists every check that rejects the candidate under the given choices.
func (m *Model) Failures(c Candidate, choices []Choice) (fs []Failure, err error) {
	defer catch(&err)
	x := m.replay(c, choices)
	x.failed = func(f Failure, _ *env) { fs = append(fs, f) }
	x.run(m)
	return fs, nil
}

// Violations explains each failure of Failures by a witness that is shortest in base relations.
func (m *Model) Violations(c Candidate, choices []Choice) ([]Violation, error) {
	return m.ViolationsOf(c, choices, func(Failure) bool { return true })
}

// ViolationsOf returns Violations for the failures that wanted accepts.
func (m *Model) ViolationsOf(c Candidate, choices []Choice, wanted func(Failure) bool) (vs []Violation, err error) {
	defer catch(&err)
	x := m.replay(c, choices)
	explainer := newExplainer(x.evaluator)
	x.asked = wanted
	x.failed = func(f Failure, in *env) { vs = append(vs, explainer.violation(f, in)) }
	x.run(m)
	return vs, nil
}

// Raised is a flag that a candidate raises, or an undefined_unless test that it fails. It holds the
// pairs or events that the test is about if the test asks whether a relation or a set is empty;
// other tests have none.
type Raised struct {
	Failure
	Pairs  [][2]int
	Events []int
}

// Flags lists the flags that a candidate raises under the given choices.
func (m *Model) Flags(c Candidate, choices []Choice) (raised []Raised, err error) {
	defer catch(&err)
	x := m.replay(c, choices)
	x.flagged = func(f Failure, in *env) { raised = append(raised, x.raised(f, in)) }
	x.run(m)
	return raised, nil
}

// Shows lists the relations and sets that show statements name, under the given choices.
func (m *Model) Shows(c Candidate, choices []Choice) (shown []Shown, err error) {
	defer catch(&err)
	x := m.replay(c, choices)
	x.shown = &shown
	x.run(m)
	return shown, nil
}

// replay returns an exec that makes the choices of an earlier verdict again.
func (m *Model) replay(c Candidate, choices []Choice) *exec {
	return &exec{
		evaluator: newEvaluator(context.Background(), m, c), follow: choices, following: true, thorough: true,
		yield: func(*Verdict) bool { return true },
	}
}

// Chooses reports whether the model chooses a relation of the given name, such as its own coherence
// order.
func (m *Model) Chooses(name string) bool {
	return m.has(m.stmts, choice(name))
}

// choice returns a predicate for the statement that chooses a relation.
func choice(name string) func(syntax.Stmt) bool {
	return func(s syntax.Stmt) bool {
		with, ok := s.(*syntax.WithStmt)
		return ok && with.Var.Text == name
	}
}

// MayLeaveUndefined reports whether the model has an undefined_unless test.
func (m *Model) MayLeaveUndefined() bool {
	return m.has(m.stmts, func(s syntax.Stmt) bool {
		check, ok := s.(*syntax.Check)
		return ok && check.Role == syntax.UndefinedUnless
	})
}

// has reports whether such a statement can be reached by evaluation.
func (m *Model) has(stmts []syntax.Stmt, is func(syntax.Stmt) bool) bool {
	found := false
	m.eachStmt(stmts, func(s syntax.Stmt) bool {
		if s, ok := s.(*syntax.IfStmt); ok {
			if holds, known := m.decided(s.Cond); known {
				found = found || m.has(branch(s, holds), is)
				return false
			}
		}
		found = found || is(s)
		return !found
	})
	return found
}

// Mentions reports whether the model mentions a name that it does not bind.
func (m *Model) Mentions(name string) bool {
	found := false
	m.eachStmt(m.stmts, func(s syntax.Stmt) bool {
		syntax.EachName(s, func(n syntax.Name) { found = found || n.Text == name })
		return !found
	})
	return found && !m.bound[name]
}

// Variants lists the variants that the model asks for, sorted.
func (m *Model) Variants() []string {
	asked := map[string]bool{}
	m.eachStmt(m.stmts, func(s syntax.Stmt) bool {
		syntax.EachVariant(s, func(v syntax.Name) { asked[v.Text] = true })
		return true
	})
	return slices.Sorted(maps.Keys(asked))
}

// branch returns the statements that an if executes.
func branch(i *syntax.IfStmt, holds bool) []syntax.Stmt {
	if holds {
		return i.Then
	}
	return i.Else
}

// decided evaluates a condition that depends on variants only; known is false for others.
func (m *Model) decided(x syntax.Cond) (holds, known bool) {
	switch x := x.(type) {
	case *syntax.VariantCond:
		return m.variants[x.Text], true
	case *syntax.NotCond:
		holds, known = m.decided(x.X)
		return !holds, known
	case *syntax.BoolCond:
		l, okL := m.decided(x.X)
		r, okR := m.decided(x.Y)
		if x.And {
			return l && r, okL && okR
		}
		return l || r, okL && okR
	}
	return false, false
}

// eachStmt visits statements. Where visit returns true, it also visits the statements that they
// include or contain.
func (m *Model) eachStmt(stmts []syntax.Stmt, visit func(syntax.Stmt) bool) {
	for _, s := range stmts {
		if !visit(s) {
			continue
		}
		switch s := s.(type) {
		case *syntax.IncludeStmt:
			m.eachStmt(m.included[s], visit)
		case *syntax.IfStmt:
			m.eachStmt(s.Then, visit)
			m.eachStmt(s.Else, visit)
		case *syntax.ForallStmt:
			m.eachStmt(s.Body, visit)
		case *syntax.ProcStmt:
			m.eachStmt(s.Body, visit)
		case *syntax.MatchStmt:
			for _, c := range s.Clauses {
				m.eachStmt(c.Body, visit)
			}
		}
	}
}
