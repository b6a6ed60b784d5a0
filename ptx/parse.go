package ptx

import (
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Parse reads the instruction of a cell: labels, an optional guard, an opcode with
// modifiers, operands. It returns the labels in front of the instruction, and nil
// for the instruction if there is none. Errors are src.Diagnostics.
func Parse(cell litmus.Cell) (labels []src.Span, in *Instr, err error) {
	p := &parser{cell: cell.Span, text: cell.Text()}
	defer func() {
		if r := recover(); r != nil {
			d, ok := r.(*src.Diagnostic)
			if !ok {
				panic(r)
			}
			in, err = nil, src.Diagnostics{d}
		}
	}()
	p.next()
	for p.tok.kind == word && p.peekByte() == ':' {
		labels = append(labels, p.tok.at)
		p.next()
		p.next()
	}
	if p.tok.kind == end {
		return labels, nil, nil
	}
	in = p.instruction()
	if p.tok.kind != end {
		p.fail(p.tok, "expected the end of the instruction").
			WithHint("each cell of the table holds one instruction")
	}
	return labels, in, nil
}

// parser reads one cell. Its methods panic with a *src.Diagnostic, which Parse
// recovers.
type parser struct {
	cell src.Span
	text string
	pos  int // just past tok
	tok  token
}

type tokenKind uint8

const (
	end tokenKind = iota
	word
	number
	punct
	junk
)

type token struct {
	kind tokenKind
	text string
	at   src.Span
}

func (t token) is(punctuation string) bool { return t.kind == punct && t.text == punctuation }

func (t token) String() string {
	if t.kind == end {
		return "the end of the cell"
	}
	if len(t.text) > 40 {
		return strconv.Quote(t.text[:40]) + "…"
	}
	return strconv.Quote(t.text)
}

// next reads a token. A word may contain dots: an opcode with its modifiers.
func (p *parser) next() {
	for p.pos < len(p.text) && isBlank(p.text[p.pos]) {
		p.pos++
	}
	start, kind := p.pos, end
	switch {
	case start == len(p.text):
	case isLetter(p.text[start]):
		kind = word
		p.skip(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
	case isDigit(p.text[start]) || p.text[start] == '-' && start+1 < len(p.text) && isDigit(p.text[start+1]):
		kind = number
		p.pos++
		p.skip(func(c byte) bool { return isLetter(c) || isDigit(c) })
	case strings.IndexByte("@![],:+-{}", p.text[start]) >= 0:
		kind = punct
		p.pos++
	default:
		kind = junk
		p.skip(func(c byte) bool { return !isBlank(c) && c != ',' })
		p.pos = max(p.pos, start+1)
	}
	p.tok = token{kind, p.text[start:p.pos], p.cell.Sub(start, p.pos)}
}

func (p *parser) skip(while func(byte) bool) {
	for p.pos < len(p.text) && while(p.text[p.pos]) {
		p.pos++
	}
}

// peekByte is the byte after the current token and blanks, or 0.
func (p *parser) peekByte() byte {
	for i := p.pos; i < len(p.text); i++ {
		if !isBlank(p.text[i]) {
			return p.text[i]
		}
	}
	return 0
}

func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '%' || c == '$' }

// failure delays the panic until the message is complete.
type failure struct{ *src.Diagnostic }

func (f failure) WithHint(format string, args ...any) { panic(f.Diagnostic.WithHint(format, args...)) }

func (f failure) stop() { panic(f.Diagnostic) }

// fail starts an error about a token: "expected …, found …".
func (p *parser) fail(t token, expected string) failure {
	return failure{src.Errorf(t.at, "%s, found %s", expected, t)}
}

func (p *parser) expect(punctuation, role string) {
	if !p.tok.is(punctuation) {
		p.fail(p.tok, "expected \""+punctuation+"\" "+role).stop()
	}
	p.next()
}

func (p *parser) instruction() *Instr {
	in := &Instr{At: p.cell}
	if p.tok.is("@") {
		in.Guard = p.guard()
	}
	if p.tok.kind != word {
		p.fail(p.tok, "expected an instruction").stop()
	}
	in.At = p.cell.Sub(p.tok.at.Start-p.cell.Start, len(p.text))
	p.opcode(in)
	p.operands(in)
	return in
}

func (p *parser) guard() *Guard {
	p.next()
	g := &Guard{}
	if p.tok.is("!") {
		g.Negated = true
		p.next()
	}
	g.Reg = p.name("a predicate register after @")
	return g
}

// opcode reads "ld.volatile.s32": the name and its modifiers.
func (p *parser) opcode(in *Instr) {
	t := p.tok
	p.next()
	parts := strings.Split(t.text, ".")
	in.Opcode, in.Name = t.text, parts[0]
	op, ok := opcodes[in.Name]
	if !ok {
		at := t.at.Sub(0, len(in.Name))
		hint := src.DidYouMean(in.Name, opcodeNames())
		if hint == "" {
			hint = "GPU_PTX tests have " + strings.Join(opcodeNames(), " ")
		}
		failure{src.Errorf(at, "unknown instruction %q", clip(in.Name))}.WithHint("%s", hint)
	}
	in.op = op
	offset := len(in.Name)
	var seen class
	for _, name := range parts[1:] {
		at := t.at.Sub(offset, offset+1+len(name))
		offset += 1 + len(name)
		seen |= op.modify(in, name, at, seen)
	}
	if missing := op.needs &^ seen; missing != 0 {
		failure{src.Errorf(t.at, "%s needs one of %s", in.Name, op.accepted(missing))}.stop()
	}
	if in.Mods.Volatile && seen&cacheMod != 0 {
		failure{src.Errorf(t.at, "%s.volatile takes no cache operator", in.Name)}.stop()
	}
}

// modify applies one modifier and returns its class.
func (o *opcode) modify(in *Instr, name string, at src.Span, seen class) class {
	m, ok := modifiers[name]
	if !ok || !o.allows(name, m) {
		d := src.Errorf(at, "unknown modifier .%s of %s", clip(name), in.Name)
		failure{d}.WithHint("%s takes %s", in.Name, o.accepted(o.takes))
	}
	repeated := seen&m.class != 0
	if m.class == typeMod {
		repeated = len(in.Mods.Types) == o.types
	}
	if repeated {
		failure{src.Errorf(at, "%s has too many modifiers of the kind of .%s", in.Name, name)}.stop()
	}
	m.apply(&in.Mods)
	return m.class
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// operands reads what the opcode's signature asks for.
func (p *parser) operands(in *Instr) {
	sig := in.op.operands
	for i := 0; i < len(sig); i++ {
		optional := i+1 < len(sig) && sig[i+1] == '?'
		if p.tok.kind == end && optional {
			return
		}
		if i > 0 {
			p.expect(",", "before "+operandRole[sig[i]])
		}
		p.operand(in, sig[i])
		if optional {
			i++
		}
	}
}

var operandRole = map[byte]string{
	'd': "a destination register", 's': "a register or constant", 'a': "an address in brackets", 'l': "a label",
}

func (p *parser) operand(in *Instr, kind byte) {
	switch kind {
	case 'd':
		o := p.name(operandRole[kind])
		in.Dst = &o
	case 's':
		in.Srcs = append(in.Srcs, p.source())
	case 'a':
		in.Addr = p.address()
	case 'l':
		o := p.name(operandRole[kind])
		in.Target = &o
	}
}

func (p *parser) name(role string) Operand {
	t := p.tok
	if t.kind != word || strings.Contains(t.text, ".") {
		f := p.fail(t, "expected "+role)
		if t.is("{") {
			f.WithHint("vector operands are not supported: write one instruction for each element")
		}
		f.stop()
	}
	p.next()
	return Operand{Text: t.text, At: t.at}
}

func (p *parser) source() Operand {
	if p.tok.kind == number {
		return p.immediate()
	}
	return p.name(operandRole['s'])
}

func (p *parser) immediate() Operand {
	t := p.tok
	p.next()
	text := strings.TrimRight(t.text, "uU")
	i, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		u, uerr := strconv.ParseUint(text, 0, 64)
		if uerr != nil {
			p.fail(t, "expected a constant of at most 64 bits").stop()
		}
		i = int64(u)
	}
	return Operand{Kind: Immediate, Int: i, Text: t.text, At: t.at}
}

// address reads [r], [x], [r+4] or [x-4].
func (p *parser) address() *Operand {
	open := p.tok
	if !open.is("[") {
		p.fail(open, "expected an address in brackets").WithHint("write [x] or [r1]")
	}
	p.next()
	o := p.name("a register or location in brackets")
	switch {
	case p.tok.is("+"):
		p.next()
		if p.tok.kind != number {
			p.fail(p.tok, "expected an offset in bytes").stop()
		}
		o.Offset = p.immediate().Int
	case p.tok.kind == number && p.tok.text[0] == '-':
		o.Offset = p.immediate().Int
	}
	o.At = open.at.To(p.tok.at)
	p.expect("]", "after the address")
	return &o
}
