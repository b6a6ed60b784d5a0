package axiomatic

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// An expression of many reads has too many combinations of their values, but its parts may have few values: a sum of eight bits has nine. So it
// is computed operation by operation, each from the values that its operands can have. Operands that need the same read are taken to be independent,
// so that there may be values which it never has; no literal of such a one can be true.

// fewCombinations are so few that an expression is computed as a whole.
const fewCombinations = 256

// partKey tells parts apart: by what is computed, and the events that its reads are.
type partKey struct {
	x     event.Expr
	reads string
}

// inParts computes an expression in parts. It returns false if these have too many values, or some have no meaning.
func (v *values) inParts(path []event.ID, x event.Expr, visit func(event.Value, error, []sat.Lit)) bool {
	d := v.part(path, x)
	if d == nil {
		return false
	}
	for i, y := range d.values {
		var lits []sat.Lit
		if d.lits != nil {
			lits = d.lits[i : i+1 : i+1]
		}
		visit(y, nil, lits)
	}
	return true
}

// part is what a part of an expression can be, with literals if reads have some; nil if that is too much.
func (v *values) part(path []event.ID, x event.Expr) *domain {
	needs := v.needs(path, x)
	switch r, read := x.(event.ReadOf); {
	case read:
		return &v.val[path[r]]
	case len(needs) == 0:
		y, err := x.Eval(nil)
		if err != nil {
			return nil
		}
		return &domain{values: []event.Value{y}, lits: []sat.Lit{v.yes}}
	}
	key := partKey{x, fmt.Sprint(needs)}
	if d := v.parts[key]; d != nil {
		return d
	}
	d := v.newPart(path, x, needs)
	if d != nil && d.lits != nil {
		if v.parts == nil {
			v.parts = map[partKey]*domain{}
		}
		v.parts[key] = d
	}
	return d
}

// computed is a value of a part and the literals of what it is computed from.
type computed struct {
	value event.Value
	from  []sat.Lit
}

// newPart computes a part, as a whole if that has few combinations, else from its operands.
func (v *values) newPart(path []event.ID, x event.Expr, needs []event.ID) *domain {
	var all []computed
	var operands []*domain
	ok := true
	note := func(y event.Value, err error, lits []sat.Lit) {
		all, ok = append(all, computed{y, lits}), ok && err == nil
	}
	if v.ways(needs) <= v.whole {
		for _, r := range needs {
			operands = append(operands, &v.val[r])
		}
		v.eachWay(path, x, needs, note)
	} else if operands = v.operands(path, x); operands != nil {
		eachOfOperands(x, operands, note)
	}
	if !ok || operands == nil || v.over() {
		return nil
	}
	d := &domain{}
	for _, w := range all {
		d.note(w.value)
	}
	if len(d.values) > mostValues {
		return nil
	}
	if v.val[needs[0]].lits == nil {
		return d
	}
	d.literals(v.circuit, false)
	for _, w := range all {
		v.unless(d.has(v.circuit, w.value), w.from...)
	}
	for _, o := range operands {
		v.justify(d, o.lits)
	}
	return d
}

// operands is what the operands of a computation can be; nil if one is too much, or all together are.
func (v *values) operands(path []event.ID, x event.Expr) (all []*domain) {
	combinations := 1
	for _, a := range operandsOf(x) {
		d := v.part(path, a)
		if d == nil {
			return nil
		}
		if combinations *= len(d.values); combinations > mostCombinations {
			return nil
		}
		all = append(all, d)
	}
	return all
}

// operandsOf is the operands of a computation.
func operandsOf(x event.Expr) []event.Expr {
	var all []event.Expr
	switch x := x.(type) {
	case event.Op:
		all = x.Args[:]
	case event.Call:
		all = x.Args[:]
	}
	if n := slices.Index(all, nil); n >= 0 {
		all = all[:n]
	}
	return all
}

// eachOfOperands computes an operation for all values of its operands, with the literals that these have them, if there are literals yet.
func eachOfOperands(x event.Expr, operands []*domain, visit func(event.Value, error, []sat.Lit)) {
	args := make([]event.Value, len(operands))
	var choose func(i int, lits []sat.Lit)
	choose = func(i int, lits []sat.Lit) {
		if i == len(args) {
			y, err := applied(x, args)
			visit(y, err, slices.Clone(lits))
			return
		}
		for j, y := range operands[i].values {
			args[i] = y
			if operands[i].lits == nil {
				choose(i+1, lits)
			} else {
				choose(i+1, append(lits, operands[i].lits[j]))
			}
		}
	}
	choose(0, nil)
}

// applied is what an operation computes from values.
func applied(x event.Expr, args []event.Value) (event.Value, error) {
	of := func(to []event.Expr) {
		for i, y := range args {
			to[i] = event.Const(y)
		}
	}
	switch op := x.(type) {
	case event.Op:
		of(op.Args[:])
		x = op
	case event.Call:
		of(op.Args[:])
		x = op
	}
	return x.Eval(nil)
}
