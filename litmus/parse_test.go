package litmus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/muster-gpu/muster/src"
)

// sameTest compares tests whatever the files they come from: cells by their text,
// and nothing by where it stands.
var sameTest = cmp.Options{
	cmp.Comparer(func(c, d Cell) bool { return c.Text() == d.Text() }),
	cmpopts.IgnoreTypes(src.Span{}, &src.File{}),
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(Location{}, "Undeclared"), // printed tests declare all
	cmpopts.IgnoreUnexported(Test{}),               // where things stand
}

// formats are those of the tests here.
var formats = []*Format{
	{Arch: "GPU_PTX", Layout: Columns{}, Machine: GPU},
	{Arch: "PTX", Layout: Columns{}, Machine: GPU},
}

func parse(t testing.TB, text string) *Test {
	t.Helper()
	test, err := Parse(src.NewFile("test.litmus", text), formats)
	if err != nil {
		t.Fatalf("%v\n---\n%s", err, text)
	}
	return test
}

// fig12 is the test of ASPLOS 2015, Fig. 12.
const fig12 = `GPU_PTX SB
{0:.reg .s32 r0;      0:.reg .s32 r2;
 0:.reg .b64 r1 = x;  0:.reg .b64 r3 = y;
 1:.reg .s32 r0;      1:.reg .s32 r2;
 1:.reg .b64 r1 = y;  1:.reg .b64 r3 = x;}
 T0                    | T1                    ;
 mov.s32 r0,1          | mov.s32 r0,1          ;
 st.cg.s32 [r1],r0     | st.cg.s32 [r1],r0     ;
 ld.cg.s32 r2,[r3]     | ld.cg.s32 r2,[r3]     ;
ScopeTree(grid(cta(warp T0) (warp T1)))
x: shared, y: global
exists (0:r2=0 /\ 1:r2=0)
`

// header returns a placement in the header.
func header(cta, cluster, gpu int) *HeaderPlace {
	return &HeaderPlace{Numbers: []int{Device: gpu, Kernel: Nowhere, Cluster: cluster, CTA: cta, Warp: Nowhere}}
}

// name returns an identifier, and reg a register as the initial state declares it.
func name(s string) Ident { return Ident{Text: s} }

func reg(thread int, n, typ string, init *Value) *Register {
	return &Register{Thread: thread, Name: name(n), Type: typ, Init: init}
}

func integer(n int64) *Value { return &Value{Int: n} }

func address(loc string, offset int64) *Value { return &Value{Loc: loc, Int: offset} }

func registerIs(id int, n string, value int64) Atom {
	return Atom{Equal, Operand{Ref: &Ref{Thread: id, ID: id, Name: n}}, Operand{Const: *integer(value)}}
}

func cells(texts ...string) (cs []Cell) {
	for _, text := range texts {
		cs = append(cs, Cell{src.NewFile("", text).Span(0, len(text))})
	}
	return cs
}

func TestFigure12(t *testing.T) {
	body := cells("mov.s32 r0,1", "st.cg.s32 [r1],r0", "ld.cg.s32 r2,[r3]")
	want := &Test{
		Format: formats[0],
		Name:   name("SB"),
		Locations: []*Location{
			{Name: name("x"), Region: Shared},
			{Name: name("y"), Region: Global},
		},
		Registers: []*Register{
			reg(0, "r0", "s32", nil), reg(0, "r2", "s32", nil),
			reg(0, "r1", "b64", address("x", 0)), reg(0, "r3", "b64", address("y", 0)),
			reg(1, "r0", "s32", nil), reg(1, "r2", "s32", nil),
			reg(1, "r1", "b64", address("y", 0)), reg(1, "r3", "b64", address("x", 0)),
		},
		Threads: []*Thread{
			{Name: name("T0"), ID: 0, Cells: body},
			{Name: name("T1"), ID: 1, Cells: body},
		},
		Scopes: []*ScopeNode{{Level: Kernel, Children: []*ScopeNode{
			{Level: CTA, Children: []*ScopeNode{
				{Level: Warp, Threads: []int{0}},
				{Level: Warp, Threads: []int{1}},
			}},
		}}},
		Cond: Cond{Quant: Exists, Prop: Binary{And, registerIs(0, "r2", 0), registerIs(1, "r2", 0)}},
	}
	got := parse(t, fig12)
	if diff := cmp.Diff(want, got, sameTest); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for what, span := range map[string]src.Span{
		"SB":                         got.Name.Span,
		"r3":                         got.Registers[7].Name.Span,
		"T1":                         got.Threads[1].Name.Span,
		"st.cg.s32 [r1],r0":          got.Threads[1].Cells[1].Span,
		"(warp T1)":                  got.ScopesAt.Sub(len("(grid(cta(warp T0) "), len("(grid(cta(warp T0) (warp T1)")),
		"shared":                     got.Locations[0].Mapped,
		"global":                     got.Locations[1].Mapped,
		"exists (0:r2=0 /\\ 1:r2=0)": got.Cond.At,
		"1:r2":                       got.Cond.Prop.(Binary).Y.(Atom).X.At,
	} {
		if span.Text() != what {
			t.Errorf("the span of %s is %q", what, span.Text())
		}
	}
}

func TestHeader(t *testing.T) {
	const rest = "\n{}\nP0 ;\nforall (true)\n"
	tests := []struct {
		text       string
		arch, name string
	}{
		{"PTX MP", "PTX", "MP"},
		{"GPU_PTX \t MP+membar.gls+addr-[x]  \r", "GPU_PTX", "MP+membar.gls+addr-[x]"},
		{"\uFEFFPTX with a byte order mark", "PTX", "with a byte order mark"},
		{"(* a comment\n (* in a comment *) *)\n// and another\nPTX late", "PTX", "late"},
		{"PTX MP // fences", "PTX", "MP"},
		{"PTX MP (* two\nlines *)", "PTX", "MP"},
		{"PTX a//b", "PTX", "a//b"},
	}
	for _, tt := range tests {
		got := parse(t, tt.text+rest)
		if got.Arch != tt.arch || got.Name.Text != tt.name {
			t.Errorf("%q: header %q, name %q", tt.text, got.Arch, got.Name.Text)
		}
	}
}

func TestPreamble(t *testing.T) {
	got := parse(t, `PTX x
Com=Rf Fr // not a part of it
"a doc string
with // (* what looks like comments
"
(* one *) Source=https://example.org/a?b=c#d
Empty=
{}
P0 ;
forall (true)
`)
	if want := "a doc string\nwith // (* what looks like comments\n"; got.Doc != want {
		t.Errorf("doc string %q, want %q", got.Doc, want)
	}
	want := []Meta{{"Com", "Rf Fr"}, {"Source", "https://example.org/a?b=c#d"}, {"Empty", ""}}
	if diff := cmp.Diff(want, got.Meta); diff != "" {
		t.Errorf("metadata (-want +got)\n%s", diff)
	}
}

// TestTextBeforeInitialState: what stands there without quotes is part of the doc string, as far as
// it is no comment.
func TestTextBeforeInitialState(t *testing.T) {
	for _, tt := range []struct{ name, before, doc string }{
		{"an answer and a comment", "UNKNOWN // <-- means \"No, but\n{", "UNKNOWN"},
		{"several lines", "Found by: a generator\n(* { *) * with -c x;\nP1 waits\n{", "Found by: a generator\n* with -c x;\nP1 waits"},
		{"on the line of the state", "No answer {", "No answer"},
		{"quotes in quotes", "\"the \"old\" value\"\nKey=a b\n{", "the \nold\" value\""},
		{"around metadata", "one\nKey=two\n\"three\" four\n{", "one\nthree\nfour"},
		{"in the state", "one\n{ \"two\" \"three\"", "one\ntwo\nthree"},
		{"comments alone", "(* one (* two *) *) // {\n/* three */ {", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest := " (* a (* b *) *) x=1; // c { }\n y=2 /* d */ } P0 ;\n ld r0,x ;\nexists (0:r0=1)\n"
			got := parse(t, "PTX text\n"+tt.before+rest)
			if got.Doc != tt.doc {
				t.Errorf("doc string %q, want %q", got.Doc, tt.doc)
			}
			if len(got.Locations) != 2 {
				t.Errorf("%d locations", len(got.Locations))
			}
			if again := parse(t, got.String()); strings.ReplaceAll(got.Doc, `"`, "'") != again.Doc {
				t.Errorf("printed and read again, it is %q", again.Doc)
			}
		})
	}
}

// TestSeveralDocStrings: a second doc string goes on with the first, on a line of its own.
func TestSeveralDocStrings(t *testing.T) {
	got := parse(t, "PTX x\n\"one\ntwo\"\nKey=1\n\"three\"\n{}\nP0 ;\nforall (true)\n")
	if want := "one\ntwo\nthree"; got.Doc != want {
		t.Errorf("doc string %q, want %q", got.Doc, want)
	}
	if again := parse(t, got.String()); again.Doc != got.Doc {
		t.Errorf("printed and read again, it is %q", again.Doc)
	}
}

// TestAliasOfAnAlias: an alias of an alias is as large, and where, the location is that it leads
// to, in whatever order they are declared.
func TestAliasOfAnAlias(t *testing.T) {
	got := parse(t, "PTX x\n{ u @ surface aliases t; t @ generic aliases s; s @ texture aliases x; shared x[2]; }\nP0 ;\nforall (true)")
	for _, l := range got.Locations {
		if l.Size != 2 || l.Region != Shared {
			t.Errorf("%s has %d elements in %s memory", l.Name.Text, l.Size, GPU.Regions[l.Region].Name)
		}
	}
	if again := parse(t, got.String()); cmp.Diff(got, again, sameTest) != "" {
		t.Errorf("printed and read again, it is\n%s", again)
	}
}

// TestSemicolonsInCells: as in the manual, each instruction may end with a semicolon, also
// before the end of its cell, and a cell may hold several.
func TestSemicolonsInCells(t *testing.T) {
	for text, want := range map[string][2][]Cell{
		"a; | b; ;":                   {cells("a"), cells("b")},
		"a; | b ;\n c | d; ;":         {cells("a", "c"), cells("b", "d")},
		"a; b | c ;":                  {cells("a", "b"), cells("c", "")},
		"a | b; c; d ; // ; |":        {cells("a", "", ""), cells("b", "c", "d")},
		"a (* ; | *); b; | /* ; */ ;": {cells("a", "b"), cells("", "")},
		"a | b ; c | d ;":             {cells("a", "c"), cells("b", "d")},
		"| a; b ;":                    {cells("", ""), cells("a", "b")},
		"L: a;| b: ;":                 {cells("L: a"), cells("b:")},
	} {
		got := parse(t, "PTX x\n{}\nP0@cta 0 | P1@cta 1 ;\n"+text+"\nforall (true)")
		for i, th := range got.Threads {
			if diff := cmp.Diff(want[i], th.Cells, sameTest); diff != "" {
				t.Errorf("%s, %s (-want +got)\n%s", text, th.Name.Text, diff)
			}
		}
	}
}

// TestCommentsAnywhere: a comment counts as a blank wherever it stands.
func TestCommentsAnywhere(t *testing.T) {
	want := parse(t, "PTX x\n{ x=1; }\nP0 | P1 ;\n ld r1, x | st x, 1 ;\n(cta P0 P1)\nexists (0:r1=0)")
	got := parse(t, `PTX x /* the name */
/* a
comment */ { /* x=2; */ x /**/ = (* 3 *) 1; // }
}
P0 (* | *) | /* ; */ P1 ; // a row
 ld(* of *)r1, /* from
 */ x /* | */ | st x, 1 (* ; *) ; /* another */
(cta /* P2 */ P0 P1)
exists (0:r1 /* not */ = 0)`)
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want.Hash() != got.Hash() {
		t.Error("comments change what the test says")
	}
}

func loc(n string, init Value) *Location { return &Location{Name: name(n), Init: init} }

func TestInitialState(t *testing.T) {
	tests := []struct {
		text      string
		locations []*Location
		registers []*Register
	}{
		{text: ""},
		{text: ";;"},
		{text: "x=1", locations: []*Location{loc("x", *integer(1))}},
		{text: "*x = 1; *y = &x;", locations: []*Location{loc("x", *integer(1)), loc("y", *address("x", 0))}},
		{text: "x == 1; [y] = -2;", locations: []*Location{loc("x", *integer(1)), loc("y", *integer(-2))}},
		{text: "x=0xff; y=-0x10; z=0xffffffffffffffff; u=18446744073709551615", locations: []*Location{
			loc("x", *integer(255)), loc("y", *integer(-16)), loc("z", *integer(-1)), loc("u", *integer(-1)),
		}},
		{text: "x=1, int y=2, .s32 z,", locations: []*Location{loc("x", *integer(1)), loc("y", *integer(2)), loc("z", Value{})}},
		{
			text:      "int x=1, 0:r1=2, 1:.reg .s32 r0, r2, 0:r3; y",
			locations: []*Location{loc("x", *integer(1)), loc("y", Value{})},
			registers: []*Register{reg(0, "r1", "", integer(2)), reg(1, "r0", "s32", nil), reg(1, "r2", "s32", nil), reg(0, "r3", "", nil)},
		},
		{text: "x;", locations: []*Location{loc("x", Value{})}},
		{text: "int x=1; unsigned long * y; .s32 z", locations: []*Location{
			loc("x", *integer(1)), loc("y", Value{}), loc("z", Value{}),
		}},
		{text: "global x=1; shared int y=2; local z; .shared .u32 w", locations: []*Location{
			loc("x", *integer(1)),
			{Name: name("y"), Region: Shared, Init: *integer(2)},
			{Name: name("z"), Region: Shared},
			{Name: name("w"), Region: Shared},
		}},
		{text: "global=1", locations: []*Location{loc("global", *integer(1))}},
		{text: "x=&y; z=x; y=3; w=&z+4", locations: []*Location{
			loc("x", *address("y", 0)), loc("y", *integer(3)), loc("z", *address("x", 0)), loc("w", *address("z", 4)),
		}},
		{text: "x[4]; y[3]={1,-2}; z[2]={x+4,y};", locations: []*Location{
			{Name: name("x"), Size: 4},
			{Name: name("y"), Size: 3, Elems: []Value{*integer(1), *integer(-2)}},
			{Name: name("z"), Size: 2, Elems: []Value{*address("x", 4), *address("y", 0)}},
		}},
		{text: "s @ surface aliases x; shared x[2]", locations: []*Location{
			{Name: name("s"), Region: Shared, Size: 2, Alias: &Alias{Proxy: name("surface"), Of: name("x")}},
			{Name: name("x"), Region: Shared, Size: 2},
		}},
		{
			text:      "0:.reg .s32 r0; P1:.reg.b64 %rd1 = x; T1:.reg .pred p",
			locations: []*Location{loc("x", Value{})},
			registers: []*Register{reg(0, "r0", "s32", nil), reg(1, "%rd1", "b64", address("x", 0)), reg(1, "p", "pred", nil)},
		},
		{
			text:      "0:.reg .u32 r0, r1=2, $r2;",
			registers: []*Register{reg(0, "r0", "u32", nil), reg(0, "r1", "u32", integer(2)), reg(0, "$r2", "u32", nil)},
		},
		{
			text:      "0:r1=x; 0:r2=&x; int 1:r1=-1; P1:r2",
			locations: []*Location{loc("x", Value{})},
			registers: []*Register{
				reg(0, "r1", "", address("x", 0)), reg(0, "r2", "", address("x", 0)),
				reg(1, "r1", "", integer(-1)), reg(1, "r2", "", nil),
			},
		},
		{
			text:      "0:.reg .s32 r0; 0:r0=1; 0:r1=2; 0:.reg .u32 r1",
			registers: []*Register{reg(0, "r0", "s32", integer(1)), reg(0, "r1", "u32", integer(2))},
		},
		{
			text:      "x=1 (* ; *) ; // y=2;\n z=3",
			locations: []*Location{loc("x", *integer(1)), loc("z", *integer(3))},
		},
	}
	for _, tt := range tests {
		got := parse(t, "PTX x\n{"+tt.text+"\n}\nP0 | P1 ;\n(cta P0 P1) forall (true)")
		if diff := cmp.Diff(tt.locations, got.Locations, sameTest); diff != "" {
			t.Errorf("{%s} locations (-want +got)\n%s", tt.text, diff)
		}
		if diff := cmp.Diff(tt.registers, got.Registers, sameTest); diff != "" {
			t.Errorf("{%s} registers (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestElem(t *testing.T) {
	scalar := loc("x", *integer(3))
	array := &Location{Name: name("a"), Size: 3, Elems: []Value{*integer(1), *address("x", 4)}}
	got := []string{scalar.Elem(0).String()}
	for i := range array.Size {
		got = append(got, array.Elem(i).String())
	}
	if diff := cmp.Diff([]string{"3", "1", "x+4", "0"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProgram(t *testing.T) {
	tests := []struct {
		text string
		want []*Thread
	}{
		{"P0 ;", []*Thread{{Name: name("P0")}}},
		{"T7;ld r1,[x];;", []*Thread{{Name: name("T7"), ID: 7, Cells: cells("ld r1,[x]", "")}}},
		{
			"P1 | T0 ; st x , 1| ; L0: |@!p bra L0; ",
			[]*Thread{
				{Name: name("P1"), ID: 1, Cells: cells("st x , 1", "L0:")},
				{Name: name("T0"), ID: 0, Cells: cells("", "@!p bra L0")},
			},
		},
		{
			"P0@cta 0,gpu 1 | P1@ CTA 1, cluster 2 , device 3 | P2 @cta 4 gpu 5;",
			[]*Thread{
				{Name: name("P0"), ID: 0, Place: header(0, Nowhere, 1)},
				{Name: name("P1"), ID: 1, Place: header(1, 2, 3)},
				{Name: name("P2"), ID: 2, Place: header(4, Nowhere, 5)},
			},
		},
		{
			"P0 (* ; *) ; // ;\n (* a | *) ld r1,[x] (* b *) (* c *) ; (* d ; *)\n\n // ;\n st x,a/b(c) ;",
			[]*Thread{{Name: name("P0"), Cells: cells("ld r1,[x]", "st x,a/b(c)")}},
		},
		{
			"P0 |\n P1 ;\n ld r1,[x] |\n\n // and\n st [x],1\n ;",
			[]*Thread{
				{Name: name("P0"), ID: 0, Cells: cells("ld r1,[x]")},
				{Name: name("P1"), ID: 1, Cells: cells("st [x],1")},
			},
		},
		{ // instructions that begin as what may follow a program does
			"P0 ; not r1,r2 ; not.b32 r1,r2 ; x: st x,1 ; LC00: ; existsx y ; barrier.cluster.arrive ;",
			[]*Thread{{Name: name("P0"), Cells: cells(
				"not r1,r2", "not.b32 r1,r2", "x: st x,1", "LC00:", "existsx y", "barrier.cluster.arrive",
			)}},
		},
	}
	for _, tt := range tests {
		ends := "\nforall (true)"
		if len(tt.want) > 1 && tt.want[0].Place == nil {
			ends = "\n(cta " + tt.want[0].Name.Text + " " + tt.want[1].Name.Text + ")" + ends
		}
		got := parse(t, "PTX x\n{}\n"+tt.text+ends)
		if diff := cmp.Diff(tt.want, got.Threads, sameTest); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestThreadNumbers(t *testing.T) {
	got := parse(t, "PTX x\n{1:r0=1; P0:r0=0;}\nP1 | T0 ;\n(cta 0 P1) exists (P0:r1=0 /\\ 1:r1=T0:r0)")
	for i, want := range []int{0, 1} {
		if got.Registers[i].Thread != want {
			t.Errorf("register %d is of thread %d, want %d", i, got.Registers[i].Thread, want)
		}
	}
	if diff := cmp.Diff([]int{1, 0}, got.Scopes[0].Threads); diff != "" {
		t.Errorf("threads of the CTA (-want +got)\n%s", diff)
	}
	var threads []string
	EachRef(got.Cond.Prop, func(r *Ref) { threads = append(threads, fmt.Sprint(r, " ", r.Thread)) })
	if diff := cmp.Diff([]string{"0:r1 1", "1:r1 0", "0:r0 1"}, threads); diff != "" {
		t.Errorf("threads of the condition (-want +got)\n%s", diff)
	}
}

func TestSections(t *testing.T) {
	const program = "PTX x\n{ a[2]; shared y; }\nP0 | P1 ;\n ld r1,x | st x,1 ;\n"
	want := parse(t, program+`
ScopeTree (cta P0 P1)
a: global, y: shared, x: shared
locations [x; 0:r1; a[0]; a[1];]
filter true
exists (x=1)`)
	for _, text := range []string{
		"exists (x=1) filter true locations [x; 0:r1; a;] x: shared, a: global\n(cta P0 P1)",
		"x: shared; y:local\n locations [int x; P0:r1 int*; a] filter (true) SCOPETREE((cta 0 1)) exists x=1",
		"(cta P0 P1); x: shared; locations [x; 0:r1; a;]; filter true; exists (x=1);",
		"y: .shared x:local\nscopetree cta P0 P1\nexists [x]=1 filter true locations [;[x]; .s32 0:r1; a[0]; a[1]]",
		"// x: global\n(* ; *) scopeTree(block(P0)(P1)) x : shared ,exists(x==1)filter true locations[x unsigned long *;0:r1;a;]",
	} {
		got := parse(t, program+text)
		if diff := cmp.Diff(want, got, sameTest); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", text, diff)
		}
	}
}

// Of a location that only an address names, the test does not know whether there is one: front ends
// may.
func TestUndeclared(t *testing.T) {
	test := parse(t, "PTX x\n{ x=y; z; P0:r1=&w; u=y; }\nP0;\nx: global, w: global\nexists (true)")
	for _, l := range test.Locations {
		if want := l.Name.Text == "y"; l.Undeclared != want {
			t.Errorf("%s: undeclared is %v, want %v", l.Name.Text, l.Undeclared, want)
		}
	}
}
