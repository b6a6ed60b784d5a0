package cat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// Check checks the model before it runs: names, types, arity and tags, unused definitions included,
// and recursions whose result may shrink when it grows. It follows the evaluator, on types instead
// of values: a function is checked anew for the arguments of each application.
//
// The error is a src.Diagnostics with all errors. The summary is usable even if there is an error;
// it holds the warnings.
func (m *Model) Check(v *vocab.Vocabulary) (*Summary, error) {
	c := &checker{
		model:    m,
		vocab:    v,
		tags:     map[string]bool{},
		checks:   map[string]*syntax.Check{},
		shown:    map[string]bool{},
		active:   map[string]bool{},
		memo:     map[string]typ{},
		reported: map[string]bool{},
		used:     map[string]bool{},
		absent:   map[string]bool{},
		listed:   map[syntax.Node]bool{},
		summary:  newSummary(),
	}
	c.eachEnum()
	base := c.baseScope()
	c.base = map[string]*scope{}
	for b := base; b != nil; b = b.outer {
		if c.base[b.name] == nil {
			c.base[b.name] = b
		}
	}
	c.statements(m.stmts, base, atTop)
	c.summarize()
	return c.summary, c.diags.Err()
}

// Bounds on checking. Functions that take functions can make the analysis of calls arbitrarily
// long. Past these bounds, a type counts as unknown.
const (
	maxCheckSteps = 1_000_000
	maxCheckDepth = 200
)

// checker is the state of one Check.
type checker struct {
	model    *Model
	vocab    *vocab.Vocabulary
	diags    src.Diagnostics
	reported map[string]bool          // diagnostics by position and text
	tags     map[string]bool          // tags that an enum declares
	checks   map[string]*syntax.Check // checks by name
	shown    map[string]bool          // names that show statements gave
	used     map[string]bool          // base names that the model uses
	absent   map[string]bool          // strangers that the model uses (strangers.go)
	extended string                   // the name whose definition extends its old meaning, as let co = co+; else ""
	base     map[string]*scope
	hints    int             // number of unknown names for which a near miss was searched
	active   map[string]bool // calls being checked
	call     src.Span        // the outermost of them; invalid outside calls
	entry    src.Span        // the innermost of them that is not in the library
	memo     map[string]typ  // result types of checked calls
	groups   []*group        // recursions being checked, outermost first
	flips    int             // number of complements around this position
	opaques  int             // number of opaque functions around this position
	trials   int             // number of try expressions around this position
	steps    int
	depth    int                  // number of expressions around this position, through calls
	listed   map[syntax.Node]bool // nodes in the summary: a file may be included twice
	summary  *Summary
}

// stmtPosition tells whether statements are at the top level, in a body, or not executed.
type stmtPosition uint8

const (
	atTop   stmtPosition = iota
	inBody               // of a procedure or a forall
	outside              // not executed here, or in a call: checked elsewhere
)

// Lacks reports whether a base name is undefined in the model because the model chooses co itself.
func (m *Model) Lacks(n vocab.Name) bool { return n.Depends == vocab.Co && m.Chooses("co") }

// baseScope returns the scope of the names that executions and the library define.
func (c *checker) baseScope() *scope {
	var s *scope
	for _, b := range builtins {
		s = &scope{name: b.name, typ: typ{kind: kindFun, fun: &funType{builtin: b, name: b.name}}, outer: s}
	}
	for _, n := range c.vocab.Names() {
		if n.Chosen || c.model.Lacks(n) {
			continue
		}
		s = &scope{name: n.Name, typ: baseType(n), base: true, outer: s}
	}
	return c.library(s)
}

func baseType(n vocab.Name) typ {
	if n.Set {
		return setType
	}
	return relType
}

// library adds the functions and procedures of the standard library to a scope. They may use each
// other and are checked where they are applied.
func (c *checker) library(s *scope) *scope {
	var funs []*funType
	for e := c.model.prelude; e != nil; e = e.outer {
		t := typ{kind: kindFun, fun: &funType{name: e.name}}
		switch v := e.value.(type) {
		case *closure:
			t.fun.param, t.fun.body = v.param, v.body
		case *procedure:
			t.kind, t.fun.param, t.fun.proc = kindProc, v.def.Param, v.def
		}
		s = &scope{name: e.name, typ: t, outer: s}
		funs = append(funs, t.fun)
	}
	for _, f := range funs {
		f.scope = s
	}
	return s
}

// errorf reports an error at a node, once. Its hint names the call if the error depends on a call's
// arguments. An error inside the library is reported at the call, because authors of models do not
// see the library's text.
func (c *checker) errorf(at src.Span, format string, args ...any) *src.Diagnostic {
	d := src.Errorf(at, format, args...)
	switch {
	case inLibrary(at) && c.entry.Valid():
		d = src.Errorf(c.entry, format, args...)
		d.Hint = fmt.Sprintf("where the library of muster says %s (%s)", strings.TrimSpace(lineOf(at)), placeOf(at))
		if c.entry != c.call {
			d.Hint += "; in the call at " + placeOf(c.call)
		}
	case c.call.Valid():
		d.Hint = "in the call at " + placeOf(c.call)
	}
	key := d.Header()
	if !c.reported[key] {
		c.reported[key] = true
		c.diags.Add(d)
	}
	return d
}

// warnf reports a warning, once.
func (c *checker) warnf(at src.Span, format string, args ...any) *src.Diagnostic {
	d := src.Warnf(at, format, args...)
	if key := d.Header(); !c.reported[key] {
		c.reported[key] = true
		c.summary.Warnings.Add(d)
	}
	return d
}

// inLibrary reports whether a position is in the standard library.
func inLibrary(at src.Span) bool { return at.File == libraryText().Source }

// fromLibrary reports whether a function or procedure is defined in the library.
func (f *funType) fromLibrary() bool {
	return f.proc != nil && inLibrary(f.proc.Span()) || f.body != nil && inLibrary(f.body.Span())
}

func placeOf(at src.Span) string {
	p := at.Pos()
	return fmt.Sprintf("%s:%d:%d", at.File.Name, p.Line, p.Col)
}

// lineOf returns the line in which a span begins.
func lineOf(at src.Span) string {
	from := strings.LastIndexByte(at.File.Text[:at.Start], '\n') + 1
	line, _, _ := strings.Cut(at.File.Text[from:], "\n")
	return line
}

// hinted puts a hint, unless it is empty, in front of the hint of a diagnostic.
func hinted(d *src.Diagnostic, hint string) {
	switch {
	case hint == "":
	case d.Hint == "":
		d.Hint = hint
	default:
		d.Hint = hint + "; " + d.Hint
	}
}

// lookup finds a name. Names that the model binds nowhere are base names or unknown.
func (c *checker) lookup(s *scope, name string) *scope {
	if !c.model.bound[name] {
		return c.base[name]
	}
	return s.lookup(name)
}

// maxHints bounds how many unknown names get a hint, because each hint searches all names.
const maxHints = 100

// chosen returns the type of the name in with name from S, where elem is the type of the elements
// of S. If elem is unknown, as for the result of a recursive function, and the name is a base name
// such as co, it has the type of that base name.
func (c *checker) chosen(name syntax.Name, elem typ) typ {
	if n := c.vocab.Get(name.Text); elem.kind == kindAny && slices.Contains(c.vocab.Names(), n) {
		return baseType(n)
	}
	return elem
}

// near returns a hint for an unknown name, or "".
func (c *checker) near(name string, s *scope) string {
	if nearest := c.nearest(name, s); nearest != "" {
		return "did you mean " + nearest + "?"
	}
	return ""
}

// nearest returns the name in scope that an unknown name most likely means, or "".
func (c *checker) nearest(name string, s *scope) string {
	if c.hints++; c.hints > maxHints {
		return ""
	}
	return src.Nearest(name, names(s))
}

func (c *checker) eachEnum() {
	c.model.eachStmt(c.model.stmts, func(s syntax.Stmt) bool {
		if e, ok := s.(*syntax.EnumStmt); ok {
			for _, t := range e.Tags {
				c.tags[t.Text] = true
			}
		}
		return true
	})
}

// statements checks statements in order and returns the scope after them.
func (c *checker) statements(stmts []syntax.Stmt, s *scope, where stmtPosition) *scope {
	for _, stmt := range stmts {
		s = c.statement(stmt, s, where)
	}
	return s
}

func (c *checker) statement(stmt syntax.Stmt, s *scope, where stmtPosition) *scope {
	switch stmt := stmt.(type) {
	case *syntax.LetStmt:
		s = c.let(stmt.Rec, stmt.Bindings, s, where)
		if stmt.When != nil {
			c.check(stmt.When, s, where)
		}
	case *syntax.Check:
		c.check(stmt, s, where)
	case *syntax.ProcStmt:
		s = c.procedure(stmt, s)
	case *syntax.CallStmt:
		c.callStmt(stmt, s)
	case *syntax.ForallStmt:
		elem := c.elemOf(stmt.In, s)
		c.statements(stmt.Body, c.bindName(stmt.Var, elem, s), max(where, inBody))
	case *syntax.WithStmt:
		elem := c.elemOf(stmt.From, s)
		if c.lists(stmt, where) {
			c.summary.Choices = append(c.summary.Choices, stmt.Var.Text)
		}
		s = c.bindName(stmt.Var, c.chosen(stmt.Var, elem), s)
	case *syntax.MatchStmt:
		s = c.matchStmt(stmt, s, where)
	case *syntax.IfStmt:
		s = c.ifStmt(stmt, s, where)
	case *syntax.IncludeStmt:
		s = c.statements(c.model.included[stmt], s, where)
	case *syntax.EnumStmt:
		s = c.bindName(stmt.Name, setOf(tagType), s)
	case *syntax.ShowStmt:
		c.show(stmt, s)
	case *syntax.UnshowStmt:
		c.unshow(stmt, s)
	case *syntax.BellStmt:
		for _, arg := range stmt.Args {
			c.expr(arg, s)
		}
	case *syntax.DebugStmt:
		c.expr(stmt.X, s)
	}
	return s
}

// lists reports whether the summary should list a node now. It returns true once for each node.
func (c *checker) lists(n syntax.Node, where stmtPosition) bool {
	if where == outside || c.listed[n] {
		return false
	}
	c.listed[n] = true
	return true
}

// bindName puts a name into scope and warns if it hides a name that executions define.
func (c *checker) bindName(name syntax.Name, t typ, s *scope) *scope {
	if name.Text == "_" {
		return s
	}
	if old := c.base[name.Text]; old != nil && old.base && name.Text != c.extended && !c.vocab.Get(name.Text).Library {
		c.warnf(name.Span(), "%s hides the base %s %s", name.Text, baseSort(old.typ), name.Text)
	}
	return &scope{name: name.Text, typ: t, outer: s}
}

func baseSort(t typ) string {
	if t.kind == kindSet {
		return "set"
	}
	return "relation"
}

// check checks the operand, name and role of a check.
func (c *checker) check(k *syntax.Check, s *scope, where stmtPosition) {
	t := c.expr(k.X, s)
	if k.Test == syntax.IsEmpty {
		if _, ok := t.elem(); !ok {
			c.errorf(k.X.Span(), "empty asks about a set or a relation, not %s", t)
		}
	} else if !t.is(kindRel) {
		d := c.errorf(k.X.Span(), "%s asks about a relation, not %s", k.Test, t)
		hinted(d, relationHint(t))
	}
	if where == outside {
		return
	}
	if k.As != nil && k.Role == syntax.Require {
		if other := c.checks[k.As.Text]; other != nil && other != k {
			c.warnf(k.As.Span(), "a second check is called %s: both count as one axiom", k.As.Text)
		}
		c.checks[k.As.Text] = k
	}
	if c.lists(k, where) {
		c.summary.addCheck(k)
	}
}

func relationHint(t typ) string {
	if t.is(kindSet) {
		return "[S] is the identity on a set S, S * T the product of two"
	}
	return ""
}

// procedure checks the body where it stands, with parameters of any type.
func (c *checker) procedure(p *syntax.ProcStmt, s *scope) *scope {
	f := &funType{name: p.Name.Text, param: p.Param, proc: p, scope: s}
	after := c.bindName(p.Name, typ{kind: kindProc, fun: f}, s)
	if p.Rec {
		f.scope = after
	}
	c.statements(p.Body, c.pattern(p.Param, anyType, f.scope), inBody)
	return after
}

func (c *checker) callStmt(k *syntax.CallStmt, s *scope) {
	arg := c.expr(k.Arg, s)
	b := c.lookup(s, k.Name.Text)
	switch {
	case b == nil:
		hinted(c.errorf(k.Name.Span(), "unknown procedure %s", k.Name.Text), c.near(k.Name.Text, s))
	case b.typ.kind == kindAny:
	case b.typ.kind != kindProc:
		c.errorf(k.Name.Span(), "%s is %s, not a procedure", k.Name.Text, b.typ)
	default:
		c.countArgs(b.typ.fun, arg, k.Arg)
		c.once(b.typ.fun, arg, k.Span(), func() typ {
			inner := c.parameter(b.typ.fun, arg, k.Arg, s)
			c.statements(b.typ.fun.proc.Body, inner, outside)
			return anyType
		})
	}
}

func (c *checker) matchStmt(m *syntax.MatchStmt, s *scope, where stmtPosition) *scope {
	c.tagged(m.X, s)
	var bodies [][]syntax.Stmt
	for _, clause := range m.Clauses {
		if clause.Tag != nil {
			c.declared(*clause.Tag)
		}
		bodies = append(bodies, clause.Body)
	}
	return c.oneOf(bodies, s, where)
}

// ifStmt checks both branches. Names that the executed branch binds stay in scope.
func (c *checker) ifStmt(i *syntax.IfStmt, s *scope, where stmtPosition) *scope {
	c.cond(i.Cond, s)
	holds, known := c.model.decided(i.Cond)
	if !known {
		return c.oneOf([][]syntax.Stmt{i.Then, i.Else}, s, where)
	}
	c.statements(branch(i, !holds), s, outside)
	return c.statements(branch(i, holds), s, where)
}

// oneOf checks alternative bodies; only one is executed. Their checks may have the same names,
// and only names that all of them bind stay in scope.
func (c *checker) oneOf(bodies [][]syntax.Stmt, s *scope, where stmtPosition) *scope {
	before, all := c.checks, maps.Clone(c.checks)
	var after []*scope
	for _, body := range bodies {
		c.checks = maps.Clone(before)
		after = append(after, c.statements(body, s, where))
		maps.Copy(all, c.checks)
	}
	c.checks = all
	return merge(s, after)
}

func (c *checker) show(stmt *syntax.ShowStmt, s *scope) {
	for _, item := range stmt.Items {
		if t := c.expr(item.X, s); !t.is(kindRel) && !t.is(kindSet) {
			c.errorf(item.X.Span(), "show draws relations and sets of events, not %s", t)
		}
		c.shown[item.As.Text] = true
	}
}

func (c *checker) unshow(stmt *syntax.UnshowStmt, s *scope) {
	for _, name := range stmt.Names {
		if !c.shown[name.Text] && c.lookup(s, name.Text) == nil && !c.strange(name.Span(), name.Text, s) {
			known := append(names(s), slices.Collect(maps.Keys(c.shown))...)
			hinted(c.errorf(name.Span(), "unshow of the unknown name %s", name.Text), src.DidYouMean(name.Text, known))
		}
	}
}

// names lists the names in scope, sorted.
func names(s *scope) []string {
	set := map[string]bool{}
	for ; s != nil; s = s.outer {
		if s.name != "" {
			set[s.name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// let checks bindings and returns the scope with their names.
func (c *checker) let(rec bool, bindings []*syntax.Binding, s *scope, where stmtPosition) *scope {
	seen := map[string]bool{}
	for _, b := range bindings {
		if v, ok := b.Pat.(*syntax.VarPat); ok && v.Text != "_" {
			if seen[v.Text] {
				c.errorf(v.Span(), "two definitions of this let are called %s", v.Text)
			}
			seen[v.Text] = true
		}
	}
	if rec {
		return c.letRec(bindings, s, where)
	}
	outer, inner := c.extended, s
	for _, b := range bindings {
		var t typ
		c.extended = extended(b)
		if b.Param != nil {
			t = c.function(nameOf(b), b.Param, b.Body, s)
		} else {
			t = c.expr(b.Body, s)
		}
		inner = c.pattern(b.Pat, t, inner)
		c.extended = outer
		if b.Param == nil && len(c.groups) > 0 {
			standFor(b.Pat, b.Body, inner, s)
		}
		c.define(b, t, where)
	}
	return inner
}

// define adds a definition at the top level to the summary.
func (c *checker) define(b *syntax.Binding, t typ, where stmtPosition) {
	if where == atTop && c.lists(b, where) {
		c.summary.define(b, t)
	}
}

// function checks the body of a function for parameters of any type.
func (c *checker) function(name string, param syntax.Pat, body syntax.Expr, s *scope) typ {
	f := &funType{name: name, param: param, body: body, scope: s}
	c.expr(body, c.pattern(param, anyType, s))
	return typ{kind: kindFun, fun: f}
}

// letRec checks recursive bindings: of functions, or of relations and sets, whose bodies must be
// monotone in the names that they define.
func (c *checker) letRec(bindings []*syntax.Binding, s *scope, where stmtPosition) *scope {
	r := &recursion{
		checker: c, bindings: bindings, types: make([]typ, len(bindings)), outer: s,
		group: &group{names: map[string]bool{}, flips: c.flips, opaques: c.opaques},
	}
	r.begin()
	c.groups = append(c.groups, r.group)
	// The types settle after at most one round for each binding.
	for range len(bindings) + 1 {
		if r.round() {
			break
		}
	}
	c.groups = c.groups[:len(c.groups)-1]
	for i, b := range bindings {
		c.define(b, r.types[i], where)
	}
	if where == atTop && c.lists(bindings[0].Body, where) {
		c.summary.addRecursion(bindings)
	}
	return r.after()
}

// pattern binds the names of a pattern to the components of a type.
func (c *checker) pattern(p syntax.Pat, t typ, s *scope) *scope {
	switch p := p.(type) {
	case *syntax.VarPat:
		return c.bindName(p.Name, t, s)
	case *syntax.TuplePat:
		elems := make([]typ, len(p.Elems))
		switch {
		case t.kind == kindTuple && len(t.elems) == len(elems):
			elems = t.elems
		case t.kind == kindPair && len(elems) == 2:
			elems = []typ{eventType, eventType}
		case t.kind != kindAny:
			c.errorf(p.Span(), "expected a tuple of %d, found %s", len(elems), t)
		}
		before := s
		for i, sub := range p.Elems {
			if v, ok := sub.(*syntax.VarPat); ok && v.Text != "_" && s.lookup(v.Text) != before.lookup(v.Text) {
				c.errorf(v.Span(), "two parts of this pattern are called %s", v.Text)
			}
			s = c.pattern(sub, elems[i], s)
		}
	}
	return s
}

// declared checks that an enum declares a tag.
func (c *checker) declared(tag syntax.Name) {
	if !c.tags[tag.Text] {
		d := c.errorf(tag.Span(), "no enum declares the tag '%s", tag.Text)
		hinted(d, src.DidYouMean(tag.Text, slices.Sorted(maps.Keys(c.tags))))
	}
}

// arity returns a number of arguments in words.
func arity(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}
