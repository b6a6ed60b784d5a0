package litmus

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

const threeThreads = `PTX three
{ x=0; a[2]={1,2}; P0:r0=x; P1:r0=1; P2:r0=2; P2:r1; }
 P0           | P1            | P2            ;
 st.weak x, 1 | ld.weak r1, x | ld.weak r2, x ;
(device (kernel (cta P0 (warp P1)) (cta (warp P2))))
locations [1:r1; 2:r2; x;]
filter (1:r1=1 \/ ~(2:r2=1))
exists (1:r1=1 /\ 2:r2=0 /\ [x]=1)
`

func TestWithoutThread(t *testing.T) {
	without := map[int]string{
		0: `PTX three
{
 x=0; a[2]={1,2};
 1:r0=1;
 2:r0=2; 2:r1;
}
 P1            | P2            ;
 ld.weak r1, x | ld.weak r2, x ;
ScopeTree (device (kernel (cta (warp P1)) (cta (warp P2))))
locations [1:r1; 2:r2; x;]
filter 1:r1=1 \/ ~(2:r2=1)
exists (1:r1=1 /\ 2:r2=0 /\ [x]=1)
`,
		1: `PTX three
{
 x=0; a[2]={1,2};
 0:r0=x;
 2:r0=2; 2:r1;
}
 P0           | P2            ;
 st.weak x, 1 | ld.weak r2, x ;
ScopeTree (device (kernel (cta P0) (cta (warp P2))))
locations [2:r2; x;]
filter ~(2:r2=1)
exists (2:r2=0 /\ [x]=1)
`,
		2: `PTX three
{
 x=0; a[2]={1,2};
 0:r0=x;
 1:r0=1;
}
 P0           | P1            ;
 st.weak x, 1 | ld.weak r1, x ;
ScopeTree (device (kernel (cta P0 (warp P1))))
locations [1:r1; x;]
filter 1:r1=1
exists (1:r1=1 /\ [x]=1)
`,
	}
	test := parse(t, threeThreads)
	before := test.String()
	for i, want := range without {
		got := test.WithoutThread(i).String()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("without thread %d (-want +got)\n%s", i, diff)
		}
		if again := parse(t, got).String(); again != got {
			t.Errorf("read again, it is\n%s", again)
		}
	}
	if diff := cmp.Diff(before, test.String()); diff != "" {
		t.Errorf("the test has changed (-before +after)\n%s", diff)
	}
}

func TestWithoutTheOnlyThread(t *testing.T) {
	only := parse(t, "PTX one\n{x;}\n P0 ;\n st x, 1 ;\nexists (x=1)")
	if got := only.WithoutThread(0); got != nil {
		t.Errorf("a test without threads:\n%s", got)
	}
	asked := parse(t, "PTX two\n{}\n P0 | P1 ;\n ld r0, x | st x, 1 ;\n(cta P0 P1)\nexists (0:r0=1)")
	if got := asked.WithoutThread(0); got != nil {
		t.Errorf("a test that asks nothing:\n%s", got)
	}
}

func TestClone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		test := testGen.Draw(t, "test")
		before := test.String()
		c := test.Clone()
		if diff := cmp.Diff(before, c.String()); diff != "" {
			t.Fatalf("the copy differs (-original +copy)\n%s", diff)
		}
		scribble(c)
		if diff := cmp.Diff(before, test.String()); diff != "" {
			t.Fatalf("a change of the copy shows in the original (-before +after)\n%s", diff)
		}
	})
}

// scribble changes every part of a test that an edit may change.
func scribble(t *Test) {
	t.Name.Text += "x"
	for i := range t.Meta {
		t.Meta[i].Key = "K"
	}
	for _, l := range t.Locations {
		l.Name.Text, l.Init.Int = "l", l.Init.Int+1
	}
	for _, r := range t.Registers {
		r.Name.Text, r.Thread = "r", 0
	}
	for _, th := range t.Threads {
		th.Name.Text = "Q"
		for i := range th.Cells {
			th.Cells[i] = NewCell("nop")
		}
	}
	t.Scopes = treeWithout(t.Scopes, 0)
	for i := range t.Observed {
		t.Observed[i].Name = "o"
	}
}

// TestWithoutThreadReadsBack checks on any test that what is left says nothing of the
// thread that is gone: the parser refuses threads that it does not know.
func TestWithoutThreadReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		test := testGen.Draw(t, "test")
		smaller := test.WithoutThread(rapid.IntRange(0, len(test.Threads)-1).Draw(t, "thread"))
		if smaller == nil {
			return
		}
		again, err := Parse(src.NewFile("smaller", smaller.String()), formats)
		if err != nil {
			t.Fatalf("%v\n---\n%s", err, smaller)
		}
		if diff := cmp.Diff(smaller, again, sameTest); diff != "" {
			t.Fatalf("(-without +parsed)\n%s", diff)
		}
	})
}

// propOf reads a proposition about the registers of threeThreads.
func propOf(t *testing.T, text string) Prop {
	t.Helper()
	head, _, _ := strings.Cut(threeThreads, "locations")
	return parse(t, head+"exists ("+text+")").Cond.Prop
}

func TestWithoutAtoms(t *testing.T) {
	tests := []struct{ prop, want string }{
		{`1:r1=1 /\ 2:r2=0`, `2:r2=0`},
		{`2:r2=0 /\ (1:r1=1 \/ x=1)`, `2:r2=0 /\ [x]=1`},
		{`~(1:r1=1 \/ 1:r1=2) /\ x=1`, `[x]=1`},
		{`~(x=1)`, `~([x]=1)`},
		{`1:r1=1 => 2:r2=0`, `2:r2=0`},
		{`(2:r2=0 => 1:r1=1) /\ x=1`, `[x]=1`},
		{`true /\ 1:r1=2:r2`, `true`},
		{`1:r1=1 \/ ~(1:r1=2)`, ``},
	}
	ofThread1 := func(a Atom) bool { return a.X.Ref != nil && a.X.Ref.Thread == 1 }
	for _, test := range tests {
		got := ""
		if p := WithoutAtoms(propOf(t, test.prop), ofThread1); p != nil {
			got = p.String()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.prop, got, test.want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		prop string
		want []string // each without what is dropped
	}{
		{`1:r1=1`, nil},
		{`1:r1=1 /\ 2:r2=0`, []string{`2:r2=0 without 1:r1=1`, `1:r1=1 without 2:r2=0`}},
		{`~(1:r1=1 \/ x=1)`, []string{`~([x]=1) without 1:r1=1`, `~(1:r1=1) without [x]=1`}},
		{`1:r1=1 => x=1`, []string{`[x]=1 without 1:r1=1`, `~(1:r1=1) without [x]=1`}},
		{`1:r1=1 /\ 2:r2=0 /\ x=1`, []string{
			`[x]=1 without 1:r1=1 /\ 2:r2=0`, `1:r1=1 /\ 2:r2=0 without [x]=1`,
			`2:r2=0 /\ [x]=1 without 1:r1=1`, `1:r1=1 /\ [x]=1 without 2:r2=0`,
		}},
	}
	for _, test := range tests {
		var got []string
		for _, s := range Shorten(propOf(t, test.prop)) {
			got = append(got, s.Prop.String()+" without "+s.Dropped.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %s", test.prop, cmp.Diff(test.want, got))
		}
	}
}
