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
	r := &resolver{bound: map[string]int{}}
	for _, names := range [][]string{slices.Sorted(maps.Keys(builtins)), vocab.Sets, vocab.Rels} {
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
	names []string       // the names in scope, innermost last
	bound map[string]int // how often each is among them
	diags src.Diagnostics
}

func (r *resolver) bindName(name string) {
	r.names = append(r.names, name)
	r.bound[name]++
}

// leave ends the scopes that began when there were n names.
func (r *resolver) leave(n int) {
	for _, name := range r.names[n:] {
		r.bound[name]--
	}
	r.names = r.names[:n]
}

// maxHints bounds the unknown names that get a hint, for which all names in scope are
// looked at. A file of noise can have tens of thousands of both.
const maxHints = 20

func (r *resolver) unknown(n *syntax.Ident) {
	d := r.diags.Errorf(n.Span(), "unknown name %s", n.Text)
	if len(r.diags) <= maxHints {
		d.Hint = src.DidYouMean(n.Text, r.names)
	}
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
	outer := len(r.names)
	bindAll := func() {
		for _, b := range bindings {
			r.pattern(b.Pat)
		}
	}
	if rec {
		bindAll()
	}
	for _, b := range bindings {
		inner := len(r.names)
		if b.Param != nil {
			r.pattern(b.Param)
		}
		r.expr(b.Body)
		r.leave(inner)
	}
	r.leave(outer)
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
		outer := len(r.names)
		switch n := n.(type) {
		case *syntax.Ident:
			if r.bound[n.Text] == 0 {
				r.unknown(n)
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
		r.leave(outer)
		return false
	})
}
