package cat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
)

const (
	fullRel   = "00 01 02 03 04 10 11 12 13 14 20 21 22 23 24 30 31 32 33 34 40 41 42 43 44"
	identity  = "00 11 22 33 44"
	allEvents = "0 1 2 3 4"
)

// TestRelations tests expressions that denote relations.
func TestRelations(t *testing.T) {
	tests := []struct{ expr, want string }{
		{"r", "01 12"},
		{"r | s", "01 12 23 30"},
		{"r & s", "12"},
		{`r \ s`, "01"},
		{`s \ r`, "23 30"},
		{"r; s", "02 13"},
		{"s; r", "31"},
		{"r^-1", "10 21"},
		{"r^-1^-1", "01 12"},
		{"r+", "01 02 12"},
		{"r*", "00 01 02 11 12 22 33 44"},
		{"r?", "00 01 11 12 22 33 44"},
		{"r+*", "00 01 02 11 12 22 33 44"},
		{"s+", "10 12 13 20 23 30"},
		{"~r & A * A", "00 02 10 11 20 21 22"},
		{"~~r", "01 12"},
		{"[A]", "00 11 22"},
		{"[A]; r; [B]", "12"},
		{"A * B", "02 03 12 13 22 23"},
		{"B * A", "20 21 22 30 31 32"},
		{"none * A", ""},

		{"0", ""},
		{"0 | r", "01 12"},
		{"r; 0", ""},
		{"0?", identity},
		{"~0", fullRel},

		{"{}", ""},
		{"r | {}", "01 12"},
		{"{}; r", ""},
		{`r \ {}`, "01 12"},
		{"{} * A", ""},
		{"[{}]", ""},

		{"_", fullRel},
		{"_ & r", "01 12"},
		{`r \ _`, ""},
		{`(_ \ ~r)`, "01 12"},
		{"[_]", identity},
		{"_ * e3", "03 13 23 33 43"},
		{"e3 * _", "30 31 32 33 34"},
		{"_; p12", "02 12 22 32 42"},
		{"_*", fullRel},
		{"_^-1", fullRel},

		{"~_ | r", "01 12"},
		{"~{}", fullRel},
		{"[~_]", ""},
		{"[~{}]", identity},
		{"[_ | {}]", identity},
		{"[{} | _]", identity},
		{"[_ & {}]", ""},
		{"[{} & _]", ""},
		{"[_ & _]", identity},
		{`[_ \ {}]`, identity},
		{`[_ \ _]`, ""},
		{`[{} \ _]`, ""},
		{"[{} | {}] | r", "01 12"},
	}
	for _, tt := range tests {
		if got := relation(t, "let x = "+tt.expr); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.expr, got, tt.want)
		}
	}
}

// TestSets tests expressions that denote sets of events.
func TestSets(t *testing.T) {
	tests := []struct{ expr, want string }{
		{"A", "0 1 2"},
		{"A | B", "0 1 2 3"},
		{"A & B", "2"},
		{`A \ B`, "0 1"},
		{"~A", "3 4"},
		{"~~A", "0 1 2"},
		{"A | {}", "0 1 2"},
		{"A & {}", ""},
		{`{} \ A`, ""},
		{"_ & A", "0 1 2"},
		{"A | _", allEvents},
		{`_ \ A`, "3 4"},
		{`A \ _`, ""},
		{"~_ | A", "0 1 2"},
		{"~{} & A", "0 1 2"},
		{`_ \ {} \ A`, "3 4"},
		{"domain(s)", "1 2 3"},
		{"range s", "0 2 3"},
		{"domain(_)", allEvents},
		{"range({})", ""},
		{"domain(r) & range(r)", "1"},
	}
	for _, tt := range tests {
		if got := set(t, "let x = "+tt.expr); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.expr, got, tt.want)
		}
	}
}

func TestBuiltins(t *testing.T) {
	tests := []struct{ expr, want string }{
		{"WW(_)", "00 01 10 11"},
		{"WR(_)", "02 03 12 13"},
		{"WM(_)", "00 01 02 03 10 11 12 13"},
		{"RW(_)", "20 21 30 31"},
		{"RR(_)", "22 23 32 33"},
		{"RM(_)", "20 21 22 23 30 31 32 33"},
		{"MW(_)", "00 01 10 11 20 21 30 31"},
		{"MR(_)", "02 03 12 13 22 23 32 33"},
		{"MM(_)", "00 01 02 03 10 11 12 13 20 21 22 23 30 31 32 33"},
		{"MM(po)", "01 23"},
		{"WR po | RW(fr)", "30"},
		{"toid(A)", "00 11 22"},
		{"toid {}", ""},
		{"fencerel(F)", "01"},
		{"fencerel(e2)", ""},
		{"fencerel(_)", "01"},
	}
	for _, tt := range tests {
		if got := relation(t, "let x = "+tt.expr); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.expr, got, tt.want)
		}
	}
}

// TestPrecedence gives, for each expression, the same with all its parentheses, and
// another reading that has another value.
func TestPrecedence(t *testing.T) {
	tests := []struct{ expr, same, other string }{
		{"s | q; s", "s | (q; s)", "(s | q); s"},
		{"q; s | s", "(q; s) | s", "q; (s | s)"},
		{`s; q \ r`, `s; (q \ r)`, `(s; q) \ r`},
		{`q \ q; s`, `(q \ q); s`, `q \ (q; s)`},
		{`q \ r & s`, `q \ (r & s)`, `(q \ r) & s`},
		{`r & q \ q`, `(r & q) \ q`, `r & (_ \ q)`},
		{`q \ q \ q`, `(q \ q) \ q`, `q \ (q \ q)`},
		{"s | q & r", "s | (q & r)", "(s | q) & r"},
		{"r | s+", "r | (s+)", "(r | s)+"},
		{"r; s*", "r; (s*)", "(r; s)*"},
		{"s & q?", "s & (q?)", "(s & q)?"},
		{"~r & s", "(~r) & s", "~(r & s)"},
		{"~r | s", "(~r) | s", "~(r | s)"},
		{"r; s^-1", "r; (s^-1)", "(r; s)^-1"},
		{"~r^-1", "~(r^-1)", "r^-1"},
		{"A * B & s", "(A * B) & s", "A * (B & domain(s))"},
		{`A * B \ s`, `(A * B) \ s`, `A * (B \ domain(s))`},
		{"A * B; s", "(A * B); s", "s; A * B"},
		{"WR q+", "(WR(q))+", "WR(q+)"},
		{"domain r * B", "(domain(r)) * B", "domain(r; [B]) * B"},
		{"RW s^-1", "(RW(s))^-1", "RW(s^-1)"},
	}
	for _, tt := range tests {
		got, same, other := relation(t, "let x = "+tt.expr), relation(t, "let x = "+tt.same), relation(t,
			"let x = "+tt.other)
		if got != same {
			t.Errorf("%s is %q, but %s is %q", tt.expr, got, tt.same, same)
		}
		if same == other {
			t.Errorf("%s and %s are both %q: this tells nothing", tt.same, tt.other, other)
		}
	}
}

// TestLet tests definitions and functions. Each model defines the relation x.
func TestLet(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"chain", "let a = r let b = a; a let x = b", "02"},
		{"redefined", "let x = r let x = x; x", "02"},
		{"a name of the execution redefined", "let r = s let x = r", "12 23 30"},
		{"what was defined before stays", "let a = r let r = s let x = a", "01 12"},
		{"and is at the same time", "let r = s and s = r let x = s", "01 12"},
		{"and is for functions too", "let r = s and f() = r let x = f()", "01 12"},
		{"and defines several", "let a = r and b = s let x = a & b", "12"},
		{"let in", "let x = let a = r in a; a", "02"},
		{"let in shadows", "let x = (let r = s in r) & r", "12"},
		{"let in two at a time", "let x = let a = r and b = s in a; b", "02 13"},

		{"function", "let f(a) = a; a let x = f(r)", "02"},
		{"function of two", `let f(a, b) = a \ b let x = f(r, s)`, "01"},
		{"the other order", `let f(a, b) = a \ b let x = f(s, r)`, "23 30"},
		{"function of none", "let f() = r let x = f()", "01 12"},
		{"function of a bare name", "let f a = a; a let x = f r", "02"},
		{"function of a set", "let f(a) = [a] let x = f(A)", "00 11 22"},
		{"fun", "let f = fun a -> a; a let x = f(r)", "02"},
		{"fun of a tuple", "let f = fun (a, b) -> a & b let x = f(r, s)", "12"},
		{"fun in place", "let x = (fun a -> a; a) r", "02"},
		{"one argument after the other", "let f = fun a -> fun b -> a; b let x = f r s", "02 13"},
		{"some arguments", "let f = fun a -> fun b -> a; b let g = f r let x = g(s)", "02 13"},
		{
			"function of a function", "let twice(f) = fun a -> f(f(a)) let sq(a) = a; a let x = twice sq ring",
			"00 11 22 33",
		},
		{"function of a builtin", "let f(g) = g(_) let x = f(WW)", "00 01 10 11"},
		{"a builtin by another name", "let f = WW let x = f(_)", "00 01 10 11"},
		{"a builtin redefined", "let WW(a) = a; a let x = WW(r)", "02"},
		{"builtins do not see redefinitions", "let W = R let x = WW(_)", "00 01 10 11"},
		{"a function sees what is defined before it", "let a = r let f() = a let a = s let x = f()", "01 12"},
		{"a parameter hides a name", "let f(r) = r let x = f(s)", "12 23 30"},
		{"only inside the function", "let f(r) = r let y = f(s) let x = r", "01 12"},
		{"an argument is evaluated where the call is", "let f(a) = let s = r in a let x = f(s)", "12 23 30"},

		{"tuple taken apart", "let (a, b) = (r, s) let x = b", "12 23 30"},
		{"tuple by name", "let p = (r, s) let (a, b) = p let x = a", "01 12"},
		{"tuple in a tuple", "let (a, (b, c)) = (r, (s, q)) let x = c", "01 02 13 23 34"},
		{"tuple from a function", "let swap(a, b) = (b, a) let (c, d) = swap(r, s) let x = d", "01 12"},
		{"tuple of a function and a set", "let (f, a) = (fun b -> [b], A) let x = f(a)", "00 11 22"},
		{"tuple handed on", `let f(a, b) = a \ b let p = (r, s) let x = f(p)`, "01"},
		{"_ binds nothing", "let (_, b) = (r, s) let x = b; b", "13 20"},
		{"_ may come twice", "let f(_, a, _) = a let x = f(s, r, s)", "01 12"},
		{"and is still the universe", "let f(_) = _ & r let x = f(s)", "01 12"},
		{"no tuple", "let () = () let x = r", "01 12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := relation(t, tt.model); got != tt.want {
				t.Errorf("%s\nx is %q, want %q", tt.model, got, tt.want)
			}
		})
	}
}

func TestLetRec(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"closure", "let rec x = q | (x; x)", "01 02 03 04 13 14 23 24 34"},
		{"closure from the left", "let rec x = q | (x; q)", "01 02 03 04 13 14 23 24 34"},
		{"closure of a cycle", "let rec x = s | (s; x)", "10 12 13 20 23 30"},
		{"from the empty relation", "let rec x = x", ""},
		{"nothing recursive in it", "let rec x = r", "01 12"},
		{"paths of even length", "let rec odd = q | (even; q) and even = (odd; q) let x = even", "03 14 24"},
		{"paths of odd length", "let rec odd = q | (even; q) and even = (odd; q) let x = odd", "01 02 04 13 23 34"},
		{
			"the order of the definitions is no matter", "let rec even = (odd; q) and odd = q | (even; q) let x = even",
			"03 14 24",
		},
		{"shadows a name", "let rec s = r | (s; s) let x = s", "01 02 12"},
		{"not so a let", "let s = r | (s; s) let x = s", "01 12 13 20"},
		{"one pair in each round", "let succ = p01 | p12 | p23 | p34 " +
			"let rec a = p00 | (b; succ) | (succ^-1; b; p40) and b = a let x = b", fullRel},
		{"inside an expression", "let x = (let rec t = r | (t; t) in t) | p44", "01 02 12 44"},
		{"in a function", "let closure(a) = let rec t = a | (t; t) in t let x = closure(r)", "01 02 12"},
		{"recursion in a recursion", "let rec x = r | (let rec t = x | (t; t) in t)", "01 02 12"},
		{"a set", "let rec a = e0 | range([a]; q) let x = [a]", "00 11 22 33 44"},
		{"a set that does not need itself", "let rec a = A let x = [a]", "00 11 22"},
		{"a set and a relation", "let rec a = e1 | range(b) and b = [a]; r let x = b", "12"},
		{"a difference from what is fixed", `let rec x = q | ((x; x) \ p04)`, "01 02 03 13 14 23 24 34"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := relation(t, tt.model); got != tt.want {
				t.Errorf("%s\nx is %q, want %q", tt.model, got, tt.want)
			}
		})
	}
}

func TestChecks(t *testing.T) {
	tests := []struct {
		check string
		holds bool
	}{
		{"acyclic r", true},
		{"acyclic q", true},
		{"acyclic ring", false},
		{"acyclic id & p00", false},
		{"acyclic 0", true},
		{"acyclic {}", true},
		{"acyclic _", false},
		{"irreflexive r", true},
		{"irreflexive ring", true},
		{"irreflexive ring+", false},
		{"irreflexive r?", false},
		{"irreflexive _", false},
		{"empty r", false},
		{"empty r & p34", true},
		{"empty 0", true},
		{"empty {}", true},
		{"empty _", false},
		{"empty A", false},
		{"empty none", true},
		{`empty A \ M`, true},
	}
	for _, tt := range tests {
		for prefix, holds := range map[string]bool{"": tt.holds, "~": !tt.holds} {
			check := prefix + tt.check
			if got := eval(t, check).Allowed(); got != holds {
				t.Errorf("%s: allowed is %v, want %v", check, got, holds)
			}
			flagged := eval(t, "flag "+check+" as f")
			if got := len(flagged.Flags) == 1; got != holds || !flagged.Allowed() {
				t.Errorf("flag %s: raised is %v, want %v; allowed is %v", check, got, holds, flagged.Allowed())
			}
		}
	}
}

func TestRejected(t *testing.T) {
	const model = `
show r, s as other
flag ~empty A as has-a
acyclic r as fine
irreflexive   ring+ |   (* a comment *)
  r
unshow r
acyclic ring as second
~empty none`
	v := eval(t, model)
	if v.Allowed() || v.Rejected == nil || cat.CheckName(v.Rejected) != "irreflexive ring+ | r" || v.Flags != nil {
		t.Errorf("the verdict is %+v", v)
	}
	violations, err := checked(t, model).Violations(mp, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range violations {
		names = append(names, v.Name)
		if v.Name != cat.CheckName(v.Check) || v.At != v.Check.Span() {
			t.Errorf("%s is at %q, the check %s at %q", v.Name, v.At.Text(), cat.CheckName(v.Check),
				v.Check.Span().Text())
		}
	}
	if diff := cmp.Diff([]string{"irreflexive ring+ | r", "second", "~empty none"}, names); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestAllowed(t *testing.T) {
	v := eval(t, "flag ~empty A as has-a acyclic r flag empty A as no-a flag acyclic r as acyclic-r let x = s")
	if diff := cmp.Diff(&cat.Verdict{Flags: []string{"has-a", "acyclic-r"}}, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v := eval(t, ""); !v.Allowed() || v.Flags != nil {
		t.Errorf("the verdict of the empty model is %+v", v)
	}
}

// TestEvalAgain evaluates one model on several candidates: none may leave a trace.
func TestEvalAgain(t *testing.T) {
	m := load(t, "let rec c = r | (c; c) acyclic c as c flag ~empty A as a")
	cyclic := fake{sets: map[string]string{"A": ""}, rels: map[string]string{"r": "01 10"}}
	for range 2 {
		for _, tt := range []struct {
			candidate fake
			allowed   bool
			flags     int
		}{{mp, true, 1}, {cyclic, false, 0}} {
			v, err := verdict(m, tt.candidate)
			if err != nil || v.Allowed() != tt.allowed || len(v.Flags) != tt.flags {
				t.Errorf("verdict %+v, error %v; want allowed %v and %d flags", v, err, tt.allowed, tt.flags)
			}
		}
	}
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		`"RMO per scope" acyclic r`: "RMO per scope",
		`PTX "PTX" acyclic r`:       "PTX",
		`acyclic r`:                 "",
	} {
		if got := load(t, text).Header; got != want {
			t.Errorf("%s: the title is %q, want %q", text, got, want)
		}
	}
}
