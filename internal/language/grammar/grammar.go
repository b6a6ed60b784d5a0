// Package grammar is shared by muster's participle grammars: words that tables classify, and a
// parser's expectations in the words of muster's errors.
package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Options returns the options of a parser with tokens named Ident, Keyword, Type, Space and
// Comment, among others. The lexer reads every word as an Ident; the two functions, which are
// faster than patterns, then classify keywords and type words. Texts that nest too deeply are
// rejected before parsing.
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

// Expected returns the first thing that a parser expected, without grammar notation. said maps
// parts of the grammar, in lower case, to their names in error messages. items names what the text
// consists of, for errors without an expectation.
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
