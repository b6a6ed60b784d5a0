package syntax

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/internal/grammar"
)

// definition is the lexer, made when the first test needs it.
var definition = sync.OnceValue(func() *lexer.StatefulDefinition { return lexer.MustStateful(lexer.Rules{"Root": tokens}) })

// tokens are what it knows. Words are one kind here; grammar.Options tells keywords and the words of types
// from names by a table, which is faster than rules of their own.
var tokens = []lexer.Rule{
	{Name: "Ident", Pattern: `[A-Za-z_$][A-Za-z0-9_$]*(?:::[A-Za-z_][A-Za-z0-9_]*)*`},
	{Name: "Space", Pattern: `[ \t\r\n\f\v]+`},
	{Name: "AssignOp", Pattern: `(?:<<|>>|[-+*/%&|^])=`},
	{Name: "Step", Pattern: `\+\+|--`},
	{Name: "Arrow", Pattern: `->`},
	{Name: "Number", Pattern: `(?:0[xX][0-9a-fA-F]+|[0-9]+)(?:\.[0-9]*[fF]?|[eE][-+]?[0-9]+|[uUlLzZ]*)`},
	{Name: "Comment", Pattern: `//[^\n]*|#[ \t]*pragma\b[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/`},
	// Operators by where they may stand, so that the grammar asks for few kinds of tokens.
	{Name: "Infix", Pattern: `<<|>>|<=|>=|==|!=|&&|\|\||[/%|^]`},
	{Name: "Sign", Pattern: `[-+*&]`}, // before an operand, or between two
	{Name: "Prefix", Pattern: `[!~]`},
	{Name: "Angle", Pattern: `[<>]`},
	{Name: "Punct", Pattern: `[=?:;,.(){}\[\]]`},
	{Name: "String", Pattern: `"(?:\\.|[^"\\\n])*"`},
	{Name: "Char", Pattern: `'(?:\\.|[^'\\\n])'`},
	// What is none of these: the Type and Keyword that it makes have no pattern of their own.
	{Name: "Type", Pattern: `\x00type`},
	{Name: "Keyword", Pattern: `\x00keyword`},
	{Name: "Other", Pattern: `.`},
}

// keywords are the words that are no names.
var keywords = wordSet(
	"if", "else", "while", "for", "do", "break", "continue", "return", "static_cast", "reinterpret_cast",
	"goto", "switch", "case", "default", "sizeof", "struct", "union", "class", "enum", "typedef", "using", "template", "decltype",
	"asm", "__asm__", "__asm", "new", "delete",
)

// typeWords are the words that types are made of: types, qualifiers and address spaces of C11, OpenCL C
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
	"std::uint32_t", "std::int32_t", "cuda::std::uint32_t", "cuda::std::int32_t", "std::size_t",
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// options are what the parsers of parameters and of bodies share.
func options() []participle.Option {
	return append(grammar.Options(definition(),
		func(word string) bool { return keywords[word] },
		func(word string) bool { return typeWords[word] }),
		participle.Union[Stmt](
			// The frequent ones are tried first. A block is not taken for an expression in braces, and comes before these.
			&Declaration{}, &Block{}, &Evaluate{}, &If{}, &Empty{}, &While{}, &Do{}, &For{}, &Jump{}, &Goto{}, &Labeled{},
		),
	)
}
