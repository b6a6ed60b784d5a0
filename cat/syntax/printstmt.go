package syntax

func (p *printer) header(f *File) {
	if f.Arch != "" {
		p.text(f.Arch, "\n")
	}
	if f.Title != "" {
		p.text(`"`, f.Title, "\"\n")
	}
	p.when(f.Catdep, "catdep\n")
}

// stmts writes the statements of a file.
func (p *printer) stmts(body []Stmt) {
	for _, s := range body {
		p.stmt(s)
		p.text("\n")
	}
}

// body writes statements on lines of their own, indented.
func (p *printer) body(body []Stmt) {
	p.indent++
	for _, s := range body {
		p.newline()
		p.stmt(s)
	}
	p.indent--
}

// end ends what has a body.
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
		p.text("call ", s.Name.Text)
		p.argument(s.Arg)
		p.as(s.As)
	case *ForallStmt:
		p.text("forall ", s.Var.Text, " in ")
		p.expr(s.In, anyExpr)
		p.text(" do")
		p.body(s.Body)
		p.end()
	case *WithStmt:
		p.text("with ", s.Var.Text, " from ")
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
		p.commas(len(s.Names), func(i int) { p.text(s.Names[i].Text) })
	case *IncludeStmt:
		p.text(`include "`, s.Path.Text, `"`)
	case *EnumStmt:
		p.text("enum ", s.Name.Text, " =")
		for i, tag := range s.Tags {
			p.when(i > 0, " ||")
			p.text(" '", tag.Text)
		}
	case *BellStmt:
		p.text(s.Keyword, " ", s.Name.Text, "[")
		p.exprs(s.Args)
		p.text("]")
	case *DebugStmt:
		p.text("debug ")
		p.expr(s.X, anyExpr)
	}
}

func (p *printer) let(s *LetStmt) {
	p.bindings(s.Rec, s.Bindings, func() { p.newline(); p.text("and ") })
	if s.When != nil {
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
		p.text(" as ", n.Text)
	}
}

func (p *printer) proc(s *ProcStmt) {
	p.text("procedure ")
	p.when(s.Rec, "rec ")
	p.text(s.Name.Text)
	p.param(s.Param)
	p.text(" =")
	p.body(s.Body)
	p.end()
}

func (p *printer) matchStmt(s *MatchStmt) {
	p.text("match ")
	p.expr(s.X, anyExpr)
	p.text(" with")
	for _, c := range s.Clauses {
		p.newline()
		p.stmtClause(c)
	}
	p.end()
}

func (p *printer) stmtClause(c *StmtClause) {
	p.clauseHead(c.Tag)
	p.body(c.Body)
}

func (p *printer) ifStmt(s *IfStmt) {
	p.text("if ")
	p.cond(s.Cond, anyCond)
	p.body(s.Then)
	if len(s.Else) > 0 {
		p.newline()
		p.text("else")
		p.body(s.Else)
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
