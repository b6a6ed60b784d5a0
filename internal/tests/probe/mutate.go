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

// Part is the kind of part of a model that a mutant changes.
type Part uint8

// The parts.
const (
	Check      Part = iota // the check is removed
	Definition             // the definition is empty
	Base                   // the base name is empty wherever the model uses it
	Operand                // an operand, or an operator, is removed
	Scope                  // the scope is narrower or wider in one place
)

func (p Part) String() string {
	return [...]string{"check", "definition", "base name", "operand", "scope"}[p]
}

// Mutant is a model with one part changed.
type Mutant struct {
	Part  Part
	Name  string   // of the check, the definition or the base name; "" for a part of an expression
	What  string   // the change in words, as "without the operand REL of |"
	At    src.Span // the changed part, in the text of the original; for a base name, its first use
	Whole src.Span // the same, but for a definition with its body
	Model *cat.Model
	// Same says that the change has no effect: the compiled mutant equals the compiled original.
	// This holds for definitions that no check needs, and in variants that are off.
	Same bool
}

// Contains reports whether the part that another mutant changes is inside the part that m removes.
func (m *Mutant) Contains(other *Mutant) bool {
	return m != other && m.Part != Scope && m.Part != Base && m.Whole.File == other.At.File &&
		m.Whole.Start <= other.At.Start && other.At.End <= m.Whole.End
}

// Mutation is a model with its mutants.
type Mutation struct {
	Model   *models.Model
	Mutants []*Mutant // in the order of the text, file by file as they are included; base names last
	// IllTyped counts the changes that are left out because the result is not well typed.
	IllTyped int
}

// Mutate loads a model, as models.Load does, and all its mutants. Files of the library that the
// model includes are not mutated: covering them is not the task of the model's author. Compiling
// the mutants takes seconds, so Mutate checks whether ctx is done.
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
	library map[string]bool // the files that belong to the library, by name
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

// own returns the files that do not belong to the library.
func (m *mutator) own() []*syntax.File {
	return slices.DeleteFunc(slices.Clone(m.files), func(f *syntax.File) bool { return m.library[f.Source.Name] })
}

// edit applies the caller's edit to the text of a file.
func (m *mutator) edit(name, text string) string {
	if m.reading.Edit == nil {
		return text
	}
	return m.reading.Edit(name, text)
}

// replacing returns a configuration that reads the model with another text for one file.
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

// load loads a mutant. It returns false if the mutant is not well typed.
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

// same reports whether two models compile to the same plan.
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
	from, to int // start of the changed text, and end of the replaced text, in the file
	text     string
}

// changes lists the changes of one file, in the order of the text; a part of something comes after
// the whole.
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

// checkName returns the name of a check or a call.
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

// emptyBaseNames makes a mutant for each base name that the model uses and does not bind itself: a
// definition before the model makes the name empty. Base names that are defined by others, such as
// fr by rf and co, keep their meaning.
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

// without returns a configuration that reads the model with an empty base name. For a name that is
// not a set or relation, such as a function of the library, the definition is ill-typed.
func (m *mutator) without(name string) models.Config {
	reading := m.reading
	empty := src.NewFile("without "+name, "let "+name+" = "+name+" & {}\n")
	reading.Before = append(slices.Clone(reading.Before), empty)
	return reading
}
