package probe

import (
	"cmp"
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Part is the sort of part of a model that a mutant changes.
type Part uint8

// The parts.
const (
	Check      Part = iota // is not made
	Definition             // has nothing in it
	Base                   // has nothing in it wherever the model uses it
	Operand                // or an operator, is left out
	Scope                  // is narrower or wider in one place
)

func (p Part) String() string {
	return [...]string{"check", "definition", "base name", "operand", "scope"}[p]
}

// Mutant is a model with one part changed.
type Mutant struct {
	Part  Part
	Name  string   // of the check, the definition or the base name; "" for a part of an expression
	What  string   // the change in words, as "without the operand REL of |"
	At    src.Span // what is changed, in the text of the original; of a base name, its first use
	Whole src.Span // the same, but of a definition with its body
	Model *cat.Model
	// Same says that the change is none: the compiled mutant is the compiled original. It is
	// so for definitions that no check needs, and in variants that are off.
	Same bool
}

// Contains reports that what another mutant changes is inside what m leaves out.
func (m *Mutant) Contains(other *Mutant) bool {
	return m != other && m.Part != Scope && m.Part != Base && m.Whole.File == other.At.File &&
		m.Whole.Start <= other.At.Start && other.At.End <= m.Whole.End
}

// Mutation is a model and its mutants.
type Mutation struct {
	Model   *models.Model
	Mutants []*Mutant // in the order of the text, file by file as they are included; base names last
	// IllTyped counts the changes that are left out, since what they make is not well typed.
	IllTyped int
}

// Mutate loads a model, as models.Load does, and all its mutants. What the model includes of the library stays as it is: whether tests
// depend on that is not for the author of the model to see to. To compile the mutants takes seconds, so that it asks whether to stop.
func Mutate(ctx context.Context, name string, reading models.Config) (*Mutation, error) {
	m := &mutator{name: name, reading: reading}
	if err := m.open(); err != nil {
		return nil, err
	}
	for _, f := range m.own() {
		for _, c := range changes(f) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !m.load(&c.Mutant, m.replacing(f.Source.Name, c.text)) {
				m.result.IllTyped++
			}
		}
	}
	m.emptyBaseNames()
	return &m.result, nil
}

// mutator makes the mutants of a model.
type mutator struct {
	name    string
	reading models.Config
	files   []*syntax.File  // of the model, in the order in which they are included
	library map[string]bool // those of the files that are of the library, by name
	used    map[string]bool
	result  Mutation
}

// open loads the original.
func (m *mutator) open() error {
	var files []*src.File
	reading := m.reading
	reading.Edit = func(name, text string) string {
		text = m.edit(name, text)
		if !slices.ContainsFunc(files, func(f *src.File) bool { return f.Name == name }) {
			files = append(files, src.NewFile(name, text))
		}
		return text
	}
	model, err := models.Load(m.name, reading)
	if err != nil {
		return err
	}
	summary, err := model.Check(sim.Vocabulary())
	if err != nil {
		return err
	}
	m.result.Model, m.used, m.library = model, map[string]bool{}, map[string]bool{}
	for _, f := range model.Library {
		m.library[f.Name] = true
	}
	for _, b := range summary.Base {
		m.used[b.Name] = true
	}
	for _, f := range files {
		tree, err := syntax.Parse(f)
		if err != nil {
			return err
		}
		m.files = append(m.files, tree)
	}
	return nil
}

// own is the files that are not of the library.
func (m *mutator) own() []*syntax.File {
	return slices.DeleteFunc(slices.Clone(m.files), func(f *syntax.File) bool { return m.library[f.Source.Name] })
}

// edit is what the caller makes of the text of a file.
func (m *mutator) edit(name, text string) string {
	if m.reading.Edit == nil {
		return text
	}
	return m.reading.Edit(name, text)
}

// replacing reads the model with another text of one file.
func (m *mutator) replacing(file, by string) models.Config {
	reading := m.reading
	reading.Edit = func(name, text string) string {
		if name == file {
			return by
		}
		return m.edit(name, text)
	}
	return reading
}

// load loads a mutant, unless it is not well typed.
func (m *mutator) load(mutant *Mutant, reading models.Config) (ok bool) {
	model, err := models.Load(m.name, reading)
	if err != nil {
		return false
	}
	if _, err := model.Check(sim.Vocabulary()); err != nil {
		return false
	}
	mutant.Model, mutant.Same = model.Model, same(m.result.Model.Model, model.Model)
	m.result.Mutants = append(m.result.Mutants, mutant)
	return true
}

// same reports that two models have the same plan.
func same(a, b *cat.Model) bool {
	p, err := a.Compile(sim.Vocabulary())
	if err != nil {
		return false
	}
	q, err := b.Compile(sim.Vocabulary())
	return err == nil && p.Equal(q)
}

// change is a mutant that has not been loaded.
type change struct {
	Mutant
	from, to int // where in the file begins what is changed, and ends what is replaced
	text     string
}

// changes lists the changes of one file, in the order of the text; what is part of something
// comes after it.
func changes(f *syntax.File) []*change {
	var all []*change
	add := func(m syntax.Mutant, part Part, name string) {
		all = append(all, &change{
			Mutant: Mutant{Part: part, Name: name, What: m.What, At: m.Part, Whole: m.Part},
			from:   min(m.At.Start, m.Part.Start), to: m.At.End, text: m.Text,
		})
	}
	for m := range syntax.Mutants(f) {
		if m.Check != nil {
			add(m, Check, checkName(m.Check))
		} else {
			add(m, Operand, "")
		}
	}
	for m := range syntax.Emptied(f) {
		add(m, Definition, m.Part.Text())
		all[len(all)-1].Whole = m.Part.To(m.At)
	}
	for m := range syntax.Renamed(f, sim.Vocabulary().Scopes()) {
		add(m, Scope, "")
	}
	slices.SortStableFunc(all, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return all
}

// checkName is what a check or a call is called.
func checkName(s syntax.Stmt) string {
	switch s := s.(type) {
	case *syntax.Check:
		return cat.CheckName(s)
	case *syntax.CallStmt:
		if s.As != nil {
			return s.As.Text
		}
		return "call " + s.Name.Text
	}
	return ""
}

// emptyBaseNames makes a mutant for each base name: a definition before the model gives the
// name nothing, as far as the model does not bind it itself. Base names that are defined by
// others, as fr by rf and co, keep what they have.
func (m *mutator) emptyBaseNames() {
	bound, tried := map[string]bool{}, map[string]bool{}
	for _, f := range m.files {
		for s := range syntax.AllStmts(f.Stmts) {
			syntax.EachBound(s, func(n syntax.Name) { bound[n.Text] = true })
		}
	}
	for _, f := range m.own() {
		for s := range syntax.AllStmts(f.Stmts) {
			syntax.EachName(s, func(n syntax.Name) {
				if tried[n.Text] || bound[n.Text] && !m.used[n.Text] {
					return
				}
				tried[n.Text] = true
				what := "with " + n.Text + " empty wherever the model uses it"
				m.load(&Mutant{Part: Base, Name: n.Text, What: what, At: n.Span(), Whole: n.Span()}, m.without(n.Text))
			})
		}
	}
}

// without reads the model with an empty base name. A name that is no set or relation, such as
// that of a function of the library, makes the definition ill-typed.
func (m *mutator) without(name string) models.Config {
	reading := m.reading
	empty := src.NewFile("without "+name, "let "+name+" = "+name+" & {}\n")
	reading.Before = append(slices.Clone(reading.Before), empty)
	return reading
}
