package optcheck

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// value is what a register holds, as a polynomial modulo 2³² over atoms: parameters, what was
// read, and results of operations that nobody looks into. Only the lower half of an address
// counts: it tells all locations of a test apart.
type value struct {
	sum  map[string]uint32 // coefficients by monomial; "" is 1, "3*8" the product of atoms 3 and 8
	from deps              // the reads that it was computed from
}

// atoms gives names numbers.
type atoms struct {
	numbers map[string]int
	from    []deps
}

// atom is a value of which nothing is known but its name.
func (a *atoms) atom(name string, from deps) value {
	n, ok := a.numbers[name]
	if !ok {
		n = len(a.from)
		a.numbers[name] = n
		a.from = append(a.from, from)
	}
	return value{map[string]uint32{strconv.Itoa(n): 1}, from}
}

// monomial is the product of atoms that exist, or false.
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

// read is what the n-th operation of the path has read.
func (a *atoms) read(n int, half string) value {
	return a.atom(fmt.Sprintf("read %d%s", n, half), 1<<n)
}

// varies reports that a monomial depends on something that was read.
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

// isConstant returns the number that a value is.
func (v value) isConstant() (uint32, bool) {
	for monomial := range v.sum {
		if monomial != "" {
			return 0, false
		}
	}
	return v.sum[""], true
}

// plus is v + w·n.
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

// maxTerms is the size beyond which products are not multiplied out.
const maxTerms = 32

// times is the product.
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

// condition is a truth value: what a predicate holds.
type condition struct {
	left  string // two values are equal, as their difference says; or any question
	equal bool
	right uint32 // of an equality: left has no constant
	holds bool   // the condition is that the question has this answer; of a constant (left is empty) its value
	from  deps
}

func truth(b bool) condition { return condition{holds: b} }

func (c condition) not() condition {
	c.holds = !c.holds
	return c
}

// with adds what a condition depends on.
func (c condition) with(from deps) condition {
	c.from |= from
	return c
}

// String is equal for equal conditions.
func (c condition) String() string {
	return fmt.Sprintf("[%s=%d %t %t]", c.left, c.right, c.equal, c.holds)
}

// question is a condition of which nothing is known but its name.
func question(name string, from deps) condition {
	return condition{left: name, holds: true, from: from}
}

// equality is the condition v = w.
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

// compare is the condition that a comparison holds.
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

// decide says what a condition is on the path, if that is known.
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
