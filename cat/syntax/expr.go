package syntax

import "github.com/muster-gpu/muster/src"

// infix maps symbols to the infix operators that chain. The values of BinaryOp are ordered by
// precedence. The product is not among them: it has the level of the prefix and postfix operators
// and does not chain.
var infix = map[string]BinaryOp{
	"|": OpUnion, "++": OpAdd, ";": OpSeq, `\`: OpDiff, "&": OpInter,
}

// postfix maps symbols to the postfix operators. ^-1 binds more tightly than the others.
var postfix = map[string]UnaryOp{
	"+": OpPlus, "*": OpStar, "?": OpOpt, "^-1": OpInverse,
}

// leftAssoc reports whether an operator associates to the left; the others associate to the right.
func leftAssoc(op BinaryOp) bool { return op == OpDiff }

// expr reads an expression of any precedence.
func (p *parser) expr() Expr {
	p.enter()
	var x Expr
	switch p.peek().text {
	case "let":
		x = p.letExpr()
	case "fun":
		x = p.funExpr()
	case "if":
		x = p.ifExpr()
	case "try":
		x = p.tryExpr()
	case "match":
		x = p.matchExpr()
	default:
		m := p.pos
		x = p.chain(m, p.operand())
	}
	p.leave()
	return x
}

// pending is an operator that waits for its right operand, with its left operand, which begins at
// token m.
type pending struct {
	m  int
	x  Expr
	op BinaryOp
}

// chain reads the operators and operands after the first operand x, which begins at token m.
// Pending operators are on an explicit stack, so a long chain needs no recursion.
func (p *parser) chain(m int, x Expr) Expr {
	var stack []pending
	for {
		op, more := infix[p.peek().text]
		for len(stack) > 0 {
			left := stack[len(stack)-1]
			if more && (left.op < op || left.op == op && !leftAssoc(op)) {
				break
			}
			stack = stack[:len(stack)-1]
			m, x = left.m, &Binary{Op: left.op, X: left.x, Y: x, At: p.from(left.m)}
		}
		if !more {
			p.exprEnd = p.pos
			return x
		}
		p.next()
		stack = append(stack, pending{m, x, op})
		m = p.pos
		x = p.operand()
	}
}

// operand reads an operand of infix operators: ~x, x*y, or an operand with postfix operators. These
// have one level without associativity.
func (p *parser) operand() Expr {
	if p.peek().text == "~" {
		return p.complement()
	}
	m := p.pos
	return p.product(m, p.primary())
}

// complement reads an operand after one or more ~. No operator of the same level may follow it.
func (p *parser) complement() Expr {
	m := p.pos
	for p.peek().text == "~" {
		p.next()
	}
	inner := p.pos
	x := p.inverses(inner, p.primary())
	p.noneOf(m, inner, "~")
	for i := inner - 1; i >= m; i-- {
		x = &Unary{Op: OpComplement, X: x, At: p.from(i)}
	}
	return x
}

// product reads the postfix operators after a primary and then, perhaps, a product.
func (p *parser) product(m int, x Expr) Expr {
	x = p.application(m, x)
	for {
		tok := p.peek()
		op, ok := postfix[tok.text]
		if !ok {
			return x
		}
		if op == OpStar && p.startsOperand(p.pos+1) {
			break
		}
		p.next()
		x = &Unary{Op: op, X: x, At: p.from(m)}
	}
	p.next()
	right := p.pos
	if p.peek().text == "~" {
		y := p.complement()
		return &Binary{Op: OpProduct, X: x, Y: y, At: p.from(m)}
	}
	y := p.inverses(right, p.primary())
	x = &Binary{Op: OpProduct, X: x, Y: y, At: p.from(m)}
	p.noneOf(m, right, "*")
	return x
}

// noneOf fails if an operator of the non-associative level follows what was read from token m on
// with the operator op, whose right operand begins at token inner.
func (p *parser) noneOf(m, inner int, op string) {
	tok := p.peek()
	if _, ok := postfix[tok.text]; !ok {
		return
	}
	whole, left, right := p.source(m, p.pos), p.source(m, inner), p.source(inner, p.pos)
	after := tok.text
	if after == "*" && p.startsOperand(p.pos+1) {
		after += "…"
	}
	panic(src.Errorf(p.span(tok), "expected parentheses, found %s after %s", tok.text, op).
		WithHint("write (%s)%s or %s(%s%s)", whole, after, left, right, after))
}

// inverses reads an application and the ^-1 after it: everything that binds more tightly than the
// non-associative level.
func (p *parser) inverses(m int, x Expr) Expr {
	x = p.application(m, x)
	for p.accept("^-1") {
		x = &Unary{Op: OpInverse, X: x, At: p.from(m)}
	}
	return x
}

// application reads the arguments after x. Only a name or an expression in parentheses is applied.
func (p *parser) application(m int, x Expr) Expr {
	if first := &p.tokens[m]; first.kind != kindName && first.text != "(" && first.text != "begin" {
		return x
	}
	for startsArgument(p.peek()) {
		x = &App{Fun: x, Arg: p.primary(), At: p.from(m)}
	}
	return x
}

func startsArgument(tok *token) bool {
	if tok.kind == kindName {
		return true
	}
	switch tok.text {
	case "(", "[", "{", "begin":
		return true
	}
	return false
}

// startsOperand reports whether an operand begins at token i; a * before it is then a product. A ~
// that begins the next check is not an operand.
func (p *parser) startsOperand(i int) bool {
	switch tok := &p.tokens[i]; tok.text {
	case "~":
		return !startsTest(&p.tokens[i+1])
	case "0", "_":
		return true
	default:
		return tok.kind == kindTag || startsArgument(tok)
	}
}

// argument reads the argument of a call.
func (p *parser) argument() Expr {
	if !startsArgument(p.peek()) {
		p.fail("a name or bracketed arguments")
	}
	return p.primary()
}

// primary reads an operand without operators.
func (p *parser) primary() Expr {
	tok := p.peek()
	at := At(p.span(tok))
	switch tok.kind {
	case kindName:
		return &Ident{p.name()}
	case kindTag:
		return &TagLit{p.tag()}
	}
	switch tok.text {
	case "0":
		p.next()
		return &Zero{at}
	case "_":
		p.next()
		return &Universal{at}
	case "(":
		return p.parens()
	case "begin":
		return p.bracketed("end")
	case "[":
		m := p.pos
		x := p.bracketed("]")
		return &Unary{Op: OpBracket, X: x, At: p.from(m)}
	case "{":
		m := p.pos
		p.next()
		return &SetLit{Elems: p.list(m, "}"), At: p.from(m)}
	case "let", "fun", "if", "try", "match":
		panic(p.unexpected("an operand").WithHint("put parentheses around %s …", tok.text))
	}
	p.fail("an expression")
	return nil
}

// bracketed reads one expression between the next token and closing.
func (p *parser) bracketed(closing string) Expr {
	m := p.pos
	p.next()
	x := p.expr()
	p.close(m, closing)
	return x
}

// parens reads an expression in parentheses, or a tuple.
func (p *parser) parens() Expr {
	m := p.pos
	p.next()
	return p.tuple(m, p.list(m, ")"))
}

// tuple returns the expression in the parentheses that begin at token m.
func (p *parser) tuple(m int, elems []Expr) Expr {
	if len(elems) == 1 {
		return elems[0]
	}
	return &Tuple{Elems: elems, At: p.from(m)}
}

// list reads expressions, separated by commas, up to the token that closes the one at index open.
// The first may have been read already.
func (p *parser) list(open int, closing string, elems ...Expr) []Expr {
	if len(elems) == 0 && p.accept(closing) {
		return nil
	}
	if len(elems) == 0 {
		elems = append(elems, p.expr())
	}
	for p.accept(",") {
		elems = append(elems, p.expr())
	}
	p.close(open, closing)
	return elems
}

// letExpr reads let [rec] p = e and … in e.
func (p *parser) letExpr() Expr {
	m := p.pos
	p.next()
	x := &LetExpr{Rec: p.accept("rec"), Bindings: p.bindings()}
	p.close(m, "in")
	x.Body = p.expr()
	x.At = p.from(m)
	return x
}

// bindings reads p = e and ….
func (p *parser) bindings() []*Binding { return separated(p, "and", p.binding) }

func (p *parser) binding() *Binding {
	m := p.pos
	b := &Binding{Pat: p.pattern()}
	if _, named := b.Pat.(*VarPat); named && startsPattern(p.peek()) {
		b.Param = p.pattern()
	}
	p.expect("=")
	b.Body = p.expr()
	b.At = p.from(m)
	return b
}

// funExpr reads fun pat -> e.
func (p *parser) funExpr() Expr {
	m := p.pos
	p.next()
	x := &Fun{Param: p.pattern()}
	p.expect("->")
	x.Body = p.expr()
	x.At = p.from(m)
	return x
}

// ifExpr reads if c then e else e.
func (p *parser) ifExpr() Expr {
	m := p.pos
	p.next()
	x := &IfExpr{Cond: p.cond()}
	p.close(m, "then")
	x.Then = p.expr()
	p.close(m, "else")
	x.Else = p.expr()
	x.At = p.from(m)
	return x
}

// tryExpr reads try e with e.
func (p *parser) tryExpr() Expr {
	m := p.pos
	p.next()
	x := &TryExpr{X: p.expr()}
	p.close(m, "with")
	x.Else = p.expr()
	x.At = p.from(m)
	return x
}

// matchExpr reads match e with … end. The first clause decides between MatchSet and MatchTag.
func (p *parser) matchExpr() Expr {
	m := p.pos
	p.next()
	x := p.expr()
	p.close(m, "with")
	p.accept("||")
	if p.peek().text == "{" {
		s := p.setClauses(x)
		p.close(m, "end")
		s.At = p.from(m)
		return s
	}
	t := &MatchTag{X: x, Clauses: separated(p, "||", p.tagClause)}
	p.close(m, "end")
	t.At = p.from(m)
	return t
}

// setClauses reads {} -> e || x ++ S -> e.
func (p *parser) setClauses(x Expr) *MatchSet {
	s := &MatchSet{X: x}
	p.expect("{", "}", "->")
	s.Empty = p.expr()
	p.expect("||")
	s.Elem = p.name()
	p.expect("++")
	s.Rest = p.name()
	p.expect("->")
	s.NonEmpty = p.expr()
	return s
}

// tagClause reads 'a -> e or _ -> e.
func (p *parser) tagClause() *TagClause {
	m := p.pos
	c := &TagClause{Tag: p.clauseTag(), Body: p.expr(), At: p.from(m)}
	p.defaultIsLast(c.Tag, c)
	return c
}

// clauseTag reads the tag of a clause, nil for _, and the arrow after it.
func (p *parser) clauseTag() (tag *Name) {
	if p.peek().kind == kindTag {
		name := p.tag()
		tag = &name
	} else if !p.accept("_") {
		p.fail("a tag or _")
	}
	p.expect("->")
	return tag
}

// defaultIsLast reports an error if another clause follows the one for _.
func (p *parser) defaultIsLast(tag *Name, clause Node) {
	if tag == nil && p.peek().text == "||" {
		p.report(errorAt(clause, "expected the clause for _ to be the last"))
	}
}
