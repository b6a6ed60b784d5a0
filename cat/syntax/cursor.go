package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/muster-gpu/muster/src"
)

// Token access for the productions of the grammar.

func (p *parser) peek() *token { return &p.tokens[p.pos] }

// next reads a token of the current statement, and fails if the statement is too long.
func (p *parser) next() *token {
	tok := p.peek()
	if p.pos-p.begin > maxTokens {
		panic(src.Errorf(p.span(tok), "expected at most %d words and symbols in one statement", maxTokens))
	}
	p.pos++
	return tok
}

// accept reads the next token if it is text, and reports whether it did.
func (p *parser) accept(text string) bool {
	if p.peek().text != text {
		return false
	}
	p.next()
	return true
}

// expect reads exactly these tokens, or fails.
func (p *parser) expect(texts ...string) {
	for _, text := range texts {
		if !p.accept(text) {
			p.fail(text, text)
		}
	}
}

func (p *parser) name() Name   { return p.expectKind(kindName) }
func (p *parser) tag() Name    { return p.expectKind(kindTag) }
func (p *parser) string() Name { return p.expectKind(kindString) }

func (p *parser) expectKind(k kind) Name {
	if p.peek().kind != k {
		p.fail("a " + kindWords[k])
	}
	return p.nameOf(p.next())
}

// nameOf returns the name, tag or string of a token, without quotes.
func (p *parser) nameOf(tok *token) Name {
	text := tok.text
	switch tok.kind {
	case kindTag:
		text = text[1:]
	case kindString:
		text = text[1 : len(text)-1]
	}
	return Name{Text: text, At: At(p.span(tok))}
}

// separated reads one or more items with separators between them.
func separated[T any](p *parser, separator string, thing func() T) []T {
	things := []T{thing()}
	for p.accept(separator) {
		things = append(things, thing())
	}
	return things
}

// close reads the token that closes the one at index open. If the statement ends before it, the
// error points at the opening token.
func (p *parser) close(open int, closing string) {
	if p.accept(closing) {
		return
	}
	opening, tok := &p.tokens[open], p.peek()
	if tok.kind == kindEOF || keywords[tok.text] != startsNothing {
		panic(src.Errorf(p.span(opening), "expected %s to go with this %s, found %s", closing, opening.text,
			describe(tok)))
	}
	d := p.unexpected(closing, closing)
	if at := p.span(opening).Pos(); d.Hint == "" {
		d.WithHint("to go with the %s at line %d, column %d", opening.text, at.Line, at.Col)
	}
	panic(d)
}

// fail reports that the next token is unexpected and ends the reading of the statement.
func (p *parser) fail(expected string, words ...string) {
	panic(p.unexpected(expected, words...))
}

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		panic(p.tooDeep())
	}
}

func (p *parser) leave() { p.depth-- }

// from returns the span of the tokens from m to the current one.
func (p *parser) from(m int) At { return p.between(m, p.pos) }

// between returns the span of the tokens [i, j).
func (p *parser) between(i, j int) At {
	return At(p.span(&p.tokens[i]).To(p.span(&p.tokens[max(i, j-1)])))
}

func (p *parser) span(tok *token) src.Span { return p.file.Span(tok.start, tok.end) }

// source returns the text of the tokens [i, j) for a hint, or … if it is long.
func (p *parser) source(i, j int) string {
	text := src.Span(p.between(i, j)).Text()
	if utf8.RuneCountInString(text) > 30 || strings.Contains(text, "\n") {
		return "…"
	}
	return text
}
