package syntax

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/internal/language/grammar"
	"github.com/muster-gpu/muster/src"
)

// The parsers are made when the first test needs them: most runs of muster read no C.
var (
	paramsParser = sync.OnceValue(func() *participle.Parser[Params] { return participle.MustBuild[Params](options()...) })
	bodyParser   = sync.OnceValue(func() *participle.Parser[Body] { return participle.MustBuild[Body](options()...) })
)

// ParseParams reads the parameters of a thread. The error is a *src.Diagnostic.
func ParseParams(at src.Span) (*Params, error) {
	tree, err := paramsParser().ParseString("", at.Text())
	if err != nil {
		return nil, diagnose(at, err, parameters)
	}
	tree.Source = Source{at}
	return tree, nil
}

// ParseBody reads the body of a thread. The error is a *src.Diagnostic.
func ParseBody(at src.Span) (*Body, error) {
	tree, err := bodyParser().ParseString("", at.Text())
	if err != nil {
		return nil, diagnose(at, err, statements)
	}
	tree.Source = Source{at}
	return tree, nil
}

// MovedTo returns the parameters as they stand in another text that says the same.
func (p Params) MovedTo(at src.Span) *Params {
	p.Source = Source{at}
	return &p
}

// MovedTo returns the body as it stands in another text that says the same.
func (b Body) MovedTo(at src.Span) *Body {
	b.Source = Source{at}
	return &b
}

// What the texts are made of, as error messages say it.
const (
	parameters = ", or the end of the parameters"
	statements = "a statement"
)

// diagnose turns an error of the parser into a diagnostic in the style of muster's other errors.
// items names the parts of the text.
func diagnose(at src.Span, err error, items string) *src.Diagnostic {
	source := Source{at}
	var wrong participle.Error
	if !errors.As(err, &wrong) {
		return src.Errorf(at, "%v", err)
	}
	start := wrong.Position().Offset
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return src.Errorf(source.between(start, start+1), "%s", wrong.Message())
	}
	token := unexpected.Unexpected
	here := source.between(start, start+len(token.Value))
	if hint, refused := Outside(token.Value); refused {
		return src.Errorf(here, "%s is outside of the C of litmus tests", token.Value).WithHint("%s", hint)
	}
	if d := unknownType(source, token, items); d != nil {
		return d
	}
	found := token.Value
	if token.EOF() {
		found = "the end of the thread"
		end := len(strings.TrimRight(at.Text(), " \t\r\n"))
		here = source.between(max(0, end-1), end)
	}
	expected := grammar.Expected(unexpected, nonterminals, items)
	if before, ok := endOfTokenBefore(at.Text(), start); ok && expected == ";" {
		return src.Errorf(source.between(before-1, before), "expected ; after this, found %s", found).
			WithHint("statements and declarations end with a semicolon")
	}
	return src.Errorf(here, "expected %s, found %s", expected, found)
}

// unknownType returns the diagnostic for a name in place of a type: at the beginning of a
// parameter, or before the star or the name that is declared. The parser fails at the token after
// it.
func unknownType(source Source, unexpected lexer.Token, items string) *src.Diagnostic {
	before := tokensBefore(source.Text(), unexpected.Pos.Offset)
	last := func(i int) lexer.Token {
		if i > len(before) {
			return lexer.Token{Value: ";"} // the text begins here
		}
		return before[len(before)-i]
	}
	word := last(1)
	switch inBody := items == statements; {
	case inBody && unexpected.Type == ident && strings.Contains(";{})", last(2).Value):
	case !inBody && unexpected.Value == "*":
	case !inBody && strings.Contains(";,", last(1).Value):
		word = unexpected
	default:
		return nil
	}
	if word.Type != ident {
		return nil
	}
	at := source.between(word.Pos.Offset, word.Pos.Offset+len(word.Value))
	if hint, refused := Outside(word.Value); refused {
		return src.Errorf(at, "%s is outside of the C of litmus tests", word.Value).WithHint("%s", hint)
	}
	d := src.Errorf(at, "unknown type %s", word.Value)
	d.Hint = src.DidYouMean(word.Value, slices.Sorted(maps.Keys(typeWords)))
	return d
}

// nonterminals are the parts of the grammar as error messages name them.
var nonterminals = map[string]string{
	"stmt": "a statement", "list": "an expression", "expr": "an expression", "unary": "an expression", "postfix": "an expression", "primary": "an expression",
	"cast": "an expression", "static": "an expression", "make": "an expression", "initial": "an expression",
	"type": "a type", "specifier": "a type", "ident": "a name", "param": "a parameter",
	"declarator": "a name", "templatearg": "a type or a scope", "number": "a number",
}

// endOfTokenBefore returns where the token before an offset ends.
func endOfTokenBefore(text string, offset int) (end int, ok bool) {
	tokens := tokensBefore(text, offset)
	if len(tokens) == 0 {
		return 0, false
	}
	last := tokens[len(tokens)-1]
	return last.Pos.Offset + len(last.Value), true
}

// tokensBefore returns the tokens before an offset, without comments.
func tokensBefore(text string, offset int) (before []lexer.Token) {
	tokens, err := bodyParser().Lex("", strings.NewReader(text))
	if err != nil {
		return nil
	}
	for _, t := range tokens {
		if t.Pos.Offset < offset && t.Type != space && t.Type != comment {
			before = append(before, t)
		}
	}
	return before
}
