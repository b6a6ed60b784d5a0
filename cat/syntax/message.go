package syntax

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/muster-gpu/muster/src"
)

// unexpected returns the error that the next token is not what was expected. words are the keywords
// that a name there may misspell.
func (p *parser) unexpected(expected string, words ...string) *src.Diagnostic {
	if p.pos == p.exprEnd {
		expected = "an operator or " + expected
	}
	d := src.Errorf(p.span(p.peek()), "expected %s, found %s", expected, describe(p.peek()))
	d.Hint = p.hint(words)
	return d
}

// hint guesses what the author meant at the next token.
func (p *parser) hint(words []string) string {
	tok := p.peek()
	if tok.kind == kindName {
		if h := src.DidYouMean(tok.text, words); h != "" {
			return h
		}
	}
	if h := p.misspelt(words); h != "" {
		return h
	}
	if p.pos != p.exprEnd {
		return ""
	}
	if tok.kind == kindTag {
		return argumentHint
	}
	return operatorHints[tok.text]
}

// misspelt looks for a misspelt keyword before the next token. Such a keyword was read as a name,
// an argument of an expression or part of the header, and causes an error only later in its line.
func (p *parser) misspelt(words []string) string {
	const far = 20 // tokens
	start := p.lineStart(p.pos)
	for i := p.pos - 1; i >= max(start, p.pos-far); i-- {
		if h := p.nearMiss(i, words); h != "" {
			return h
		}
	}
	if start < p.pos {
		return p.nearMiss(start, lineWords)
	}
	return ""
}

// nearMiss returns a hint if token i nearly spells one of the words and stands where an argument
// may.
func (p *parser) nearMiss(i int, words []string) string {
	tok := &p.tokens[i]
	if tok.kind != kindName || i > 0 && !endsOperand(&p.tokens[i-1]) {
		return ""
	}
	near := src.Nearest(tok.text, words)
	if near == "" {
		return ""
	}
	return "did you mean " + near + " in place of " + tok.text + "?"
}

// endsOperand reports whether an argument may follow tok.
func endsOperand(tok *token) bool {
	switch tok.text {
	case ")", "]", "}", "0", "_", "+", "*", "?", "^-1", "end":
		return true
	}
	return tok.kind == kindName || tok.kind == kindTag || tok.kind == kindString
}

const argumentHint = "is an operator missing, or parentheses around an argument?"

// operatorHints are hints for tokens that follow a complete expression.
var operatorHints = map[string]string{
	"=":  "is let or and missing before this definition?",
	"in": "let … in is an expression; the statement let goes without in",
	"||": "the union of relations is written |",
	"&&": "the intersection of relations is written &",
	",":  "a tuple stands in parentheses",
	"(":  "is an operator missing, such as ; for the sequence?",
	"[":  "is an operator missing, such as ; for the sequence?",
	"{":  "is an operator missing?",
	"0":  argumentHint,
	"_":  argumentHint,
}

// statementWords are the keywords that start statements, lineWords those that start lines.
var (
	statementWords = startingWords()
	lineWords      = append(slices.Clone(statementWords), "and")
)

func startingWords() []string {
	var words []string
	for word, starts := range keywords {
		if starts != startsNothing {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// describe names a token in an error.
func describe(tok *token) string {
	switch tok.kind {
	case kindEOF:
		return "the end of the file"
	case kindSymbol:
		return cut(tok.text)
	}
	return "the " + kindWords[tok.kind] + " " + cut(tok.text)
}

// kindWords name the kinds of words in errors.
var kindWords = map[kind]string{
	kindName: "name", kindTag: "tag", kindString: "string", kindKeyword: "keyword",
}

// quote quotes text that is not a token.
func quote(text string) string { return strconv.Quote(cut(text)) }

// cut shortens text for an error.
func cut(text string) string {
	const width = 40
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width]) + "…"
}

// errorAt returns an error at a node.
func errorAt(n Node, message string) *src.Diagnostic { return src.Errorf(n.Span(), "%s", message) }

// tooDeep returns the error that the next token exceeds the nesting limit.
func (p *parser) tooDeep() *src.Diagnostic {
	return src.Errorf(p.span(p.peek()), "expected at most %d brackets, expressions or statements inside each other",
		maxDepth)
}
