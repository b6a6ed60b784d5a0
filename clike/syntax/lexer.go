package syntax

import (
	"io"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/internal/language/grammar"
)

// definition is the lexer for participle. It is written by hand: a participle lexer of regular
// expressions adds 30 KB to the engine of the web page.
type definition struct{}

// The kinds of tokens, as the grammar names them. The lexer has one kind of words; grammar.Options
// tells keywords and words of types from names by a table. Operators have one kind for each
// position, so that the grammar needs few kinds of tokens.
const (
	ident lexer.TokenType = lexer.EOF - 1 - iota
	space
	comment
	number
	quoted
	character
	assignOp
	step
	arrow
	infix
	sign // before an operand, or between two
	prefix
	angle
	punct
	typeWord
	keyword
	other
)

var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Ident": ident, "Space": space, "Comment": comment, "Number": number, "String": quoted, "Char": character,
	"AssignOp": assignOp, "Step": step, "Arrow": arrow, "Infix": infix, "Sign": sign, "Prefix": prefix, "Angle": angle, "Punct": punct,
	"Type": typeWord, "Keyword": keyword, "Other": other,
}

// operators are the tokens of fixed spelling, by spelling. longest is the size of the longest, in
// bytes.
var operators = spelled(map[lexer.TokenType]string{
	assignOp: "<<= >>= += -= *= /= %= &= |= ^=",
	step:     "++ --",
	arrow:    "->",
	infix:    "<< >> <= >= == != && || / % | ^",
	sign:     "- + * &",
	prefix:   "! ~",
	angle:    "< >",
	punct:    "= ? : ; , . ( ) { } [ ]",
})

const longest = 3

func spelled(lists map[lexer.TokenType]string) map[string]lexer.TokenType {
	all := map[string]lexer.TokenType{}
	for kind, list := range lists {
		for _, spelling := range strings.Fields(list) {
			all[spelling] = kind
		}
	}
	return all
}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (d definition) Lex(name string, from io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	return d.LexString(name, string(text))
}

func (definition) LexString(name, text string) (lexer.Lexer, error) {
	return &tokens{text, lexer.Position{Filename: name, Line: 1, Column: 1}}, nil
}

// tokens are the tokens of a text from a position on.
type tokens struct {
	text string
	pos  lexer.Position
}

func (t *tokens) Next() (lexer.Token, error) {
	rest := t.text[t.pos.Offset:]
	if rest == "" {
		return lexer.EOFToken(t.pos), nil
	}
	kind, n := scan(rest)
	token := lexer.Token{Type: kind, Value: rest[:n], Pos: t.pos}
	t.pos.Advance(token.Value)
	return token, nil
}

// keywords are the words that are no names.
var keywords = wordSet(
	"if", "else", "while", "for", "do", "break", "continue", "return", "static_cast", "reinterpret_cast",
	"goto", "switch", "case", "default", "sizeof", "struct", "union", "class", "enum", "typedef", "using", "template", "decltype",
	"asm", "__asm__", "__asm", "new", "delete",
)

// typeWords are the words that form types: types, qualifiers and address spaces of C11, OpenCL C
// and CUDA C++.
var typeWords = wordSet(
	"void", "bool", "_Bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "half", "auto",
	"size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "uchar", "ushort", "uint", "ulong",
	"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
	"atomic_bool", "atomic_char", "atomic_schar", "atomic_uchar", "atomic_short", "atomic_ushort", "atomic_int", "atomic_uint",
	"atomic_long", "atomic_ulong", "atomic_llong", "atomic_ullong", "atomic_size_t", "atomic_ptrdiff_t",
	"atomic_intptr_t", "atomic_uintptr_t", "atomic_flag", "_Atomic", "atomic_t",
	"atomic_int8_t", "atomic_int16_t", "atomic_int32_t", "atomic_int64_t",
	"atomic_uint8_t", "atomic_uint16_t", "atomic_uint32_t", "atomic_uint64_t",
	"mutex", "mtx_t", "pthread_mutex_t", "spinlock_t",
	"const", "volatile", "restrict", "__restrict", "__restrict__", "register", "static", "extern", "inline", "constexpr",
	"__volatile__", "__const",
	"global", "__global", "local", "__local", "constant", "__constant", "private", "__private", "generic", "__generic",
	"global_fga", "__global_fga",
	"__shared__", "__device__", "__constant__", "__managed__", "__global__",
	"cuda::atomic", "cuda::atomic_ref", "cuda::barrier", "cuda::std::atomic", "cuda::std::atomic_ref", "cuda::std::barrier",
	"std::atomic", "std::atomic_ref", "std::barrier", "cuda::std::atomic_int", "std::atomic_int", "std::atomic_bool",
	"cooperative_groups::thread_block", "cooperative_groups::cluster_group", "cooperative_groups::grid_group",
	"cg::thread_block", "cg::cluster_group", "cg::grid_group",
	"std::uint32_t", "std::int32_t", "cuda::std::uint32_t", "cuda::std::int32_t", "std::size_t",
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// options returns what the parsers of parameters and of bodies share.
func options() []participle.Option {
	nesting := grammar.Prefixes{
		Before: strings.Fields("- + * & ! ~ ++ -- <"),
		Around: append(strings.Fields("? = if else while for do"), strings.Fields("<<= >>= += -= *= /= %= &= |= ^=")...),
	}
	return append(grammar.Options(definition{}, nesting,
		func(word string) bool { return keywords[word] },
		func(word string) bool { return typeWords[word] }),
		participle.Union[Stmt](
			// The frequent ones are tried first. Block comes before Evaluate, which would take it
			// for an expression in braces.
			&Declaration{}, &Block{}, &Evaluate{}, &If{}, &Empty{}, &While{}, &Do{}, &For{}, &Jump{}, &Goto{}, &Labeled{},
		),
	)
}
