// Package syntax reads and prints .cat, the language of axiomatic memory models
// (Alglave, Cousot, Maranget: "Syntax and semantics of the weak consistency model
// specification language cat", 2016; the herd7 manual).
//
//	File   a parsed model: a header and statements
//	Stmt   an instruction: Let, Check, Include, …
//	Expr   an expression over events, sets, relations, tags and functions
//	Cond   the condition of an if
//	Pat    a pattern: a name or a tuple of patterns
//
// Text → tokens (lexer.go) → statements (stmt.go, by recursive descent) with
// expressions (expr.go, a Pratt parser) → text again (print.go, comments.go). The package knows
// the shape of the language only: what a name means is the business of package
// cat.
package syntax

import "github.com/muster-gpu/muster/src"

// File is a parsed .cat file.
type File struct {
	Source *src.File
	Arch   string // optional first name of the header, e.g. "PTX"; may be empty
	Title  string // optional name or string of the header; may be empty
	Catdep bool   // the header says catdep: dependencies are computed by the model
	Stmts  []Stmt

	Comments                  []Comment // in the order of the text
	ArchAt, TitleAt, CatdepAt At
}

// Node is any part of the tree.
type Node interface {
	Span() src.Span
}

// At is the position of a node in the source. Nodes embed it.
type At src.Span

// Span returns the position of the node.
func (a At) Span() src.Span { return src.Span(a) }

// Name is an identifier.
type Name struct {
	Text string
	At
}

// Stmt is an instruction.
type Stmt interface {
	Node
	stmt()
}

// The instructions.
type (
	// LetStmt is let p = e and …, or let rec … when test.
	LetStmt struct {
		Rec      bool
		Bindings []*Binding
		When     *Check // only with Rec; nil if absent
		At
	}

	// Check is [~]acyclic|irreflexive|empty e [as n] in one of its roles.
	Check struct {
		Role    Role
		Negated bool
		Test    Test
		X       Expr
		As      *Name // nil if the check has no name
		At
	}

	// ProcStmt is procedure [rec] p(args) = … end.
	ProcStmt struct {
		Rec   bool
		Name  Name
		Param Pat
		Body  []Stmt
		At
	}

	// CallStmt is call p(args) [as n].
	CallStmt struct {
		Name Name
		Arg  Expr
		As   *Name
		At
	}

	// ForallStmt is forall x in S do … end.
	ForallStmt struct {
		Var  Name
		In   Expr
		Body []Stmt
		At
	}

	// WithStmt is with x from S: a choice of the model.
	WithStmt struct {
		Var  Name
		From Expr
		At
	}

	// MatchStmt is match e with || 'a -> … || _ -> … end over statements.
	MatchStmt struct {
		X       Expr
		Clauses []*StmtClause
		At
	}

	// IfStmt is if c … else … end over statements (then is optional).
	IfStmt struct {
		Cond   Cond
		Then   []Stmt
		Else   []Stmt
		ElseAt At // the word else; invalid if absent
		At
	}

	// ShowStmt is show e as n, or show a, b, …; each item has a name.
	ShowStmt struct {
		Items []*ShowItem
		At
	}

	// UnshowStmt is unshow a, b, ….
	UnshowStmt struct {
		Names []Name
		At
	}

	// IncludeStmt is include "file".
	IncludeStmt struct {
		Path Name // without its quotes
		At
	}

	// EnumStmt is enum T = 'a || 'b.
	EnumStmt struct {
		Name Name
		Tags []Name // without their quotes
		At
	}

	// BellStmt is one of Bell's declarations: instructions R[S,…], events R[S,…] or
	// default R[S,…].
	BellStmt struct {
		Keyword string // "instructions", "events" or "default"
		Name    Name
		Args    []Expr
		At
	}

	// DebugStmt is debug e.
	DebugStmt struct {
		X Expr
		At
	}
)

// Role tells what the result of a check leads to.
type Role uint8

// The roles of a check.
const (
	Require         Role = iota // failure rejects the candidate
	Flag                        // success records the flag
	UndefinedUnless             // failure makes the verdict Undef
	Assert                      // failure is an error of the model
)

// Test is the property that a check asks for.
type Test uint8

// The tests.
const (
	Acyclic Test = iota
	Irreflexive
	IsEmpty
)

func (t Test) String() string { return [...]string{"acyclic", "irreflexive", "empty"}[t] }

// Binding is p = e, or f(x, y) = e.
type Binding struct {
	Pat   Pat
	Param Pat // nil unless the binding defines a function; then Pat is its name
	Body  Expr
	At
}

// StmtClause is one clause of a MatchStmt.
type StmtClause struct {
	Tag  *Name // nil for _
	Body []Stmt
	At
}

// ShowItem is one thing to show: a relation or set and the name it gets.
type ShowItem struct {
	X  Expr
	As Name
}

// Pat is a pattern.
type Pat interface {
	Node
	pat()
}

// The patterns.
type (
	// VarPat binds a name; "_" binds nothing.
	VarPat struct{ Name }

	// TuplePat takes a tuple apart. It may be empty: ().
	TuplePat struct {
		Elems []Pat
		At
	}
)

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// The expressions.
type (
	// Ident is a name.
	Ident struct{ Name }

	// TagLit is a tag 'a; Text is without the quote.
	TagLit struct{ Name }

	// Zero is 0, the empty relation.
	Zero struct{ At }

	// Universal is _, the universal set or relation by context.
	Universal struct{ At }

	// SetLit is {a, b}; with no elements the polymorphic empty set.
	SetLit struct {
		Elems []Expr
		At
	}

	// Tuple is (a, b, …), or () with no elements. Never of length 1.
	Tuple struct {
		Elems []Expr
		At
	}

	// Unary is an operator of one operand; OpBracket is [S].
	Unary struct {
		Op UnaryOp
		X  Expr
		At
	}

	// Binary is an operator of two operands.
	Binary struct {
		Op   BinaryOp
		X, Y Expr
		At
	}

	// App is a function applied to one argument (often a tuple).
	App struct {
		Fun, Arg Expr
		At
	}

	// Fun is fun pat -> e.
	Fun struct {
		Param Pat
		Body  Expr
		At
	}

	// LetExpr is let [rec] … in e.
	LetExpr struct {
		Rec      bool
		Bindings []*Binding
		Body     Expr
		At
	}

	// IfExpr is if c then e else e.
	IfExpr struct {
		Cond       Cond
		Then, Else Expr
		At
	}

	// TryExpr is try e with e.
	TryExpr struct {
		X, Else Expr
		At
	}

	// MatchTag is match e with || 'a -> e || _ -> e end.
	MatchTag struct {
		X       Expr
		Clauses []*TagClause
		At
	}

	// MatchSet is match e with || {} -> e || x ++ S -> e end.
	MatchSet struct {
		X          Expr
		Empty      Expr
		Elem, Rest Name
		NonEmpty   Expr
		At
	}
)

// TagClause is one clause of a MatchTag.
type TagClause struct {
	Tag  *Name // nil for _
	Body Expr
	At
}

// UnaryOp is an operator of one operand.
type UnaryOp uint8

// The unary operators.
const (
	OpComplement UnaryOp = iota // ~e
	OpPlus                      // e+
	OpStar                      // e*
	OpOpt                       // e?
	OpInverse                   // e^-1
	OpBracket                   // [e]
)

// BinaryOp is an operator of two operands.
type BinaryOp uint8

// The binary operators, lowest precedence first.
const (
	OpUnion   BinaryOp = iota // |
	OpAdd                     // ++ (element and set)
	OpSeq                     // ;
	OpDiff                    // \
	OpInter                   // &
	OpProduct                 // *
)

func (op BinaryOp) String() string { return [...]string{"|", "++", ";", `\`, "&", "*"}[op] }

// Cond is the condition of an if.
type Cond interface {
	Node
	cond()
}

// The conditions.
type (
	// VariantCond is "name": true when the variant is switched on.
	VariantCond struct{ Name }

	// CompareCond is e = e, e subset e, or e in e.
	CompareCond struct {
		Op   CompareOp
		X, Y Expr
		At
	}

	// NotCond is not c.
	NotCond struct {
		X Cond
		At
	}

	// BoolCond is c && c or c || c.
	BoolCond struct {
		And  bool
		X, Y Cond
		At
	}
)

// CompareOp compares two expressions.
type CompareOp uint8

// The comparisons.
const (
	OpEqual CompareOp = iota
	OpSubset
	OpIn
)

func (op CompareOp) String() string { return [...]string{"=", "subset", "in"}[op] }

func (*LetStmt) stmt()     {}
func (*Check) stmt()       {}
func (*ProcStmt) stmt()    {}
func (*CallStmt) stmt()    {}
func (*ForallStmt) stmt()  {}
func (*WithStmt) stmt()    {}
func (*MatchStmt) stmt()   {}
func (*IfStmt) stmt()      {}
func (*ShowStmt) stmt()    {}
func (*UnshowStmt) stmt()  {}
func (*IncludeStmt) stmt() {}
func (*EnumStmt) stmt()    {}
func (*BellStmt) stmt()    {}
func (*DebugStmt) stmt()   {}

func (*VarPat) pat()   {}
func (*TuplePat) pat() {}

func (*Ident) expr()     {}
func (*TagLit) expr()    {}
func (*Zero) expr()      {}
func (*Universal) expr() {}
func (*SetLit) expr()    {}
func (*Tuple) expr()     {}
func (*Unary) expr()     {}
func (*Binary) expr()    {}
func (*App) expr()       {}
func (*Fun) expr()       {}
func (*LetExpr) expr()   {}
func (*IfExpr) expr()    {}
func (*TryExpr) expr()   {}
func (*MatchTag) expr()  {}
func (*MatchSet) expr()  {}

func (*VariantCond) cond() {}
func (*CompareCond) cond() {}
func (*NotCond) cond()     {}
func (*BoolCond) cond()    {}
