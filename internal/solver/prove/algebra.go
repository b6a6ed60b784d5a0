package prove

import (
	"math/big"
	"slices"

	"github.com/muster-gpu/muster/internal/solver/linear"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Gates reason poorly about products. Two threads compute the same y*w + x only if both y and x are
// the same, because quotient and remainder are unique. So an equation w*Q + R = 0 with -w < R < w
// splits into two: Q = 0 and R = 0. This file looks for such splits among the equations with
// products, with every factor as w, and adds the results to the question.

// algebra is the integer equations and inequalities that conditions imply.
type algebra struct {
	*Prover
	atoms  []*term.Term // factors of products, by number; numbers begin at 1
	number map[*term.Term]rune
	known  []linear.Form // forms that are at most 0
	equal  []linear.Form // forms that are 0
	asked  int
	sums   bool             // also use equations without products
	either [][2]linear.Form // a factor and its cofactor: either is 0
}

// Bounds on the search.
const (
	maxTerms    = 24  // of a form
	maxQuestion = 200 // calls of never
	maxRelated  = 40  // forms in one call
)

var one = big.NewInt(1)

// A product is a string of the numbers of atoms. A string cannot hold surrogates, so no atom has
// such a number.
const surrogates, numSurrogates = 0xd800, 0x800

// derive returns algebraic consequences of conditions. Without sums, it returns none if the
// conditions have no products.
func (p *Prover) derive(conditions []*term.Term, sums bool) (all []*term.Term) {
	a := &algebra{Prover: p, number: map[*term.Term]rune{}, sums: sums}
	if !sums && !a.products(conditions) {
		return nil
	}
	for _, c := range conditions {
		a.condition(c)
	}
	for _, f := range a.split() {
		if t := a.equation(f); t != nil && !t.True() {
			all = append(all, t)
		}
	}
	for _, f := range a.either {
		if w, q := a.equation(f[0]), a.equation(f[1]); w != nil && q != nil {
			all = append(all, a.Or(w, q))
		}
	}
	return all
}

// products reports whether the conditions include an equation, and a product of two unknowns.
func (a *algebra) products(conditions []*term.Term) bool {
	equation := func(t *term.Term) bool { return t.Op() == term.Eq && t.Args()[0].Width() > 1 }
	return slices.ContainsFunc(conditions, equation) && slices.ContainsFunc(conditions, multiplies())
}

// withoutProducts returns the conditions without those that have products and quotients. The
// derived conditions often suffice without them, and products need many gates.
func (r *rewritten) withoutProducts() *rewritten {
	return &rewritten{conditions: slices.DeleteFunc(slices.Concat(r.conditions, r.more), multiplies())}
}

// multiplies returns a predicate for terms that contain a product or a quotient.
func multiplies() func(t *term.Term) bool {
	known := map[*term.Term]bool{}
	var has func(t *term.Term) bool
	has = func(t *term.Term) bool {
		is, ok := known[t]
		if !ok {
			is = t.Op() == term.Mul || t.Op() == term.UDiv || slices.ContainsFunc(t.Args(), has)
			known[t] = is
		}
		return is
	}
	return has
}

// condition adds the equations and inequalities that a condition implies.
func (a *algebra) condition(c *term.Term) {
	not := a.Not(c)
	switch x := c.Args(); {
	case c.Op() == term.And:
		a.condition(x[0])
		a.condition(x[1])
	case c.Op() == term.Eq && x[0].Width() > 1:
		a.equal = append(a.equal, a.form(x[0]).Plus(a.form(x[1]), big.NewInt(-1)))
	case c.Op() == term.ULt:
		f := a.form(x[0]).Plus(a.form(x[1]), big.NewInt(-1))
		f.Add("", one)
		a.known = append(a.known, f)
	case not.Op() == term.ULt:
		a.known = append(a.known, a.form(not.Args()[1]).Plus(a.form(not.Args()[0]), big.NewInt(-1)))
	case not.Op() == term.Eq:
		for i, y := range not.Args() {
			if n, ok := y.Value(); ok && n == 0 { // the other is at least 1
				a.known = append(a.known, linear.Form{"": big.NewInt(1)}.Plus(a.form(not.Args()[1-i]), big.NewInt(-1)))
			}
		}
	}
}

// form returns a term, read as unsigned, as a new form.
func (a *algebra) form(t *term.Term) linear.Form {
	number, exact := t.Exact()
	switch {
	case t.Op() == term.Const:
		f := linear.Form{}
		f.Add("", new(big.Int).SetUint64(t.Constant()))
		return f
	case t.Op() == term.ZExt, t.Op() == term.Extract && t.Low() == 0 && fits(t.Args()[0], t.Width()):
		return a.form(t.Args()[0])
	case exact && t.Op() == term.Sum:
		f := linear.Form{}
		f.Add("", number)
		for i, x := range t.Args() {
			f.Plus(a.form(x), big.NewInt(t.Signed(i)))
		}
		if len(f) <= maxTerms {
			return f
		}
	case exact:
		if f := a.times(a.form(t.Args()[0]), a.form(t.Args()[1])); f != nil {
			return f
		}
	}
	f := linear.Form{}
	f.Add(a.atom(t), one)
	return f
}

// fits reports whether a term fits into width bits.
func fits(t *term.Term, width int) bool {
	_, hi := t.Range()
	return hi <= term.Mask(width)
}

// atom returns a term as an unknown. For a quotient it also adds the relation to its remainder.
func (a *algebra) atom(t *term.Term) linear.Product {
	n, ok := a.number[t]
	if !ok {
		if len(a.atoms) == surrogates-1 {
			a.atoms = append(a.atoms, make([]*term.Term, numSurrogates)...)
		}
		a.atoms = append(a.atoms, t)
		n = rune(len(a.atoms))
		a.number[t] = n
		if t.Op() == term.UDiv || t.Op() == term.URem {
			a.division(t.Args()[0], t.Args()[1])
		}
	}
	return linear.Product(n)
}

// division adds x = q*y + r and r < y, if y cannot be 0.
func (a *algebra) division(x, y *term.Term) {
	if lo, _ := y.Range(); lo == 0 {
		return
	}
	q, r := a.UDiv(x, y), a.URem(x, y)
	whole := a.times(a.form(q), a.form(y))
	if whole == nil {
		return
	}
	a.equal = append(a.equal, whole.Plus(a.form(r), one).Plus(a.form(x), big.NewInt(-1)))
	less := a.form(r).Plus(a.form(y), big.NewInt(-1))
	less.Add("", one)
	a.known = append(a.known, less)
}

// times returns the product of two forms, or nil if it has too many terms.
func (a *algebra) times(f, g linear.Form) linear.Form {
	if len(f)*len(g) > maxTerms {
		return nil
	}
	made := linear.Form{}
	for p, c := range f {
		for q, d := range g {
			made.Add(multiply(p, q), new(big.Int).Mul(c, d))
		}
	}
	return made
}

func multiply(p, q linear.Product) linear.Product {
	factors := []rune(string(p + q))
	slices.Sort(factors)
	return linear.Product(factors)
}

// divide returns a product without one of its factors, or false if it lacks that factor.
func divide(p linear.Product, w rune) (linear.Product, bool) {
	factors := []rune(string(p))
	i := slices.Index(factors, w)
	if i < 0 {
		return p, false
	}
	return linear.Product(slices.Delete(factors, i, i+1)), true
}

// split splits equations as long as possible and returns the equations that result.
func (a *algebra) split() (derived []linear.Form) {
	for i := 0; i < len(a.equal); i++ {
		f := a.equal[i]
		if len(f) == 0 {
			continue
		}
		if q, r, ok := a.parts(f); ok {
			a.equal[i] = linear.Form{}
			a.equal = append(a.equal, q, r)
			derived = append(derived, q, r)
			continue
		}
		if a.substitute(i) {
			i = -1 // a form that was no product may be one now
		}
	}
	return derived
}

// parts returns Q and R of an equation w*Q + R = 0 with -w < R < w, where w is a factor, a factor
// plus a constant, or a constant.
func (a *algebra) parts(f linear.Form) (q, r linear.Form, ok bool) {
	if len(a.factors(f)) == 0 && !a.sums {
		return nil, nil, false // gates suffice for most sums
	}
	for _, w := range numbers(f) {
		q, r = linear.Form{}, linear.Form{}
		for p, c := range f {
			if by, left := new(big.Int).QuoRem(c, w, new(big.Int)); left.Sign() == 0 {
				q.Add(p, by)
			} else {
				r.Add(p, c)
			}
		}
		if len(q) > 0 && a.small(r, linear.Form{"": w}) {
			return q, r, true
		}
	}
	for _, w := range a.factors(f) {
		for _, by := range shifts(f, w) {
			q, r = linear.Form{}, f.Clone()
			for p, c := range f {
				if rest, has := divide(p, w); has {
					q.Add(rest, c)
				}
			}
			factor := linear.Form{}
			factor.Add(linear.Product(w), one)
			factor.Add("", by)
			if whole := a.times(q, factor); len(q) > 0 && whole != nil {
				r.Plus(whole, big.NewInt(-1))
				switch {
				case a.small(r, factor):
					return q, r, true
				case len(r) == 0:
					a.either = append(a.either, [2]linear.Form{factor, q})
				}
			}
		}
	}
	return nil, nil, false
}

// numbers returns the absolute values of the coefficients greater than 1, in order.
func numbers(f linear.Form) (all []*big.Int) {
	for p, c := range f {
		w := new(big.Int).Abs(c)
		if p != "" && w.Cmp(one) > 0 && !slices.ContainsFunc(all, func(x *big.Int) bool { return x.Cmp(w) == 0 }) {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, (*big.Int).Cmp)
	return all
}

// factors returns the factors of the products in a form, in order.
func (a *algebra) factors(f linear.Form) (all []rune) {
	for p := range f {
		if factors := []rune(string(p)); len(factors) > 1 {
			all = append(all, factors...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shifts returns constants to add to a factor: (w + 1)*y is w*y + y.
func shifts(f linear.Form, w rune) []*big.Int {
	all := []*big.Int{new(big.Int)}
	for p, c := range f {
		rest, has := divide(p, w)
		if d := f[rest]; has && rest != "" && d != nil && len(all) < 4 {
			by, left := new(big.Int).QuoRem(d, c, new(big.Int))
			if left.Sign() == 0 && !slices.ContainsFunc(all, func(x *big.Int) bool { return x.Cmp(by) == 0 }) {
				all = append(all, by)
			}
		}
	}
	slices.SortFunc(all, (*big.Int).Cmp)
	return all
}

// small reports whether a form is certainly between -w and w, exclusive, so that w is not 0.
func (a *algebra) small(r, w linear.Form) bool {
	minus := big.NewInt(-1)
	return a.never(w.Clone().Plus(r, minus)) && a.never(w.Clone().Plus(r, one))
}

// never reports whether a form is certainly positive.
func (a *algebra) never(f linear.Form) bool {
	if a.asked++; a.asked > maxQuestion {
		return false
	}
	return linear.Infeasible(append(a.related(f), f))
}

// related returns the known forms that share products with a form, and the ranges of these
// products.
func (a *algebra) related(f linear.Form) (all []linear.Form) {
	in := map[linear.Product]bool{}
	note := func(f linear.Form) {
		for p := range f {
			in[p] = p != ""
		}
	}
	note(f)
	taken := map[int]bool{}
	for range 3 {
		before := make(map[linear.Product]bool, len(in))
		for p := range in {
			before[p] = in[p]
		}
		for i, g := range a.known {
			shares := false
			for p := range g {
				shares = shares || before[p]
			}
			if shares && !taken[i] && len(all) < maxRelated {
				taken[i] = true
				all = append(all, g)
				note(g)
			}
		}
	}
	for p, unknown := range in {
		if unknown {
			lo, hi := a.rangeOf(p)
			all = append(all, linear.Form{p: big.NewInt(-1), "": lo}, linear.Form{p: big.NewInt(1), "": hi.Neg(hi)})
		}
	}
	return all
}

// rangeOf returns the range of a product.
func (a *algebra) rangeOf(p linear.Product) (lo, hi *big.Int) {
	lo, hi = big.NewInt(1), big.NewInt(1)
	for _, n := range string(p) {
		least, most := a.atoms[n-1].Range()
		lo.Mul(lo, new(big.Int).SetUint64(least))
		hi.Mul(hi, new(big.Int).SetUint64(most))
	}
	return lo, hi
}

// substitute uses an equation between two unknowns that differ by a constant, or of an unknown and
// a constant, to eliminate an unknown everywhere. It returns false if the equation has another
// form.
func (a *algebra) substitute(i int) bool {
	f := a.equal[i]
	var x rune
	for p, c := range f {
		switch factors := []rune(string(p)); {
		case len(factors) > 1, p != "" && c.CmpAbs(one) != 0, len(f) > 3, len(f) == 3 && f[""] == nil:
			return false
		case p != "":
			x = max(x, factors[0])
		}
	}
	if x == 0 {
		return false
	}
	is := solved(f, x)
	a.equal[i] = linear.Form{}
	for _, list := range [][]linear.Form{a.equal, a.known} {
		for j, g := range list {
			list[j] = a.replaced(g, x, is)
		}
	}
	return true
}

// solved solves an equation for an unknown whose coefficient is 1 or -1.
func solved(f linear.Form, x rune) linear.Form {
	c := f[linear.Product(x)]
	is := linear.Form{}.Plus(f, new(big.Int).Neg(c))
	delete(is, linear.Product(x))
	return is
}

// replaced returns a form with an unknown replaced by another form.
func (a *algebra) replaced(f linear.Form, x rune, is linear.Form) linear.Form {
	made := linear.Form{}
	for p, c := range f {
		rest, has := divide(p, x)
		if !has {
			made.Add(p, c)
			continue
		}
		product := a.times(linear.Form{rest: c}, is)
		if product == nil {
			return f
		}
		if slices.Contains([]rune(string(rest)), x) {
			product = a.replaced(product, x, is)
		}
		made.Plus(product, one)
	}
	return made
}

// equation returns the equation f = 0 as a term, or nil if it does not fit into 64 bits.
func (a *algebra) equation(f linear.Form) *term.Term {
	left, right := a.Const(0, 64), a.Const(0, 64)
	size := new(big.Int)
	products := make([]linear.Product, 0, len(f))
	for p := range f {
		products = append(products, p)
	}
	slices.Sort(products)
	for _, p := range products {
		c := f[p]
		t := a.Const(new(big.Int).Abs(c).Uint64(), 64)
		for _, n := range string(p) {
			t = a.Mul(t, a.ZExt(a.atoms[n-1], 64))
		}
		_, hi := a.rangeOf(p)
		if size.Add(size, hi.Mul(hi, new(big.Int).Abs(c))); !size.IsInt64() {
			return nil
		}
		if c.Sign() > 0 {
			left = a.Add(left, t)
		} else {
			right = a.Add(right, t)
		}
	}
	return a.Eq(left, right)
}
