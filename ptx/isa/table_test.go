package isa

import (
	"strings"
	"testing"
)

// TestOperands: what computes has as many sources in tests as in its formula, which has the carry
// and not the table of lop3 beside.
func TestOperands(t *testing.T) {
	for i := range table {
		r := &table[i]
		if r.formula == nil || !r.has(Litmus) || r.class == ClassAtomic {
			continue
		}
		o := &Opcode{Text: r.names, Code: r.code, Cmp: Eq, Types: []Type{types[strings.Fields(r.types)[0]]}}
		if r.second != "" {
			o.Types = append(o.Types, o.Types[0])
		}
		f, err := o.Formula()
		if err != nil {
			t.Errorf("%s: %v", r.names, err)
			continue
		}
		want := len(f.Sources)
		if o.TakesCarry() {
			want--
		}
		if got := strings.Count(r.operands, "s"); got != want || !strings.HasPrefix(r.operands, "d") {
			t.Errorf("%s has the operands %s, and %d sources", r.names, r.operands, want)
		}
	}
}

// TestRows: each instruction has one row in a dialect, and what a row lists for tests are modifiers
// of its groups.
func TestRows(t *testing.T) {
	for d := range instructions() {
		seen := map[string]bool{}
		for i := range table {
			r := &table[i]
			for name := range words(r.names) {
				if r.has(d) && seen[name] {
					t.Errorf("dialect %d has %s twice", d, name)
				}
				seen[name] = seen[name] || r.has(d)
			}
		}
	}
	for i := range table {
		r := &table[i]
		for name := range words(r.only) {
			var groups Group
			for _, m := range bySuffix()[name] {
				groups |= m.group
			}
			if r.groups(Litmus)&groups == 0 {
				t.Errorf("%s lists .%s, and takes none of its kind", r.names, name)
			}
		}
		for name := range words(r.types + " " + r.second + " " + r.tests) {
			if _, known := types[name]; !known {
				t.Errorf("%s has the type %s", r.names, name)
			}
		}
	}
	for c := Code(1); c < numCodes; c++ {
		if firstRows[c] == nil {
			t.Errorf("code %d has no row", c)
		}
	}
}
