package spec

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/internal/language/grammar"
	"github.com/muster-gpu/muster/src"
)

// The types of this file are the grammar: package participle derives the parser from their tags.

// Tree is the position of a part of a contract; offsets count from the start of its text.
type Tree struct {
	Pos    lexer.Position
	EndPos lexer.Position
}

func (t Tree) at(f *src.File) src.Span {
	return f.Span(t.Pos.Offset, max(t.Pos.Offset, t.EndPos.Offset))
}

type (
	file struct {
		Items []*item `parser:"@@*"`
	}

	item struct {
		Function *function `parser:"  @@"`
		Lemma    *lemma    `parser:"| @@"`
		Kernel   *header   `parser:"| @@"`
		Clause   *clause   `parser:"| @@"`
	}

	// function declares an uninterpreted function, which only lemmas constrain.
	function struct {
		Tree
		Type   string   `parser:"'function' @Type"`
		Name   string   `parser:"@Ident"`
		Params []*param `parser:"'(' ( @@ ( ',' @@ )* )? ')' ';'"`
	}

	// lemma is an assumed property of functions, for all values of its parameters.
	lemma struct {
		Tree
		Params []*param `parser:"'lemma' '(' ( @@ ( ',' @@ )* )? ')'"`
		Claim  *expr    `parser:"@@ ';'"`
	}

	// header begins the contract of a kernel, and may give its parameters names and types.
	header struct {
		Tree
		Name    string    `parser:"'kernel' @( Ident | Keyword )"`
		Params  []*param  `parser:"( '(' ( @@ ( ',' @@ )* )? ')' )?"`
		Clauses []*clause `parser:"'{' @@* '}'"`
	}

	param struct {
		Tree
		Type string `parser:"@Type"`
		Name string `parser:"@Ident"`
		Dim  *dim   `parser:"@@?"`
	}

	// dim is the brackets of an array, with the number of its elements.
	dim struct {
		Tree
		Size *expr `parser:"'[' @@? ']'"`
	}

	clause struct {
		Tree
		Array  *array     `parser:"  @@"`
		State  *statement `parser:"| @@"`
		Placed *placed    `parser:"| @@"`
	}

	// array gives the type of a variable of the module: array s32 sum[64] = _ZZ6reduceE3sum;
	array struct {
		Tree
		Type string `parser:"'array' @Type"`
		Name string `parser:"@Ident"`
		Dim  *dim   `parser:"@@"`
		Of   string `parser:"( '=' @Ident )? ';'"`
	}

	statement struct {
		Tree
		Word string `parser:"@( 'requires' | 'ensures' | 'assume' | 'assert' | 'invariant' )"`
		What *expr  `parser:"@@ ';'"`
	}

	// placed are statements about a loop, a barrier or an instruction.
	placed struct {
		Tree
		What  string       `parser:"( @( 'loop' | 'barrier' )"`
		Nth   string       `parser:"  @Number?"`
		Place *place       `parser:"  ( 'at' @@ )?"`
		Point *place       `parser:"| 'at' @@ ) ':'?"`
		List  []*statement `parser:"( '{' @@* '}' | @@ )"`
	}

	// place is a label of the PTX, or a line of the PTX or of its source.
	place struct {
		Tree
		PTX   bool   `parser:"( @'ptx'?"`
		Line  string `parser:"  'line' @Number"`
		File  string `parser:"| @String ':'"`
		Of    string `parser:"  @Number"`
		Label string `parser:"| @Ident )"`
	}

	expr struct {
		Tree
		Quantified *quantified `parser:"  @@"`
		Left       *or         `parser:"| ( @@"`
		Implied    *expr       `parser:"    ( '==>' @@"`
		Then       *expr       `parser:"    | '?' @@"`
		Else       *expr       `parser:"      ':' @@ )? )"`
	}

	// quantified is a formula over all integers from Low on and below High, or over all threads of
	// the block.
	quantified struct {
		Tree
		Word  string   `parser:"@( 'forall' | 'exists' )"`
		Names []string `parser:"@Ident ( ',' @Ident )*"`
		Low   *sum     `parser:"( 'in' @@"`
		High  *sum     `parser:"  '..' @@ )?"`
		Body  *expr    `parser:"':' @@"`
	}

	or struct {
		Tree
		List []*and `parser:"@@ ( '||' @@ )*"`
	}

	// and is a conjunction; ** is the separating conjunction of permissions.
	and struct {
		Tree
		List []*comparison `parser:"@@ ( ( '&&' | '**' ) @@ )*"`
	}

	// comparison is a chain of comparisons: 0 <= i < n.
	comparison struct {
		Tree
		First *bits      `parser:"@@"`
		Rest  []*compare `parser:"@@*"`
	}

	compare struct {
		Op string `parser:"@( '==' | '!=' | '<=' | '>=' | '<' | '>' )"`
		X  *bits  `parser:"@@"`
	}

	bits struct {
		Tree
		First *shift     `parser:"@@"`
		Rest  []*bitwise `parser:"@@*"`
	}

	bitwise struct {
		Op string `parser:"@( '&' | '|' | '^' )"`
		X  *shift `parser:"@@"`
	}

	shift struct {
		Tree
		First *sum     `parser:"@@"`
		Rest  []*shove `parser:"@@*"`
	}

	shove struct {
		Op string `parser:"@( '<<' | '>>' )"`
		X  *sum   `parser:"@@"`
	}

	sum struct {
		Tree
		First *product  `parser:"@@"`
		Rest  []*addend `parser:"@@*"`
	}

	addend struct {
		Op string   `parser:"@( '+' | '-' )"`
		X  *product `parser:"@@"`
	}

	product struct {
		Tree
		First *unary    `parser:"@@"`
		Rest  []*factor `parser:"@@*"`
	}

	factor struct {
		Op string `parser:"@( '*' | '/' | '%' | 'mod' )"`
		X  *unary `parser:"@@"`
	}

	unary struct {
		Tree
		Op   string   `parser:"( @( '-' | '!' | '~' )"`
		X    *unary   `parser:"  @@ )"`
		Of   *primary `parser:"| @@"`
		Axis string   `parser:"  ( '.' @Ident )?"`
	}

	primary struct {
		Tree
		Number   string   `parser:"  @Number"`
		Register string   `parser:"| @Register"`
		Truth    string   `parser:"| @( 'true' | 'false' )"`
		Perm     *perm    `parser:"| @@"`
		Old      *expr    `parser:"| 'old' '(' @@ ')'"`
		Cast     *cast    `parser:"| @@"`
		Element  *element `parser:"| @@"`
		Call     *call    `parser:"| @@"`
		Name     string   `parser:"| @Ident"`
		Grouped  *expr    `parser:"| '(' @@ ')'"`
	}

	// perm is a permission to read or to write an element: perm(A[i], w). Percentages are those of
	// VerCors: 100 writes, less reads.
	perm struct {
		Tree
		Of    *element `parser:"'perm' '(' @@ ','"`
		Right string   `parser:"@( Ident | Number ) ')'"`
	}

	// cast converts a value to a type: u32(x + y).
	cast struct {
		Tree
		Type string `parser:"@Type '('"`
		X    *expr  `parser:"@@ ')'"`
	}

	element struct {
		Tree
		Name  string `parser:"@Ident '['"`
		Index *expr  `parser:"@@ ']'"`
	}

	call struct {
		Tree
		Name string  `parser:"@Ident '('"`
		Args []*expr `parser:"( @@ ( ',' @@ )* )? ')'"`
	}
)

// tokens are the tokens of the lexer. Those that grammar.Options derives from words have no pattern
// here.
var tokens = []lexer.SimpleRule{
	{Name: "Ident", Pattern: `[A-Za-z_$][A-Za-z0-9_$]*`},
	{Name: "Register", Pattern: `%[A-Za-z_$][A-Za-z0-9_$]*`},
	{Name: "Space", Pattern: `[ \t\r\n\f\v]+`},
	{Name: "Comment", Pattern: `//[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/`},
	{Name: "Number", Pattern: `0[xX][0-9a-fA-F]+|[0-9]+`},
	{Name: "String", Pattern: `"[^"\n]*"`},
	{Name: "Operator", Pattern: `==>|==|!=|<=|>=|<<|>>|&&|\|\||\*\*|\.\.`},
	{Name: "Punct", Pattern: `[-=*/%&|^<>!~?:;,.(){}\[\]+]`},
	{Name: "Type", Pattern: `\x00type`},
	{Name: "Keyword", Pattern: `\x00keyword`},
	{Name: "Other", Pattern: `.`},
}

// keywords are the words that cannot be names.
var keywords = map[string]bool{
	"kernel": true, "function": true, "lemma": true, "array": true, "requires": true, "ensures": true, "assume": true,
	"assert":    true,
	"invariant": true, "loop": true, "barrier": true, "forall": true, "exists": true, "perm": true, "old": true,
	"mod": true, "true": true, "false": true,
}

// options returns the options of the parser.
func options() []participle.Option {
	nesting := grammar.Prefixes{Before: []string{"-", "~", "!"}, Around: []string{"==>", "?", "forall", "exists"}}
	return grammar.Options(lexer.MustSimple(tokens), nesting,
		func(word string) bool { return keywords[word] },
		func(word string) bool { return types[word].Bits > 0 })
}
