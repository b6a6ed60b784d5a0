package optcheck

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// value is the content of a register, as a polynomial modulo 2³² over atoms: parameters, values
// that were read, and results of operations that are not analysed. Only the lower half of an
// address is represented: it distinguishes all locations of a test.
type value struct {
	sum  map[string]uint32 // coefficients by monomial; "" is 1, "3*8" the product of atoms 3 and 8
	from deps              // the reads that it was computed from
}

// atoms numbers names.
type atoms struct {
	numbers map[string]int
	from    []deps
}

// atom returns an unknown value with a name: values with equal names are equal.
func (a *atoms) atom(name string, from deps) value {
	n, ok := a.numbers[name]
	if !ok {
		n = len(a.from)
		a.numbers[name] = n
		a.from = append(a.from, from)
	}
	return value{map[string]uint32{strconv.Itoa(n): 1}, from}
}

// monomial returns the product of existing atoms, or false if one does not exist.
func (a *atoms) monomial(names ...string) (string, bool) {
	product := ""
	for _, name := range names {
		n, ok := a.numbers[name]
		if !ok {
			return "", false
		}
		product = multiplyMonomials(product, strconv.Itoa(n))
	}
	return product, true
}

// read returns the value read by the n-th operation of the path.
func (a *atoms) read(n int, half string) value {
	return a.atom(fmt.Sprintf("read %d%s", n, half), 1<<n)
}

// varies reports whether a monomial depends on a value that was read.
func (a *atoms) varies(monomial string) bool {
	for factor := range strings.SplitSeq(monomial, "*") {
		if n, err := strconv.Atoi(factor); err == nil && a.from[n] != 0 {
			return true
		}
	}
	return false
}

func constant(n uint32) value {
	if n == 0 {
		return value{}
	}
	return value{sum: map[string]uint32{"": n}}
}

// isConstant returns the number that a value is, if it is constant.
func (v value) isConstant() (uint32, bool) {
	for monomial := range v.sum {
		if monomial != "" {
			return 0, false
		}
	}
	return v.sum[""], true
}

// plus returns v + w·n.
func (v value) plus(w value, n uint32) value {
	sum := maps.Clone(v.sum)
	if sum == nil {
		sum = map[string]uint32{}
	}
	for monomial, c := range w.sum {
		if sum[monomial] += c * n; sum[monomial] == 0 {
			delete(sum, monomial)
		}
	}
	return value{sum, v.from | w.from}
}

// maxTerms bounds the terms of a product: larger products become atoms.
const maxTerms = 32

// times returns the product.
func (a *atoms) times(v, w value) value {
	if len(v.sum)*len(w.sum) > maxTerms {
		return a.atom("("+v.String()+")*("+w.String()+")", v.from|w.from)
	}
	product := value{from: v.from | w.from}
	for m, c := range v.sum {
		for n, d := range w.sum {
			product = product.plus(value{sum: map[string]uint32{multiplyMonomials(m, n): c}}, d)
		}
	}
	return product
}

func multiplyMonomials(m, n string) string {
	if m == "" || n == "" {
		return m + n
	}
	factors := append(strings.Split(m, "*"), strings.Split(n, "*")...)
	slices.Sort(factors)
	return strings.Join(factors, "*")
}

// String is equal for equal values.
func (v value) String() string {
	var b strings.Builder
	for _, monomial := range slices.Sorted(maps.Keys(v.sum)) {
		fmt.Fprintf(&b, "+%d·%s", v.sum[monomial], monomial)
	}
	return b.String()
}

// condition is a truth value: the content of a predicate.
type condition struct {
	// the difference of two values that are compared for equality, or the name of another question
	left  string
	equal bool
	right uint32 // for an equality: the constant, which left does not contain
	holds bool   // the answer that makes the condition true; for a constant (left is empty) its value
	from  deps
}

func truth(b bool) condition { return condition{holds: b} }

func (c condition) not() condition {
	c.holds = !c.holds
	return c
}

// with adds dependencies to a condition.
func (c condition) with(from deps) condition {
	c.from |= from
	return c
}

// String is equal for equal conditions.
func (c condition) String() string {
	return fmt.Sprintf("[%s=%d %t %t]", c.left, c.right, c.equal, c.holds)
}

// question returns an unknown condition with a name: conditions with equal names are equal.
func question(name string, from deps) condition {
	return condition{left: name, holds: true, from: from}
}

// equality returns the condition v = w.
func equality(v, w value) condition {
	one, other := v.plus(w, ^uint32(0)), w.plus(v, ^uint32(0))
	if n, ok := one.isConstant(); ok {
		return truth(n == 0).with(one.from)
	}
	one.sum, other.sum = maps.Clone(one.sum), maps.Clone(other.sum)
	right, otherRight := -one.sum[""], -other.sum[""]
	delete(one.sum, "")
	delete(other.sum, "")
	left := one.String()
	if s := other.String(); s < left {
		left, right = s, otherRight
	}
	return condition{left: left, equal: true, right: right, holds: true, from: one.from}
}

// compare returns the condition that a comparison holds.
func compare(op arith.Op, signed bool, v, w value) condition {
	switch op {
	case arith.Eq:
		return equality(v, w)
	case arith.Ne:
		return equality(v, w).not()
	}
	a, knowA := v.isConstant()
	b, knowB := w.isConstant()
	from := v.from | w.from
	if knowA && knowB {
		n, err := arith.Compute(op, arith.Type{Signed: signed, Bits: 32}, arith.Operands{int64(a), int64(b)})
		return truth(n != 0 && err == nil).with(from)
	}
	return question(fmt.Sprintf("%s %t %s %s", op, signed, v, w), from)
}

// facts are the conditions that hold on a control path.
type facts []condition

// decide returns the value of a condition on the path, if it is known.
func (f facts) decide(c condition) (holds, known bool) {
	if c.left == "" {
		return c.holds, true
	}
	for _, fact := range f {
		if fact.left != c.left || fact.equal != c.equal {
			continue
		}
		switch {
		case fact.right == c.right:
			return fact.holds == c.holds, true
		case fact.holds: // equal to another number
			return !c.holds, true
		}
	}
	return false, false
}

// assume adds a fact.
func (f facts) assume(c condition) facts { return append(f[:len(f):len(f)], c) }
