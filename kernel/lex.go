package kernel

import (
	"strings"

	"github.com/muster-gpu/muster/src"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	eof       tokenKind = iota
	word                // an identifier, a register, an opcode with its modifiers, or a number
	directive           // a dot and a word: ".reg"
	text                // a string in quotes
	mark                // one character
)

// token is a piece of the text.
type token struct {
	kind       tokenKind
	start, end int
}

// lexer splits a text into tokens. Blanks and comments separate tokens.
type lexer struct {
	text string
	pos  int
	open int // where an unclosed comment begins, or -1
}

// classes tells which bytes are part of a word and which are blank.
var classes = func() (c [256]uint8) {
	for b := range c {
		switch ch := byte(b); {
		case ch >= 'a' && ch <= 'z', ch >= 'A' && ch <= 'Z', ch >= '0' && ch <= '9', ch == '_', ch == '$', ch == '%',
			ch >= 0x80:
			c[b] = inWord
		case ch == ' ', ch == '\t', ch == '\n', ch == '\r', ch == '\f', ch == '\v':
			c[b] = isBlank
		}
	}
	return c
}()

const (
	inWord uint8 = 1 + iota
	isBlank
)

// skip skips blanks, comments and lines of the preprocessor.
func (l *lexer) skip() {
	for l.pos < len(l.text) {
		switch b := l.text[l.pos]; {
		case classes[b] == isBlank:
			l.pos++
		case b == '/':
			end, closed := src.CommentEnd(l.text, l.pos)
			if end == l.pos {
				return
			}
			if !closed {
				l.open = l.pos
			}
			l.pos = end
		case b == '#' && (l.pos == 0 || l.text[l.pos-1] == '\n'):
			l.skipLine()
		default:
			return
		}
	}
}

func (l *lexer) skipLine() {
	n := strings.IndexByte(l.text[l.pos:], '\n')
	if n < 0 {
		n = len(l.text) - l.pos
	}
	l.pos += n
}

// next returns the next token. Dots, and :: between letters, are part of a word, so that an opcode
// is one word: "cp.async.bulk.shared::cluster.global".
func (l *lexer) next() token {
	l.skip()
	start := l.pos
	if start == len(l.text) {
		return token{eof, start, start}
	}
	kind := mark
	switch b := l.text[start]; {
	case b == '.' && start+1 < len(l.text) && classes[l.text[start+1]] == inWord:
		kind = directive
		l.pos++
		l.word(false)
	case classes[b] == inWord:
		kind = word
		l.word(true)
	case b == '"':
		kind = text
		if n := strings.IndexAny(l.text[start+1:], "\"\n"); n >= 0 && l.text[start+1+n] == '"' {
			l.pos += n + 2
		} else {
			kind = mark
			l.pos++
		}
	default:
		l.pos++
	}
	return token{kind, start, l.pos}
}

// word advances to the end of a word.
func (l *lexer) word(dots bool) {
	for l.pos < len(l.text) {
		switch b := l.text[l.pos]; {
		case classes[b] == inWord:
			l.pos++
		case dots && b == '.' && l.pos+1 < len(l.text) && classes[l.text[l.pos+1]] == inWord:
			l.pos++
		case b == ':' && l.pos+2 < len(l.text) && l.text[l.pos+1] == ':' && classes[l.text[l.pos+2]] == inWord:
			l.pos += 2
		default:
			return
		}
	}
}

func (l *lexer) span(f *src.File, t token) src.Span { return f.Span(t.start, t.end) }
