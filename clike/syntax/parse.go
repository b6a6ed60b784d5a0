package syntax

import (
	"errors"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"

	"github.com/muster-gpu/muster/src"
)

// The parsers are made when the first test needs them: most runs of muster read no C.
var (
	paramsParser = sync.OnceValue(func() *participle.Parser[Params] { return participle.MustBuild[Params](options...) })
	bodyParser   = sync.OnceValue(func() *participle.Parser[Body] { return participle.MustBuild[Body](options...) })
)

// ParseParams reads the parameters of a thread. The error is a *src.Diagnostic.
func ParseParams(at src.Span) (*Params, error) {
	tree, err := paramsParser().ParseString("", at.Text())
	if err != nil {
		return nil, diagnose(at, err, ", or the end of the parameters")
	}
	tree.Source = Source{at}
	return tree, nil
}

// ParseBody reads the body of a thread. The error is a *src.Diagnostic.
func ParseBody(at src.Span) (*Body, error) {
	tree, err := bodyParser().ParseString("", at.Text())
	if err != nil {
		return nil, diagnose(at, err, "a statement")
	}
	tree.Source = Source{at}
	return tree, nil
}

// diagnose says what is wrong in the words of muster's other errors. items is what the text is made of.
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
	if hint, refused := outside[token.Value]; refused {
		return src.Errorf(here, "%s is outside of the C of litmus tests", token.Value).WithHint("%s", hint)
	}
	found := token.Value
	if token.EOF() {
		found = "the end of the thread"
		end := len(strings.TrimRight(at.Text(), " \t\r\n"))
		here = source.between(max(0, end-1), end)
	}
	expected := expectation(unexpected)
	if expected == "" {
		expected = items
	}
	if before, ok := endOfTokenBefore(at.Text(), start); ok && expected == ";" {
		return src.Errorf(source.between(before-1, before), "expected ; after this, found %s", found).
			WithHint("statements and declarations end with a semicolon")
	}
	return src.Errorf(here, "expected %s, found %s", expected, found)
}

// outside is the keywords that the language of litmus tests has not, and what to do instead.
var outside = map[string]string{
	"goto":    "write a loop, or if and else",
	"switch":  "write if and else",
	"case":    "write if and else",
	"default": "write if and else",
	"sizeof":  "write the number of bytes",
	"struct":  "give each member a location of its own",
	"union":   "give each member a location of its own",
	"enum":    "write the numbers",
	"typedef": "write the type",
	"asm":     "a test in PTX says what instructions do",
	"new":     "locations are parameters of the threads",
	"delete":  "locations are parameters of the threads",
}

// expectation is what the parser says that it expected, without the notation of its grammar.
func expectation(u *participle.UnexpectedTokenError) string {
	_, rest, ok := strings.Cut(u.Message(), "(expected ")
	if !ok {
		return ""
	}
	expected := strings.TrimSuffix(rest, ")")
	if first, _, many := strings.Cut(expected, " "); many {
		expected = first
	}
	if said, ok := nonterminals[strings.Trim(expected, "<>()?*+!")]; ok {
		return said
	}
	return strings.Trim(expected, `"`)
}

// nonterminals are the parts of the grammar as error messages name them.
var nonterminals = map[string]string{
	"Stmt": "a statement", "List": "an expression", "Expr": "an expression", "Conditional": "an expression",
	"Binary": "an expression", "Unary": "an expression", "Postfix": "an expression", "Primary": "an expression",
	"Cast": "an expression", "Static": "an expression", "Make": "an expression", "Initial": "an expression",
	"Type": "a type", "type": "a type", "Specifier": "a type", "ident": "a name", "Ident": "a name", "Param": "a parameter",
	"Declarator": "a name", "TemplateArg": "a type or a scope", "number": "a number",
}

// endOfTokenBefore is where the token before an offset ends.
func endOfTokenBefore(text string, offset int) (end int, ok bool) {
	tokens, err := bodyParser().Lex("", strings.NewReader(text))
	if err != nil {
		return 0, false
	}
	space, comment := definition.Symbols()["Space"], definition.Symbols()["Comment"]
	for _, t := range tokens {
		if t.Pos.Offset >= offset {
			break
		}
		if t.Type != space && t.Type != comment {
			end, ok = t.Pos.Offset+len(t.Value), true
		}
	}
	return end, ok
}
