package syntax

import (
	"slices"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// A form is a statement as participle reads it. Its tags are the grammar; bodies,
// expressions, patterns and conditions are read by the functions that newParser
// registers. stmt turns the form into a node of the tree.
type form interface {
	stmt(p *parser, at At) Stmt
}

type (
	letForm struct {
		Rec      bool      `parser:"'let' @'rec'?"`
		Bindings bindings  `parser:"@@"`
		When     *testForm `parser:"('when' @@)?"`
	}

	checkForm struct {
		Role string   `parser:"@('flag' | 'undefined_unless' | 'assert')?"`
		Test testForm `parser:"@@"`
	}

	// testForm is the part that checks and when share.
	testForm struct {
		Kind []lexer.Token `parser:"@('~'? ('acyclic' | 'irreflexive' | 'empty'))"`
		X    Expr          `parser:"@@"`
		As   *lexer.Token  `parser:"('as' @Name)?"`
	}

	procForm struct {
		Rec   bool        `parser:"'procedure' @'rec'?"`
		Name  lexer.Token `parser:"@Name"`
		Param Pat         `parser:"@@"`
		Body  []Stmt      `parser:"'=' @@* 'end'"`
	}

	callForm struct {
		Name lexer.Token  `parser:"'call' @Name"`
		Arg  argument     `parser:"@@"`
		As   *lexer.Token `parser:"('as' @Name)?"`
	}

	forallForm struct {
		Var  lexer.Token `parser:"'forall' @Name"`
		In   Expr        `parser:"'in' @@"`
		Body []Stmt      `parser:"'do' @@* 'end'"`
	}

	withForm struct {
		Var  lexer.Token `parser:"'with' @Name"`
		From Expr        `parser:"'from' @@"`
	}

	matchForm struct {
		X       Expr          `parser:"'match' @@ 'with' '||'?"`
		Clauses []*clauseForm `parser:"@@ ('||' @@)* 'end'"`
	}

	clauseForm struct {
		Tag  lexer.Token `parser:"@(Tag | '_')"`
		Body []Stmt      `parser:"'->' @@*"`
	}

	ifForm struct {
		Cond Cond   `parser:"'if' @@ 'then'?"`
		Then []Stmt `parser:"@@*"`
		Else []Stmt `parser:"('else' @@*)? 'end'"`
	}

	showForm struct {
		Items []*itemForm `parser:"'show' @@ (',' @@)*"`
	}

	itemForm struct {
		X  Expr         `parser:"@@"`
		As *lexer.Token `parser:"('as' @Name)?"`
	}

	unshowForm struct {
		Names []lexer.Token `parser:"'unshow' @(Name (',' Name)*)"`
	}

	includeForm struct {
		Path lexer.Token `parser:"'include' @String"`
	}

	enumForm struct {
		Name lexer.Token   `parser:"'enum' @Name '=' '||'?"`
		Tags []lexer.Token `parser:"@(Tag ('||' Tag)*)"`
	}

	bellForm struct {
		Keyword string      `parser:"@('instructions' | 'events' | 'default')"`
		Name    lexer.Token `parser:"@Name"`
		Args    []Expr      `parser:"'[' (@@ (',' @@)*)? ']'"`
	}

	debugForm struct {
		X Expr `parser:"'debug' @@"`
	}
)

// A production reads one form of a statement.
type production func(*lexer.PeekingLexer) (form, error)

// grammar is the production of each statement by its first token.
func grammar(options ...participle.Option) map[string]production {
	check := produce[checkForm](options)
	bell := produce[bellForm](options)
	return map[string]production{
		"let":     produce[letForm](options),
		"include": produce[includeForm](options),
		"with":    produce[withForm](options),
		"enum":    produce[enumForm](options),
		"show":    produce[showForm](options),
		"unshow":  produce[unshowForm](options),
		"debug":   produce[debugForm](options),

		"~":                check,
		"acyclic":          check,
		"irreflexive":      check,
		"empty":            check,
		"flag":             check,
		"undefined_unless": check,
		"assert":           check,

		"procedure": produce[procForm](options),
		"call":      produce[callForm](options),
		"forall":    produce[forallForm](options),
		"match":     produce[matchForm](options),
		"if":        produce[ifForm](options),

		"instructions": bell,
		"events":       bell,
		"default":      bell,
	}
}

func produce[F any, P interface {
	*F
	form
}](options []participle.Option) production {
	parser := participle.MustBuild[F](options...)
	return func(lex *lexer.PeekingLexer) (form, error) {
		f, err := parser.ParseFromLexer(lex, participle.AllowTrailing(true))
		return P(f), err
	}
}

// Participle takes hand-written productions as interface types only.
type (
	// bindings is p = e and ….
	bindings interface{ list() []*Binding }

	// argument is the argument of an application: a name or a bracketed expression.
	argument interface{ Expr }
)

type bindingList []*Binding

func (l bindingList) list() []*Binding { return l }

// roles are the keywords of the roles of checks; to require needs none.
var roles = []string{Require: "", Flag: "flag", UndefinedUnless: "undefined_unless", Assert: "assert"}

// tests are the keywords of the tests.
var tests = map[string]Test{"acyclic": Acyclic, "irreflexive": Irreflexive, "empty": IsEmpty}

func (f *letForm) stmt(p *parser, at At) Stmt {
	s := &LetStmt{Rec: f.Rec, Bindings: f.Bindings.list(), At: at}
	if f.When != nil {
		s.When = p.check(Require, f.When)
		if !f.Rec {
			p.report(errorAt(s.When, "expected a statement, found when").WithHint("only let rec can have a when"))
		}
	}
	return s
}

func (f *checkForm) stmt(p *parser, at At) Stmt {
	s := p.check(Role(slices.Index(roles, f.Role)), &f.Test)
	s.At = at
	if s.Role == Flag && s.As == nil {
		p.report(errorAt(s, "expected as and the name of the flag").WithHint("a flag is reported by its name"))
	}
	return s
}

func (p *parser) check(role Role, f *testForm) *Check {
	first, last := f.Kind[0], f.Kind[len(f.Kind)-1]
	c := &Check{Role: role, Negated: len(f.Kind) > 1, Test: tests[last.Value], X: f.X, As: p.optionalName(f.As)}
	c.At = At(p.span(&first).To(f.X.Span()))
	if c.As != nil {
		c.At = At(c.Span().To(c.As.Span()))
	}
	return c
}

func (f *procForm) stmt(p *parser, at At) Stmt {
	return &ProcStmt{Rec: f.Rec, Name: p.name(&f.Name), Param: f.Param, Body: f.Body, At: at}
}

func (f *callForm) stmt(p *parser, at At) Stmt {
	return &CallStmt{Name: p.name(&f.Name), Arg: f.Arg, As: p.optionalName(f.As), At: at}
}

func (f *forallForm) stmt(p *parser, at At) Stmt {
	return &ForallStmt{Var: p.name(&f.Var), In: f.In, Body: f.Body, At: at}
}

func (f *withForm) stmt(p *parser, at At) Stmt {
	return &WithStmt{Var: p.name(&f.Var), From: f.From, At: at}
}

func (f *matchForm) stmt(p *parser, at At) Stmt {
	s := &MatchStmt{X: f.X, At: at}
	for i, c := range f.Clauses {
		clause := &StmtClause{Tag: p.clauseTag(&c.Tag), Body: c.Body, At: At(p.span(&c.Tag))}
		if len(c.Body) > 0 {
			clause.At = At(clause.Span().To(c.Body[len(c.Body)-1].Span()))
		}
		if clause.Tag == nil && i+1 < len(f.Clauses) {
			p.report(notLast(clause))
		}
		s.Clauses = append(s.Clauses, clause)
	}
	return s
}

func (f *ifForm) stmt(_ *parser, at At) Stmt {
	return &IfStmt{Cond: f.Cond, Then: f.Then, Else: f.Else, At: at}
}

func (f *showForm) stmt(p *parser, at At) Stmt {
	s := &ShowStmt{At: at}
	for _, item := range f.Items {
		as := p.optionalName(item.As)
		if id, ok := item.X.(*Ident); ok && as == nil {
			as = &id.Name
		}
		if as == nil {
			p.report(errorAt(item.X, "expected as and the name to show this by").
				WithHint("only a name can be shown without as"))
			as = &Name{}
		}
		s.Items = append(s.Items, &ShowItem{X: item.X, As: *as})
	}
	return s
}

func (f *unshowForm) stmt(p *parser, at At) Stmt {
	return &UnshowStmt{Names: p.names(f.Names, kindName), At: at}
}

func (f *includeForm) stmt(p *parser, at At) Stmt {
	return &IncludeStmt{Path: p.name(&f.Path), At: at}
}

func (f *enumForm) stmt(p *parser, at At) Stmt {
	return &EnumStmt{Name: p.name(&f.Name), Tags: p.names(f.Tags, kindTag), At: at}
}

func (f *bellForm) stmt(p *parser, at At) Stmt {
	return &BellStmt{Keyword: f.Keyword, Name: p.name(&f.Name), Args: f.Args, At: at}
}

func (f *debugForm) stmt(_ *parser, at At) Stmt {
	return &DebugStmt{X: f.X, At: at}
}

// name is the name, tag or string that tok is, without quotes.
func (p *parser) name(tok *lexer.Token) Name {
	text := tok.Value
	switch tok.Type {
	case kindTag:
		text = text[1:]
	case kindString:
		text = text[1 : len(text)-1]
	}
	return Name{Text: text, At: At(p.span(tok))}
}

func (p *parser) optionalName(tok *lexer.Token) *Name {
	if tok == nil {
		return nil
	}
	n := p.name(tok)
	return &n
}

// clauseTag is the tag that a clause is for, nil for _.
func (p *parser) clauseTag(tok *lexer.Token) *Name {
	if tok.Type != kindTag {
		return nil
	}
	return p.optionalName(tok)
}

// names picks the tokens of one kind out of a list with separators.
func (p *parser) names(tokens []lexer.Token, kind lexer.TokenType) []Name {
	var names []Name
	for i := range tokens {
		if tokens[i].Type == kind {
			names = append(names, p.name(&tokens[i]))
		}
	}
	return names
}
