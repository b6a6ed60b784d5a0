package grammar

import (
	"io"
	"slices"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// MaxDepth bounds the nesting of brackets and operators, because parsers recurse for each.
const MaxDepth = 200

// maxTokens bounds the length of a text: a tree takes a thousand times the memory of a token.
const maxTokens = 1 << 17

// Prefixes are the tokens besides brackets on which a parser recurses.
type Prefixes struct {
	// Before are prefix operators: "-", "!". Consecutive ones nest.
	Before []string
	// Around extend to the end of a statement, an argument or a bracket: "==>", "?", "forall".
	Around []string
}

// bounded is a lexer that rejects texts nested deeper than MaxDepth.
type bounded struct {
	lexer.Definition
	operands       []lexer.TokenType // names and literals, which end a run of prefixes
	isWord         func(string) bool // keywords and type words, which look like names
	before, goesOn map[string]bool
}

// bound returns a lexer that rejects texts that nest too deeply, before the parser sees them.
func bound(definition lexer.Definition, p Prefixes, isWord func(string) bool) lexer.Definition {
	b := &bounded{Definition: definition, isWord: isWord, before: map[string]bool{}, goesOn: map[string]bool{}}
	for _, name := range []string{"Ident", "Number", "String", "Char", "Register"} {
		if t, ok := definition.Symbols()[name]; ok {
			b.operands = append(b.operands, t)
		}
	}
	for _, word := range p.Before {
		b.before[word] = true
	}
	for _, word := range p.Around {
		b.goesOn[word] = true
	}
	return b
}

// LexString implements lexer.StringDefinition, which avoids a copy.
func (b *bounded) LexString(name, text string) (lexer.Lexer, error) {
	l, err := b.Definition.(lexer.StringDefinition).LexString(name, text)
	return &depth{Lexer: l, bounded: b, open: []int{0}}, err
}

// Lex implements lexer.Definition.
func (b *bounded) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	l, err := b.Definition.Lex(name, r)
	return &depth{Lexer: l, bounded: b, open: []int{0}}, err
}

// depth counts the nesting depth of tokens.
type depth struct {
	lexer.Lexer
	*bounded
	open   []int // for the text and each open bracket, the number of tokens that extend around the following ones
	around int   // their sum
	tokens int   // so far
	run    int   // brackets and prefixes since the last name
}

// Next implements lexer.Lexer.
func (d *depth) Next() (lexer.Token, error) {
	t, err := d.Lexer.Next()
	if err != nil {
		return t, err
	}
	d.count(t)
	switch d.tokens++; {
	case max(len(d.open)-1+d.around, d.run) > MaxDepth:
		return t, participle.Errorf(t.Pos, "more than %d brackets or operators within each other", MaxDepth)
	case d.tokens > maxTokens:
		return t, participle.Errorf(t.Pos, "more than %d words, numbers, blanks and signs", maxTokens)
	}
	return t, nil
}

func (d *depth) count(t lexer.Token) {
	last := len(d.open) - 1
	switch t.Value {
	case "(", "[", "{":
		d.open = append(d.open, 0)
		d.run++
		return
	case ")", "]", "}":
		if d.leave(); last > 0 {
			d.open = d.open[:last]
		}
		if t.Value == "}" { // it also ends a statement
			d.leave()
		}
		return
	case ";", ",":
		d.leave()
		return
	}
	switch {
	case d.goesOn[t.Value]:
		d.open[last]++
		d.around++
	case d.before[t.Value]:
		d.run++
	case slices.Contains(d.operands, t.Type) && !d.isWord(t.Value):
		d.run = 0
	}
}

// leave resets the innermost bracket.
func (d *depth) leave() {
	last := len(d.open) - 1
	d.around -= d.open[last]
	d.open[last] = 0
}
