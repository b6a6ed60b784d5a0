package syntax

// comparisons are the operators of a CompareCond.
var comparisons = map[string]CompareOp{"=": OpEqual, "subset": OpSubset, "in": OpIn}

// cond reads the condition of an if.
func (p *parser) cond() Cond { return p.mustCond(p.disjunction()) }

// An opening parenthesis in a condition may begin a condition or an expression to compare. Only its
// contents decide, so the functions below read either.

// disjunction reads c || c, or an expression.
func (p *parser) disjunction() Node {
	return p.connected("||", p.conjunction)
}

func (p *parser) conjunction() Node {
	return p.connected("&&", p.negation)
}

// connected reads conditions joined by op, or a single condition or expression.
func (p *parser) connected(op string, term func() Node) Node {
	m := p.pos
	n := term()
	for p.peek().text == op {
		x := p.mustCond(n)
		p.next()
		y := p.mustCond(term())
		n = &BoolCond{And: op == "&&", X: x, Y: y, At: p.from(m)}
	}
	return n
}

// negation reads not c, or an expression.
func (p *parser) negation() Node {
	m := p.pos
	for p.accept("not") {
	}
	inner := p.pos
	n := p.comparison()
	for i := inner - 1; i >= m; i-- {
		n = &NotCond{X: p.mustCond(n), At: p.from(i)}
	}
	return n
}

// comparison reads "variant", a comparison, a condition in parentheses, or an
// expression.
func (p *parser) comparison() Node {
	m := p.pos
	tok := p.peek()
	if tok.kind == kindString {
		return &VariantCond{p.string()}
	}
	n := p.condOperand()
	x, ok := n.(Expr)
	if !ok {
		return n
	}
	op, ok := comparisons[p.peek().text]
	if !ok {
		return x
	}
	p.next()
	y := p.expr()
	return &CompareCond{Op: op, X: x, Y: y, At: p.from(m)}
}

// condOperand reads an expression, or a condition in parentheses.
func (p *parser) condOperand() Node {
	if p.peek().text != "(" {
		return p.expr()
	}
	m := p.pos
	p.next()
	if p.peek().text == ")" {
		return p.exprAfter(m)
	}
	p.enter()
	n := p.disjunction()
	p.leave()
	if x, ok := n.(Expr); ok {
		return p.exprAfter(m, x)
	}
	p.close(m, ")")
	return n
}

// exprAfter continues the expression that begins with the parenthesis at token m, after its first
// element, if any, has been read.
func (p *parser) exprAfter(m int, elems ...Expr) Expr {
	x := p.tuple(m, p.list(m, ")", elems...))
	return p.chain(m, p.product(m, x))
}

// mustCond returns n as a condition, or fails if it is an expression.
func (p *parser) mustCond(n Node) Cond {
	c, ok := n.(Cond)
	if !ok {
		p.fail("a comparison (=, subset, in)", "subset", "in")
	}
	return c
}

// pattern reads a name, _, or patterns in parentheses.
func (p *parser) pattern() Pat {
	tok := p.peek()
	switch {
	case tok.kind == kindName || tok.text == "_":
		return &VarPat{p.nameOf(p.next())}
	case tok.text == "(":
		p.enter()
		pat := p.tuplePattern()
		p.leave()
		return pat
	}
	p.fail("a name or pattern")
	return nil
}

func startsPattern(tok *token) bool {
	return tok.kind == kindName || tok.text == "_" || tok.text == "("
}

// tuplePattern reads (p, …); parentheses around a single pattern mean nothing.
func (p *parser) tuplePattern() Pat {
	m := p.pos
	p.next()
	var elems []Pat
	if !p.accept(")") {
		elems = separated(p, ",", p.pattern)
		p.close(m, ")")
	}
	if len(elems) == 1 {
		return elems[0]
	}
	return &TuplePat{Elems: elems, At: p.from(m)}
}
