package syntax

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Mutant is a file with one small change: a part is removed, emptied or replaced. A test kills the
// mutant if its verdict changes.
type Mutant struct {
	At   src.Span // the text that was replaced
	Part src.Span // the part of it that is gone or different: operand, operator or name
	What string   // the change in words: "without the operand REL"
	Text string   // the whole text of the changed file

	Check Stmt // the check or call that was removed; nil if something else was changed
}

// Mutants yields the mutants of a file with one part removed, in the order of its text: without
// each check or call; without each operand of a union, an intersection or a sequence; without the
// subtrahend of a difference; without each closure or inverse. Some may be ill-typed. Tests of
// models use it: a part whose removal changes no verdict is untested.
func Mutants(f *File) iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		m := mutator{f.Source, yield}
		for s := range AllStmts(f.Stmts) {
			if !m.checks(s) || !m.each(s, m.operators) {
				return
			}
		}
	}
}

// Emptied yields the mutants of a file with one definition emptied: a let defines the empty set or
// relation, a function returns it for every argument, and a choice is replaced by it. Definitions
// of other values give ill-typed mutants.
func Emptied(f *File) iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		m := mutator{f.Source, yield}
		for s := range AllStmts(f.Stmts) {
			if !m.definitions(s) || !m.each(s, m.locals) {
				return
			}
		}
	}
}

// Renamed yields the mutants of a file with one name of a family replaced by its neighbour in the
// family.
func Renamed(f *File, families [][]string) iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		m := mutator{f.Source, yield}
		for s := range AllStmts(f.Stmts) {
			if !m.each(s, func(n Node) bool { return m.neighbours(n, families) }) {
				return
			}
		}
	}
}

// mutator makes mutants. Its methods return false when the consumer wants no more.
type mutator struct {
	file  *src.File
	yield func(Mutant) bool
}

// replace yields the file with the text at m.At replaced.
func (m *mutator) replace(mutant Mutant, text string) bool {
	all := m.file.Text
	mutant.Text = all[:mutant.At.Start] + text + all[mutant.At.End:]
	return m.yield(mutant)
}

// each mutates the expressions of a statement on which verdicts may depend, and their
// subexpressions.
func (m *mutator) each(s Stmt, mutate func(Node) bool) bool {
	switch s.(type) {
	case *ShowStmt, *BellStmt, *DebugStmt:
		return true
	}
	more := true
	for _, x := range boundByStmt(s, func(Name) {}) {
		Walk(x, func(n Node) bool {
			more = more && mutate(n)
			return more
		})
	}
	return more
}

// checks removes a check or a call.
func (m *mutator) checks(s Stmt) bool {
	drop := func(at src.Span, check Stmt, what string) bool {
		return m.replace(Mutant{At: at, Part: check.Span(), Check: check, What: "without this " + what}, "")
	}
	switch s := s.(type) {
	case *Check:
		return drop(s.Span(), s, "check")
	case *CallStmt:
		return drop(s.Span(), s, "call")
	case *LetStmt:
		if s.When != nil {
			last := s.Bindings[len(s.Bindings)-1]
			return drop(m.file.Span(last.Span().End, s.When.Span().End), s.When, "check")
		}
	}
	return true
}

// definitions replaces a definition by the empty set or relation.
func (m *mutator) definitions(s Stmt) bool {
	switch s := s.(type) {
	case *LetStmt:
		return m.bindings(s.Bindings)
	case *WithStmt:
		return m.replace(emptied(s.Span(), s.Var), "let "+s.Var.Text+" = {}")
	}
	return true
}

// locals empties the definitions inside an expression.
func (m *mutator) locals(n Node) bool {
	e, ok := n.(*LetExpr)
	return !ok || m.bindings(e.Bindings)
}

func (m *mutator) bindings(bindings []*Binding) bool {
	for _, b := range bindings {
		name, ok := b.Pat.(*VarPat)
		if !ok || name.Text == "_" {
			continue // a tuple is neither a set nor a relation
		}
		body := b.Body
		for {
			f, ok := body.(*Fun)
			if !ok {
				break
			}
			body = f.Body
		}
		if !m.replace(emptied(body.Span(), name.Name), "(("+body.Span().Text()+") & {})") {
			return false
		}
	}
	return true
}

func emptied(at src.Span, name Name) Mutant {
	return Mutant{At: at, Part: name.Span(), What: "with " + name.Text + " empty"}
}

// neighbours replaces a name by its neighbours in its families.
func (m *mutator) neighbours(n Node, families [][]string) bool {
	name, ok := n.(*Ident)
	if !ok {
		return true
	}
	for _, family := range families {
		i := slices.Index(family, name.Text)
		for _, j := range []int{i - 1, i + 1} {
			if i < 0 || j < 0 || j == len(family) {
				continue
			}
			what := fmt.Sprintf("with %s in place of %s", family[j], name.Text)
			if !m.replace(Mutant{At: name.Span(), Part: name.Span(), What: what}, family[j]) {
				return false
			}
		}
	}
	return true
}

// operators leaves out an operand or an operator.
func (m *mutator) operators(n Node) bool {
	switch n := n.(type) {
	case *Binary:
		return m.binary(n)
	case *Unary:
		return m.unary(n)
	}
	return true
}

// droppable tells, for each operator, whether its right and its left operand can be removed.
var droppable = map[BinaryOp]struct{ right, left bool }{
	OpUnion: {true, true}, OpInter: {true, true}, OpSeq: {true, true}, OpDiff: {right: true},
}

func (m *mutator) binary(e *Binary) bool {
	drop := droppable[e.Op]
	keep := func(kept, dropped Expr) bool {
		what := fmt.Sprintf("without the operand %s of %s", oneLine(dropped), e.Op)
		return m.replace(Mutant{At: e.Span(), Part: dropped.Span(), What: what}, "("+kept.Span().Text()+")")
	}
	return (!drop.right || keep(e.X, e.Y)) && (!drop.left || keep(e.Y, e.X))
}

// postfixText is the text of the postfix operators that can be removed.
var postfixText = map[UnaryOp]string{OpPlus: "+", OpStar: "*", OpOpt: "?", OpInverse: "^-1"}

func (m *mutator) unary(e *Unary) bool {
	operator, ok := postfixText[e.Op]
	if !ok {
		return true
	}
	at := e.Span()
	part := m.file.Span(at.End-len(operator), at.End)
	return m.replace(Mutant{At: at, Part: part, What: "without the " + operator}, "("+e.X.Span().Text()+")")
}

func oneLine(e Expr) string { return strings.Join(strings.Fields(Print(e)), " ") }
