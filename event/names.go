package event

import (
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// Name is a set or relation that models may mention: its description, and how executions compute
// it.
type Name struct {
	vocab.Name
	Is Definition // nil if models define it themselves
}

// Definition says how executions compute a set or relation. It is a Members, Events, Fixed, Seated,
// Pairs, Reach or Added.
type Definition interface{ isDefinition() }

// Members is a set that is decided event by event.
type Members func(*Event) bool

// Events is a set that depends on the witness.
type Events func(*Execution) rel.Set

// Fixed is a relation that the program fixes, independent of the places of its threads. The
// function adds its pairs to an empty relation.
type Fixed func(s *Structure, to rel.Rel)

// Seated is a relation that the program and the places of its threads fix.
type Seated func(s *Structure, to rel.Rel)

// Pairs is a relation that depends on the witness: it puts its pairs into an empty one.
type Pairs func(x *Execution, to rel.Rel)

// Reach is a relation from events to accesses that depends only on the locations of the accesses.
// The function returns the events that are related to the accesses of a location.
type Reach func(*Structure, Loc) rel.Set

// Added is a relation that the front end adds to structures, in Structure.Rels.
type Added struct{}

func (Members) isDefinition() {}
func (Events) isDefinition()  {}
func (Fixed) isDefinition()   {}
func (Seated) isDefinition()  {}
func (Pairs) isDefinition()   {}
func (Reach) isDefinition()   {}
func (Added) isDefinition()   {}

// Vocabulary is the sets and relations of executions of a front end's tests.
type Vocabulary struct {
	*vocab.Vocabulary
	is    map[string]Definition
	label func(*Event) string
}

// NewVocabulary returns the vocabulary of the names of this package, the names that a front end
// adds, and others, which are empty in its executions. label returns the part of an access's label
// that the front end adds; nil is Plain.
func NewVocabulary(added []Name, others []vocab.Name, label func(*Event) string) *Vocabulary {
	v := &Vocabulary{is: map[string]Definition{}, label: label}
	if label == nil {
		v.label = Plain
	}
	var all []vocab.Name
	for _, names := range [][]Name{shared, added} {
		for _, n := range names {
			all = append(all, n.Name)
			v.is[n.Name.Name] = n.Is
		}
	}
	for _, n := range others {
		if v.is[n.Name] == nil {
			all = append(all, n)
			v.is[n.Name] = nothing(n)
		}
	}
	v.Vocabulary = vocab.New(all...)
	return v
}

// nothing returns the definition of a name that is empty, or nil if it needs none.
func nothing(n vocab.Name) Definition {
	switch {
	case n.Chosen:
		return nil
	case n.Set:
		return Members(func(*Event) bool { return false })
	}
	return Fixed(noPairs)
}

// plain is the vocabulary of structures that have no other.
var plain = NewVocabulary(nil, nil, nil)

// vocabulary returns the vocabulary of the structure.
func (s *Structure) vocabulary() *Vocabulary {
	if s.Vocabulary == nil {
		return plain
	}
	return s.Vocabulary
}

// Vocab returns the vocabulary of sets and relations of the structure.
func (s *Structure) Vocab() *vocab.Vocabulary { return s.vocabulary().Vocabulary }

// Set returns the set with a name, and false if there is no such set.
func (x *Execution) Set(name string) (rel.Set, bool) {
	switch is := x.vocabulary().is[name].(type) {
	case Members:
		return x.where(is), true
	case Events:
		return is(x), true
	}
	return rel.Set{}, false
}

// Definition returns the definition of a name, for Word and Rows, or nil.
func (s *Structure) Definition(name string) Definition { return s.vocabulary().is[name] }

// Word returns the set with a definition, of at most 64 events, as a word; no event if it is nil.
func (x *Execution) Word(is Definition) (word uint64) {
	switch is := is.(type) {
	case Members:
		for i := range x.Events {
			if is(&x.Events[i]) {
				word |= 1 << i
			}
		}
	case Events:
		return is(x).Word()
	}
	return word
}

// Rel returns the relation with a name, and false if there is no such relation.
func (x *Execution) Rel(name string) (rel.Rel, bool) {
	switch is := x.vocabulary().is[name].(type) {
	case Fixed:
		return x.fixed(name, is), true
	case Seated:
		return x.fixed(name, Fixed(is)), true
	case Pairs:
		return x.pairs(func(to rel.Rel) { is(x, to) }), true
	case Reach:
		return x.pairs(func(to rel.Rel) { x.reach(is, to) }), true
	case Added:
		if r, ok := x.Rels[name]; ok {
			return r, true
		}
		return rel.New(x.N()), true
	}
	return rel.Rel{}, false
}

// pairs returns the relation that put adds to an empty one.
func (s *Structure) pairs(put func(to rel.Rel)) rel.Rel {
	r := rel.New(s.N())
	put(r)
	return r
}

// Rows adds the relation with a name and a definition to empty rows, one word each, of at most 64
// events. Unlike Rel, it does not memoise what the program fixes.
func (x *Execution) Rows(name string, is Definition, rows []uint64) {
	to := rel.FromWords(x.N(), rows)
	switch is := is.(type) {
	case Fixed:
		is(x.Structure, to)
	case Seated:
		is(x.Structure, to)
	case Pairs:
		is(x, to)
	case Reach:
		x.reach(is, to)
	default:
		if r, ok := x.Rels[name]; ok {
			to.AddAll(r)
		}
	}
}

func (x *Execution) reach(is Reach, to rel.Rel) {
	for b, l := range x.Loc {
		if l == NoLoc {
			continue
		}
		for a := range is(x.Structure, l).All() {
			to.Add(a, b)
		}
	}
}

// Reach returns the relation of that name if it is one; false if not.
func (s *Structure) Reach(name string) (Reach, bool) {
	is, ok := s.vocabulary().is[name].(Reach)
	return is, ok
}

// computed is a memoised relation of a structure. A model asks for few relations, so a linear
// search is faster than a map.
type computed struct {
	name string
	rel  rel.Rel
}

// fixed computes a relation of the structure once for all its executions.
func (s *Structure) fixed(name string, is Fixed) rel.Rel {
	for i := range s.computed {
		if s.computed[i].name == name {
			return s.computed[i].rel
		}
	}
	r := s.pairs(func(to rel.Rel) { is(s, to) })
	if s.computed == nil {
		const usual = 24 // for the models of PTX
		s.computed = make([]computed, 0, usual)
	}
	s.computed = append(s.computed, computed{name, r})
	return r
}
