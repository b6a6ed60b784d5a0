package syntax

import (
	"fmt"
	"strings"
)

// String returns the model as canonical text: one statement a line, bodies indented, no redundant
// brackets. Comments and single blank lines stay (comments.go).
func (f *File) String() string {
	var p printer
	if f.Source != nil {
		p.source = source{text: f.Source.Text, comments: f.Comments}
	}
	p.header(f)
	p.stmts(f.Stmts, len(p.source.text))
	if p.Len() > 0 {
		p.text("\n")
	}
	return p.String()
}

// Print returns a node as canonical text, which parses to the same node.
func Print(n Node) string {
	var p printer
	switch n := n.(type) {
	case Stmt:
		p.stmt(n)
	case Expr:
		p.expr(n, anyExpr)
	case Cond:
		p.cond(n, anyCond)
	case Pat:
		p.pat(n)
	case *Binding:
		p.binding(n)
	case *StmtClause:
		p.stmtClause(n)
	case *TagClause:
		p.tagClause(n.Tag, n.Body)
	case *Name:
		p.word(*n)
	case Name:
		p.word(n)
	default:
		panic(fmt.Sprintf("syntax.Print: %T is not a node of the tree", n))
	}
	return p.String()
}

// level tells how tightly an expression binds. An operand is put in parentheses if its level is
// below the one that its position asks for.
type level int

const (
	anyExpr    level = iota // let, fun, if, try, match: never inside an operator
	firstInfix              // the levels of the infix operators follow each other
)

const (
	prefixed level = firstInfix + level(OpProduct) + iota // ~e and e*e
	suffixed                                              // e+ e* e?
	inverted                                              // e^-1
	atomic                                                // names, brackets and applications
)

// levelOf returns how tightly x binds.
func levelOf(x Expr) level {
	switch x := x.(type) {
	case *Binary:
		return firstInfix + level(x.Op)
	case *Unary:
		switch x.Op {
		case OpComplement:
			return prefixed
		case OpInverse:
			return inverted
		case OpBracket:
			return atomic
		}
		return suffixed
	case *LetExpr, *Fun, *IfExpr, *TryExpr, *MatchTag, *MatchSet:
		return anyExpr
	}
	return atomic
}

// The levels of conditions.
const (
	anyCond level = iota
	andCond
	notCond
	compareCond
	variantCond
)

func condLevel(c Cond) level {
	switch c := c.(type) {
	case *BoolCond:
		if c.And {
			return andCond
		}
		return anyCond
	case *NotCond:
		return notCond
	case *CompareCond:
		return compareCond
	}
	return variantCond
}

// printer collects text. Lines begin with the current indentation.
type printer struct {
	strings.Builder
	source
	indent    int
	opening   bool // a body begins
	inComment bool // the current line ends in a comment to the end of the line
}

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// when writes s if wanted is true.
func (p *printer) when(wanted bool, s string) {
	if wanted {
		p.text(s)
	}
}

func (p *printer) newline() {
	p.text("\n", strings.Repeat("  ", p.indent))
	p.opening, p.inComment = false, false
}

func (p *printer) parens(wanted bool, inside func()) {
	p.when(wanted, "(")
	inside()
	p.when(wanted, ")")
}

// commas writes n things with commas between them.
func (p *printer) commas(n int, thing func(i int)) {
	for i := range n {
		p.when(i > 0, ", ")
		thing(i)
	}
}

func (p *printer) exprs(xs []Expr) {
	p.commas(len(xs), func(i int) { p.expr(xs[i], anyExpr) })
}

// expr writes x, in parentheses if it binds less tightly than least.
func (p *printer) expr(x Expr, least level) {
	p.parens(levelOf(x) < least, func() { p.bare(x) })
	p.last = max(p.last, x.Span().End)
}

// bare writes x without parentheses around it.
func (p *printer) bare(x Expr) {
	switch x := x.(type) {
	case *Ident:
		p.word(x.Name)
	case *TagLit:
		p.tag(x.Name)
	case *Zero:
		p.word(Name{"0", x.At})
	case *Universal:
		p.word(Name{"_", x.At})
	case *SetLit:
		p.text("{")
		p.exprs(x.Elems)
		p.text("}")
	case *Tuple:
		p.text("(")
		p.exprs(x.Elems)
		p.text(")")
	case *Unary:
		p.unary(x)
	case *Binary:
		p.binary(x)
	case *App:
		p.application(x)
	default:
		p.open(x)
	}
}

// open writes an expression that begins with a keyword.
func (p *printer) open(x Expr) {
	switch x := x.(type) {
	case *Fun:
		p.text("fun ")
		p.pat(x.Param)
		p.text(" -> ")
		p.expr(x.Body, anyExpr)
	case *LetExpr:
		p.bindings(x.Rec, x.Bindings, func(*Binding) { p.text(" and ") })
		p.text(" in ")
		p.expr(x.Body, anyExpr)
	case *IfExpr:
		p.text("if ")
		p.cond(x.Cond, anyCond)
		p.text(" then ")
		p.expr(x.Then, anyExpr)
		p.text(" else ")
		p.expr(x.Else, anyExpr)
	case *TryExpr:
		p.text("try ")
		p.expr(x.X, anyExpr)
		p.text(" with ")
		p.expr(x.Else, anyExpr)
	case *MatchTag:
		p.matchTag(x)
	case *MatchSet:
		p.matchSet(x)
	default:
		panic(fmt.Sprintf("syntax.Print: %T is not an expression", x))
	}
}

func (p *printer) matchTag(x *MatchTag) {
	p.text("match ")
	p.expr(x.X, anyExpr)
	p.text(" with")
	for _, c := range x.Clauses {
		p.text(" ")
		p.tagClause(c.Tag, c.Body)
	}
	p.text(" end")
}

func (p *printer) tagClause(tag *Name, body Expr) {
	p.clauseHead(tag)
	p.text(" ")
	p.expr(body, anyExpr)
}

func (p *printer) clauseHead(tag *Name) {
	p.text("|| ")
	if tag == nil {
		p.text("_")
	} else {
		p.tag(*tag)
	}
	p.text(" ->")
}

func (p *printer) tag(n Name) {
	p.pass(n.At)
	p.text("'", n.Text)
}

func (p *printer) quoted(n Name) {
	p.pass(n.At)
	p.text(`"`, n.Text, `"`)
}

func (p *printer) matchSet(x *MatchSet) {
	p.text("match ")
	p.expr(x.X, anyExpr)
	p.text(" with || {} -> ")
	p.expr(x.Empty, anyExpr)
	p.text(" || ")
	p.word(x.Elem)
	p.text(" ++ ")
	p.word(x.Rest)
	p.text(" -> ")
	p.expr(x.NonEmpty, anyExpr)
	p.text(" end")
}

// suffixes is the text of the postfix operators of the non-associative level.
var suffixes = map[UnaryOp]string{OpPlus: "+", OpStar: "*", OpOpt: "?"}

func (p *printer) unary(x *Unary) {
	switch x.Op {
	case OpBracket:
		p.text("[")
		p.expr(x.X, anyExpr)
		p.text("]")
	case OpComplement:
		p.text("~")
		inner, ok := x.X.(*Unary)
		double := ok && inner.Op == OpComplement
		p.parens(!double && levelOf(x.X) < inverted, func() { p.bare(x.X) })
	case OpInverse:
		p.expr(x.X, inverted)
		p.text("^-1")
	default:
		// r++ would read as another operator.
		inner, ok := x.X.(*Unary)
		double := ok && inner.Op == OpPlus && x.Op == OpPlus
		p.parens(double || levelOf(x.X) < suffixed, func() { p.bare(x.X) })
		p.text(suffixes[x.Op])
	}
}

// binary writes an operator between operands. The operand on the side to which the operator
// associates may be the same operator without parentheses.
func (p *printer) binary(x *Binary) {
	left, right := levelOf(x)+1, levelOf(x)
	switch {
	case x.Op == OpProduct:
		left, right = suffixed, inverted
	case leftAssoc(x.Op):
		left, right = right, left
	}
	p.expr(x.X, left)
	if x.Op == OpSeq {
		p.text("; ")
	} else {
		p.text(" ", x.Op.String(), " ")
	}
	p.expr(x.Y, right)
}

// application writes f(x). A function that is neither a name nor an application is put in
// parentheses.
func (p *printer) application(x *App) {
	bare := false
	switch x.Fun.(type) {
	case *Ident, *App:
		bare = true
	}
	p.parens(!bare, func() { p.bare(x.Fun) })
	p.argument(x.Arg)
}

func (p *printer) argument(x Expr) {
	_, tuple := x.(*Tuple)
	p.parens(!tuple, func() { p.expr(x, anyExpr) })
}

// bindings writes let [rec] p = e and …; the caller's and writes the word and before the others.
func (p *printer) bindings(rec bool, bs []*Binding, and func(*Binding)) {
	p.text("let ")
	p.when(rec, "rec ")
	for i, b := range bs {
		if i > 0 {
			and(b)
		}
		p.binding(b)
	}
}

func (p *printer) binding(b *Binding) {
	p.pat(b.Pat)
	if b.Param != nil {
		p.param(b.Param)
	}
	p.text(" = ")
	p.expr(b.Body, anyExpr)
}

// param writes the pattern of an argument, always in parentheses.
func (p *printer) param(pat Pat) {
	_, tuple := pat.(*TuplePat)
	p.parens(!tuple, func() { p.pat(pat) })
}

func (p *printer) pat(pat Pat) {
	switch pat := pat.(type) {
	case *VarPat:
		p.word(pat.Name)
	case *TuplePat:
		p.text("(")
		p.commas(len(pat.Elems), func(i int) { p.pat(pat.Elems[i]) })
		p.text(")")
		p.last = max(p.last, pat.End)
	}
}

// cond writes c, in parentheses if it binds less tightly than least.
func (p *printer) cond(c Cond, least level) {
	p.parens(condLevel(c) < least, func() { p.bareCond(c) })
}

func (p *printer) bareCond(c Cond) {
	switch c := c.(type) {
	case *VariantCond:
		p.quoted(c.Name)
	case *CompareCond:
		p.expr(c.X, firstInfix)
		p.text(" ", c.Op.String(), " ")
		p.expr(c.Y, firstInfix)
	case *NotCond:
		p.text("not ")
		_, double := c.X.(*NotCond)
		p.parens(!double && condLevel(c.X) < variantCond, func() { p.bareCond(c.X) })
	case *BoolCond:
		own, op := condLevel(c), " || "
		if c.And {
			op = " && "
		}
		p.cond(c.X, own)
		p.text(op)
		p.cond(c.Y, own+1)
	}
}
