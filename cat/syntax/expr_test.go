package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// parseExpr reads an expression without errors.
func parseExpr(tb tester, text string) Expr {
	tb.Helper()
	return mustParse(tb, "debug "+text).Stmts[0].(*DebugStmt).X
}

// TestGrouping compares expressions with what they mean, in parentheses.
func TestGrouping(t *testing.T) {
	for _, tt := range []struct{ name, text, means string }{
		{"every level", `a | b ++ c ; d \ e & f*g`, `a | (b ++ (c ; (d \ (e & (f*g)))))`},
		{"every level, backwards", `f*g & e \ d ; c ++ b | a`, `(((((f*g) & e) \ d) ; c) ++ b) | a`},
		{"the example of the manual", `a ; b \ c & d`, `a ; (b \ (c & d))`},

		{"| is right", "a | b | c", "a | (b | c)"},
		{"++ is right", "a ++ b ++ c", "a ++ (b ++ c)"},
		{"; is right", "a ; b ; c", "a ; (b ; c)"},
		{`\ is left`, `a \ b \ c`, `(a \ b) \ c`},
		{"& is right", "a & b & c", "a & (b & c)"},

		{"| below ++", "a ++ b | c ++ d", "(a ++ b) | (c ++ d)"},
		{"++ below ;", "a ; b ++ c ; d", "(a ; b) ++ (c ; d)"},
		{`; below \`, `a \ b ; c \ d`, `(a \ b) ; (c \ d)`},
		{`\ below &`, `a & b \ c & d`, `(a & b) \ (c & d)`},
		{"& below *", "a*b & c*d", "(a*b) & (c*d)"},
		{"& below ~", "~a & ~b", "(~a) & (~b)"},
		{"& below +", "a+ & b?", "(a+) & (b?)"},
		{"; below +", "a ; b+", "a ; (b+)"},
		{"; below *, the closure", "a ; b*; c", "a ; (b*) ; c"},

		{"~ of an inverse", "~r^-1", "~(r^-1)"},
		{"closures chain", "r+*", "(r+)*"},
		{"all of them chain", "r?*+?", "(((r?)*)+)?"},
		{"the inverse of a closure", "r+^-1", "(r+)^-1"},
		{"the closure of an inverse", "r^-1+", "(r^-1)+"},
		{"inverses chain", "r^-1^-1", "(r^-1)^-1"},
		{"complements chain", "~~r", "~(~r)"},
		{"* with an operand is the product", "a* b", "a*b"},
		{"* without one is the closure", "a* | b", "(a*) | b"},
		{"a product of a closure", "a+*b", "(a+)*b"},
		{"a product of a star", "a* * b", "(a*)*b"},
		{"a product of inverses", "a^-1*b^-1", "(a^-1)*(b^-1)"},
		{"a product of a complement", "a*~b & c * ~ ~d^-1", "(a*(~b)) & (c*(~(~(d^-1))))"},
		{"Dartagnan's closures", "a^+ ; b^* ; c^+^-1", "(a+) ; (b*) ; ((c+)^-1)"},
		{"products of brackets", "[a]*{b}", "([a])*({b})"},
		{"products of constants", "_*0 | 'a*_", "(_*0) | (('a)*_)"},

		{"application below +", "f r+", "(f r)+"},
		{"application below ^-1", "f r^-1", "(f r)^-1"},
		{"application below ~", "~f r", "~(f r)"},
		{"application below *", "f a * g b", "(f a)*(g b)"},
		{"application is left", "map f S", "(map f) S"},
		{"a name or brackets are arguments", "f (a) [b] {c} begin d end", "((((f a) [b]) {c})) (d)"},
		{"a tuple is an argument", "f (a, b)", "f((a, b))"},
		{"no arguments", "f ()", "f (())"},
		{"functions in parentheses", "(fun x -> x) a", "(((fun x -> x))) a"},

		{"a bracket is not applied", "[a] ; [b]", "([a]) ; ([b])"},
		{"begin and end", "begin a | b end ; c", "(a | b) ; c"},
		{"let goes on to the right", "let x = a in x | b", "let x = a in (x | b)"},
		{"let inside let", "let x = let y = a in y and z = b in x", "let x = (let y = a in y) and z = b in x"},
		{"fun goes on to the right", "fun x -> x ; a", "fun x -> (x ; a)"},
		{"else goes on to the right", `if "v" then a else b | c`, `if "v" then a else (b | c)`},
		{"if inside if", `if "v" then if "w" then a else b else c`, `if "v" then (if "w" then a else b) else c`},
		{"try goes on to the right", "try a with b | c", "try a with (b | c)"},
		{"try inside try", "try try a with b with c", "try (try a with b) with c"},
		{
			"a clause ends the one before", "match t with || 'a -> x | y || 'b -> z end",
			"match t with 'a -> (x | y) || 'b -> (z) end",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := parseExpr(t, tt.text)
			if diff := cmp.Diff(parseExpr(t, tt.means), x, sameTree); diff != "" {
				t.Errorf("%s is not %s:\n%s", tt.text, tt.means, diff)
			}
		})
	}
}

// TestExprTrees has one expression of each type, with its tree.
func TestExprTrees(t *testing.T) {
	id := func(s string) *Ident { return &Ident{Name{Text: s}} }
	tag := func(s string) *Name { return &Name{Text: s} }
	pat := func(s string) *VarPat { return &VarPat{Name{Text: s}} }
	for _, tt := range []struct {
		text string
		want Expr
	}{
		{"po-loc", id("po-loc")},
		{"'acq", &TagLit{Name{Text: "acq"}}},
		{"0", &Zero{}},
		{"_", &Universal{}},
		{"{}", &SetLit{}},
		{"{a, 'b}", &SetLit{Elems: []Expr{id("a"), &TagLit{Name{Text: "b"}}}}},
		{"()", &Tuple{}},
		{"(a)", id("a")},
		{"(a, b)", &Tuple{Elems: []Expr{id("a"), id("b")}}},
		{"~a", &Unary{Op: OpComplement, X: id("a")}},
		{"a+", &Unary{Op: OpPlus, X: id("a")}},
		{"a*", &Unary{Op: OpStar, X: id("a")}},
		{"a?", &Unary{Op: OpOpt, X: id("a")}},
		{"a^-1", &Unary{Op: OpInverse, X: id("a")}},
		{"[a]", &Unary{Op: OpBracket, X: id("a")}},
		{"a | b", &Binary{Op: OpUnion, X: id("a"), Y: id("b")}},
		{"a ++ b", &Binary{Op: OpAdd, X: id("a"), Y: id("b")}},
		{"a ; b", &Binary{Op: OpSeq, X: id("a"), Y: id("b")}},
		{`a \ b`, &Binary{Op: OpDiff, X: id("a"), Y: id("b")}},
		{"a & b", &Binary{Op: OpInter, X: id("a"), Y: id("b")}},
		{"a * b", &Binary{Op: OpProduct, X: id("a"), Y: id("b")}},
		{"f a", &App{Fun: id("f"), Arg: id("a")}},
		{"fun x -> x", &Fun{Param: pat("x"), Body: id("x")}},
		{"fun () -> a", &Fun{Param: &TuplePat{}, Body: id("a")}},
		{"fun (x, (_, y)) -> x", &Fun{
			Param: &TuplePat{Elems: []Pat{pat("x"), &TuplePat{Elems: []Pat{pat("_"), pat("y")}}}}, Body: id("x"),
		}},
		{"let rec f(x) = x and y = a in y", &LetExpr{
			Rec: true,
			Bindings: []*Binding{
				{Pat: pat("f"), Param: pat("x"), Body: id("x")},
				{Pat: pat("y"), Body: id("a")},
			},
			Body: id("y"),
		}},
		{"let (x, y) = a in x", &LetExpr{
			Bindings: []*Binding{{Pat: &TuplePat{Elems: []Pat{pat("x"), pat("y")}}, Body: id("a")}},
			Body:     id("x"),
		}},
		{`if "v" then a else b`, &IfExpr{Cond: &VariantCond{Name{Text: "v"}}, Then: id("a"), Else: id("b")}},
		{"try a with b", &TryExpr{X: id("a"), Else: id("b")}},
		{"match t with 'a -> x || _ -> y end", &MatchTag{X: id("t"), Clauses: []*TagClause{
			{Tag: tag("a"), Body: id("x")},
			{Body: id("y")},
		}}},
		{"match S with || {} -> x || e ++ S' -> y end", &MatchSet{
			X: id("S"), Empty: id("x"), Elem: Name{Text: "e"}, Rest: Name{Text: "S'"}, NonEmpty: id("y"),
		}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parseExpr(t, tt.text), sameTree); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestConditions compares conditions with what they mean, in parentheses.
func TestConditions(t *testing.T) {
	cond := func(t *testing.T, text string) Cond {
		return parseExpr(t, "if "+text+" then a else b").(*IfExpr).Cond
	}
	for _, tt := range []struct{ text, means string }{
		{`"a" || "b" && "c"`, `"a" || ("b" && "c")`},
		{`"a" && "b" || "c"`, `("a" && "b") || "c"`},
		{`"a" || "b" || "c"`, `("a" || "b") || "c"`},
		{`"a" && "b" && "c"`, `("a" && "b") && "c"`},
		{`not "a" && "b"`, `(not "a") && "b"`},
		{`not not "a"`, `not (not ("a"))`},
		{`not x = y`, `not (x = y)`},
		{`x | y = z ; w`, `(((x | y)) = (z ; w))`},
		{`(x | y) & z subset w`, `((x | y) & z) subset w`},
		{`(x)+ in y`, `(x+) in y`},
		{`(f) x = y`, `((f x) = y)`},
		{`(x, y) = z`, `((x, y)) = z`},
		{`() = z`, `(()) = z`},
		{`((x)) = z`, `x = z`},
		{`(let x = a in x) in S || "v"`, `((let x = a in x) in S) || "v"`},
		{`((x = y))`, `x = y`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if diff := cmp.Diff(cond(t, tt.means), cond(t, tt.text), sameTree); diff != "" {
				t.Errorf("%s is not %s:\n%s", tt.text, tt.means, diff)
			}
		})
	}
	want := &BoolCond{
		And: true,
		X:   &NotCond{X: &VariantCond{Name{Text: "v"}}},
		Y:   &CompareCond{Op: OpSubset, X: &Ident{Name{Text: "x"}}, Y: &Ident{Name{Text: "y"}}},
	}
	if diff := cmp.Diff(want, cond(t, `not "v" && x subset y`), sameTree); diff != "" {
		t.Error(diff)
	}
}

// TestSpans has one node of each form cover the text between « and ».
func TestSpans(t *testing.T) {
	for _, tt := range []struct {
		text string
		node func(Expr) Node
	}{
		{"« (a | b) ; c »", func(x Expr) Node { return x }},
		{"(« a | b ») ; c", func(x Expr) Node { return x.(*Binary).X }},
		{`« a \ b » \ c`, func(x Expr) Node { return x.(*Binary).X }},
		{"a | « b | (c) »", func(x Expr) Node { return x.(*Binary).Y }},
		{"« [a] »", func(x Expr) Node { return x }},
		{"« {a, b} »", func(x Expr) Node { return x }},
		{"« (a, b) »", func(x Expr) Node { return x }},
		{"~« ~r »", func(x Expr) Node { return x.(*Unary).X }},
		{"« r^-1 »+", func(x Expr) Node { return x.(*Unary).X }},
		{"« f (a) » (b)", func(x Expr) Node { return x.(*App).Fun }},
		{"« (a)*b^-1 »", func(x Expr) Node { return x }},
		{"« 'acq »", func(x Expr) Node { return x }},
		{"fun « (x, y) » -> x", func(x Expr) Node { return x.(*Fun).Param }},
		{"let « f(x) = a » in b", func(x Expr) Node { return x.(*LetExpr).Bindings[0] }},
		{"« let x = a in (b) »", func(x Expr) Node { return x }},
		{"if « (a) = b » then a else b", func(x Expr) Node { return x.(*IfExpr).Cond }},
		{"match t with « 'a -> b » end", func(x Expr) Node { return x.(*MatchTag).Clauses[0] }},
		{"« match t with 'a -> b end »", func(x Expr) Node { return x }},
	} {
		t.Run(tt.text, func(t *testing.T) {
			before, rest, _ := strings.Cut(tt.text, "« ")
			want, after, _ := strings.Cut(rest, " »")
			got := tt.node(parseExpr(t, before+want+after)).Span()
			if got.Text() != want {
				t.Errorf("got %q", got.Text())
			}
		})
	}
}

func TestNestingLimit(t *testing.T) {
	nested := func(open, inside, closing string, n int) error {
		_, err := Parse(src.NewFile("test.cat", "debug "+strings.Repeat(open, n)+inside+strings.Repeat(closing, n)))
		return err
	}
	if err := nested("(", "a", ")", maxDepth-2); err != nil {
		t.Error(err)
	}
	err := nested("(", "a", ")", 10*maxDepth)
	if err == nil || !strings.Contains(err.Error(), "expected at most 1000 brackets") {
		t.Errorf("got %v", err)
	}
}

// TestChains reads and prints expressions that are as long as they may be, and not
// nested.
func TestChains(t *testing.T) {
	for link, tokens := range map[string]int{"a | ": 2, `a \ `: 2, "a ; b & ": 4, "~": 1, "f (a)* | ": 6} {
		text := "debug " + strings.Repeat(link, (maxTokens-1)/tokens) + "a\n"
		if got := mustParse(t, text).String(); len(got) < len(text)-maxTokens {
			t.Errorf("%s is printed as %.40s", link, got)
		}
	}
}
