package syntax

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
