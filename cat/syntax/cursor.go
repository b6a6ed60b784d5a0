package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/src"
)

// This file is how the hand-written productions move over the tokens.

// expectName reads a name.
func (p *parser) expectName() Name {
	if p.peek().Type != kindName {
		p.fail("a name")
	}
	return p.name(p.next())
}

// expect reads exactly these tokens.
func (p *parser) expect(texts ...string) {
	for _, text := range texts {
		if !p.accept(text) {
			p.fail(p.orOperator(p.mark(), text), text)
		}
	}
}

// accept reads the next token if it is text.
func (p *parser) accept(text string) bool {
	if p.peek().Value != text {
		return false
	}
	p.next()
	return true
}

// close reads the token that belongs to open. If the statement ends before it, the
// opening token is at fault.
func (p *parser) close(open *lexer.Token, closing string) {
	tok := p.peek()
	if tok.Value == closing {
		p.next()
		return
	}
	if tok.EOF() || keywords[tok.Value] != startsNothing {
		panic(p.unclosed(open, closing, tok))
	}
	d := p.unexpected(p.mark(), p.orOperator(p.mark(), closing), closing)
	if at := p.span(open).Pos(); d.Hint == "" {
		d.WithHint("to go with the %s at line %d, column %d", open.Value, at.Line, at.Col)
	}
	panic(d)
}

func (p *parser) peek() *lexer.Token { return p.lex.Peek() }

// next reads a token of the present expression, which may not become too long.
func (p *parser) next() *lexer.Token {
	if p.lex.Cursor()-p.begin >= maxTokens {
		panic(src.Errorf(p.span(p.peek()), "expected at most %d words and symbols in one expression", maxTokens))
	}
	return p.lex.Next()
}

// fail ends the reading of an expression: the next token is not what was expected.
func (p *parser) fail(expected string, words ...string) {
	panic(p.unexpected(p.mark(), expected, words...))
}

// enter counts one thing more inside the others; leave ends it.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		panic(p.tooDeep(p.peek()))
	}
}

func (p *parser) leave() { p.depth-- }

// mark is the index of the next token.
func (p *parser) mark() int { return int(p.lex.RawCursor()) }

// from is the place of all that was read since mark m.
func (p *parser) from(m int) At { return p.between(m, p.mark()) }

// source is the text of the tokens [i, j), for a hint; … if it is long.
func (p *parser) source(i, j int) string {
	text := src.Span(p.between(i, j)).Text()
	if utf8.RuneCountInString(text) > 30 || strings.Contains(text, "\n") {
		return "…"
	}
	return text
}
