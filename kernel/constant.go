package kernel

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
)

// integer is the value of a constant expression: an s64 or a u64 (PTX ISA, "Integer Constant
// Expression Evaluation").
type integer struct {
	bits     uint64
	unsigned bool
}

func truth(b bool) integer {
	if b {
		return integer{bits: 1}
	}
	return integer{}
}

// isNumber reports whether a token begins a number or is the name of one.
func (p *parser) isNumber(t token) bool {
	_, predefined := isa.Constants[p.textOf(t)]
	return t.kind == word && (predefined || p.text[t.start] >= '0' && p.text[t.start] <= '9')
}

// constant reads a constant: a floating-point number, or an integer expression. The operand's At
// begins at its first token.
func (p *parser) constant() Operand {
	t := p.tok
	o := Operand{At: p.span(p.file, t), Kind: Integer}
	if negative := p.accept("-"); p.isNumber(p.tok) && isFloat(p.textOf(p.tok)) {
		o = p.floating(p.tok)
		o.Negated = negative
		p.advance()
		return o
	}
	p.pos, p.tok = t.end, t
	o.Bits = p.expression(0).bits
	return o
}

func isHex(s string) bool { return len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') }

// isFloat reports whether a number is a floating-point number: 0f or 0d with its bits, or one with
// a point or an exponent.
func isFloat(s string) bool {
	bits := len(s) == 10 && strings.EqualFold(s[:2], "0f") || len(s) == 18 && strings.EqualFold(s[:2], "0d")
	return bits || strings.Contains(s, ".") || !isHex(s) && s[0] <= '9' && strings.ContainsAny(s, "eE")
}

func (p *parser) floating(t token) Operand {
	s := p.textOf(t)
	o := Operand{At: p.span(p.file, t), Kind: Float, Size: 64}
	var err error
	switch strings.ToLower(s[:2]) {
	case "0f":
		o.Size = 32
		o.Bits, err = strconv.ParseUint(s[2:], 16, 32)
	case "0d":
		o.Bits, err = strconv.ParseUint(s[2:], 16, 64)
	default:
		var f float64
		f, err = strconv.ParseFloat(s, 64)
		o.Bits = math.Float64bits(f)
	}
	if err != nil {
		p.fail(t, "%s is no number of 64 bits", s)
	}
	return o
}

// as returns the bits that a constant initialises a variable of the given type with.
func (o *Operand) as(typ string) uint64 {
	switch {
	case o.Kind != Float:
		return o.Bits
	case o.Size == 64 && sizes[typ] == 32:
		f := float32(math.Float64frombits(o.Bits))
		if o.Negated {
			f = -f
		}
		return uint64(math.Float32bits(f))
	case o.Negated:
		return o.Bits ^ 1<<(o.Size-1)
	}
	return o.Bits
}

// operators are the binary operators on integers, one line for each precedence, loosest first (PTX
// ISA, "Operator Precedence"). Within a line, no operator is a prefix of a later one.
var operators = [][]string{
	{"||"},
	{"&&"},
	{"|"},
	{"^"},
	{"&"},
	{"==", "!="},
	{"<=", ">=", "<", ">"},
	{"<<", ">>"},
	{"+", "-"},
	{"*", "/", "%"},
}

// Levels of precedence from which an expression is read.
const (
	offsets = 9 // the number after the + of an address, which ends at + and -
	unaries = 10
)

// operator reads an operator of a level and returns it, or "" if another token is next.
func (p *parser) operator(level int) string {
	rest := p.text[p.tok.start:]
	for _, op := range operators[level] {
		longer := func(other string) bool {
			return other != op && strings.HasPrefix(other, op) && strings.HasPrefix(rest, other)
		}
		if !strings.HasPrefix(rest, op) || slices.ContainsFunc(slices.Concat(operators...), longer) {
			continue
		}
		p.pos = p.tok.start + len(op)
		p.advance()
		return op
	}
	return ""
}

// expression reads an expression whose operators bind at least as tightly as a level.
func (p *parser) expression(level int) integer {
	if level == unaries {
		return p.unary()
	}
	at := p.tok
	x := p.expression(level + 1)
	for op := p.operator(level); op != ""; op = p.operator(level) {
		x = p.binary(at, op, x, p.expression(level+1))
	}
	if level > 0 || !p.accept("?") {
		return x
	}
	var yes, no integer
	p.nested(func() {
		yes = p.expression(0)
		p.expect(":", "the first value")
		no = p.expression(0)
	})
	if x.bits == 0 {
		yes.bits = no.bits
	}
	return integer{yes.bits, yes.unsigned || no.unsigned}
}

// unary reads a number, the name of a number or a parenthesis, and the unary operators before it.
func (p *parser) unary() (x integer) {
	t := p.tok
	switch {
	case p.accept("-"):
		p.nested(func() { x = p.unary() })
		x.bits = -x.bits
	case p.accept("+"):
		p.nested(func() { x = p.unary() })
	case p.accept("~"):
		p.nested(func() { x = p.unary() })
		x.bits = ^x.bits
	case p.accept("!"):
		p.nested(func() { x = p.unary() })
		x = truth(x.bits == 0)
	case p.accept("("):
		p.nested(func() { x = p.parenthesized() })
	case p.isNumber(t):
		p.advance()
		x = p.integer(t)
	default:
		p.fail(t, "expected an operand, found %s", p.describe(t))
	}
	return x
}

// parenthesized reads the rest after an opening parenthesis: a cast and its operand, or an
// expression.
func (p *parser) parenthesized() (x integer) {
	cast := p.textOf(p.tok)
	if p.accept(".s64") || p.accept(".u64") {
		p.expect(")", "a type")
		x = p.unary()
		x.unsigned = cast == ".u64"
		return x
	}
	x = p.expression(0)
	p.expect(")", "an expression")
	return x
}

// integer returns the value of an integer literal in C syntax, or of a predefined name.
func (p *parser) integer(t token) integer {
	s := p.textOf(t)
	if n, predefined := isa.Constants[s]; predefined {
		return integer{bits: n}
	}
	digits, unsigned := strings.CutSuffix(s, "U")
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		p.fail(t, "%s is no number of 64 bits", s)
	}
	return integer{n, unsigned || n > math.MaxInt64}
}

// binary applies an operator to two integers. If either is unsigned, both are, as in C.
func (p *parser) binary(at token, op string, x, y integer) integer {
	both := x.unsigned || y.unsigned
	switch op {
	case "+":
		return integer{x.bits + y.bits, both}
	case "-":
		return integer{x.bits - y.bits, both}
	case "*":
		return integer{x.bits * y.bits, both}
	case "/", "%":
		return p.divide(at, op, x, y)
	case "<<":
		return integer{x.bits << y.bits, x.unsigned}
	case ">>":
		if x.unsigned {
			return integer{x.bits >> y.bits, true}
		}
		return integer{bits: uint64(int64(x.bits) >> y.bits)}
	case "&":
		return integer{x.bits & y.bits, both}
	case "|":
		return integer{x.bits | y.bits, both}
	case "^":
		return integer{x.bits ^ y.bits, both}
	case "&&":
		return truth(x.bits != 0 && y.bits != 0)
	case "||":
		return truth(x.bits != 0 || y.bits != 0)
	}
	return compared(op, x, y)
}

func (p *parser) divide(at token, op string, x, y integer) integer {
	both := x.unsigned || y.unsigned
	switch {
	case y.bits == 0:
		p.fail(at, "this constant divides by 0")
	case both && op == "/":
		return integer{x.bits / y.bits, true}
	case both:
		return integer{x.bits % y.bits, true}
	case op == "/":
		return integer{bits: uint64(int64(x.bits) / int64(y.bits))}
	}
	return integer{bits: uint64(int64(x.bits) % int64(y.bits))}
}

// compared compares two integers.
func compared(op string, x, y integer) integer {
	less := int64(x.bits) < int64(y.bits)
	if x.unsigned || y.unsigned {
		less = x.bits < y.bits
	}
	same := x.bits == y.bits
	switch op {
	case "==":
		return truth(same)
	case "!=":
		return truth(!same)
	case "<":
		return truth(less)
	case "<=":
		return truth(less || same)
	case ">":
		return truth(!less && !same)
	}
	return truth(!less) // >=
}
