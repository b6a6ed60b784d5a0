// Package cat gives .cat models their meaning: it loads a model with what it
// includes, checks it against the names that executions define, and evaluates it on
// one candidate execution after another.
//
//	Model       a loaded model
//	Vocabulary  the sets and relations that executions define
//	Candidate   an execution as a model sees it: named sets and relations
//	Verdict     what a model says of a candidate: failed checks and raised flags
//	Violation   why a check failed: a cycle, or an offending pair or event
//
// The package knows sets, relations and names, no threads, scopes or instructions.
// This evaluator is the obvious one: it walks the tree for each candidate.
package cat

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// Candidate is a candidate execution as a model sees it.
type Candidate interface {
	N() int // number of events
	Set(name string) (rel.Set, bool)
	Rel(name string) (rel.Rel, bool)
}

// Vocabulary is the names that candidates define.
type Vocabulary struct {
	Sets, Rels []string
}

// Model is a model with everything that it includes.
type Model struct {
	Source *src.File
	Title  string

	stmts []syntax.Stmt // of all files, in the order of evaluation
}

// Finder finds the file that an include names; from is the file that includes it.
type Finder func(from *src.File, path string) (*src.File, error)

// Load parses a model and what it includes, each time it is included, as herd does.
// The error is a src.Diagnostics with all that is wrong with the text, constructs
// that muster does not evaluate yet among it.
func Load(f *src.File, find Finder) (*Model, error) {
	l := &loader{find: find}
	title := l.load(f, nil)
	m := &Model{Source: f, Title: title, stmts: l.stmts}
	if len(l.diags) == 0 {
		for _, s := range m.stmts {
			l.diags.Add(unsupported(s)...)
		}
	}
	return m, l.diags.Err()
}

type loader struct {
	find  Finder
	stmts []syntax.Stmt
	open  []*src.File // the files being loaded, outermost first
	diags src.Diagnostics
}

// load appends the statements of a file and returns its title.
func (l *loader) load(f *src.File, include *syntax.IncludeStmt) string {
	for _, o := range l.open {
		if o.Name == f.Name {
			l.diags.Errorf(include.Span(), "%s includes itself", f.Name).
				WithHint("the includes are %s", l.chain(f))
			return ""
		}
	}
	l.open = append(l.open, f)
	defer func() { l.open = l.open[:len(l.open)-1] }()
	tree, err := syntax.Parse(f)
	l.diags.Add(err)
	if tree == nil {
		return ""
	}
	for _, s := range tree.Stmts {
		inc, ok := s.(*syntax.IncludeStmt)
		if !ok {
			l.stmts = append(l.stmts, s)
			continue
		}
		g, err := l.find(f, inc.Path.Text)
		if err != nil {
			l.diags.Errorf(inc.Path.Span(), "cannot include %q: %v", inc.Path.Text, err)
			continue
		}
		l.load(g, inc)
	}
	return tree.Title
}

func (l *loader) chain(last *src.File) string {
	var names []string
	for _, f := range append(l.open, last) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " → ")
}

// Verdict is what a model says of a candidate.
type Verdict struct {
	Rejected *syntax.Check // the first check that rejects it; nil if the model allows it
	Flags    []string      // the flags that it raises, if the model allows it
}

// Allowed reports that no check rejects the candidate.
func (v *Verdict) Allowed() bool { return v.Rejected == nil }

// CheckName is what a check is called: its name, or its text.
func CheckName(c *syntax.Check) string {
	if c.As != nil {
		return c.As.Text
	}
	return strings.Join(strings.Fields(syntax.Print(c)), " ")
}

// Eval evaluates the model on a candidate, up to the first check that rejects it;
// Violations has them all. The error is a *src.Diagnostic that
// points into the model: a type error, or a recursion that does not settle.
func (m *Model) Eval(c Candidate) (v *Verdict, err error) {
	defer catch(&err)
	ev := newEvaluator(c)
	v = &Verdict{}
	for _, s := range m.stmts {
		check, ok := s.(*syntax.Check)
		if !ok {
			ev.statement(s)
			continue
		}
		holds := ev.holds(check)
		switch {
		case check.Role == syntax.Flag && holds:
			v.Flags = append(v.Flags, CheckName(check))
		case check.Role == syntax.Require && !holds:
			return &Verdict{Rejected: check}, nil
		}
	}
	return v, nil
}

// catch turns the panic of an evaluation into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *src.Diagnostic:
		*err = r
	default:
		panic(r)
	}
}

// unsupported reports the constructs that the language has and this evaluator does
// not evaluate yet.
func unsupported(s syntax.Stmt) []error {
	no := func(n syntax.Node, what string) []error {
		return []error{src.Errorf(n.Span(), "not supported yet: %s", what)}
	}
	switch s := s.(type) {
	case *syntax.LetStmt:
		if s.When != nil {
			return no(s.When, "let rec … when")
		}
		return unsupportedIn(s.Rec, s.Bindings)
	case *syntax.Check:
		if s.Role == syntax.UndefinedUnless || s.Role == syntax.Assert {
			return no(s, "undefined_unless and assert")
		}
		return unsupportedExpr(s.X)
	case *syntax.ShowStmt, *syntax.UnshowStmt:
		return nil
	}
	return no(s, fmt.Sprintf("the instruction %q", firstWord(s)))
}

func firstWord(n syntax.Node) string {
	words := strings.Fields(n.Span().Text())
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func unsupportedIn(rec bool, bindings []*syntax.Binding) []error {
	errs := unsupportedRec(rec, bindings)
	for _, b := range bindings {
		errs = append(errs, unsupportedExpr(b.Body)...)
	}
	return errs
}

func unsupportedRec(rec bool, bindings []*syntax.Binding) []error {
	var errs []error
	for _, b := range bindings {
		if _, named := b.Pat.(*syntax.VarPat); rec && (!named || b.Param != nil) {
			errs = append(errs, src.Errorf(b.Span(), "not supported yet: let rec of functions and patterns"))
		}
	}
	return errs
}

func unsupportedExpr(e syntax.Expr) []error {
	var errs []error
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TagLit, *syntax.TryExpr, *syntax.MatchTag, *syntax.MatchSet, *syntax.IfExpr:
			errs = append(errs, src.Errorf(n.Span(), "not supported yet: %s", describe[fmt.Sprintf("%T", n)]))
		case *syntax.LetExpr:
			errs = append(errs, unsupportedRec(n.Rec, n.Bindings)...)
		case *syntax.SetLit:
			if len(n.Elems) > 0 {
				errs = append(errs, src.Errorf(n.Span(), "not supported yet: sets of given elements"))
			}
		case *syntax.Binary:
			if n.Op == syntax.OpAdd {
				errs = append(errs, src.Errorf(n.Span(), "not supported yet: ++"))
			}
		}
		return true
	})
	return errs
}

var describe = map[string]string{
	"*syntax.TagLit":   "tags",
	"*syntax.TryExpr":  "try",
	"*syntax.MatchTag": "match",
	"*syntax.MatchSet": "match",
	"*syntax.IfExpr":   "if",
}
