package syntax

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// TestStatements has every form of a statement, with its tree and its canonical text, which is left
// out if it is the same.
func TestStatements(t *testing.T) {
	id := func(s string) *Ident { return &Ident{Name{Text: s}} }
	tag := func(s string) *TagLit { return &TagLit{Name{Text: s}} }
	pat := func(s string) *VarPat { return &VarPat{Name{Text: s}} }
	name := func(s string) Name { return Name{Text: s} }
	as := func(s string) *Name { return &Name{Text: s} }
	check := func(s string) Stmt { return &Check{X: id(s)} }
	for _, tt := range []struct {
		text  string
		want  Stmt
		canon string
	}{
		{"let x = a", &LetStmt{Bindings: []*Binding{{Pat: pat("x"), Body: id("a")}}}, ""},
		{"let f(x, _) = a and (p, q) = b", &LetStmt{Bindings: []*Binding{
			{Pat: pat("f"), Param: &TuplePat{Elems: []Pat{pat("x"), pat("_")}}, Body: id("a")},
			{Pat: &TuplePat{Elems: []Pat{pat("p"), pat("q")}}, Body: id("b")},
		}}, "let f(x, _) = a\nand (p, q) = b"},
		{
			"let f x = a", &LetStmt{Bindings: []*Binding{{Pat: pat("f"), Param: pat("x"), Body: id("a")}}},
			"let f(x) = a",
		},
		{
			"let f () = a", &LetStmt{Bindings: []*Binding{{Pat: pat("f"), Param: &TuplePat{}, Body: id("a")}}},
			"let f() = a",
		},
		{"let rec x = a\nand y = b\nwhen ~empty x as n", &LetStmt{
			Rec: true,
			Bindings: []*Binding{
				{Pat: pat("x"), Body: id("a")},
				{Pat: pat("y"), Body: id("b")},
			},
			When: &Check{Negated: true, Test: IsEmpty, X: id("x"), As: as("n")},
		}, ""},

		{"acyclic a", &Check{X: id("a")}, ""},
		{"~irreflexive a as n", &Check{Negated: true, Test: Irreflexive, X: id("a"), As: as("n")}, ""},
		{"flag ~empty a as n", &Check{Role: Flag, Negated: true, Test: IsEmpty, X: id("a"), As: as("n")}, ""},
		{"undefined_unless acyclic a", &Check{Role: UndefinedUnless, X: id("a")}, ""},
		{"assert empty a", &Check{Role: Assert, Test: IsEmpty, X: id("a")}, ""},

		{"procedure p() =\nend", &ProcStmt{Name: name("p"), Param: &TuplePat{}}, ""},
		{"procedure rec p(a, b) = acyclic a call p(b, a) end", &ProcStmt{
			Rec: true, Name: name("p"), Param: &TuplePat{Elems: []Pat{pat("a"), pat("b")}},
			Body: []Stmt{check("a"), &CallStmt{Name: name("p"), Arg: &Tuple{Elems: []Expr{id("b"), id("a")}}}},
		}, "procedure rec p(a, b) =\n  acyclic a\n  call p(b, a)\nend"},
		{"call p x as n", &CallStmt{Name: name("p"), Arg: id("x"), As: as("n")}, "call p(x) as n"},
		{"call p()", &CallStmt{Name: name("p"), Arg: &Tuple{}}, ""},

		{
			"forall x in S do acyclic x end", &ForallStmt{Var: name("x"), In: id("S"), Body: []Stmt{check("x")}},
			"forall x in S do\n  acyclic x\nend",
		},
		{"with co from S", &WithStmt{Var: name("co"), From: id("S")}, ""},

		{"match t with 'a -> acyclic a acyclic b || _ -> end", &MatchStmt{X: id("t"), Clauses: []*StmtClause{
			{Tag: as("a"), Body: []Stmt{check("a"), check("b")}},
			{},
		}}, "match t with\n|| 'a ->\n  acyclic a\n  acyclic b\n|| _ ->\nend"},
		{
			`if "v" then acyclic a end`, &IfStmt{Cond: &VariantCond{name("v")}, Then: []Stmt{check("a")}},
			"if \"v\"\n  acyclic a\nend",
		},
		{`if a = b acyclic a else acyclic b end`, &IfStmt{
			Cond: &CompareCond{X: id("a"), Y: id("b")}, Then: []Stmt{check("a")}, Else: []Stmt{check("b")},
		}, "if a = b\n  acyclic a\nelse\n  acyclic b\nend"},

		{"show a, b", &ShowStmt{Items: []*ShowItem{{X: id("a"), As: name("a")}, {X: id("b"), As: name("b")}}}, ""},
		{"show a as n", &ShowStmt{Items: []*ShowItem{{X: id("a"), As: name("n")}}}, ""},
		{"show a as a", &ShowStmt{Items: []*ShowItem{{X: id("a"), As: name("a")}}}, "show a"},
		{"unshow a, b", &UnshowStmt{Names: []Name{name("a"), name("b")}}, ""},
		{`include "cos.cat"`, &IncludeStmt{Path: name("cos.cat")}, ""},
		{"enum T = || 'a || 'b", &EnumStmt{Name: name("T"), Tags: []Name{name("a"), name("b")}}, "enum T = 'a || 'b"},
		{"instructions R[{'a, 'b}]", &BellStmt{
			Keyword: "instructions", Name: name("R"), Args: []Expr{&SetLit{Elems: []Expr{tag("a"), tag("b")}}},
		}, ""},
		{"events F[a, b]", &BellStmt{Keyword: "events", Name: name("F"), Args: []Expr{id("a"), id("b")}}, ""},
		{"default W[]", &BellStmt{Keyword: "default", Name: name("W")}, ""},
		{"debug a", &DebugStmt{X: id("a")}, ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			f := mustParse(t, tt.text)
			if diff := cmp.Diff([]Stmt{tt.want}, f.Stmts, sameTree); diff != "" {
				t.Error(diff)
			}
			if got := f.Stmts[0].Span().Text(); got != tt.text {
				t.Errorf("the statement covers %q", got)
			}
			if tt.canon == "" {
				tt.canon = tt.text
			}
			if diff := cmp.Diff(tt.canon, Print(f.Stmts[0])); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStatementWords demands that the parser, after an error, looks for every word that starts a
// statement.
func TestStatementWords(t *testing.T) {
	got := slices.Sorted(maps.Keys(statements))
	want := slices.Sorted(slices.Values(append(slices.Clone(statementWords), "~")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHeader(t *testing.T) {
	for _, tt := range []struct {
		text string
		want File
	}{
		{"", File{}},
		{"PTX", File{Arch: "PTX"}},
		{"PTX v6.0", File{Arch: "PTX", Title: "v6.0"}},
		{`PTX "a model" catdep`, File{Arch: "PTX", Title: "a model", Catdep: true}},
		{`"a model"`, File{Title: "a model"}},
		{"catdep", File{Catdep: true}},
		{`PPC "a model" withco withoutinit catdep`, File{Arch: "PPC", Title: "a model", Catdep: true}},
		{`"a model" withoutco`, File{Title: "a model"}},
		{"withsc", File{Arch: "withsc"}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if diff := cmp.Diff(&tt.want, mustParse(t, tt.text), sameTree); diff != "" {
				t.Error(diff)
			}
			f := mustParse(t, tt.text+"\nacyclic r")
			if len(f.Stmts) != 1 {
				t.Errorf("the statement behind the header is lost")
			}
			roundTrip(t, f)
		})
	}
}

// TestStatementsSideBySide tests texts where a statement might run into the next one.
func TestStatementsSideBySide(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"let x = r* ~empty y", 2},
		{"let x = r ~empty y", 2},
		{"let x = r+ let y = r* let z = r", 3},
		{"show a, b show c", 2},
		{"enum T = 'a || 'b enum U = 'c", 2},
		{"with x from S with y from S", 2},
		{"match t with 'a -> let x = a || 'b -> let x = b end acyclic r", 2},
		{"acyclic r as a let x = y", 2},
		{`if a = r* ~empty a end show a`, 2},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if f := mustParse(t, tt.text); len(f.Stmts) != tt.want {
				t.Errorf("got %d statements, want %d:\n%s", len(f.Stmts), tt.want, f)
			}
		})
	}
}

// TestConcurrentParse runs many parsers at once; some fail.
func TestConcurrentParse(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			text := "let x = (a | b)\nacyclic x as n"
			if i%2 == 1 {
				text = "let x = (a | b"
			}
			f, err := Parse(src.NewFile("test.cat", text))
			if failed := i%2 == 1; failed != (err != nil) || failed != (f == nil) {
				t.Errorf("%s: got %v", text, err)
			}
		})
	}
	wg.Wait()
}
