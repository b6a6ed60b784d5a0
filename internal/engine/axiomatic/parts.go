package axiomatic

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// An expression of many reads has too many combinations of their values, but its parts may have few
// values: a sum of eight bits has nine. So it is computed operation by operation, from the possible
// values of the operands. Operands that need the same read are treated as independent. This may
// give an operation values that it never has; no literal of such a value can be true.

// fewCombinations is the number of combinations up to which an expression is computed as a whole.
const fewCombinations = 256

// partKey identifies a part: its expression and the events of its reads.
type partKey struct {
	x     event.Expr
	reads string
}

// inParts computes an expression in parts. It returns false if a part has too many values, or a
// value without meaning.
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

// part returns the domain of a part of an expression, with literals if the reads have them. It
// returns nil if the part has too many values, or a value without meaning.
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

// computed is a value of a part and the literals that it is computed from.
type computed struct {
	value event.Value
	from  []sat.Lit
}

// newPart computes a part: as a whole if it has few combinations, otherwise from its operands.
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

// operands returns the domains of the operands of an operation, or nil if one has no domain or
// there are too many combinations.
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

// operandsOf returns the operands of an operation.
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

// eachOfOperands visits the results of an operation for all values of its operands, with the
// literals of these values, if there are any yet.
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

// applied returns the result of an operation on values.
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
