package litmus

import (
	"strings"
	"unicode/utf8"

	"github.com/muster-gpu/muster/src"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	eof    tokenKind = iota
	stray            // a character that the format has no use for
	word             // x, %r1, .reg
	number           // 12, 0x1f
	lparen
	rparen
	lbrace
	rbrace
	lbrack
	rbrack
	comma
	semi
	colon
	bar
	atSign
	star
	plus
	minus
	ampersand
	tilde
	bang
	quote
	equal
	notEqual
	less
	lessEqual
	greater
	greaterEqual
	implies
	and
	or
)

// single are the tokens of one character.
var single = [256]tokenKind{
	'(': lparen, ')': rparen, '{': lbrace, '}': rbrace, '[': lbrack, ']': rbrack,
	',': comma, ';': semi, ':': colon, '|': bar, '@': atSign, '*': star, '+': plus,
	'-': minus, '&': ampersand, '~': tilde, '!': bang, '"': quote, '=': equal, '<': less, '>': greater,
}

// double returns the token of two characters.
func double(c, d byte) tokenKind {
	switch [2]byte{c, d} {
	case [2]byte{'=', '='}:
		return equal
	case [2]byte{'!', '='}, [2]byte{'<', '>'}:
		return notEqual
	case [2]byte{'<', '='}:
		return lessEqual
	case [2]byte{'>', '='}:
		return greaterEqual
	case [2]byte{'=', '>'}:
		return implies
	case [2]byte{'/', '\\'}, [2]byte{'&', '&'}:
		return and
	case [2]byte{'\\', '/'}, [2]byte{'|', '|'}:
		return or
	}
	return stray
}

// class is the class of a character: the tokens that it can begin.
type class uint8

const (
	other class = iota
	blank
	letter // begins a word
	digit  // begins a number, continues a word
)

var classes = classTable()

func classTable() (t [256]class) {
	for _, c := range " \t\r\n\f\v" {
		t[c] = blank
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = letter, letter
	}
	for _, c := range "_%$." { // PTX names registers %r1, and types .s32
		t[c] = letter
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	return t
}

// token is a piece of the text.
type token struct {
	kind       tokenKind
	first      bool // the first on its line
	start, end int
}

// scanner splits a text into tokens, one at a time. Parsers may read the text themselves and set
// pos: the cells of the program do not consist of tokens.
type scanner struct {
	file *src.File
	text string // the part of the file's text up to where tokens may be read
	pos  int
	errs src.Diagnostics
}

// bailout is the panic that ends a parse early, after an error is recorded.
type bailout struct{}

// maxErrors bounds the reported errors of one file; more would not help.
const maxErrors = 100

// maxMessage bounds the length of a message: binary input can have words of megabytes.
const maxMessage = 400

// errorf reports an error; after too many it ends the parse.
func (s *scanner) errorf(at src.Span, format string, args ...any) *src.Diagnostic {
	if len(s.errs) == maxErrors {
		s.errs.Errorf(at, "too many errors: no more are reported")
		panic(bailout{})
	}
	d := s.errs.Errorf(at, format, args...)
	if len(d.Message) > maxMessage {
		d.Message = strings.ToValidUTF8(d.Message[:maxMessage], "") + "…"
	}
	return d
}

// fatal reports an error after which nothing sensible can be read.
func (s *scanner) fatal(at src.Span, hint, format string, args ...any) {
	s.errorf(at, format, args...).Hint = hint
	panic(bailout{})
}

func (s *scanner) span(t token) src.Span { return s.file.Span(t.start, t.end) }

func (s *scanner) str(t token) string { return s.file.Text[t.start:t.end] }

// next reads a token.
func (s *scanner) next() token {
	from := s.pos
	start := s.skipBlank(from)
	t := token{start: start, first: start == 0 || strings.IndexByte(s.text[from:start], '\n') >= 0}
	switch {
	case start == len(s.text):
		t.kind = eof
	case classes[s.text[start]] == letter:
		t.kind, s.pos = word, s.wordEnd(start)
	case classes[s.text[start]] == digit:
		t.kind, s.pos = number, s.wordEnd(start)
	default:
		t.kind, s.pos = s.symbol(start)
	}
	s.pos = max(s.pos, start)
	t.end = s.pos
	return t
}

// symbol reads punctuation, or one stray character.
func (s *scanner) symbol(i int) (k tokenKind, end int) {
	if i+1 < len(s.text) {
		if k = double(s.text[i], s.text[i+1]); k != stray {
			return k, i + 2
		}
	}
	if k = single[s.text[i]]; k != eof {
		return k, i + 1
	}
	_, size := utf8.DecodeRuneInString(s.text[i:])
	return stray, i + size
}

// isWord reports whether text is one word.
func isWord(text string) bool {
	s := scanner{text: text}
	return text != "" && classes[text[0]] == letter && s.wordEnd(0) == len(text)
}

// wordEnd returns where the word or number that begins at i ends.
func (s *scanner) wordEnd(i int) int {
	for i < len(s.text) && classes[s.text[i]] >= letter {
		i++
	}
	return i
}

// skipBlank returns where the first token at or after i begins.
func (s *scanner) skipBlank(i int) int {
	for i < len(s.text) {
		if classes[s.text[i]] == blank {
			i++
			continue
		}
		end := s.skipComment(i)
		if end == i {
			break
		}
		i = end
	}
	return i
}

// skipComment returns the end of the comment that begins at i, or i if no comment begins there.
func (s *scanner) skipComment(i int) int {
	end, closed := src.CommentEnd(s.text, i)
	if !closed {
		hint := "end it with " + closing[s.text[i:i+2]]
		if isDereference(s.text[i:]) {
			hint += "; if it is meant as what a location x holds, write [x] or x"
		}
		s.fatal(s.file.Span(i, i+2), hint, "this comment never ends")
	}
	return end
}

// isDereference reports whether text, which begins with a comment, may be meant as in "(*x=1)".
func isDereference(text string) bool {
	const opening = "(*"
	return strings.HasPrefix(text, opening) && len(text) > len(opening) && classes[text[len(opening)]] == letter
}

// closing is the end of the comments that may span lines, by their beginning.
var closing = map[string]string{"(*": "*)", "/*": "*/"}

// trimSpan returns s without the blanks at either end.
func trimSpan(s src.Span) src.Span {
	for s.Start < s.End && classes[s.File.Text[s.Start]] == blank {
		s.Start++
	}
	for s.Start < s.End && classes[s.File.Text[s.End-1]] == blank {
		s.End--
	}
	return s
}
