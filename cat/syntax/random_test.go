package syntax

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRandomTrees prints random trees and reads them again.
func TestRandomTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := (&generator{t}).file()
		roundTrip(t, f)
		goodSpans(t, mustParse(t, f.String()))
	})
}

// A generator draws trees that the grammar allows.
type generator struct{ t *rapid.T }

func (g *generator) below(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "n") }
func (g *generator) flip() bool      { return rapid.Bool().Draw(g.t, "b") }

func (g *generator) text() string {
	return rapid.SampledFrom([]string{"po", "po-loc", "membar.cta", "x'", "_y", "r1", "a-", "W", "letx"}).Draw(g.t,
		"name")
}

func (g *generator) name() Name { return Name{Text: g.text()} }

func (g *generator) optionalName() *Name {
	if g.flip() {
		return nil
	}
	n := g.name()
	return &n
}

// some draws a list of least to most items.
func some[T any](g *generator, least, most int, thing func() T) []T {
	var list []T
	for range least + g.below(most-least+1) {
		list = append(list, thing())
	}
	return list
}

func (g *generator) file() *File {
	f := &File{Catdep: g.flip(), Stmts: some(g, 0, 5, func() Stmt { return g.stmt(2) })}
	if g.flip() {
		f.Arch = g.text()
	}
	if g.flip() {
		f.Title = "a title"
	}
	return f
}

// stmt draws a statement with at most depth bodies inside each other.
func (g *generator) stmt(depth int) Stmt {
	if depth > 0 && g.below(3) == 0 {
		return g.bodied(depth - 1)
	}
	switch g.below(6) {
	case 0:
		return g.declaration()
	case 1, 2:
		return g.check(Role(g.below(4)))
	default:
		s := &LetStmt{Rec: g.flip(), Bindings: g.bindings()}
		if s.Rec && g.flip() {
			s.When = g.check(Require)
		}
		return s
	}
}

func (g *generator) check(role Role) *Check {
	c := &Check{Role: role, Negated: g.flip(), Test: Test(g.below(3)), X: g.expr(3), As: g.optionalName()}
	if role == Flag && c.As == nil {
		c.As = &Name{Text: "flag-name"}
	}
	return c
}

func (g *generator) bodied(depth int) Stmt {
	body := func() []Stmt { return some(g, 0, 3, func() Stmt { return g.stmt(depth) }) }
	switch g.below(4) {
	case 0:
		return &ProcStmt{Rec: g.flip(), Name: g.name(), Param: g.pat(2), Body: body()}
	case 1:
		return &ForallStmt{Var: g.name(), In: g.expr(2), Body: body()}
	case 2:
		return &IfStmt{Cond: g.cond(2), Then: body(), Else: body()}
	default:
		clauses := some(g, 1, 3, func() *StmtClause {
			// Otherwise, the tags of a trailing enum would continue into the next clause.
			body := append(body(), &DebugStmt{X: g.expr(1)})
			return &StmtClause{Tag: &Name{Text: g.text()}, Body: body}
		})
		if g.flip() {
			clauses[len(clauses)-1].Tag = nil
		}
		return &MatchStmt{X: g.expr(2), Clauses: clauses}
	}
}

func (g *generator) declaration() Stmt {
	switch g.below(8) {
	case 0:
		return &CallStmt{Name: g.name(), Arg: g.expr(2), As: g.optionalName()}
	case 1:
		return &WithStmt{Var: g.name(), From: g.expr(2)}
	case 2:
		return &ShowStmt{Items: some(g, 1, 3, func() *ShowItem { return &ShowItem{X: g.expr(2), As: g.name()} })}
	case 3:
		return &UnshowStmt{Names: some(g, 1, 3, g.name)}
	case 4:
		return &IncludeStmt{Path: Name{Text: "a file.cat"}}
	case 5:
		return &EnumStmt{Name: g.name(), Tags: some(g, 1, 3, g.name)}
	case 6:
		words := []string{"instructions", "events", "default"}
		return &BellStmt{Keyword: words[g.below(3)], Name: g.name(), Args: g.exprs(0, 3, 2)}
	default:
		return &DebugStmt{X: g.expr(4)}
	}
}

func (g *generator) bindings() []*Binding {
	return some(g, 1, 3, func() *Binding {
		b := &Binding{Pat: g.pat(2), Body: g.expr(3)}
		if _, named := b.Pat.(*VarPat); named && g.flip() {
			b.Param = g.pat(2)
		}
		return b
	})
}

func (g *generator) pat(depth int) Pat {
	if depth > 0 && g.below(3) == 0 {
		elems := some(g, 0, 3, func() Pat { return g.pat(depth - 1) })
		if len(elems) == 1 {
			return elems[0]
		}
		return &TuplePat{Elems: elems}
	}
	if g.below(4) == 0 {
		return &VarPat{Name{Text: "_"}}
	}
	return &VarPat{g.name()}
}

func (g *generator) exprs(least, most, depth int) []Expr {
	return some(g, least, most, func() Expr { return g.expr(depth) })
}

// expr draws an expression with at most depth others inside each other.
func (g *generator) expr(depth int) Expr {
	if depth == 0 {
		return g.leaf()
	}
	depth--
	switch g.below(9) {
	case 0:
		return g.leaf()
	case 1, 2:
		return &Unary{Op: UnaryOp(g.below(6)), X: g.expr(depth)}
	case 3, 4, 5:
		return &Binary{Op: BinaryOp(g.below(6)), X: g.expr(depth), Y: g.expr(depth)}
	case 6:
		return &App{Fun: g.expr(depth), Arg: g.expr(depth)}
	case 7:
		elems := g.exprs(0, 3, depth)
		if len(elems) == 1 || g.flip() {
			return &SetLit{Elems: elems}
		}
		return &Tuple{Elems: elems}
	default:
		return g.openExpr(depth)
	}
}

func (g *generator) leaf() Expr {
	switch g.below(6) {
	case 0:
		return &TagLit{g.name()}
	case 1:
		return &Zero{}
	case 2:
		return &Universal{}
	default:
		return &Ident{g.name()}
	}
}

func (g *generator) openExpr(depth int) Expr {
	switch g.below(6) {
	case 0:
		return &Fun{Param: g.pat(1), Body: g.expr(depth)}
	case 1:
		b := &Binding{Pat: g.pat(1), Body: g.expr(depth)}
		return &LetExpr{Rec: g.flip(), Bindings: []*Binding{b}, Body: g.expr(depth)}
	case 2:
		return &IfExpr{Cond: g.cond(depth), Then: g.expr(depth), Else: g.expr(depth)}
	case 3:
		return &TryExpr{X: g.expr(depth), Else: g.expr(depth)}
	case 4:
		clauses := some(g, 1, 3, func() *TagClause {
			return &TagClause{Tag: &Name{Text: g.text()}, Body: g.expr(depth)}
		})
		if g.flip() {
			clauses[len(clauses)-1].Tag = nil
		}
		return &MatchTag{X: g.expr(depth), Clauses: clauses}
	default:
		return &MatchSet{
			X:        g.expr(depth),
			Empty:    g.expr(depth),
			Elem:     g.name(),
			Rest:     g.name(),
			NonEmpty: g.expr(depth),
		}
	}
}

func (g *generator) cond(depth int) Cond {
	if depth <= 0 {
		return &VariantCond{Name{Text: "a variant"}}
	}
	depth--
	switch g.below(4) {
	case 0:
		return &NotCond{X: g.cond(depth)}
	case 1:
		return &BoolCond{And: g.flip(), X: g.cond(depth), Y: g.cond(depth)}
	case 2:
		return &CompareCond{Op: CompareOp(g.below(3)), X: g.expr(depth), Y: g.expr(depth)}
	default:
		return g.cond(0)
	}
}
