package syntax

func (p *printer) header(f *File) {
	heading := func(wanted bool, at At, text string) {
		if !wanted {
			return
		}
		p.above(at.Start)
		p.line(at.Start)
		p.text(text)
		p.last = max(p.last, at.End)
	}
	heading(f.Arch != "", f.ArchAt, f.Arch)
	heading(f.Title != "", f.TitleAt, `"`+f.Title+`"`)
	heading(f.Catdep, f.CatdepAt, "catdep")
}

// stmts writes statements, each on its own lines, and the comments up to the end of the enclosing
// body.
func (p *printer) stmts(body []Stmt, end int) {
	for _, s := range body {
		p.above(s.Span().Start)
		p.line(s.Span().Start)
		p.stmt(s)
		p.last = max(p.last, s.Span().End)
	}
	p.above(end)
}

// body writes statements indented.
func (p *printer) body(body []Stmt, end int) {
	p.indent++
	p.opening = true
	p.stmts(body, end)
	p.indent--
}

// end closes a statement that has a body.
func (p *printer) end() {
	p.newline()
	p.text("end")
}

// stmt writes a statement without the end of its last line.
func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *LetStmt:
		p.let(s)
	case *Check:
		p.check(s)
	case *ProcStmt:
		p.proc(s)
	case *CallStmt:
		p.text("call ")
		p.word(s.Name)
		p.argument(s.Arg)
		p.as(s.As)
	case *ForallStmt:
		p.text("forall ")
		p.word(s.Var)
		p.text(" in ")
		p.expr(s.In, anyExpr)
		p.text(" do")
		p.body(s.Body, s.End)
		p.end()
	case *WithStmt:
		p.text("with ")
		p.word(s.Var)
		p.text(" from ")
		p.expr(s.From, anyExpr)
	case *MatchStmt:
		p.matchStmt(s)
	case *IfStmt:
		p.ifStmt(s)
	default:
		p.declaration(s)
	}
}

// declaration writes a statement that neither defines nor checks.
func (p *printer) declaration(s Stmt) {
	switch s := s.(type) {
	case *ShowStmt:
		p.show(s)
	case *UnshowStmt:
		p.text("unshow ")
		p.commas(len(s.Names), func(i int) { p.word(s.Names[i]) })
	case *IncludeStmt:
		p.text("include ")
		p.quoted(s.Path)
	case *EnumStmt:
		p.text("enum ")
		p.word(s.Name)
		p.text(" =")
		for i, tag := range s.Tags {
			p.when(i > 0, " ||")
			p.text(" ")
			p.tag(tag)
		}
	case *BellStmt:
		p.text(s.Keyword, " ")
		p.word(s.Name)
		p.text("[")
		p.exprs(s.Args)
		p.text("]")
	case *DebugStmt:
		p.text("debug ")
		p.expr(s.X, anyExpr)
	}
}

func (p *printer) let(s *LetStmt) {
	p.bindings(s.Rec, s.Bindings, func(b *Binding) {
		p.above(b.Start)
		p.newline()
		p.text("and ")
	})
	if s.When != nil {
		p.above(s.When.Start)
		p.newline()
		p.text("when ")
		p.check(s.When)
	}
}

func (p *printer) check(s *Check) {
	p.when(s.Role != Require, roles[s.Role]+" ")
	p.when(s.Negated, "~")
	p.text(s.Test.String(), " ")
	p.expr(s.X, anyExpr)
	p.as(s.As)
}

func (p *printer) as(n *Name) {
	if n != nil {
		p.text(" as ")
		p.word(*n)
	}
}

func (p *printer) proc(s *ProcStmt) {
	p.text("procedure ")
	p.when(s.Rec, "rec ")
	p.word(s.Name)
	p.param(s.Param)
	p.text(" =")
	p.body(s.Body, s.End)
	p.end()
}

func (p *printer) matchStmt(s *MatchStmt) {
	p.text("match ")
	p.expr(s.X, anyExpr)
	p.text(" with")
	for i, c := range s.Clauses {
		end := s.End
		if i+1 < len(s.Clauses) {
			end = s.Clauses[i+1].Start
		}
		p.above(c.Start)
		p.newline()
		p.clauseHead(c.Tag)
		p.last = max(p.last, c.Start+1) // the head is printed, even if it is _
		p.body(c.Body, end)
	}
	p.end()
}

func (p *printer) stmtClause(c *StmtClause) {
	p.clauseHead(c.Tag)
	p.body(c.Body, c.End)
}

func (p *printer) ifStmt(s *IfStmt) {
	p.text("if ")
	p.cond(s.Cond, anyCond)
	if len(s.Else) == 0 {
		p.body(s.Then, s.End)
	} else {
		p.body(s.Then, s.ElseAt.Start)
		p.newline()
		p.text("else")
		p.last = max(p.last, s.ElseAt.End)
		p.body(s.Else, s.End)
	}
	p.end()
}

func (p *printer) show(s *ShowStmt) {
	p.text("show ")
	p.commas(len(s.Items), func(i int) {
		item := s.Items[i]
		p.expr(item.X, anyExpr)
		if id, ok := item.X.(*Ident); !ok || id.Text != item.As.Text {
			p.as(&item.As)
		}
	})
}
