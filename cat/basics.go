package cat

import (
	"maps"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// basics are axioms that nearly every machine satisfies: coherence per location, no values out of
// thin air, atomicity of read-modify-writes. They are evaluated before the model can rebind the
// base names; co is the model's own, if it chooses one.
const (
	basicNames = `let basic-rf = rf and basic-rmw = rmw and basic-ext = ext and basic-po-loc = po-loc
and basic-dependency = addr | data | ctrl | rmw
`
	basicOrder  = "let basic-co = co\n"
	noCoherence = "with co from completions(0, co0)\n"
	basicChecks = `let basic-fr = basic-rf^-1; basic-co
acyclic basic-po-loc | basic-rf | basic-co | basic-fr as coherence
acyclic basic-rf | basic-dependency as no-thin-air
empty basic-rmw & ((basic-fr & basic-ext); (basic-co & basic-ext)) as atomicity
`
)

var parsedBasics = sync.OnceValue(func() map[string][]syntax.Stmt {
	all := map[string][]syntax.Stmt{}
	for _, text := range []string{basicNames, basicOrder, basicChecks, noCoherence} {
		tree, err := syntax.Parse(src.NewFile("basics.cat", text))
		if err != nil {
			panic(err) // a constant of this package
		}
		all[text] = tree.Stmts
	}
	return all
})

// BasicAxioms is the number of axioms that WithBasics adds.
const BasicAxioms = 3

// WithBasics returns the model followed by the basic axioms. A rejected candidate that violates one
// of them says little about the model (Failure.Basic).
func (m *Model) WithBasics() *Model {
	m.extend.Do(func() {
		b := parsedBasics()
		before, after := slices.Concat(b[basicNames], b[basicOrder]), b[basicChecks]
		if m.Chooses("co") {
			before, after = b[basicNames], slices.Concat(b[basicOrder], b[basicChecks])
		}
		m.extended = m.with(slices.Concat(before, m.stmts, after))
	})
	return m.extended
}

// Basic reports whether WithBasics added the check.
func (f *Failure) Basic() bool {
	return slices.ContainsFunc(parsedBasics()[basicChecks], func(s syntax.Stmt) bool {
		return s == syntax.Stmt(f.Check)
	})
}

// BeforeCoherence returns the prefix of the model before its choice of a coherence order, for
// candidates that have no coherence order yet. In this prefix, co only orders initial writes before
// the others.
func (m *Model) BeforeCoherence() *Model {
	before, _ := m.before(m.stmts, "co")
	return m.with(slices.Concat(before, parsedBasics()[noCoherence]))
}

// CheckingCoherence returns the prefix of the model up to its choice of a coherence order from
// completions(S, r), with that choice replaced by a check named co: the coherence order of the
// candidate must contradict no pair of r. It explains final states whose last writes no coherence
// order of the model allows. It returns nil if the model makes no such choice.
func (m *Model) CheckingCoherence() *Model {
	m.check.Do(func() {
		before, at := m.before(m.stmts, "co")
		with, _ := at.(*syntax.WithStmt)
		least := completed(with)
		if least == nil {
			return
		}
		co := &syntax.Ident{Name: syntax.Name{Text: "co", At: with.Var.At}}
		x := &syntax.Binary{Op: syntax.OpSeq, X: least, Y: co, At: with.At}
		m.checking = m.with(append(before, &syntax.Check{Test: syntax.Irreflexive, X: x, As: &with.Var, At: with.At}))
	})
	return m.checking
}

// completed returns r of a choice from completions(S, r), or nil for another choice.
func completed(with *syntax.WithStmt) syntax.Expr {
	if with == nil {
		return nil
	}
	app, _ := with.From.(*syntax.App)
	if app == nil {
		return nil
	}
	fun, _ := app.Fun.(*syntax.Ident)
	args, _ := app.Arg.(*syntax.Tuple)
	if fun == nil || fun.Text != "completions" || args == nil || len(args.Elems) != 2 {
		return nil
	}
	return args.Elems[1]
}

// with returns a copy of the model with other statements.
func (m *Model) with(stmts []syntax.Stmt) *Model {
	other := &Model{
		File: m.File, Header: m.Header, included: m.included, prelude: m.prelude, variants: m.variants,
		bound: maps.Clone(m.bound), stmts: stmts,
	}
	for _, s := range stmts {
		syntax.EachBound(s, func(n syntax.Name) { other.bound[n.Text] = true })
	}
	return other
}

// Showing returns the model followed by the show statements of f, and the names that these show. f
// may hold nothing else. Names that are not defined are an error.
func (m *Model) Showing(f *src.File, v *vocab.Vocabulary) (other *Model, names []string, err error) {
	tree, err := syntax.Parse(f)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range tree.Stmts {
		show, ok := s.(*syntax.ShowStmt)
		if !ok {
			return nil, nil, src.Errorf(s.Span(), "expected the names of relations, with commas between them")
		}
		for _, item := range show.Items {
			names = append(names, item.As.Text)
		}
	}
	other = m.with(append(slices.Clip(m.stmts), tree.Stmts...))
	_, err = other.Check(v)
	return other, names, err
}

// After returns the model preceded by the statements of f, which includes no other file. Calls with
// the same f return the same model, and a nil f returns m itself. The error is a src.Diagnostics.
func (m *Model) After(f *src.File) (*Model, error) {
	if f == nil {
		return m, nil
	}
	m.preceding.Lock()
	defer m.preceding.Unlock()
	if other := m.preceded[f]; other != nil {
		return other, nil
	}
	tree, err := syntax.Parse(f)
	if err != nil {
		return nil, err
	}
	if m.preceded == nil {
		m.preceded = map[*src.File]*Model{}
	}
	m.preceded[f] = m.with(slices.Concat(tree.Stmts, m.stmts))
	return m.preceded[f], nil
}

// before returns the statements before the one that chooses a relation of that name, and that
// statement, or nil. Statements of included files stand in the place of the include.
func (m *Model) before(stmts []syntax.Stmt, name string) (short []syntax.Stmt, at syntax.Stmt) {
	for _, s := range stmts {
		switch i := s.(type) {
		case *syntax.IncludeStmt:
			inside, at := m.before(m.included[i], name)
			if short = append(short, inside...); at != nil {
				return short, at
			}
		default:
			if m.has([]syntax.Stmt{s}, choice(name)) {
				return short, s
			}
			short = append(short, s)
		}
	}
	return short, nil
}
