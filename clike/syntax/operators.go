package syntax

// precedence is the precedence of the binary operators (C11, 6.5.5 to 6.5.14); a larger number
// binds more tightly.
var precedence = map[string]int{
	"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}

// Tree is operands and binary operators as they bind: an operator with two subtrees, or a Leaf.
type Tree struct {
	Op   string
	X, Y *Tree
	Leaf *Unary
}

// Tree groups the operands of e by precedence, operators of the same to the left.
func (e *Expr) Tree() *Tree {
	rest := e.Rest
	return climb(&Tree{Leaf: e.First}, &rest, 1)
}

// climb extends left with the operators of rest that bind at least as tightly as least.
func climb(left *Tree, rest *[]*Term, least int) *Tree {
	for len(*rest) > 0 && precedence[(*rest)[0].Op] >= least {
		op := (*rest)[0]
		*rest = (*rest)[1:]
		right := climb(&Tree{Leaf: op.X}, rest, precedence[op.Op]+1)
		left = &Tree{Op: op.Op, X: left, Y: right}
	}
	return left
}

// Unary returns the expression if it has no operator outside of a unary expression, else nil.
func (e *Expr) Unary() *Unary {
	if e.Op != "" || e.Then != nil || len(e.Rest) > 0 {
		return nil
	}
	return e.First
}

// Plain returns the postfix expression that a unary expression consists of, without parentheses
// around it, or nil.
func (u *Unary) Plain() *Postfix {
	for u != nil && u.Postfix != nil {
		p := u.Postfix
		if len(p.Suffixes) > 0 || p.Primary.Grouped == nil || len(p.Primary.Grouped.Exprs) != 1 {
			return p
		}
		u = p.Primary.Grouped.Exprs[0].Unary()
	}
	return nil
}

// Name returns the name that an expression is, or "".
func (e *Expr) Name() string { return e.Unary().Name() }

// Name returns the name that a unary expression is, or "".
func (u *Unary) Name() string {
	if p := u.Plain(); p != nil && len(p.Suffixes) == 0 {
		return p.Primary.Name
	}
	return ""
}

// Names returns the names in an expression of names and |, such as flags; false if it is another.
func (e *Expr) Names() (names []string, ok bool) {
	if e.Op != "" || e.Then != nil {
		return nil, false
	}
	return e.Tree().names(nil)
}

func (t *Tree) names(found []string) ([]string, bool) {
	switch {
	case t.Op == "|":
		found, ok := t.X.names(found)
		if !ok {
			return nil, false
		}
		return t.Y.names(found)
	case t.Op != "":
		return nil, false
	}
	if p := t.Leaf.Postfix; p != nil && len(p.Suffixes) == 0 && p.Primary.Grouped != nil && len(p.Primary.Grouped.Exprs) == 1 {
		inner, ok := p.Primary.Grouped.Exprs[0].Names()
		return append(found, inner...), ok
	}
	p := t.Leaf.Plain()
	if p == nil || len(p.Suffixes) > 0 || p.Primary.Name == "" {
		return nil, false
	}
	return append(found, p.Primary.Name), true
}
