package litmus

import (
	"slices"
	"strconv"
	"strings"
)

// value reads the initial value of a location or register. An address makes its location known.
func (p *parser) value() (Value, bool) {
	if p.at(lparen) || p.at(word) && slices.Contains(initializers, p.str(p.tok)) && p.peek().kind == lparen {
		return p.wrappedValue()
	}
	v, name, ok := p.constant()
	if v.Loc != "" {
		p.mention(name)
	}
	return v, ok
}

// initializers are the macros of C that values of atomic locations may stand in (C11, 7.17.2.1).
var initializers = []string{"ATOMIC_INIT", "ATOMIC_VAR_INIT"}

// wrappedValue reads (value), perhaps with the name of a macro before it.
func (p *parser) wrappedValue() (Value, bool) {
	p.enter()
	defer p.leave()
	if p.at(word) {
		p.advance()
	}
	p.advance() // the parenthesis
	v, ok := p.value()
	return v, ok && p.expect(rparen, ")")
}

// elementBytes is the distance of the elements of arrays, in bytes.
const elementBytes = 4

// constant reads an integer or a named constant, or an address such as x, &x, &x+4 or &a[1]. name
// is the location of an address.
func (p *parser) constant() (v Value, name Ident, ok bool) {
	if p.at(number) || p.at(minus) || p.at(plus) {
		v.Int, ok = p.integer()
		return v, name, ok
	}
	if p.atNamedConstant() {
		v.Int = p.test.Constants[p.str(p.tok)]
		p.advance()
		return v, name, true
	}
	byName := !p.accept(ampersand)
	if name, ok = p.name("an integer or the name of a location"); !ok {
		return v, name, false
	}
	v.Loc = name.Text
	if !byName && p.accept(lbrack) {
		n, ok := p.integer()
		v.Int = n * elementBytes
		return v, name, ok && p.expect(rbrack, "]")
	}
	if p.at(minus) || p.at(plus) {
		v.Int, ok = p.integer()
	}
	return v, name, ok
}

// integer reads a signed integer.
func (p *parser) integer() (int64, bool) {
	sign := ""
	if p.at(minus) || p.at(plus) {
		sign = p.str(p.tok)
		p.advance()
	}
	if !p.at(number) {
		p.unexpected("an integer")
		return 0, false
	}
	digits := strings.TrimRight(p.str(p.tok), "uUlL") // 1u and 1ULL are integers of C
	parse := parseInt
	if p.test.Octal && isOctal(digits) {
		parse = parseOctal
	}
	n, err := parse(sign + digits)
	if err != nil {
		d := p.errorf(p.span(p.tok), "%s is not an integer of 64 bits", p.str(p.tok))
		if p.test.Octal && isOctal(digits) {
			d.Hint = "an integer with a leading zero is octal, as in C"
		}
		return 0, false
	}
	p.advance()
	return n, true
}

// isOctal reports whether digits are an octal integer of C, or meant as one.
func isOctal(digits string) bool {
	return len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 != 'x'
}

// parseOctal reads an octal integer with an optional sign.
func parseOctal(s string) (int64, error) {
	digits, isNegative := strings.CutPrefix(s, "-")
	bits, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 8, 64)
	if isNegative {
		bits = -bits
	}
	return int64(bits), err
}

// parseInt reads a decimal or hexadecimal integer with an optional sign. One that fits 64 bits
// only without a sign is a pattern: 18446744073709551615 and 0xffffffffffffffff are -1, as
// constants of PTX are (PTX ISA, "Integer Constants").
func parseInt(s string) (int64, error) {
	digits, isNegative := strings.CutPrefix(s, "-")
	digits = strings.TrimPrefix(digits, "+")
	isHex := len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x'
	switch {
	case isHex && isNegative:
		bits, err := strconv.ParseUint(digits[2:], 16, 64)
		return -int64(bits), err
	case isHex:
		bits, err := strconv.ParseUint(digits[2:], 16, 64)
		return int64(bits), err
	case isNegative:
		return strconv.ParseInt(s, 10, 64)
	}
	bits, err := strconv.ParseUint(digits, 10, 64)
	return int64(bits), err
}
