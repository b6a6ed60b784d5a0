package litmus

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// condTest returns a test with the registers and locations that conditions below mention.
func condTest(cond string) string {
	return "PTX x\n{ x; y; z; a[3]; 0:p=x; }\nP0 | P1 ;\nld r1,x | ld r1,y ;\n(cta P0 P1)\n" + cond
}

func TestCondition(t *testing.T) {
	tests := []struct {
		text  string
		quant Quantifier
		want  string // printed; "" if as text
	}{
		{text: "exists (0:r1=1)"},
		{text: "exists (0:r2=0 /\\ 1:r2=0)"},
		{text: "~exists (true)", quant: NotExists},
		{text: "forall (false)", quant: Forall},
		{text: "exists P0:r1 == 1", want: "exists (0:r1=1)"},
		{text: "~ exists T1:r1=-1", quant: NotExists, want: "~exists (1:r1=-1)"},
		{text: "not\nexists (true)", quant: NotExists, want: "~exists (true)"},
		{text: "!exists (true)", quant: NotExists, want: "~exists (true)"},
		{text: "exists (!(x=1) && !y=2 || ! !z!=3)", want: "exists (~([x]=1) /\\ ~([y]=2) \\/ ~(~([z]!=3)))"},
		{text: "final 0:r1=1 && 1:r1=0x10", quant: Final, want: "exists (0:r1=1 /\\ 1:r1=16)"},
		{text: "final: x=1", quant: Final, want: "exists ([x]=1)"},

		// Atoms.
		{text: "exists x=1", want: "exists ([x]=1)"},
		{text: "exists (a[2]=1 /\\ a[0]=a[1])"},
		{text: "exists (x[0]=1)", want: "exists ([x]=1)"},
		{text: "exists (0:r1=0:%r2)"},
		{text: "exists (x@1=1 /\\ a@12[2]=[x@0])", want: "exists ([x@1]=1 /\\ a@12[2]=[x@0])"},
		{text: "exists (0:r1=[x] /\\ [x]!=1:r1)"},
		{text: "exists (x<>y \\/ x<=y)", want: "exists ([x]!=[y] \\/ [x]<=[y])"},
		{text: "exists (0:r1<1 /\\ 0:r1<=1 /\\ 0:r1>1 /\\ 0:r1>=1 /\\ 0:r1!=1)"},
		{text: "exists (0:p=&x /\\ 0:p!=&y+4 /\\ [x]=&z-8)"},
		{text: "exists (1=0:r1 /\\ 1<2 /\\ +3=y)", want: "exists (1=0:r1 /\\ 1<2 /\\ 3=[y])"},
		{text: "exists (nowhere=1 /\\ 0:never=1)", want: "exists ([nowhere]=1 /\\ 0:never=1)"},
		{text: "exists (nowhere[2]=1)"},

		// Precedence and parentheses.
		{text: "exists (x=1 /\\ y=1 \\/ z=1)", want: "exists ([x]=1 /\\ [y]=1 \\/ [z]=1)"},
		{text: "exists (x=1 /\\ (y=1 \\/ z=1))", want: "exists ([x]=1 /\\ ([y]=1 \\/ [z]=1))"},
		{text: "exists ((x=1 /\\ y=1) \\/ z=1)", want: "exists ([x]=1 /\\ [y]=1 \\/ [z]=1)"},
		{text: "exists ((x=1 /\\ y=1) /\\ z=1)", want: "exists ([x]=1 /\\ [y]=1 /\\ [z]=1)"},
		{text: "exists (x=1 /\\ (y=1 /\\ z=1))", want: "exists ([x]=1 /\\ ([y]=1 /\\ [z]=1))"},
		{text: "exists (x=1 || y=1 && z=1)", want: "exists ([x]=1 \\/ [y]=1 /\\ [z]=1)"},
		{text: "exists (x=1 => y=1 => z=1)", want: "exists ([x]=1 => [y]=1 => [z]=1)"},
		{text: "exists (x=1 => (y=1 => z=1))", want: "exists ([x]=1 => [y]=1 => [z]=1)"},
		{text: "exists ((x=1 => y=1) => z=1)", want: "exists (([x]=1 => [y]=1) => [z]=1)"},
		{text: "exists (x=1 => (y=1 /\\ z=1))", want: "exists ([x]=1 => ([y]=1 /\\ [z]=1))"},
		{text: "exists ((x=1 \\/ y=1) => z=1)", want: "exists (([x]=1 \\/ [y]=1) => [z]=1)"},
		{text: "exists (x=1 /\\ (y=1 => z=1))", want: "exists ([x]=1 /\\ ([y]=1 => [z]=1))"},
		{text: "exists ((((x=1))))", want: "exists ([x]=1)"},
		{text: "exists ~x=1", want: "exists (~([x]=1))"},
		{text: "exists not x=1 /\\ y=1", want: "exists (~([x]=1) /\\ [y]=1)"},
		{text: "exists ~~(x=1 \\/ not true)", want: "exists (~(~([x]=1 \\/ ~true)))"},
		{text: "exists x=1/\\y=2\\/z=3", want: "exists ([x]=1 /\\ [y]=2 \\/ [z]=3)"},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.text
		}
		cond := parse(t, condTest(tt.text)).Cond
		if cond.Quant != tt.quant {
			t.Errorf("%s: quantifier %s", tt.text, cond.Quant)
		}
		if cond.String() != tt.want {
			t.Errorf("%s is printed as %s, want %s", tt.text, cond, tt.want)
		}
		if cond.At.Text() != tt.text {
			t.Errorf("%s: the span is %q", tt.text, cond.At.Text())
		}
		again := parse(t, condTest(cond.String())).Cond
		if diff := cmp.Diff(cond.Prop, again.Prop, sameTest); diff != "" {
			t.Errorf("%s, printed as %s (-want +got)\n%s", tt.text, cond, diff)
		}
	}
}

// The parser itself sees the grouping that the printer hides.
func TestGrouping(t *testing.T) {
	x, y, z := Truth(true), Truth(false), Not{Truth(true)}
	tests := []struct {
		text string
		want Prop
	}{
		{`true /\ false \/ ~true`, Binary{Or, Binary{And, x, y}, z}},
		{`true \/ false /\ ~true`, Binary{Or, x, Binary{And, y, z}}},
		{`true /\ false /\ ~true`, Binary{And, Binary{And, x, y}, z}},
		{`true \/ false \/ ~true`, Binary{Or, Binary{Or, x, y}, z}},
		{`true => false => ~true`, Binary{Implies, x, Binary{Implies, y, z}}},
		{`~true /\ false`, Binary{And, z, y}},
	}
	for _, tt := range tests {
		got := parse(t, condTest("exists "+tt.text)).Cond.Prop
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestEval(t *testing.T) {
	state := map[string]Value{
		"0:r1": *integer(1), "1:r1": *integer(-1), "0:p": *address("x", 4),
		"[x]": *integer(1), "[y]": *address("x", 0), "[z]": *address("y", 0), "a[2]": *integer(7),
	}
	tests := map[string]bool{
		"true":                       true,
		"false":                      false,
		"0:r1=1":                     true,
		"0:r1!=1":                    false,
		"0:r1=[x]":                   true,
		"a[2]=7":                     true,
		"a[1]=7":                     false,
		"1:r1<0:r1":                  true,
		"0:r1<=1 /\\ 0:r1>=1":        true,
		"0:r1<1 \\/ 0:r1>1":          false,
		"0:p=&x+4":                   true,
		"0:p=&x":                     false,
		"0:p!=4":                     true,
		"[y]<0:p":                    true,
		"[y]>0:p":                    false,
		"[y]>=&x":                    true,
		"[y]<[z]":                    false,
		"[y]>=[z]":                   false,
		"[y]!=[z]":                   true,
		"x<y \\/ y<x":                false,
		"~(0:r1=2)":                  true,
		"true /\\ false":             false,
		"false \\/ true":             true,
		"true => false":              false,
		"false => false":             true,
		"false => true => false":     true,
		"~true \\/ 0:r1=1 /\\ x=1":   true,
		"(true \\/ true) /\\ ~(1=1)": false,
	}
	for text, want := range tests {
		cond := parse(t, condTest("exists "+text)).Cond
		got := cond.Prop.Eval(func(r Ref) Value { return state[r.String()] })
		if got != want {
			t.Errorf("%s is %t", text, got)
		}
	}
}

func TestMentions(t *testing.T) {
	test := parse(t, condTest("exists ((0:r1=&z /\\ ~(1:r2=[x] \\/ 3<a[1])) => true)"))
	var refs, at []string
	EachRef(test.Cond.Prop, func(r *Ref) {
		refs = append(refs, r.String())
		at = append(at, r.At.Text())
	})
	if diff := cmp.Diff([]string{"0:r1", "1:r2", "[x]", "a[1]"}, refs); diff != "" {
		t.Errorf("references (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0:r1", "1:r2", "x", "a[1]"}, at); diff != "" {
		t.Errorf("their spans (-want +got)\n%s", diff)
	}
	var consts []Value
	EachConst(test.Cond.Prop, func(v Value) { consts = append(consts, v) })
	if diff := cmp.Diff([]Value{*address("z", 0), *integer(3)}, consts); diff != "" {
		t.Errorf("constants (-want +got)\n%s", diff)
	}
	EachRef(nil, func(r *Ref) { t.Errorf("no proposition mentions %s", r) })
}

func TestQuantifiers(t *testing.T) {
	tests := []struct {
		quant              Quantifier
		kind               Kind
		none, some, always bool // holds when no, some, all executions satisfy
	}{
		{Exists, Allowed, false, true, true},
		{Final, Allowed, false, true, true},
		{NotExists, Forbidden, true, false, false},
		{Forall, Required, false, false, true},
	}
	for _, tt := range tests {
		if got := tt.quant.Kind(); got != tt.kind {
			t.Errorf("%s: kind %s", tt.quant, got)
		}
		got := []bool{tt.quant.Holds(0, 2), tt.quant.Holds(1, 2), tt.quant.Holds(2, 0)}
		if diff := cmp.Diff([]bool{tt.none, tt.some, tt.always}, got); diff != "" {
			t.Errorf("%s holds (-want +got)\n%s", tt.quant, diff)
		}
	}
	observed := []Observation{Observe(0, 0), Observe(0, 1), Observe(1, 1), Observe(1, 0)}
	if diff := cmp.Diff([]Observation{Never, Never, Sometimes, Always}, observed); diff != "" {
		t.Errorf("observations (-want +got)\n%s", diff)
	}
}

// TestMapManyAtoms: were each connective to compare what is below it, this would take minutes.
func TestMapManyAtoms(t *testing.T) {
	var p Prop = Truth(false)
	const atoms = 300_000
	for i := range int64(atoms) {
		p = Binary{Or, p, Atom{Op: Equal, X: Operand{Ref: &Ref{Thread: -1, Name: "x"}}, Y: Operand{Const: Value{Int: i}}}}
	}
	seen := 0
	MapAtoms(p, func(a Atom) Prop { seen++; return a })
	if seen != atoms {
		t.Errorf("%d atoms of %d", seen, atoms)
	}
}
