package syntax

import "iter"

// AllStmts yields statements, each followed by the statements inside it, in the order of the text.
// Statements of included files are not inside.
func AllStmts(stmts []Stmt) iter.Seq[Stmt] {
	return func(yield func(Stmt) bool) { eachStmt(stmts, yield) }
}

// eachStmt returns false if yield has returned false.
func eachStmt(stmts []Stmt, yield func(Stmt) bool) bool {
	for _, s := range stmts {
		if !yield(s) {
			return false
		}
		for _, inner := range blocks(s) {
			if !eachStmt(inner, yield) {
				return false
			}
		}
	}
	return true
}

// blocks lists the bodies of a statement.
func blocks(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *IfStmt:
		return [][]Stmt{s.Then, s.Else}
	case *ProcStmt:
		return [][]Stmt{s.Body}
	case *ForallStmt:
		return [][]Stmt{s.Body}
	case *MatchStmt:
		var all [][]Stmt
		for _, c := range s.Clauses {
			all = append(all, c.Body)
		}
		return all
	}
	return nil
}

// Walk calls f for e and, where f returns true, for the expressions, bindings and
// conditions in it, in the order of the text.
func Walk(e Node, f func(Node) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, child := range children(e) {
		Walk(child, f)
	}
}

// children lists the expressions and conditions directly inside a node.
func children(n Node) []Node {
	switch n := n.(type) {
	case *SetLit:
		return exprs(n.Elems)
	case *Tuple:
		return exprs(n.Elems)
	case *Unary:
		return []Node{n.X}
	case *Binary:
		return []Node{n.X, n.Y}
	case *App:
		return []Node{n.Fun, n.Arg}
	case *Fun:
		return []Node{n.Body}
	case *LetExpr:
		return append(bodies(n.Bindings), n.Body)
	case *IfExpr:
		return []Node{n.Cond, n.Then, n.Else}
	case *TryExpr:
		return []Node{n.X, n.Else}
	case *MatchTag:
		all := []Node{n.X}
		for _, c := range n.Clauses {
			all = append(all, c.Body)
		}
		return all
	case *MatchSet:
		return []Node{n.X, n.Empty, n.NonEmpty}
	case *CompareCond:
		return []Node{n.X, n.Y}
	case *NotCond:
		return []Node{n.X}
	case *BoolCond:
		return []Node{n.X, n.Y}
	}
	return nil
}

func exprs(es []Expr) []Node {
	ns := make([]Node, len(es))
	for i, e := range es {
		ns[i] = e
	}
	return ns
}

func bodies(bs []*Binding) []Node {
	ns := make([]Node, len(bs))
	for i, b := range bs {
		ns[i] = b.Body
	}
	return ns
}

// EachBound calls f for every name that a statement binds, including names bound in its expressions
// but not those of nested statements.
func EachBound(s Stmt, f func(Name)) {
	for _, n := range boundByStmt(s, f) {
		Walk(n, func(n Node) bool {
			boundByExpr(n, f)
			return true
		})
	}
}

// EachName calls f for every name that the expressions of a statement mention, without those of
// nested statements.
func EachName(s Stmt, f func(Name)) {
	for _, n := range boundByStmt(s, func(Name) {}) {
		Walk(n, func(n Node) bool {
			if id, ok := n.(*Ident); ok {
				f(id.Name)
			}
			return true
		})
	}
}

// EachVariant calls f for every variant that the conditions of a statement mention, without those
// of nested statements.
func EachVariant(s Stmt, f func(Name)) {
	for _, n := range boundByStmt(s, func(Name) {}) {
		Walk(n, func(n Node) bool {
			if v, ok := n.(*VariantCond); ok {
				f(v.Name)
			}
			return true
		})
	}
}

// boundByStmt calls f for the names that the statement itself binds, and returns the
// expressions and conditions in it.
func boundByStmt(s Stmt, f func(Name)) []Node {
	switch s := s.(type) {
	case *LetStmt:
		for _, b := range s.Bindings {
			boundByBinding(b, f)
		}
		if s.When != nil {
			return append(bodies(s.Bindings), s.When.X)
		}
		return bodies(s.Bindings)
	case *Check:
		return []Node{s.X}
	case *ProcStmt:
		f(s.Name)
		boundByPat(s.Param, f)
	case *CallStmt:
		return []Node{s.Arg}
	case *ForallStmt:
		f(s.Var)
		return []Node{s.In}
	case *WithStmt:
		f(s.Var)
		return []Node{s.From}
	case *MatchStmt:
		return []Node{s.X}
	case *IfStmt:
		return []Node{s.Cond}
	case *EnumStmt:
		f(s.Name)
	case *ShowStmt:
		var shown []Node
		for _, item := range s.Items {
			shown = append(shown, item.X)
		}
		return shown
	case *BellStmt:
		return exprs(s.Args)
	case *DebugStmt:
		return []Node{s.X}
	}
	return nil
}

func boundByExpr(n Node, f func(Name)) {
	switch n := n.(type) {
	case *Fun:
		boundByPat(n.Param, f)
	case *LetExpr:
		for _, b := range n.Bindings {
			boundByBinding(b, f)
		}
	case *MatchSet:
		f(n.Elem)
		f(n.Rest)
	}
}

func boundByBinding(b *Binding, f func(Name)) {
	boundByPat(b.Pat, f)
	boundByPat(b.Param, f)
}

func boundByPat(p Pat, f func(Name)) {
	switch p := p.(type) {
	case *VarPat:
		f(p.Name)
	case *TuplePat:
		for _, e := range p.Elems {
			boundByPat(e, f)
		}
	}
}
