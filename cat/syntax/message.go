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

// misspelt looks for a misspelt keyword before token i. It was read as a name,
// mostly as one more argument of an expression, and shows only later in its line.
func (p *parser) misspelt(i int, words []string) string {
	start := p.lineStart(i)
	for j := i - 1; j >= start; j-- {
		tok := &p.tokens[j]
		if tok.Type != kindName {
			continue
		}
		if j == start {
			words = lineWords
		}
		if near := src.Nearest(tok.Value, words); near != "" {
			return "did you mean " + near + " in place of " + tok.Value + "?"
		}
	}
	return ""
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
	kind := map[lexer.TokenType]string{
		kindName: "the name ", kindTag: "the tag ", kindString: "the string ", kindKeyword: "the keyword ",
	}[tok.Type]
	return kind + cut(tok.Value)
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

// productions puts the names of EBNF into words.
var productions = map[string]string{
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
			terms[i] = productions[term]
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
func unclosed(at src.Span, open *lexer.Token, closing string, found *lexer.Token) *src.Diagnostic {
	return src.Errorf(at, "expected %s to go with this %s, found %s", closing, open.Value, describe(found))
}

// tooDeep is the error at tok that one thing more inside the others would be too much.
func (p *parser) tooDeep(tok *lexer.Token) *src.Diagnostic {
	return src.Errorf(p.span(tok), "expected at most %d brackets, expressions or statements inside each other", maxDepth)
}

// notLast is the error that other clauses follow the one for _.
func notLast(clause Node) *src.Diagnostic {
	return errorAt(clause, "expected the clause for _ to be the last")
}
