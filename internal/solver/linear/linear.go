// Package linear decides whether linear inequalities over the integers are jointly satisfiable,
// within small bounds on the work.
//
//	Form        a sum of products with coefficients, and a constant
//	Infeasible  reports whether forms cannot all be at most 0
//
// It eliminates one unknown after the other (Fourier and Motzkin; Schrijver, "Theory of Linear and
// Integer Programming", Sec. 12.2), over the rationals, and rounds constants as integrality
// permits. Products of several factors count as unknowns.
package linear

import (
	"cmp"
	"math/big"
	"slices"
)

// Product is the numbers of its factors, in ascending order. It counts as an unknown.
type Product string

// Form is a linear combination of products. The coefficient of the empty product is the constant.
type Form map[Product]*big.Int

// Add adds c times a product.
func (f Form) Add(p Product, c *big.Int) {
	sum := new(big.Int).Set(c)
	if old := f[p]; old != nil {
		sum.Add(sum, old)
	}
	if sum.Sign() == 0 {
		delete(f, p)
	} else {
		f[p] = sum
	}
}

// Plus adds c times a form.
func (f Form) Plus(g Form, c *big.Int) Form {
	for p, k := range g {
		f.Add(p, new(big.Int).Mul(k, c))
	}
	return f
}

// Clone returns a copy.
func (f Form) Clone() Form { return Form{}.Plus(f, big.NewInt(1)) }

// constant returns the constant of the form.
func (f Form) constant() *big.Int {
	if k := f[""]; k != nil {
		return k
	}
	return new(big.Int)
}

// unknowns returns the products other than the empty one, in order.
func (f Form) unknowns() (all []Product) {
	for p := range f {
		if p != "" {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// tighten divides a form that is at most 0 by the common divisor of its coefficients, and rounds
// the constant up.
func (f Form) tighten() {
	g := new(big.Int)
	for _, p := range f.unknowns() {
		g.GCD(nil, nil, g, new(big.Int).Abs(f[p]))
	}
	if g.Cmp(big.NewInt(1)) <= 0 {
		return
	}
	k := new(big.Int).Neg(f.constant()) // sum <= k
	k.Div(k, g)                         // Euclidean: rounds down for a positive divisor
	delete(f, "")
	for p, c := range f {
		f[p] = new(big.Int).Quo(c, g)
	}
	f.Add("", k.Neg(k))
}

// Bounds on an elimination; beyond them, Infeasible returns false.
const (
	maxForms    = 400
	maxUnknowns = 40
)

// Infeasible reports whether forms cannot all be at most 0. If it returns false, they may or may
// not.
func Infeasible(forms []Form) bool {
	var all []Form
	for _, f := range forms {
		g := f.Clone()
		g.tighten()
		all = append(all, g)
	}
	for range maxUnknowns {
		p, left, unsatisfiable := next(all)
		switch {
		case unsatisfiable:
			return true
		case !left || len(all) > maxForms:
			return false
		}
		all = eliminate(all, p)
	}
	return false
}

// next returns the unknown whose elimination makes the fewest forms; left is false if none is left.
// unsatisfiable reports whether some form without unknowns is a positive constant.
func next(all []Form) (best Product, left, unsatisfiable bool) {
	up, down := map[Product]int{}, map[Product]int{}
	for _, f := range all {
		unknowns := f.unknowns()
		if len(unknowns) == 0 && f.constant().Sign() > 0 {
			return "", false, true
		}
		for _, p := range unknowns {
			if f[p].Sign() > 0 {
				up[p]++
			} else {
				down[p]++
			}
		}
	}
	var unknowns []Product
	for _, f := range all {
		unknowns = append(unknowns, f.unknowns()...)
	}
	if len(unknowns) == 0 {
		return "", false, false
	}
	cost := func(p Product) int { return up[p]*down[p] - up[p] - down[p] }
	return slices.MinFunc(unknowns, func(p, q Product) int {
		return cmp.Or(cmp.Compare(cost(p), cost(q)), cmp.Compare(p, q))
	}), true, false
}

// eliminate returns the consequences of forms for the other unknowns.
func eliminate(all []Form, p Product) (rest []Form) {
	var up, down []Form
	for _, f := range all {
		switch c := f[p]; {
		case c == nil:
			rest = append(rest, f)
		case c.Sign() > 0:
			up = append(up, f)
		default:
			down = append(down, f)
		}
	}
	for _, f := range up {
		for _, g := range down {
			made := Form{}.Plus(f, new(big.Int).Neg(g[p])).Plus(g, f[p])
			made.tighten()
			rest = append(rest, made)
		}
	}
	return rest
}
