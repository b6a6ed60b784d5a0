package cat

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
)

// Check checks the model against what executions define: every name, in unused
// definitions too, must be bound. The error is a src.Diagnostics with all that is
// wrong.
func (m *Model) Check(vocab Vocabulary) error {
	r := &resolver{}
	for name := range builtins {
		r.bindName(name)
	}
	for _, names := range [][]string{vocab.Sets, vocab.Rels} {
		for _, name := range names {
			r.bindName(name)
		}
	}
	checks := map[string]bool{}
	for _, s := range m.stmts {
		r.statement(s)
		if c, ok := s.(*syntax.Check); ok && c.As != nil {
			if checks[c.As.Text] {
				r.diags.Errorf(c.As.Span(), "a second check is called %s", c.As.Text)
			}
			checks[c.As.Text] = true
		}
	}
	return r.diags.Err()
}

// resolver follows the scopes of a model.
type resolver struct {
	scope *scope
	diags src.Diagnostics
}

// scope is a chain of bound names, innermost first.
type scope struct {
	name  string
	outer *scope
}

func (r *resolver) bindName(name string) { r.scope = &scope{name, r.scope} }

func (r *resolver) bound(name string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if s.name == name {
			return true
		}
	}
	return false
}

func (r *resolver) names() []string {
	set := map[string]bool{}
	for s := r.scope; s != nil; s = s.outer {
		set[s.name] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func (r *resolver) statement(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.LetStmt:
		r.bindings(s.Rec, s.Bindings)
	case *syntax.Check:
		r.expr(s.X)
	case *syntax.ShowStmt:
		for _, item := range s.Items {
			r.expr(item.X)
		}
	}
}

// bindings checks the right sides of a let and leaves its names in scope.
func (r *resolver) bindings(rec bool, bindings []*syntax.Binding) {
	outer := r.scope
	bindAll := func() {
		for _, b := range bindings {
			r.pattern(b.Pat)
		}
	}
	if rec {
		bindAll()
	}
	for _, b := range bindings {
		saved := r.scope
		if b.Param != nil {
			r.pattern(b.Param)
		}
		r.expr(b.Body)
		r.scope = saved
	}
	r.scope = outer
	bindAll()
}

func (r *resolver) pattern(p syntax.Pat) {
	switch p := p.(type) {
	case *syntax.VarPat:
		r.bindName(p.Text)
	case *syntax.TuplePat:
		for _, e := range p.Elems {
			r.pattern(e)
		}
	}
}

func (r *resolver) expr(e syntax.Expr) {
	syntax.Walk(e, func(n syntax.Node) bool {
		saved := r.scope
		switch n := n.(type) {
		case *syntax.Ident:
			if !r.bound(n.Text) {
				d := r.diags.Errorf(n.Span(), "unknown name %s", n.Text)
				d.Hint = src.DidYouMean(n.Text, r.names())
			}
			return true
		case *syntax.Fun:
			r.pattern(n.Param)
			r.expr(n.Body)
		case *syntax.LetExpr:
			r.bindings(n.Rec, n.Bindings)
			r.expr(n.Body)
		default:
			return true
		}
		r.scope = saved
		return false
	})
}
