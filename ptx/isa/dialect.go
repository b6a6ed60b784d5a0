package isa

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Dialect is a set of forms of PTX. An opcode is read in one of them.
type Dialect uint8

// The dialects.
const (
	Modules    Dialect = 1 << iota // PTX as compilers write it
	Litmus                         // litmus tests with the header PTX: as the manual has it, or without types and brackets
	Litmus2015                     // litmus tests with the header GPU_PTX (ASPLOS 2015, Sec. 2.3)

	current  = Modules | Litmus
	anywhere = current | Litmus2015
)

// groups2015 are the modifiers of tests of 2015: accesses had no orders and scopes.
const groups2015 = TypeMod | SpaceMod | cacheMod | volatileMod | hintMod | AtomMod | CmpMod | uniMod | levelMod

// types2015 are the types that tests of 2015 may give any instruction.
var types2015 = strings.Fields("b32 b64 pred " + wideTypes)

// groups returns the modifiers that the instruction takes in a dialect.
func (r *row) groups(d Dialect) Group {
	switch d {
	case Modules:
		return r.takes | r.modules
	case Litmus2015:
		return r.takes & groups2015
	}
	return r.takes
}

// has reports whether a dialect has the instruction.
func (r *row) has(d Dialect) bool {
	if r.in == 0 {
		return current&d != 0
	}
	return r.in&d != 0
}

// typeCount returns the largest number of types of the instruction.
func (r *row) typeCount() int {
	if r.second != "" {
		return 2
	}
	return 1
}

// allowsType reports whether a test may give the instruction a type. If the instruction has two
// types, checkTypes checks each.
func (r *row) allowsType(d Dialect, name string) bool {
	switch t := types[name]; {
	case d == Litmus2015:
		return slices.Contains(types2015, name)
	case r.tests != "":
		return contains(r.tests, name)
	default:
		return t.Kind != Floating && t.Bits <= 64 && (contains(r.types, name) || contains(r.second, name))
	}
}

// contains reports whether a word is in a list.
func contains(list, word string) bool {
	for w := range words(list) {
		if w == word {
			return true
		}
	}
	return false
}

// allows reports whether a modifier may be written in a dialect.
func (r *row) allows(d Dialect, name string, m *modifier) bool {
	switch {
	case m.dialects&d == 0 || r.groups(d)&m.group == 0:
		return false
	case d == Modules:
		return true
	case m.group == TypeMod:
		return r.allowsType(d, name)
	}
	return r.only == "" || contains(r.only, name) || !r.lists(m.group)
}

// lists reports whether the row lists modifiers of a group for tests.
func (r *row) lists(g Group) bool {
	for name := range words(r.only) {
		for _, m := range bySuffix()[name] {
			if m.group == g {
				return true
			}
		}
	}
	return false
}

// suffixes lists the modifiers of some groups, with their dots, as an error shows them.
func (r *row) suffixes(d Dialect, groups Group) string {
	var names []string
	for _, name := range r.modifiers(d, groups) {
		names = append(names, "."+name)
	}
	if len(names) == 0 {
		return "no modifiers"
	}
	return strings.Join(names, " ")
}

// modifiers lists the modifiers of some groups, sorted.
func (r *row) modifiers(d Dialect, groups Group) (names []string) {
	for name, ms := range bySuffix() {
		if slices.ContainsFunc(ms, func(m modifier) bool { return m.group&groups != 0 && r.allows(d, name, &m) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// rows finds the instructions of a dialect by their names.
func (d Dialect) rows() map[string]*row { return instructions()[d] }

var instructions = sync.OnceValue(func() map[Dialect]map[string]*row {
	all := map[Dialect]map[string]*row{Modules: {}, Litmus: {}, Litmus2015: {}}
	for i := range table {
		for d, named := range all {
			if r := &table[i]; r.has(d) {
				for name := range words(r.names) {
					named[name] = r
				}
			}
		}
	}
	return all
})

// Names lists the instructions of a dialect, sorted.
func (d Dialect) Names() []string { return slices.Sorted(maps.Keys(d.rows())) }

// Has reports whether a dialect has an instruction.
func (d Dialect) Has(name string) bool { return d.rows()[name] != nil }

// Through returns the name of the instruction that accesses memory through a proxy in litmus tests,
// or "": "suatom" for Atom and ProxySurface.
func Through(code Code, p Proxy) string {
	for i := range table {
		if r := &table[i]; r.code == code && r.proxy == p && r.has(Litmus) {
			return r.names
		}
	}
	return ""
}

// Says returns an opcode with one suffix only, decoded as a modifier of a group.
func Says(suffix string, g Group) (o Opcode) {
	for _, m := range bySuffix()[suffix] {
		if m.group&g != 0 {
			m.apply(&o)
			break
		}
	}
	return o
}
