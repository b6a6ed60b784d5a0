package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// Here is what the members of a line read and write. Each member has a rank. The rank, or the
// order, restricts its values.

// count gives each member a rank from 1 on, as literals that the rank is at least k.
func (n *line) count() {
	ranks := len(n.all)
	least := make([][]sat.Lit, ranks)
	is := make([][]sat.Lit, ranks)
	for i := range n.all {
		least[i] = make([]sat.Lit, ranks+2)
		least[i][1], least[i][ranks+1] = n.all[i].here, n.no
		for k := 2; k <= ranks; k++ {
			least[i][k] = n.NewVar()
			n.say(least[i][k].Not(), least[i][k-1])
		}
		is[i] = make([]sat.Lit, ranks+1)
		for k := 1; k <= ranks; k++ {
			is[i][k] = n.both(least[i][k], least[i][k+1].Not())
		}
	}
	n.least = least
	sure := 0
	for i := range n.all {
		if n.all[i].here == n.yes {
			sure++
		}
	}
	for k := 1; k <= ranks; k++ {
		var some []sat.Lit
		for i := range n.all {
			for j := range i {
				n.say(is[i][k].Not(), is[j][k].Not())
			}
			some = append(some, is[i][k])
		}
		if k <= sure {
			n.say(some...)
		}
	}
	for i := range n.all {
		n.rank(i, least, is)
	}
	if n.compute() && !n.tellBy(is) {
		n.grow()
	}
}

// compute adds that each present member has a value that it reads and one that it writes. It
// returns false, and adds nothing, if the value written is not a function of the value read.
func (n *line) compute() bool {
	for i := range n.all {
		for _, v := range n.val[n.all[i].read].values {
			if _, ok := n.makes(i, v); !ok {
				return false
			}
		}
	}
	for i := range n.all {
		n.say(append(slices.Clone(n.val[n.all[i].read].lits), n.all[i].here.Not())...)
		n.say(append(slices.Clone(n.val[n.all[i].write].lits), n.all[i].here.Not())...)
	}
	return true
}

// rank defines the rank of the i-th member by the members before it and by the write that it reads
// from.
func (n *line) rank(i int, least, is [][]sat.Lit) {
	here, reads := n.all[i].here, n.reads(i, n.first)
	n.say(here.Not(), reads.Not(), least[i][2].Not())
	n.say(here.Not(), reads, least[i][2])
	n.others(i, func(j int, before, _ sat.Lit) {
		there, reads := n.all[j].here, n.reads(i, n.all[j].write)
		for k := 1; k <= len(n.all); k++ {
			n.say(before.Not(), here.Not(), there.Not(), least[j][k].Not(), least[i][k+1])
			if k < len(n.all) {
				n.say(here.Not(), reads.Not(), is[j][k].Not(), is[i][k+1])
				n.say(here.Not(), reads.Not(), is[j][k], is[i][k+1].Not())
			}
		}
	})
}

// tellBy adds that the rank determines the value read. It returns false if the members compute
// different functions.
func (n *line) tellBy(is [][]sat.Lit) (told bool) {
	start := &n.val[n.first]
	if len(start.values) != 1 {
		return false
	}
	values := []event.Value{start.values[0]}
	for k, value := 1, start.values[0]; k <= len(n.all); k++ {
		var next []event.Value
		for i := range n.all {
			n.say(is[i][k].Not(), n.val[n.all[i].read].has(n.circuit, value))
			made, ok := n.makes(i, value)
			if !ok {
				return false
			}
			if !slices.Contains(next, made) {
				next = append(next, made)
			}
		}
		if len(next) > 1 {
			return false
		}
		value = next[0]
		values = append(values, value)
	}
	n.told = values
	return true
}

// makes returns the value that the i-th member writes if it reads a value. ok is false if that
// depends on another read.
func (n *line) makes(i int, value event.Value) (made event.Value, ok bool) {
	path, x := n.s.own[n.all[i].write], n.s.Events[n.all[i].write].Data
	for _, r := range n.needs(path, x) {
		if r != n.all[i].read {
			return made, false
		}
	}
	made, err := x.Eval(func(int) (event.Value, bool) { return value, true })
	return made, err == nil
}

// grow adds that the values along the line never decrease (as of a maximum) or never increase,
// where that holds. compute must have returned true.
func (n *line) grow() {
	var values []event.Value
	for i := range n.all {
		for _, v := range n.val[n.all[i].write].values {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	if slices.ContainsFunc(values, event.Value.IsAddress) {
		return
	}
	for _, bound := range values {
		n.keep(func(v event.Value) bool { return v.Int >= bound.Int })
		n.keep(func(v event.Value) bool { return v.Int <= bound.Int })
	}
}

// keep adds that a property of values is kept along the line: if one member writes such a value,
// all later members read and write such values. It adds nothing if some member can break the
// property.
func (n *line) keep(holds func(event.Value) bool) {
	for i := range n.all {
		for _, v := range n.val[n.all[i].read].values {
			if made, _ := n.makes(i, v); holds(v) && !holds(made) {
				return
			}
		}
	}
	others := func(e event.ID) (lits []sat.Lit) { // the values without the property
		for i, v := range n.val[e].values {
			if !holds(v) {
				lits = append(lits, n.val[e].lits[i])
			}
		}
		return lits
	}
	other := make([]sat.Lit, len(n.all))
	for j := range n.all {
		other[j] = n.any(others(n.all[j].write))
	}
	n.eachTwo(func(j, i int, before sat.Lit) {
		for _, l := range append(others(n.all[i].read), others(n.all[i].write)...) {
			n.say(n.all[i].here.Not(), n.all[j].here.Not(), before.Not(), other[j], l.Not())
		}
	})
}
