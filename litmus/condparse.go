package litmus

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// condition reads a final condition. keyword is the word that tok is, or is meant to
// be; notKeyword stands for ~ too.
func (p *parser) condition(keyword string) bool {
	start := p.here()
	if p.test.Cond.At.Valid() {
		p.errorf(start, "a second condition")
	}
	p.advance()
	quant, ok := quantifiers[keyword]
	if !ok {
		if !p.at(word) || p.str(p.tok) != Exists.String() {
			p.unexpected("exists")
			return false
		}
		p.advance()
		quant = NotExists
	}
	if quant == Final {
		p.accept(colon)
	}
	prop := p.proposition()
	p.test.Cond = Cond{Quant: quant, Prop: prop, At: p.since(start.Start)}
	return prop != nil
}

// proposition reads a proposition; nil means that an error is reported.
func (p *parser) proposition() Prop {
	prop, _ := p.prop(Implies)
	return prop
}

// connectiveOf gives the connective of a token.
func connectiveOf(k tokenKind) (op Connective, ok bool) {
	switch k {
	case implies:
		return Implies, true
	case or:
		return Or, true
	case and:
		return And, true
	}
	return 0, false
}

// otherConnectives are spellings of connectives by users and other tools.
var otherConnectives = map[string]Connective{
	"and": And, "AND": And, "∧": And, "&": And, "or": Or, "OR": Or, "∨": Or, "|": Or, "implies": Implies, "→": Implies, "⇒": Implies,
}

// connective returns the connective that tok is. It reports a misspelt connective, and replaces it
// by the correct token.
func (p *parser) connective() (op Connective, ok bool) {
	if op, ok = connectiveOf(p.tok.kind); ok {
		return op, true
	}
	if op, ok = otherConnectives[p.str(p.tok)]; !ok || p.at(word) && p.peek().kind == colon { // or: shared
		return 0, false
	}
	p.errorf(p.here(), "expected a connective, found %s", p.str(p.tok)).WithHint(`write %s: /\ is and, \/ is or, ~ is not`, op)
	p.tok.kind = map[Connective]tokenKind{And: and, Or: or, Implies: implies}[op]
	return op, true
}

// prop reads a proposition whose connectives bind at least as tightly as least, by precedence
// climbing. open reports whether it is joined by /\ or \/ outside parentheses.
func (p *parser) prop(least Connective) (x Prop, open bool) {
	p.enter()
	defer p.leave()
	x = p.unary()
	for x != nil {
		op, ok := p.connective()
		if !ok || op < least {
			break
		}
		at := p.here()
		p.advance()
		right := op + 1 // group to the left
		if op == Implies {
			right = Implies
		}
		y, mixed := p.prop(right)
		if y == nil {
			return nil, false
		}
		if op == Implies && (open || mixed) {
			p.mixes(at)
		}
		x, open = Binary{Op: op, X: x, Y: y}, op != Implies
	}
	return x, open
}

// mixes reports an implication next to other connectives.
func (p *parser) mixes(at src.Span) {
	p.errorf(at, `=> mixes with /\ or \/ without parentheses`).
		Hint = `in herd => binds tighter than the others, in mathematics less tightly`
}

// unary reads a negation, a proposition in parentheses, a truth or an atom.
func (p *parser) unary() Prop {
	switch {
	case p.at(tilde), p.at(bang), p.atKeyword(notKeyword):
		p.advance()
		p.enter()
		defer p.leave()
		if x := p.unary(); x != nil {
			return Not{x}
		}
		return nil
	case p.accept(lparen):
		x, _ := p.prop(Implies)
		if x == nil || !p.expect(rparen, `), /\, \/ or =>`) {
			return nil
		}
		return x
	case p.atKeyword("true"), p.atKeyword("false"):
		truth := Truth(p.str(p.tok) == "true")
		p.advance()
		return truth
	}
	return p.atom()
}

// atKeyword reports whether tok is that word.
func (p *parser) atKeyword(name string) bool { return p.at(word) && p.str(p.tok) == name }

// comparisonOf gives the comparison of a token.
func comparisonOf(k tokenKind) (op Comparison, ok bool) {
	if k < equal || k > greaterEqual {
		return 0, false
	}
	return Equal + Comparison(k-equal), true
}

// atom reads a comparison.
func (p *parser) atom() Prop {
	x, ok := p.operand()
	if !ok {
		return nil
	}
	op, ok := comparisonOf(p.tok.kind)
	if !ok {
		p.unexpected("a comparison: = != < <= > >=")
		return nil
	}
	p.advance()
	next := p.peek().kind
	bare := p.at(word) && next != colon && next != lbrack && !p.atNamedConstant()
	y, ok := p.operand()
	if !ok {
		return nil
	}
	switch {
	case !bare || x.Ref == nil || x.Ref.Thread < 0:
	case p.test.BareAddress:
		y = Operand{Const: Value{Loc: y.Ref.Name}, At: y.At}
	default:
		p.errorf(y.At, "is this what %s holds, or its address?", y.At.Text()).
			WithHint("write [%s] or &%s: tools differ about a name alone", y.Ref.Name, y.Ref.Name)
	}
	return Atom{Op: op, X: x, Y: y}
}

// operand reads a register, a location or a constant.
func (p *parser) operand() (o Operand, ok bool) {
	start := p.tok.start
	switch {
	case p.atNamedConstant():
		o.Const, _, ok = p.constant()
	case p.at(lbrack), p.at(word), p.atRegister():
		var r Ref
		if r, ok = p.ref(); ok && r.Index == wholeArray {
			p.errorf(r.At, "%s is an array: which element?", r.Name).WithHint("the first one is %s[0]", r.Name)
			r.Index = 0
		}
		o.Ref = &r
	case p.at(number), p.at(minus), p.at(plus), p.at(ampersand):
		o.Const, _, ok = p.constant()
	default:
		p.noOperand()
	}
	o.At = p.since(start)
	return o, ok
}

// noOperand reports the error that tok begins no operand.
func (p *parser) noOperand() {
	d := p.unexpected("a register such as 0:r1, a location or a constant")
	switch p.str(p.tok) {
	case "*":
		d.Hint = "what the location x holds is written [x] or x"
	case "¬":
		d.Hint = "write ~"
	}
}

// atNamedConstant reports whether tok is the name of an integer, such as NULL.
func (p *parser) atNamedConstant() bool {
	_, ok := p.test.Constants[p.str(p.tok)]
	return ok && p.at(word)
}

// atRegister reports whether tok begins "0:r1" or "P0:r1".
func (p *parser) atRegister() bool {
	return (p.at(number) || p.at(word)) && p.peek().kind == colon && !p.atQualified()
}

// wholeArray is the index of a reference to a whole array.
const wholeArray = -1

const refForms = "a register such as 0:r1, or a location"

// ref reads "0:r1", "x", "[x]" or "a[0]".
func (p *parser) ref() (r Ref, ok bool) {
	start := p.tok.start
	if p.atSection() {
		p.unexpected(refForms)
		return r, false
	}
	if p.atRegister() {
		id, at, ok := p.threadNumber()
		if !ok {
			return r, false
		}
		name, ok := p.name("a register")
		r = Ref{ID: id, Name: name.Text, At: p.since(start)}
		r.Thread, _ = p.thread(id, at)
		return r, ok
	}
	return p.locationRef()
}

// locationRef reads "x", "[x]" or "a[0]"; @ and the rank of a CTA may follow the name.
func (p *parser) locationRef() (r Ref, ok bool) {
	start := p.tok.start
	bracket := p.accept(lbrack)
	name, ok := p.name(refForms)
	if !ok {
		return r, false
	}
	r = Ref{Thread: -1, Name: name.Text, At: name.Span}
	if p.accept(atSign) {
		rank, ok := p.integer()
		if !ok {
			return r, false
		}
		r.Name, r.At = fmt.Sprintf("%s@%d", r.Name, rank), name.To(p.since(name.Start))
	}
	if bracket {
		ok = p.expect(rbrack, "]")
	} else if p.accept(lbrack) {
		var n int64
		if n, ok = p.integer(); !ok || !p.expect(rbrack, "]") {
			return r, false
		}
		r.Array, r.Index, r.At = true, int(n), p.since(start)
	}
	p.checkElement(&r)
	return r, ok
}

// declaration returns the declaration of the location, ignoring the rank of its CTA, or nil.
func (p *parser) declaration(r *Ref) *declared {
	name, _, _ := strings.Cut(r.Name, "@")
	return p.locs[name]
}

// checkElement compares a reference to a location with its declaration.
func (p *parser) checkElement(r *Ref) {
	size := maxArray // an undeclared location: the program may use it as an array of any size
	if d := p.declaration(r); d != nil {
		size = d.Size
	} else if !r.Array {
		return
	}
	switch {
	case size == 0 && r.Index != 0:
		p.errorf(r.At, "%s is not an array", r.Name)
	case size == 0:
		r.Array = false
	case !r.Array:
		r.Array, r.Index = true, wholeArray
	case r.Index < 0 || r.Index >= size:
		p.errorf(r.At, "%s has elements 0 to %d", r.Name, size-1)
		r.Index = 0
	}
}
