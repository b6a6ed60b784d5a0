package spec

import (
	"errors"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"

	"github.com/muster-gpu/muster/internal/language/grammar"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// parser is built on first use: most runs of muster read no contract.
var parser = sync.OnceValue(func() *participle.Parser[file] { return participle.MustBuild[file](options()...) })

// committed is a parser without backtracking. Where the other only says that it cannot read a
// statement, this one says which part of it is wrong. It accepts less, but is only asked about
// texts with errors.
var committed = sync.OnceValue(func() *participle.Parser[file] {
	return participle.MustBuild[file](append(options(), participle.UseLookahead(1))...)
})

// Text is contracts that have been read but not bound to a module.
type Text struct {
	src   *src.File
	items []*item
	next  bool // the text is comments: clauses without a place are about the next instruction
}

// Read reads a sidecar of contracts. The error is a *src.Diagnostic.
func Read(f *src.File) (*Text, error) { return read(f, f.Text, false) }

// Comments reads the contracts in the comments of a module, which begin with //@. It returns nil if
// no comment has a contract.
func Comments(m *kernel.Module) (*Text, error) {
	text, found := comments(m.Text)
	if !found {
		return nil, nil
	}
	return read(m.File, text, true)
}

// read reads contracts in a text that has the offsets of a file.
func read(f *src.File, text string, next bool) (*Text, error) {
	tree, err := parser().ParseString("", text)
	if err != nil {
		if _, further := committed().ParseString("", text); offset(further) > offset(err) {
			err = further
		}
		return nil, diagnose(f, text, err)
	}
	return &Text{f, tree.Items, next}, nil
}

// comments returns a module with everything but its //@ comments replaced by spaces.
func comments(module string) (text string, found bool) {
	if !strings.Contains(module, "//@") {
		return "", false // avoids copying a large text
	}
	all := []byte(module)
	inside := false
	for i := range all {
		switch {
		case all[i] == '\n':
			inside = false
			continue
		case !inside && strings.HasPrefix(module[i:], "//@"):
			inside, found = true, true
			copy(all[i:], "   ")
			continue
		}
		if !inside || strings.HasPrefix(module[max(0, i-2):], "//@") || strings.HasPrefix(module[max(0, i-1):], "/@") {
			all[i] = ' '
		}
	}
	return string(all), found
}

// offset returns the offset of a syntax error, or -1.
func offset(err error) int {
	var wrong participle.Error
	if !errors.As(err, &wrong) {
		return -1
	}
	return wrong.Position().Offset
}

// diagnose turns a syntax error of participle into a diagnostic in muster's words.
func diagnose(f *src.File, text string, err error) *src.Diagnostic {
	var wrong participle.Error
	if !errors.As(err, &wrong) {
		return src.Errorf(f.Span(0, 0), "%v", err)
	}
	start := wrong.Position().Offset
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return src.Errorf(f.Span(start, min(start+1, len(text))), "%s", wrong.Message())
	}
	token := unexpected.Unexpected
	found, here := token.Value, f.Span(start, start+len(token.Value))
	if token.EOF() {
		found = "the end of the contract"
		end := len(strings.TrimRight(text, " \t\r\n"))
		here = f.Span(max(0, end-1), end)
	}
	expected := grammar.Expected(unexpected, nonterminals, nonterminals["clause"])
	d := src.Errorf(here, "expected %s, found %s", expected, found)
	switch before := strings.TrimRight(text[:min(start, len(text))], " \t\r\n"); {
	case token.Value == "=" && strings.HasPrefix(text[start:], "=>"):
		return d.WithHint("what one condition has another follow from is written ==>")
	case token.Value == "=":
		return d.WithHint("two values are compared by ==")
	case strings.HasPrefix(token.Value, "%"):
		return d.WithHint("%s", space)
	case expected == ";" && (infix[token.Value] || operators[token.Value] != 0):
		return src.Errorf(here, "expected a value on either side of %s", found)
	case expected == ";" && before != "":
		return src.Errorf(f.Span(len(before)-1, len(before)), "expected ; after this, found %s",
			found).WithHint("statements end with a semicolon")
	}
	if hint := src.DidYouMean(token.Value, starts); hint != "" && !token.EOF() {
		d = d.WithHint("%s", hint)
	}
	return d
}

// space is the hint that distinguishes a register, %r1, from a remainder.
const space = "with a space after it, % is the remainder"

// starts are the words that statements begin with.
var starts = []string{
	"kernel", "function", "lemma", "array", "requires", "ensures", "assume", "assert", "invariant", "loop", "barrier",
	"at",
}

// infix are the symbols between two values that are not arithmetic operators.
var infix = map[string]bool{
	"==": true, "!=": true, "<=": true, ">=": true, "<": true, ">": true, "&&": true, "||": true, "**": true,
	"==>": true, "?": true,
}

// nonterminals are the parts of the grammar as error messages name them.
var nonterminals = map[string]string{
	"expr": "an expression", "quantified": "an expression", "or": "an expression", "and": "an expression",
	"comparison": "an expression",
	"bits":       "an expression", "shift": "an expression", "sum": "an expression", "product": "an expression",
	"unary": "an expression", "primary": "an expression",
	"element": "an element of an array", "type": "a type, such as u32", "ident": "a name",
	"param": "a parameter, such as u32 n", "dim": "[",
	"statement": "requires, ensures, assume, assert or invariant", "place": "a label, or line and a number",
	"number": "a number",
	"clause": "a clause: requires, ensures, assume, assert, invariant, loop, barrier, array",
}
