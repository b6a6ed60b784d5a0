package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// scan returns the kind and the length of the first token of a text that is not empty.
func scan(text string) (kind lexer.TokenType, length int) {
	switch c := text[0]; {
	case letter(c):
		return ident, name(text)
	case blank(c):
		return space, while(text, blank)
	case digit(c):
		return number, numeral(text)
	}
	if n := remark(text); n > 0 {
		return comment, n
	}
	if n := literal(text); n > 0 && text[0] == '"' {
		return quoted, n
	} else if n > 0 {
		return character, n
	}
	for n := min(longest, len(text)); n > 0; n-- {
		if kind, ok := operators[text[:n]]; ok {
			return kind, n
		}
	}
	_, n := utf8.DecodeRuneInString(text)
	return other, n
}

// name returns the length of a name: words joined by ::.
func name(text string) int {
	n := while(text, inWord)
	for {
		rest, ok := strings.CutPrefix(text[n:], "::")
		if !ok || rest == "" || rest[0] == '$' || !letter(rest[0]) {
			return n
		}
		n += len("::") + while(rest, func(c byte) bool { return c != '$' && inWord(c) })
	}
}

// numeral returns the length of a number: hexadecimal or decimal, then a fraction, an exponent or a
// suffix.
func numeral(text string) int {
	n := while(text, digit)
	if hex := text[1:]; text[0] == '0' && (strings.HasPrefix(hex, "x") || strings.HasPrefix(hex, "X")) {
		if digits := while(hex[1:], hexDigit); digits > 0 {
			n = len("0x") + digits
		}
	}
	rest := text[n:]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		n += 1 + while(fraction, digit)
		return n + min(1, while(text[n:], oneOf("fF")))
	}
	if e := min(1, while(rest, oneOf("eE"))); e > 0 {
		signed := e + min(1, while(rest[e:], oneOf("+-")))
		if digits := while(rest[signed:], digit); digits > 0 {
			return n + signed + digits
		}
	}
	return n + while(rest, oneOf("uUlLzZ"))
}

// remark returns the length of the comment or the pragma, which is treated as one, that text begins
// with. It returns 0 if there is no such comment or it does not end.
func remark(text string) int {
	line := func() int { return while(text, func(c byte) bool { return c != '\n' }) } // only where it is asked for: lines may be long
	switch rest, pragma := strings.CutPrefix(text, "#"); {
	case strings.HasPrefix(text, "//"):
		return line()
	case pragma:
		rest = rest[while(rest, oneOf(" \t")):]
		if rest, ok := strings.CutPrefix(rest, "pragma"); ok && (rest == "" || !inWord(rest[0]) || rest[0] == '$') {
			return line()
		}
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return len("/*") + end + len("*/")
		}
	}
	return 0
}

// literal returns the length of the string, or the character in quotes, that text begins with. It
// returns 0 if there is no such literal that ends in its line.
func literal(text string) int {
	quote := text[0]
	if quote != '"' && quote != '\'' {
		return 0
	}
	characters := 0
	for n := 1; n < len(text); characters++ {
		switch text[n] {
		case quote:
			if quote == '\'' && characters != 1 {
				return 0
			}
			return n + 1
		case '\\':
			n++
		}
		if n == len(text) || text[n] == '\n' {
			return 0
		}
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return 0
}

// while returns the number of bytes at the beginning of a text that satisfy is.
func while(text string, is func(byte) bool) int {
	n := 0
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func oneOf(set string) func(byte) bool {
	return func(c byte) bool { return strings.IndexByte(set, c) >= 0 }
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
func inWord(c byte) bool { return letter(c) || digit(c) }
func blank(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' }

func hexDigit(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
