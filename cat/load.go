package cat

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
)

// Finder finds the file that an include names; from is the file that includes it.
type Finder func(from *src.File, path string) (*src.File, error)

// Load parses a model and what it includes. variants are the variants that are
// switched on. The error is a src.Diagnostics with all that is wrong with the text.
func Load(f *src.File, find Finder, variants ...string) (*Model, error) {
	m := &Model{
		File: f, included: map[*syntax.IncludeStmt][]syntax.Stmt{},
		prelude: standardLibrary(), variants: map[string]bool{},
	}
	for _, v := range variants {
		m.variants[v] = true
	}
	l := &loader{model: m, find: find, parsed: map[string]*syntax.File{}}
	if tree := l.load(f); tree != nil {
		m.Header, m.stmts = tree.Title, tree.Stmts
	}
	return m, l.diags.Err()
}

type loader struct {
	model  *Model
	find   Finder
	open   []*src.File // the files being loaded, outermost first
	parsed map[string]*syntax.File
	diags  src.Diagnostics
}

// load parses a file, once, and loads what it includes.
func (l *loader) load(f *src.File) *syntax.File {
	if tree, ok := l.parsed[f.Name]; ok {
		return tree
	}
	tree, err := syntax.Parse(f)
	l.diags.Add(err)
	l.parsed[f.Name] = tree
	if tree == nil {
		return nil
	}
	l.open = append(l.open, f)
	l.model.eachStmt(tree.Stmts, func(s syntax.Stmt) {
		if inc, ok := s.(*syntax.IncludeStmt); ok && l.model.included[inc] == nil {
			l.include(f, inc)
		}
	})
	l.open = l.open[:len(l.open)-1]
	return tree
}

func (l *loader) include(from *src.File, inc *syntax.IncludeStmt) {
	f, err := l.find(from, inc.Path.Text)
	if err != nil {
		l.diags.Errorf(inc.Path.Span(), "cannot include %q: %v", inc.Path.Text, err)
		return
	}
	for _, o := range l.open {
		if o.Name == f.Name {
			l.diags.Errorf(inc.Span(), "%s includes itself", f.Name).
				WithHint("the includes are %s", l.chain(f))
			return
		}
	}
	if tree := l.load(f); tree != nil {
		l.model.included[inc] = tree.Stmts
	}
}

func (l *loader) chain(last *src.File) string {
	var names []string
	for _, f := range append(l.open, last) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " → ")
}

// stdlib is functions that are defined in .cat itself. They are there in every
// model, as in herd.
//
//go:embed stdlib.cat
var stdlib string

// standardLibrary is the environment of stdlib.cat. It holds functions only, so it
// is the same for all candidates.
var standardLibrary = sync.OnceValue(func() *env {
	tree, err := syntax.Parse(src.NewFile("stdlib.cat", stdlib))
	if err != nil {
		panic(err) // the text is our own
	}
	var e *env
	ev := &evaluator{}
	for _, s := range tree.Stmts {
		switch s := s.(type) {
		case *syntax.LetStmt:
			e = ev.bind(s.Rec, s.Bindings, e)
		case *syntax.ProcStmt:
			e = &env{name: s.Name.Text, value: &procedure{def: s, env: e}, outer: e}
		}
	}
	return e
})
