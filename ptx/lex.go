package ptx

import (
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/src"
)

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
		p.word()
	case isDigit(p.text[start]) || p.text[start] == '-' && start+1 < len(p.text) && isDigit(p.text[start+1]):
		kind = number
		p.pos++
		p.number()
	case strings.IndexByte("@![],:+-{}|", p.text[start]) >= 0:
		kind = punct
		p.pos++
	default:
		kind = junk
		p.skip(func(c byte) bool { return !isBlank(c) && c != ',' })
		p.pos = max(p.pos, start+1)
	}
	p.tok = token{kind, p.text[start:p.pos], p.cell.Sub(start, p.pos)}
	if kind == word {
		p.tok.text = p.column.register(p.tok.text)
	}
}

// word skips a word. Two colons may join it, as in shared::cta; one ends a label.
func (p *parser) word() {
	for {
		p.skip(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })
		if !strings.HasPrefix(p.text[p.pos:], "::") {
			return
		}
		p.pos += len("::")
	}
}

// number skips the rest of a number, with what stands behind its point.
func (p *parser) number() {
	inNumber := func(c byte) bool { return isLetter(c) || isDigit(c) }
	p.skip(inNumber)
	if rest := p.text[p.pos:]; len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]) {
		p.pos++
		p.skip(inNumber)
	}
}

func (p *parser) skip(while func(byte) bool) {
	for p.pos < len(p.text) && while(p.text[p.pos]) {
		p.pos++
	}
}

// peekByte returns the byte after the current token and blanks, or 0.
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
