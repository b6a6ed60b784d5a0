package syntax

import (
	"fmt"
	"iter"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Mutant is a file with one small change: a check, an operand or an operator left out.
// A test whose verdict changes with it tells that the file needs what was left out.
type Mutant struct {
	At   src.Span // what was changed
	What string   // in words: "without the operand REL"
	Text string   // of the whole file
}

// Mutants yields the mutants of a file, in the order of its text: without each check;
// without each operand of a union, an intersection or a sequence; without what a
// difference takes away; without each closure or inverse. Some may not be well typed. It is for tests of models: a part without which nothing changes has no test.
func Mutants(f *File) iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		m := mutator{f.Source, yield}
		m.stmts(f.Stmts)
	}
}

type mutator struct {
	file  *src.File
	yield func(Mutant) bool
}

// replace yields the file with another text at a place.
func (m *mutator) replace(at src.Span, text, what string) bool {
	all := m.file.Text
	return m.yield(Mutant{At: at, What: what, Text: all[:at.Start] + text + all[at.End:]})
}

// stmts mutates statements; it returns false when no more mutants are wanted.
func (m *mutator) stmts(stmts []Stmt) bool {
	for _, s := range stmts {
		if !m.stmt(s) {
			return false
		}
	}
	return true
}

func (m *mutator) stmt(s Stmt) bool {
	switch s := s.(type) {
	case *Check:
		return m.replace(s.Span(), "", "without this check") && m.expr(s.X)
	case *LetStmt:
		for _, b := range s.Bindings {
			if !m.expr(b.Body) {
				return false
			}
		}
	case *WithStmt:
		return m.expr(s.From)
	case *IfStmt:
		return m.stmts(s.Then) && m.stmts(s.Else)
	case *ProcStmt:
		return m.stmts(s.Body)
	case *ForallStmt:
		return m.stmts(s.Body)
	}
	return true
}

// expr mutates an expression and all that it is made of.
func (m *mutator) expr(x Expr) bool {
	more := true
	Walk(x, func(n Node) bool {
		switch n := n.(type) {
		case *Binary:
			more = more && m.binary(n)
		case *Unary:
			more = more && m.unary(n)
		}
		return more
	})
	return more
}

// droppable are the operators whose right operand can go, and those whose left can too.
var droppable = map[BinaryOp]struct{ right, left bool }{
	OpUnion: {true, true}, OpInter: {true, true}, OpSeq: {true, true}, OpDiff: {right: true},
}

func (m *mutator) binary(e *Binary) bool {
	drop := droppable[e.Op]
	keep := func(kept, dropped Expr) bool {
		what := fmt.Sprintf("without the operand %s of %s", oneLine(dropped), e.Op)
		return m.replace(e.Span(), "("+kept.Span().Text()+")", what)
	}
	return (!drop.right || keep(e.X, e.Y)) && (!drop.left || keep(e.Y, e.X))
}

func (m *mutator) unary(e *Unary) bool {
	switch e.Op {
	case OpPlus, OpStar, OpOpt, OpInverse:
		operator := strings.TrimPrefix(e.Span().Text(), e.X.Span().Text())
		return m.replace(e.Span(), "("+e.X.Span().Text()+")", "without the "+strings.TrimLeft(operator, ") \t\n"))
	}
	return true
}

func oneLine(e Expr) string { return strings.Join(strings.Fields(Print(e)), " ") }
