package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/muster-gpu/muster/src"
)

// token is a word or symbol of a file, or the end of the file. Its text is the source, quotes
// included, or the intended symbol where the source has a slip.
type token struct {
	kind       kind
	text       string
	start, end int // offsets in the file
}

type kind uint8

// The kinds of tokens.
const (
	kindEOF kind = iota
	kindName
	kindTag
	kindString
	kindKeyword
	kindSymbol
)

// keywords are the words that cannot be names. The value tells whether, and where, a keyword starts
// a statement.
var keywords = map[string]starter{
	"acyclic": startsAnywhere, "irreflexive": startsAnywhere, "empty": startsAnywhere,
	"flag": startsAnywhere, "undefined_unless": startsAnywhere, "assert": startsAnywhere,
	"procedure": startsAnywhere, "call": startsAnywhere, "forall": startsAnywhere,
	"show": startsAnywhere, "unshow": startsAnywhere,
	"include": startsAnywhere, "enum": startsAnywhere, "debug": startsAnywhere,
	"instructions": startsAnywhere, "events": startsAnywhere, "default": startsAnywhere,

	"let": startsLine, "with": startsLine, "match": startsLine, "if": startsLine,

	"and": startsNothing, "as": startsNothing, "begin": startsNothing, "catdep": startsNothing,
	"do": startsNothing, "else": startsNothing, "end": startsNothing, "from": startsNothing,
	"fun": startsNothing, "in": startsNothing, "not": startsNothing, "rec": startsNothing,
	"subset": startsNothing, "then": startsNothing, "try": startsNothing, "when": startsNothing,
}

// starter tells whether a token starts a statement when the parser looks for the next statement
// after an error.
type starter uint8

const (
	startsNothing  starter = iota
	startsLine             // at the start of a line; elsewhere it may be part of an expression
	startsAnywhere         // it has no other use
)

// symbols are the operators and brackets. One that is a prefix of another comes after it.
var symbols = []string{
	"^-1", "->", "||", "&&", "++",
	"|", ";", `\`, "&", "~", "+", "*", "?", "=", ",", "(", ")", "[", "]", "{", "}", "0", "_",
}

// spellings are alternative symbols that Dartagnan reads.
var spellings = []sign{
	{text: "^+", meant: "+"},
	{text: "^*", meant: "*"},
}

// slips are wrong symbols and words that people type or paste from papers.
var slips = []struct{ wrong, right string }{
	{"==", "="},
	{":=", "="},
	{"=>", "->"},
	{"<=", "subset"},
	{"!", "~"},
	{"∪", "|"},
	{"∩", "&"},
	{"¬", "~"},
	{"→", "->"},
	{"∅", "0"},
	{"×", "*"},
	{"⊆", "subset"},
	{"∈", "in"},
	{"∧", "&&"},
	{"∨", "||"},
}

// sign is a symbol as written, and the symbol that it stands for.
type sign struct {
	text, meant string
	slip        bool // an error, for which the hint proposes meant
}

// signs are all signs by their first byte, slips and spellings first.
var signs = signsByByte()

func signsByByte() (table [256][]sign) {
	add := func(s sign) { table[s.text[0]] = append(table[s.text[0]], s) }
	for _, s := range slips {
		add(sign{s.wrong, s.right, true})
	}
	for _, s := range spellings {
		add(s)
	}
	for _, s := range symbols {
		add(sign{text: s, meant: s})
	}
	return table
}

// scanner splits a file into tokens.
type scanner struct {
	file   *src.File
	text   string
	pos    int
	tokens []token
	errs   src.Diagnostics

	comments []Comment
}

// scan lists the tokens and comments of f. It continues after an error, up to maxErrors of them.
// The token at the end of the file is placed directly after the last one, so that errors there are
// not shown on an empty line.
func scan(f *src.File) ([]token, []Comment, src.Diagnostics) {
	bom := len(f.Text) - len(strings.TrimPrefix(f.Text, "\uFEFF"))
	s := &scanner{file: f, text: f.Text, pos: bom}
	for s.pos < len(s.text) && len(s.errs) < maxErrors {
		s.step()
	}
	end := bom
	if n := len(s.tokens); n > 0 {
		end = s.tokens[n-1].end
	}
	return append(s.tokens, token{start: end, end: end}), s.comments, s.errs
}

// step reads one token, comment, blank or error.
func (s *scanner) step() {
	rest := s.text[s.pos:]
	switch c := rest[0]; {
	case isSpace(c):
		s.pos++
	case strings.HasPrefix(rest, "(*"):
		s.comment("*)")
	case strings.HasPrefix(rest, "/*"):
		s.comment("*/")
	case c == '#' || strings.HasPrefix(rest, "//"):
		s.pass(lineLen(rest))
	case c == '"':
		s.string()
	case c == '\'' && nameLen(rest[1:]) > 0:
		s.emit(kindTag, 1+nameLen(rest[1:]))
	case nameLen(rest) > 0:
		s.word(nameLen(rest))
	case isDigit(c) && digits(rest) != "0":
		s.fail(len(digits(rest)), "a number").Hint = "the only number is 0, the empty relation"
	default:
		s.symbol()
	}
}

// emit makes the next n bytes a token.
func (s *scanner) emit(kind kind, n int) {
	s.emitAs(kind, s.text[s.pos:s.pos+n], n)
}

// emitAs makes a token of the given text from the next n bytes.
func (s *scanner) emitAs(kind kind, text string, n int) {
	s.tokens = append(s.tokens, token{kind, text, s.pos, s.pos + n})
	s.pos += n
}

// fail reports that the next n bytes, described by what, are no token. It emits a name in their
// place, so that the parser does not report the gap again.
func (s *scanner) fail(n int, what string) *src.Diagnostic {
	d := s.errs.Errorf(s.file.Span(s.pos, s.pos+n), "expected a word or symbol of the language, found %s", what)
	s.emit(kindName, n)
	return d
}

func (s *scanner) word(n int) {
	kind := kindName
	if _, ok := keywords[s.text[s.pos:s.pos+n]]; ok {
		kind = kindKeyword
	}
	s.emit(kind, n)
}

// comment skips (* … *), inside which comments of the same form nest, or /* … */.
func (s *scanner) comment(closing string) {
	end, closed := src.CommentEnd(s.text, s.pos)
	if !closed {
		s.unclosed(closing)
		return
	}
	s.pass(end - s.pos)
}

// pass makes the next n bytes a comment.
func (s *scanner) pass(n int) {
	text := strings.TrimRight(s.text[s.pos:s.pos+n], " \t\r")
	s.comments = append(s.comments, Comment{text, At(s.file.Span(s.pos, s.pos+len(text)))})
	s.pos += n
}

// unclosed reports a comment that begins here and never ends.
func (s *scanner) unclosed(end string) {
	s.errs.Errorf(s.file.Span(s.pos, s.pos+2), "expected %s to go with this comment, found the end of the file", end)
	s.pos = len(s.text)
}

// string reads a string; one that is not closed ends with its line.
func (s *scanner) string() {
	inside := s.text[s.pos+1:]
	n := strings.IndexAny(inside, "\"\n")
	if n >= 0 && inside[n] == '"' {
		s.emit(kindString, n+2)
		return
	}
	if n < 0 {
		n = len(inside)
	}
	s.errs.Errorf(s.file.Span(s.pos, s.pos+1), `expected " to go with this string, found the end of the line`)
	s.emitAs(kindString, `"`+inside[:n]+`"`, n+1)
}

// symbol reads an operator or bracket, or reports an error. A slip is read as the symbol that was
// meant.
func (s *scanner) symbol() {
	sign := signAt(s.text[s.pos:])
	switch {
	case sign.meant == "":
		s.noise()
		return
	case sign.slip:
		s.errs.Errorf(s.file.Span(s.pos, s.pos+len(sign.text)), "expected %s, found %s", sign.meant, sign.text).
			WithHint("write %s", sign.meant)
	}
	kind := kindSymbol
	if _, ok := keywords[sign.meant]; ok {
		kind = kindKeyword
	}
	s.emitAs(kind, sign.meant, len(sign.text))
}

// noise reports a run of characters that begin no token.
func (s *scanner) noise() {
	rest := s.text[s.pos:]
	n := 0
	for n < len(rest) && (n == 0 || !beginsToken(rest[n:])) {
		_, size := utf8.DecodeRuneInString(rest[n:])
		n += size
	}
	glued := rest[0] == '>' && s.pos > 0 && s.text[s.pos-1] == '-'
	d := s.fail(n, quote(rest[:n]))
	if glued {
		d.Hint = "names may contain -: put a space before ->"
	}
}

// beginsToken reports whether a token, comment or blank may begin rest.
func beginsToken(rest string) bool {
	c := rest[0]
	return isSpace(c) || isLetter(c) || isDigit(c) || c == '"' || c == '#' || c == '/' || signAt(rest).text != ""
}

// signAt returns the sign at the beginning of rest, or the zero sign.
func signAt(rest string) sign {
	for _, sign := range signs[rest[0]] {
		if strings.HasPrefix(rest, sign.text) {
			return sign
		}
	}
	return sign{}
}

// nameLen returns the length of the name at the beginning of text, or 0. A name is
// _?[A-Za-z][A-Za-z0-9_.-]*'?
func nameLen(text string) int {
	n := 0
	if strings.HasPrefix(text, "_") {
		n = 1
	}
	if n == len(text) || !isLetter(text[n]) {
		return 0
	}
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	if n < len(text) && text[n] == '\'' {
		n++
	}
	return n
}

// lineLen returns the number of bytes before the end of the line.
func lineLen(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// digits returns the number at the beginning of text.
func digits(text string) string {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return text[:n]
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '-'
}
