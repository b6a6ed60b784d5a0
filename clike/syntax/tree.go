// Package syntax is the grammar of the C of litmus tests: the common and the special parts of
// herd's and Dartagnan's tests, OpenCL C and CUDA C++, as far as litmus tests use them.
//
//	ParseParams, ParseBody  the parameters and the body of a thread
//	Params, Body            what they return
//	Stmt                    a statement: If, While, Do, For, Block, Jump, Labeled, Declaration,
//	                        Evaluate, Empty
//	Expr                    an expression
//	Type                    specifiers and pointers
//
// The types are the grammar: package participle makes the parser from their tags (ISO C11, Annex
// A). The grammar does not contain the precedence of binary operators; Expr.Tree applies it.
package syntax

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/src"
)

// Node is the position of a piece of a program. Its offsets count from where the parser began: see
// Source.
type Node struct {
	Pos    lexer.Position
	EndPos lexer.Position
}

// At returns where the node stands in the text that it was read from.
func (n Node) At(s Source) src.Span { return s.between(n.Pos.Offset, n.EndPos.Offset) }

// Source is the text that a tree was read from.
type Source struct{ src.Span }

func (s Source) between(start, end int) src.Span {
	return s.File.Span(s.Start+start, s.Start+max(start, end))
}

// Params is the text within the parentheses of a thread.
type Params struct {
	Source Source   `parser:""`
	List   []*Param `parser:"( @@ ( ',' @@ )* | 'void' )?"`
}

// Param is a parameter of a thread.
type Param struct {
	Node
	Type *Type  `parser:"@@"`
	Name string `parser:"@Ident"`
	Dim  *Dim   `parser:"@@?"`
}

// Dim is the brackets of an array that is declared.
type Dim struct {
	Node
	Size *Expr `parser:"'[' @@? ']'"`
}

// Type is a type: "const volatile unsigned int *", "cuda::atomic<int, cuda::thread_scope_block>".
type Type struct {
	Node
	Specifiers []*Specifier `parser:"@@+"`
	Pointers   []*Pointer   `parser:"@@*"`
}

// Specifier is a word of a type, with the arguments of a template, or the type in _Atomic(type).
type Specifier struct {
	Node
	Word string         `parser:"@Type"`
	Of   *Type          `parser:"( '(' @@ ')' )?"`
	Args []*TemplateArg `parser:"( '<' @@ ( ',' @@ )* '>' )?"`
	// Member is the name of a type within: cuda::barrier<…>::arrival_token.
	Member string `parser:"( ':' ':' @Ident )?"`
}

// TemplateArg is an argument of a template.
type TemplateArg struct {
	Node
	Type *Type  `parser:"  @@"`
	Name string `parser:"| @Ident"`
}

// Pointer is a star of a type, and what may follow it.
type Pointer struct {
	Star       string   `parser:"@( '*' | '&' )"`
	Qualifiers []string `parser:"@Type*"`
}

// Body is the text within the braces of a thread.
type Body struct {
	Source Source `parser:""`
	List   []Stmt `parser:"@@*"`
}

// Stmt is a statement.
type Stmt interface {
	At(Source) src.Span
	stmt()
}

// The statements.
type (
	// Empty is a semicolon.
	Empty struct {
		Node
		Semicolon string `parser:"@';'"`
	}

	// Block is statements in braces.
	Block struct {
		Node
		List []Stmt `parser:"'{' @@* '}'"`
	}

	// If is if (…) … else ….
	If struct {
		Node
		Cond *List `parser:"'if' '(' @@ ')'"`
		Then Stmt  `parser:"@@"`
		Else Stmt  `parser:"( 'else' @@ )?"`
	}

	// While is while (…) ….
	While struct {
		Node
		Cond *List `parser:"'while' '(' @@ ')'"`
		Body Stmt  `parser:"@@"`
	}

	// Do is do … while (…);.
	Do struct {
		Node
		Body Stmt  `parser:"'do' @@"`
		Cond *List `parser:"'while' '(' @@ ')' ';'"`
	}

	// For is for (…; …; …) ….
	For struct {
		Node
		Decl *Declaration `parser:"'for' '(' ( @@ |"`
		Init *List        `parser:"@@? ';' )"`
		Cond *List        `parser:"@@? ';'"`
		Step *List        `parser:"@@? ')'"`
		Body Stmt         `parser:"@@"`
	}

	// Jump is break;, continue; or return;.
	Jump struct {
		Node
		Word  string `parser:"@( 'break' | 'continue' | 'return' )"`
		Value *List  `parser:"@@? ';'"`
	}

	// Goto is goto …;.
	Goto struct {
		Node
		Label string `parser:"'goto' @Ident ';'"`
	}

	// Labeled is a statement with a name: the target of a goto, or a barrier's name in herd's tests
	// for OpenCL.
	Labeled struct {
		Node
		Label string `parser:"@Ident ':'"`
		Stmt  Stmt   `parser:"@@?"` // nil before the end of a block
	}

	// Declaration declares locals. The expressions cuda::atomic_ref<int>(*x) and
	// cuda::atomic_ref{*x} begin like a declaration, so the lookahead excludes them.
	Declaration struct {
		Node
		Type *Type         `parser:"(?! Type ( '<' ( Type | Ident | ',' | '*' )+ '>' )? ( '{' | '(' ( '*' | '&' | Ident ) ) ) @@"`
		List []*Declarator `parser:"@@ ( ',' @@ )* ';'"`
	}

	// Evaluate is an expression as a statement.
	Evaluate struct {
		Node
		List *List `parser:"@@ ';'"`
	}
)

func (*Empty) stmt()       {}
func (*Block) stmt()       {}
func (*If) stmt()          {}
func (*While) stmt()       {}
func (*Do) stmt()          {}
func (*For) stmt()         {}
func (*Jump) stmt()        {}
func (*Goto) stmt()        {}
func (*Labeled) stmt()     {}
func (*Declaration) stmt() {}
func (*Evaluate) stmt()    {}

// Declarator is a name that is declared: "*p = &x", "a(*x)", "a{*x}".
type Declarator struct {
	Node
	Pointers []*Pointer `parser:"@@*"`
	Name     string     `parser:"@Ident"`
	Dim      *Dim       `parser:"@@?"`
	Init     *Expr      `parser:"( '=' @@"`
	Of       []*Expr    `parser:"| '(' @@ ( ',' @@ )* ')' | '{' ( @@ ( ',' @@ )* )? '}' )?"`
}

// List is expressions with commas between them: the last one gives the value.
type List struct {
	Node
	Exprs []*Expr `parser:"@@ ( ',' @@ )*"`
}

// Expr is operands with binary operators between them, and an optional end: ? Then : Else, or an
// assignment, which has one operand on its left. Each structure of a grammar costs time, so the
// levels of precedence have no structures of their own.
type Expr struct {
	Node
	First *Unary  `parser:"@@"`
	Rest  []*Term `parser:"@@*"`
	Then  *List   `parser:"( '?' @@"`
	Else  *Expr   `parser:"  ':' @@"`
	Op    string  `parser:"| @( '=' | AssignOp )"`
	Right *Expr   `parser:"  @@ )?"`
}

// Term is a binary operator and its right operand.
type Term struct {
	Op string `parser:"@( Sign | Infix | Angle )"`
	X  *Unary `parser:"@@"`
}

// Unary is a prefix operator, a cast or a postfix expression.
type Unary struct {
	Node
	Op      string   `parser:"( @( Sign | Prefix | Step )"`
	X       *Unary   `parser:"  @@ )"`
	Cast    *Cast    `parser:"| @@"`
	Postfix *Postfix `parser:"| @@"`
}

// Cast is (Type) X.
type Cast struct {
	Node
	Type *Type  `parser:"'(' @@ ')'"`
	X    *Unary `parser:"@@"`
}

// Postfix is a primary expression and what follows it.
type Postfix struct {
	Node
	Primary  *Primary  `parser:"@@"`
	Suffixes []*Suffix `parser:"@@*"`
}

// Suffix is a call, an index, a member or a step.
type Suffix struct {
	Node
	Call   *Args  `parser:"  @@"`
	Index  *List  `parser:"| '[' @@ ']'"`
	Member string `parser:"| ( '.' | '->' ) @Ident"`
	Step   string `parser:"| @Step"`
}

// Args is the arguments of a call.
type Args struct {
	Node
	List []*Expr `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
}

// Primary is an operand of expressions.
type Primary struct {
	Node
	Name    string   `parser:"  @Ident"`
	Number  string   `parser:"| @Number"`
	Grouped *List    `parser:"| '(' @@ ')'"`
	Make    *Make    `parser:"| @@"`
	Static  *Static  `parser:"| @@"`
	Braced  *Initial `parser:"| @@"`
	Char    string   `parser:"| @Char"`
	String  string   `parser:"| @String"`
}

// Static is static_cast<Type>(X).
type Static struct {
	Node
	Type *Type `parser:"( 'static_cast' | 'reinterpret_cast' ) '<' @@ '>'"`
	X    *List `parser:"'(' @@ ')'"`
}

// Make is Type(…) or Type{…}.
type Make struct {
	Node
	Type *Specifier `parser:"@@"`
	Args []*Expr    `parser:"( '(' ( @@ ( ',' @@ )* )? ')' | '{' ( @@ ( ',' @@ )* )? '}' )"`
}

// Initial is {…}.
type Initial struct {
	Node
	List []*Expr `parser:"'{' ( @@ ( ',' @@ )* )? '}'"`
}
