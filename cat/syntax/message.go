package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/src"
)

// unexpected is the error at token i, where something else was expected. Words are
// what a name there may be a misspelling of.
func (p *parser) unexpected(i int, expected string, words ...string) *src.Diagnostic {
	tok := &p.tokens[i]
	d := src.Errorf(p.span(tok), "expected %s, found %s", expected, describe(tok))
	d.Hint = p.hint(i, words)
	return d
}

// orOperator adds to what is expected at token i that an expression may also go on
// there.
func (p *parser) orOperator(i int, expected string) string {
	if i == p.exprEnd {
		return "an operator or " + expected
	}
	return expected
}

// hint guesses what the writer meant at token i.
func (p *parser) hint(i int, words []string) string {
	if p.tokens[i].Type == kindName {
		if h := src.DidYouMean(p.tokens[i].Value, words); h != "" {
			return h
		}
	}
	if h := p.misspelt(i, words); h != "" {
		return h
	}
	if i != p.exprEnd {
		return ""
	}
	if p.tokens[i].Type == kindTag {
		return argumentHint
	}
	return operatorHints[p.tokens[i].Value]
}

// misspelt looks for a misspelt keyword before token i. It was read as a name, as one
// more argument of an expression or in the header, and shows only later in its line.
func (p *parser) misspelt(i int, words []string) string {
	const far = 20 // tokens
	start := p.lineStart(i)
	for j := i - 1; j >= max(start, i-far); j-- {
		if h := p.nearMiss(j, words); h != "" {
			return h
		}
	}
	if start < i {
		return p.nearMiss(start, lineWords)
	}
	return ""
}

// nearMiss is a hint if token i is nearly one of the words and stands where an
// argument may.
func (p *parser) nearMiss(i int, words []string) string {
	tok := &p.tokens[i]
	if tok.Type != kindName || i > 0 && !endsOperand(&p.tokens[i-1]) {
		return ""
	}
	near := src.Nearest(tok.Value, words)
	if near == "" {
		return ""
	}
	return "did you mean " + near + " in place of " + tok.Value + "?"
}

// endsOperand reports whether an argument may follow tok.
func endsOperand(tok *lexer.Token) bool {
	switch tok.Value {
	case ")", "]", "}", "0", "_", "+", "*", "?", "^-1", "end":
		return true
	}
	return tok.Type == kindName || tok.Type == kindTag || tok.Type == kindString
}

const argumentHint = "is an operator missing, or parentheses around an argument?"

// operatorHints are for what stands where an expression is complete.
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

// statementWords are the keywords that start statements; lineWords are those that
// start lines.
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
func describe(tok *lexer.Token) string {
	if tok.EOF() {
		return "the end of the file"
	}
	return kindWords[tok.Type] + cut(tok.Value)
}

// kindWords introduce tokens in errors.
var kindWords = map[lexer.TokenType]string{
	kindName: "the name ", kindTag: "the tag ", kindString: "the string ", kindKeyword: "the keyword ",
}

// quote shows text that is no token.
func quote(text string) string { return strconv.Quote(cut(text)) }

// cut shortens text for an error.
func cut(text string) string {
	const width = 40
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width]) + "…"
}

// Participle says what it expected as EBNF of the rest of the statement. The first
// term of it is what is missing: a production, or alternatives in parentheses.
var (
	ebnfTerm  = `(?:"[^"]*"|<\w+>|\w+)`
	ebnfFirst = regexp.MustCompile(`^\(?` + ebnfTerm + `(?: \| ` + ebnfTerm + `)*`)
	ebnfTerms = regexp.MustCompile(ebnfTerm)
)

// ebnfWords puts the names of EBNF into words.
var ebnfWords = map[string]string{
	"<name>": "a name", "<tag>": "a tag", "<string>": "a string", "ClauseForm": "a tag or _",
}

// expectation says what participle expected, and which of it are words.
func expectation(u *participle.UnexpectedTokenError) (text string, words []string) {
	const marker = "(expected "
	msg := u.Message()
	ebnf := msg[strings.LastIndex(msg, marker)+len(marker):]
	terms := ebnfTerms.FindAllString(ebnfFirst.FindString(ebnf), -1)
	for i, term := range terms {
		if literal, err := strconv.Unquote(term); err == nil {
			terms[i] = literal
			words = append(words, literal)
		} else {
			terms[i] = ebnfWords[term]
		}
	}
	return either(terms), words
}

// either lists alternatives: a, b or c.
func either(terms []string) string {
	last := len(terms) - 1
	if last < 1 {
		return strings.Join(terms, "")
	}
	return strings.Join(terms[:last], ", ") + " or " + terms[last]
}

// errorAt is an error at a node.
func errorAt(n Node, message string) *src.Diagnostic { return src.Errorf(n.Span(), "%s", message) }

// unclosed is the error that what closes the token open did not come.
func (p *parser) unclosed(open *lexer.Token, closing string, found *lexer.Token) *src.Diagnostic {
	return src.Errorf(p.span(open), "expected %s to go with this %s, found %s", closing, open.Value, describe(found))
}

// tooDeep is the error at tok that one thing more inside the others would be too much.
func (p *parser) tooDeep(tok *lexer.Token) *src.Diagnostic {
	return src.Errorf(p.span(tok), "expected at most %d brackets, expressions or statements inside each other", maxDepth)
}

// notLast is the error that other clauses follow the one for _.
func notLast(clause Node) *src.Diagnostic {
	return errorAt(clause, "expected the clause for _ to be the last")
}
