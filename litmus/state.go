package litmus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// State is a final state: the values of what a test observes, in the order of
// Test.Observables.
type State []Value

// String returns the value as logs write it: 5, x or x+4.
func (v Value) String() string { return string(v.append(nil)) }

func (v Value) append(b []byte) []byte {
	b = append(b, v.Loc...)
	if v.Loc != "" && v.Int == 0 {
		return b
	}
	if v.Loc != "" && v.Int > 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, v.Int, 10)
}

// Compare orders values: integers by size, then addresses by location and offset.
func (v Value) Compare(w Value) int {
	return cmp.Or(CompareNatural(v.Loc, w.Loc), cmp.Compare(v.Int, w.Int))
}

// CompareStates orders states of the same test by their values.
func CompareStates(s, t State) int { return slices.CompareFunc(s, t, Value.Compare) }

// Format returns a state as a line of a log, without the end of line: "0:r2=0; [x]=1;". obs are the
// references of its values.
func (s State) Format(obs []Ref) string {
	var b []byte
	for i, r := range obs {
		if i > 0 {
			b = append(b, ' ')
		}
		b = r.append(b)
		b = append(b, '=')
		b = s[i].append(b)
		b = append(b, ';')
	}
	return string(b)
}

// Lookup returns a function from references to the values of a state. obs are the references of its
// values, sorted as Observables.
func (s State) Lookup(obs []Ref) func(Ref) Value {
	return func(r Ref) Value {
		if i := FindRef(obs, r); i >= 0 {
			return s[i]
		}
		return Value{}
	}
}

// FindRef returns the index of a reference in a list sorted as Observables, or -1. Up to 16
// references are searched one by one, which is faster than comparing names by their order.
func FindRef(obs []Ref, r Ref) int {
	const few = 16
	if len(obs) <= few {
		return slices.IndexFunc(obs, func(o Ref) bool {
			return o.ID == r.ID && o.Name == r.Name && o.Index == r.Index && (o.Thread < 0) == (r.Thread < 0)
		})
	}
	if i, ok := slices.BinarySearchFunc(obs, r, compareRefs); ok {
		return i
	}
	return -1
}

// Observables returns the references in a final state of the test: everything that the condition,
// the filter and the locations clause mention. Registers come first, by thread and name, then
// locations by name.
func (t *Test) Observables() []Ref {
	obs := t.Mentions()
	slices.SortStableFunc(obs, compareRefs)
	return slices.CompactFunc(obs, func(r, s Ref) bool { return compareRefs(r, s) == 0 })
}

// Names returns what references are called in logs.
func Names(refs []Ref) []string {
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = r.String()
	}
	return names
}

// compareRefs orders the references in a state.
func compareRefs(r, s Ref) int {
	switch {
	case r.Thread >= 0 && s.Thread < 0:
		return -1
	case r.Thread < 0 && s.Thread >= 0:
		return 1
	}
	return cmp.Or(
		cmp.Compare(r.ID, s.ID),
		CompareNatural(r.Name, s.Name),
		cmp.Compare(r.Index, s.Index),
	)
}

// CompareNatural orders names as people do: r2 before r10. Only equal names are
// equal: r02 comes before r2.
func CompareNatural(a, b string) int {
	whole := strings.Compare(a, b)
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

func leadingDigits(s string) string {
	n := 0
	for n < len(s) && classes[s[n]] == digit {
		n++
	}
	return s[:n]
}
