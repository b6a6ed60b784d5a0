// Package vocab is what muster knows of the names of sets and relations: one record for each, from
// which checking, evaluation, explanations and pictures take what they need.
//
//	Name        a set or relation, and what is known of it
//	Vocabulary  the names of executions, or of some front ends
//
// How an execution computes a set or relation is for package event, and for front ends, to say.
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
	Derived string // what it is in terms of others, as an expression of .cat; "" if it is not derived
	Family  Family // of a relation
	Meaning string // what is in it: "from a read to each write that overwrites what it read"
	// Pair is the sentence on two events, or on %[2]s and %[1]s, that the relation relates; "" for a
	// sentence that only names the relation.
	Pair string
	// Restricts says that a relation tells where events are, and not how they are ordered.
	Restricts bool
	// Regions says that it depends on which locations are in shared memory, although no instruction does.
	Regions bool
	// Wider is the same of the next wider scope; "" if there is none.
	Wider string
	// Library says that herd's standard library defines the name as well: a model that defines it again
	// hides nothing.
	Library bool
	// Chosen says that models define or choose it, under a name that is usual. Executions have none.
	Chosen bool
}

// Stage is the last thing that decides a set or relation. Each includes those before it.
type Stage uint8

// The stages.
const (
	Program Stage = iota // the control paths of the threads
	Places               // the locations of accesses
	Rf                   // what reads read from, and the values
	Co                   // coherence
)

// Family is the sort of a relation. Pictures draw each in a way of its own.
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

// Communicates reports that a family is one of those by which threads communicate.
func (f Family) Communicates() bool { return f == ReadsFrom || f == Coherence || f == FromRead }

// Vocabulary is a list of names, none of which is there twice. The nil Vocabulary is empty.
type Vocabulary struct {
	names []Name // sorted
}

// New is the vocabulary of some names. What is said twice counts once.
func New(names ...Name) *Vocabulary {
	v := &Vocabulary{names: slices.Clone(names)}
	slices.SortStableFunc(v.names, func(a, b Name) int { return cmp.Compare(a.Name, b.Name) })
	v.names = slices.CompactFunc(v.names, func(a, b Name) bool { return a.Name == b.Name })
	return v
}

// Names lists the names, sorted. The caller must not change them.
func (v *Vocabulary) Names() []Name {
	if v == nil {
		return nil
	}
	return v.names
}

// Find finds what is known of a name; nil if nothing is.
func (v *Vocabulary) Find(name string) *Name {
	names := v.Names()
	i, ok := slices.BinarySearchFunc(names, name, func(n Name, s string) int { return cmp.Compare(n.Name, s) })
	if !ok {
		return nil
	}
	return &names[i]
}

// Get is what is known of a name, which may be nothing.
func (v *Vocabulary) Get(name string) Name {
	if n := v.Find(name); n != nil {
		return *n
	}
	return Name{Name: name}
}

// Sets and Rels list the sets and the relations that executions have, sorted.
func (v *Vocabulary) Sets() []string { return v.defined(true) }

// Rels: see Sets.
func (v *Vocabulary) Rels() []string { return v.defined(false) }

func (v *Vocabulary) defined(set bool) (names []string) {
	for _, n := range v.Names() {
		if n.Set == set && !n.Chosen {
			names = append(names, n.Name)
		}
	}
	return names
}

// Scopes lists the names that speak of scopes, by what they say of them, each from the narrowest scope
// to the widest.
func (v *Vocabulary) Scopes() (families [][]string) {
	narrower := map[string]bool{} // than which there is another
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
