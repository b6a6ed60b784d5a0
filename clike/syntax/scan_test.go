package syntax

import (
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// patterns say what tokens are, as regular expressions: those of the first that matches.
var patterns = []lexer.Rule{
	{Name: "Ident", Pattern: `[A-Za-z_$][A-Za-z0-9_$]*(?:::[A-Za-z_][A-Za-z0-9_]*)*`},
	{Name: "Space", Pattern: `[ \t\r\n\f\v]+`},
	{Name: "AssignOp", Pattern: `(?:<<|>>|[-+*/%&|^])=`},
	{Name: "Step", Pattern: `\+\+|--`},
	{Name: "Arrow", Pattern: `->`},
	{Name: "Number", Pattern: `(?:0[xX][0-9a-fA-F]+|[0-9]+)(?:\.[0-9]*[fF]?|[eE][-+]?[0-9]+|[uUlLzZ]*)`},
	{Name: "Comment", Pattern: `//[^\n]*|#[ \t]*pragma\b[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/`},
	{Name: "Infix", Pattern: `<<|>>|<=|>=|==|!=|&&|\|\||[/%|^]`},
	{Name: "Sign", Pattern: `[-+*&]`},
	{Name: "Prefix", Pattern: `[!~]`},
	{Name: "Angle", Pattern: `[<>]`},
	{Name: "Punct", Pattern: `[=?:;,.(){}\[\]]`},
	{Name: "String", Pattern: `"(?:\\.|[^"\\\n])*"`},
	{Name: "Char", Pattern: `'(?:\\.|[^'\\\n])'`},
	{Name: "Other", Pattern: `.`},
}

// TestTokens: the scanner finds what the regular expressions find, in any text.
func TestTokens(t *testing.T) {
	slow := lexer.MustStateful(lexer.Rules{"Root": patterns})
	names := lexer.SymbolsByRune(slow)
	fast := lexer.SymbolsByRune(definition{})
	bits := append(strings.Split("atomic_int|$x|std::|::|:|0|0x|1F|9|.|e|E|f|u|LL|+|-|*|/|&&|<<|>>=|=|!|#|pragma| |\t|\r\n|\n|/*|*/|**/|//|'|\"|\\|é|@|`|~|(|];|\x00|\xff", "|"), "|", "||", "|=")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(bits)).Draw(t, "text"), "")
		var want, got []string
		wanted, err := slow.LexString("", text)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := definition{}.LexString("", text)
		collect := func(from lexer.Lexer, names map[lexer.TokenType]string) (all []string) {
			for {
				token, err := from.Next()
				if err != nil {
					t.Fatal(err)
				}
				if all = append(all, names[token.Type]+" "+token.Value+token.Pos.String()); token.EOF() {
					return all
				}
			}
		}
		want, got = collect(wanted, names), collect(found, fast)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	})
}
