package syntax

import "slices"

// statements maps the first token of a statement to its reader. An init function fills it, because
// statements in bodies refer back to it.
var statements map[string]func(*parser) Stmt

func init() {
	statements = map[string]func(*parser) Stmt{
		"let": (*parser).letStmt,

		"flag":             (*parser).checkStmt,
		"undefined_unless": (*parser).checkStmt,
		"assert":           (*parser).checkStmt,
		"~":                (*parser).checkStmt,
		"acyclic":          (*parser).checkStmt,
		"irreflexive":      (*parser).checkStmt,
		"empty":            (*parser).checkStmt,

		"procedure": (*parser).procStmt,
		"call":      (*parser).callStmt,
		"forall":    (*parser).forallStmt,
		"with":      (*parser).withStmt,
		"match":     (*parser).matchStmt,
		"if":        (*parser).ifStmt,

		"show":    (*parser).showStmt,
		"unshow":  (*parser).unshowStmt,
		"include": (*parser).includeStmt,
		"enum":    (*parser).enumStmt,

		"instructions": (*parser).bellStmt,
		"events":       (*parser).bellStmt,
		"default":      (*parser).bellStmt,

		"debug": (*parser).debugStmt,
	}
}

// letStmt reads let [rec] p = e and … [when test].
func (p *parser) letStmt() Stmt {
	m := p.pos
	p.next()
	s := &LetStmt{Rec: p.accept("rec"), Bindings: p.bindings()}
	if p.accept("when") {
		s.When = p.test()
		if !s.Rec {
			p.report(errorAt(s.When, "expected a statement, found when").WithHint("only let rec can have a when"))
		}
	}
	s.At = p.from(m)
	return s
}

// roles are the keywords of the roles of checks; Require has none.
var roles = []string{Require: "", Flag: "flag", UndefinedUnless: "undefined_unless", Assert: "assert"}

// checkStmt reads a test, perhaps behind its role.
func (p *parser) checkStmt() Stmt {
	m := p.pos
	role := Require
	if i := slices.Index(roles, p.peek().text); i >= 0 {
		p.next()
		role = Role(i)
	}
	s := p.test()
	s.Role, s.At = role, p.from(m)
	return s
}

// tests are the keywords of the tests.
var tests = map[string]Test{"acyclic": Acyclic, "irreflexive": Irreflexive, "empty": IsEmpty}

// test reads [~]acyclic|irreflexive|empty e [as n], which checks and when share.
func (p *parser) test() *Check {
	m := p.pos
	c := &Check{Negated: p.accept("~")}
	test, ok := tests[p.peek().text]
	if !ok {
		p.fail("acyclic, irreflexive or empty", "acyclic", "irreflexive", "empty")
	}
	p.next()
	c.Test, c.X, c.As = test, p.expr(), p.as()
	c.At = p.from(m)
	return c
}

// as reads as n, if present, and returns the name or nil.
func (p *parser) as() *Name {
	if !p.accept("as") {
		return nil
	}
	n := p.name()
	return &n
}

// procStmt reads procedure [rec] p(args) = … end.
func (p *parser) procStmt() Stmt {
	m := p.pos
	p.next()
	s := &ProcStmt{Rec: p.accept("rec"), Name: p.name(), Param: p.pattern()}
	p.expect("=")
	s.Body = p.stmts()
	p.close(m, "end")
	s.At = p.from(m)
	return s
}

// callStmt reads call p(args) [as n].
func (p *parser) callStmt() Stmt {
	m := p.pos
	p.next()
	return &CallStmt{Name: p.name(), Arg: p.argument(), As: p.as(), At: p.from(m)}
}

// forallStmt reads forall x in S do … end.
func (p *parser) forallStmt() Stmt {
	m := p.pos
	p.next()
	s := &ForallStmt{Var: p.name()}
	p.expect("in")
	s.In = p.expr()
	p.expect("do")
	s.Body = p.stmts()
	p.close(m, "end")
	s.At = p.from(m)
	return s
}

// withStmt reads with x from S.
func (p *parser) withStmt() Stmt {
	m := p.pos
	p.next()
	s := &WithStmt{Var: p.name()}
	p.expect("from")
	s.From = p.expr()
	s.At = p.from(m)
	return s
}

// matchStmt reads match e with || 'a -> … || _ -> … end.
func (p *parser) matchStmt() Stmt {
	m := p.pos
	p.next()
	s := &MatchStmt{X: p.expr()}
	p.expect("with")
	p.accept("||")
	s.Clauses = separated(p, "||", p.stmtClause)
	p.close(m, "end")
	s.At = p.from(m)
	return s
}

func (p *parser) stmtClause() *StmtClause {
	m := p.pos
	c := &StmtClause{Tag: p.clauseTag(), Body: p.stmts(), At: p.from(m)}
	p.defaultIsLast(c.Tag, c)
	return c
}

// ifStmt reads if c [then] … [else …] end.
func (p *parser) ifStmt() Stmt {
	m := p.pos
	p.next()
	s := &IfStmt{Cond: p.cond()}
	p.accept("then")
	s.Then = p.stmts()
	if at := p.span(p.peek()); p.accept("else") {
		s.Else, s.ElseAt = p.stmts(), At(at)
	}
	p.close(m, "end")
	s.At = p.from(m)
	return s
}

// showStmt reads show e [as n], ….
func (p *parser) showStmt() Stmt {
	m := p.pos
	p.next()
	s := &ShowStmt{Items: separated(p, ",", p.showItem), At: p.from(m)}
	for _, item := range s.Items {
		if item.As.Text == "" {
			p.report(errorAt(item.X, "expected as and the name to show this by").
				WithHint("only a name can be shown without as"))
		}
	}
	return s
}

// showItem reads e [as n]. A name is shown under itself; any other expression without as has no
// name.
func (p *parser) showItem() *ShowItem {
	item := &ShowItem{X: p.expr()}
	if id, ok := item.X.(*Ident); ok {
		item.As = id.Name
	}
	if as := p.as(); as != nil {
		item.As = *as
	}
	return item
}

// unshowStmt reads unshow a, b, ….
func (p *parser) unshowStmt() Stmt {
	m := p.pos
	p.next()
	return &UnshowStmt{Names: separated(p, ",", p.name), At: p.from(m)}
}

// includeStmt reads include "file".
func (p *parser) includeStmt() Stmt {
	m := p.pos
	p.next()
	return &IncludeStmt{Path: p.string(), At: p.from(m)}
}

// enumStmt reads enum T = 'a || 'b.
func (p *parser) enumStmt() Stmt {
	m := p.pos
	p.next()
	s := &EnumStmt{Name: p.name()}
	p.expect("=")
	p.accept("||")
	s.Tags = separated(p, "||", p.tag)
	s.At = p.from(m)
	return s
}

// bellStmt reads instructions R[S,…], events R[S,…] or default R[S,…].
func (p *parser) bellStmt() Stmt {
	m := p.pos
	s := &BellStmt{Keyword: p.next().text, Name: p.name()}
	open := p.pos
	p.expect("[")
	s.Args = p.list(open, "]")
	s.At = p.from(m)
	return s
}

// debugStmt reads debug e.
func (p *parser) debugStmt() Stmt {
	m := p.pos
	p.next()
	return &DebugStmt{X: p.expr(), At: p.from(m)}
}
