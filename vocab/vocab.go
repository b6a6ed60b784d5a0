// Package vocab is what muster knows about the names of sets and relations: one record for each,
// used by checking, evaluation, explanations and pictures.
//
//	Name        a set or relation, and what is known about it
//	Vocabulary  the names of executions, or of some front ends
//
// How an execution computes a set or relation is defined in package event and the front ends.
package vocab

import (
	"cmp"
	"slices"
)

// Name is a set or relation that models may mention.
type Name struct {
	Name    string
	Set     bool // of events; else a relation
	Depends Stage
	Derived string // its definition by other names, as an expression of .cat; "" if it is not derived
	Family  Family // of a relation
	Meaning string // what is in it: "from a read to each write that overwrites what it read"
	// Pair is the sentence about two events, or about %[2]s and %[1]s, that the relation relates;
	// "" for a sentence that only names the relation.
	Pair string
	// Restricts says that a relation tells where events are, and not how they are ordered.
	Restricts bool
	// Regions says that it depends on which locations are in shared memory, even without an
	// instruction that does.
	Regions bool
	// Wider is the name of the same set or relation for the next wider scope, or "".
	Wider string
	// Library says that herd's standard library defines the name as well: a model that redefines it
	// hides nothing.
	Library bool
	// Chosen says that models define or choose it, under a conventional name. Executions do not
	// have it.
	Chosen bool
}

// Stage is the last choice that determines a set or relation. Each includes those before it.
type Stage uint8

// The stages.
const (
	Program Stage = iota // the control paths of the threads
	Places               // the locations of accesses
	Rf                   // what reads read from, and the values
	Co                   // coherence
)

// Family is the sort of a relation. Pictures draw each in its own way.
type Family uint8

// The families.
const (
	Other Family = iota
	ProgramOrder
	ReadsFrom
	Coherence
	FromRead
	Fence
	Sync
	Addr
	Data
	Ctrl
	Rmw
	Async
)

func (f Family) String() string {
	return [...]string{"other", "po", "rf", "co", "fr", "fence", "sync", "addr", "data", "ctrl", "rmw", "async"}[f]
}

// Compare orders families as they are declared, with Other last.
func (f Family) Compare(g Family) int { return cmp.Compare(f-1, g-1) }

// Communicates reports whether threads communicate by relations of this family.
func (f Family) Communicates() bool { return f == ReadsFrom || f == Coherence || f == FromRead }

// Vocabulary is a list of names without duplicates. The nil Vocabulary is empty.
type Vocabulary struct {
	names []Name // sorted
}

// New returns the vocabulary of some names. Duplicates count once.
func New(names ...Name) *Vocabulary {
	v := &Vocabulary{names: slices.Clone(names)}
	slices.SortStableFunc(v.names, func(a, b Name) int { return cmp.Compare(a.Name, b.Name) })
	v.names = slices.CompactFunc(v.names, func(a, b Name) bool { return a.Name == b.Name })
	return v
}

// Names returns the names, sorted. The caller must not change them.
func (v *Vocabulary) Names() []Name {
	if v == nil {
		return nil
	}
	return v.names
}

// Find returns what is known about a name, or nil.
func (v *Vocabulary) Find(name string) *Name {
	names := v.Names()
	i, ok := slices.BinarySearchFunc(names, name, func(n Name, s string) int { return cmp.Compare(n.Name, s) })
	if !ok {
		return nil
	}
	return &names[i]
}

// Get returns what is known about a name; for an unknown name, only the name.
func (v *Vocabulary) Get(name string) Name {
	if n := v.Find(name); n != nil {
		return *n
	}
	return Name{Name: name}
}

// Sets returns the sets that executions have, sorted.
func (v *Vocabulary) Sets() []string { return v.defined(true) }

// Rels returns the relations that executions have, sorted.
func (v *Vocabulary) Rels() []string { return v.defined(false) }

func (v *Vocabulary) defined(set bool) (names []string) {
	for _, n := range v.Names() {
		if n.Set == set && !n.Chosen {
			names = append(names, n.Name)
		}
	}
	return names
}

// Scopes returns the names that depend on a scope, grouped by meaning, each group from the
// narrowest scope to the widest.
func (v *Vocabulary) Scopes() (families [][]string) {
	narrower := map[string]bool{} // names that have a narrower variant
	for _, n := range v.Names() {
		narrower[n.Wider] = true
	}
	for _, n := range v.Names() {
		if n.Wider == "" || narrower[n.Name] {
			continue
		}
		family := []string{n.Name}
		for next := n.Wider; next != ""; next = v.Get(next).Wider {
			family = append(family, next)
		}
		families = append(families, family)
	}
	return families
}
