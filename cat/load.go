package cat

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
)

// Finder returns the file that an include names; from is the file that includes it.
type Finder func(from *src.File, path string) (*src.File, error)

// Config selects the variants of a model and how its includes are found.
type Config struct {
	Find     Finder
	Variants []string    // variants that are switched on
	Before   []*src.File // files whose statements precede the model's
}

// Load parses a model and the files that it includes. The error is a src.Diagnostics with all
// errors in the text.
func Load(f *src.File, c Config) (*Model, error) {
	m := &Model{
		File: f, included: map[*syntax.IncludeStmt][]syntax.Stmt{},
		prelude: standardLibrary(), bound: map[string]bool{}, variants: map[string]bool{},
	}
	for _, v := range c.Variants {
		m.variants[v] = true
	}
	l := &loader{model: m, find: c.Find, parsed: map[string]*syntax.File{}, sizes: map[string]int{}}
	l.contents(libraryText())
	for _, before := range c.Before {
		if tree := l.load(before); tree != nil {
			m.stmts = append(m.stmts, tree.Stmts...)
		}
	}
	if tree := l.load(f); tree != nil {
		m.Header, m.stmts = tree.Title, append(m.stmts, tree.Stmts...)
	}
	return m, l.diags.Err()
}

// Bounds on a model. The largest models in use have some hundred lines.
const (
	maxText       = 1 << 20 // bytes of a file
	maxStatements = 10_000  // statements and bound names; a file counts each time that it is included
)

type loader struct {
	model  *Model
	find   Finder
	open   []*src.File // files being loaded, outermost first
	parsed map[string]*syntax.File
	sizes  map[string]int // in statements, by file
	diags  src.Diagnostics
}

// load parses a file, once, and loads its includes.
func (l *loader) load(f *src.File) *syntax.File {
	if tree, ok := l.parsed[f.Name]; ok {
		return tree
	}
	if len(f.Text) > maxText {
		l.diags.Errorf(f.Span(0, 0), "this file has %d bytes; a model may have %d", len(f.Text), maxText)
		return nil
	}
	tree, err := syntax.Parse(f)
	l.diags.Add(err)
	l.parsed[f.Name] = tree
	if tree == nil {
		return nil
	}
	l.open = append(l.open, f)
	l.sizes[f.Name] = l.contents(tree)
	l.open = l.open[:len(l.open)-1]
	return tree
}

// contents loads the includes of a file, records the names that it binds, and returns its size in
// statements.
func (l *loader) contents(tree *syntax.File) int {
	size := 0
	l.model.eachStmt(tree.Stmts, func(s syntax.Stmt) bool {
		before := size
		syntax.EachBound(s, func(n syntax.Name) { l.model.bound[n.Text] = true })
		switch s := s.(type) {
		case *syntax.LetStmt:
			size += len(s.Bindings)
		case *syntax.IncludeStmt:
			size += 1 + l.include(tree.Source, s)
		default:
			size++
		}
		if before <= maxStatements && size > maxStatements {
			l.diags.Errorf(s.Span(), "the model has more than %d statements", maxStatements)
		}
		_, included := s.(*syntax.IncludeStmt)
		return !included
	})
	return size
}

// include loads the file that an include names and returns its size.
func (l *loader) include(from *src.File, inc *syntax.IncludeStmt) int {
	f, err := l.find(from, inc.Path.Text)
	if err != nil {
		l.diags.Errorf(inc.Path.Span(), "cannot include %q: %v", inc.Path.Text, err)
		return 0
	}
	for _, o := range l.open {
		if o.Name == f.Name {
			l.diags.Errorf(inc.Span(), "%s includes itself", f.Name).
				WithHint("the includes are %s", l.chain(f))
			return 0
		}
	}
	if tree := l.load(f); tree != nil {
		l.model.included[inc] = tree.Stmts
	}
	// A larger file has been reported at its own include.
	return min(l.sizes[f.Name], maxStatements)
}

func (l *loader) chain(last *src.File) string {
	var names []string
	for _, f := range append(l.open, last) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " → ")
}

// stdlib is the standard library, functions defined in .cat. Every model has it, as in herd.
//
//go:embed stdlib.cat
var stdlib string

var libraryText = sync.OnceValue(func() *syntax.File {
	tree, err := syntax.Parse(src.NewFile("stdlib.cat", stdlib))
	if err != nil {
		panic(err) // the text is part of muster
	}
	return tree
})

// standardLibrary returns the environment of stdlib.cat. It holds only functions, so all candidates
// share it.
var standardLibrary = sync.OnceValue(func() *env {
	var e *env
	ev := &evaluator{}
	for _, s := range libraryText().Stmts {
		switch s := s.(type) {
		case *syntax.LetStmt:
			e = ev.bind(s.Rec, s.Bindings, e)
		case *syntax.ProcStmt:
			e = &env{name: s.Name.Text, value: &procedure{def: s, env: e}, outer: e}
		}
	}
	return e
})
