// Package grammar is what muster's participle grammars share: words that tables tell apart, and
// what a parser expected in the words of muster's errors.
package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Options make a parser of tokens that are called Ident, Keyword, Type, Space and Comment, and
// others. The lexer calls every word an Ident; the two functions, which are faster than patterns,
// tell which are keywords and which are the words of types. A text that nests too deeply is refused
// before it is parsed.
func Options(definition lexer.Definition, nesting Prefixes,
	isKeyword, isType func(word string) bool,
) []participle.Option {
	definition = bound(definition, nesting, func(word string) bool { return isKeyword(word) || isType(word) })
	keyword, typeWord := definition.Symbols()["Keyword"], definition.Symbols()["Type"]
	classify := func(t lexer.Token) (lexer.Token, error) {
		switch {
		case isKeyword(t.Value):
			t.Type = keyword
		case isType(t.Value):
			t.Type = typeWord
		}
		return t, nil
	}
	return []participle.Option{
		participle.Lexer(definition),
		participle.Map(classify, "Ident"),
		participle.Elide("Space", "Comment"),
		participle.UseLookahead(3),
	}
}

// Expected returns what a parser says that it expected, first of all, without the notation of its
// grammar. said is how error messages name the parts of the grammar, which are its keys in small
// letters. Where the parser says nothing, it is items: what the text is made of.
func Expected(u *participle.UnexpectedTokenError, said map[string]string, items string) string {
	_, rest, ok := strings.Cut(u.Message(), "(expected ")
	if !ok {
		return items
	}
	first, _, _ := strings.Cut(strings.TrimSuffix(rest, ")"), " ")
	if s, ok := said[strings.ToLower(strings.Trim(first, "<>()?*+!"))]; ok {
		return s
	}
	return strings.Trim(first, `"`)
}
