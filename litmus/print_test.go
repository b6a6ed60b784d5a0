package litmus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

func TestPrint(t *testing.T) {
	got := parse(t, `PTX  everything
"A doc string."
A=b
{ P1:r1=x;x=1;a[2]={1,x+4}; b[3]; shared y; s @ surface aliases y; 0:.reg .u32 r0=-1, r2; 1:%p=&x }
P0|T1;ld.relaxed.gpu r1,x|L0: ; st.weak x, 1  (* last *) |;
grid(cta(warp T1) P0)
locations [a; 0:r1; int x]
filter not (x=0x10 /\ P1:%p!=&x)
final a[1] == 1 && (0:r1 <> 2 || true)
`).String()
	want := `PTX everything
"A doc string."
A=b
{
 x=1; a[2]={1,x+4}; b[3]; y=0; s @ surface aliases y;
 1:r1=x;
 0:.reg .u32 r0 = -1; 0:.reg .u32 r2;
 1:%p=x;
}
 P0                  | T1  ;
 ld.relaxed.gpu r1,x | L0: ;
 st.weak x, 1        |     ;
ScopeTree (kernel (cta P0 (warp T1)))
x: global, a: global, b: global, y: shared
locations [a[0]; a[1]; 0:r1; x;]
filter ~([x]=16 /\ 1:%p!=&x)
final (a[1]=1 /\ (0:r1!=2 \/ true))
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		test := testGen.Draw(t, "test")
		text := test.String()
		again, err := Parse(src.NewFile("printed", text), formats)
		if err != nil {
			t.Fatalf("%v\n---\n%s", err, text)
		}
		if diff := cmp.Diff(test, again, sameTest); diff != "" {
			t.Fatalf("%s\n(-printed +parsed)\n%s", text, diff)
		}
		if diff := cmp.Diff(text, again.String()); diff != "" {
			t.Fatalf("(-printed +printed again)\n%s", diff)
		}
		if test.Hash() != again.Hash() {
			t.Fatal("the hash changes")
		}
	})
}

func TestHash(t *testing.T) {
	hash := parse(t, fig12).Hash()
	if len(hash) != 32 {
		t.Errorf("the hash is %s", hash)
	}
	edit := func(old, new string) string {
		text := strings.ReplaceAll(fig12, old, new)
		if text == fig12 {
			t.Fatalf("no %q in the test", old)
		}
		return parse(t, text).Hash()
	}
	same := map[string]string{
		"GPU_PTX SB\n":      "GPU_PTX other name\n\"doc\"\nKey=Value\n",
		"st.cg.s32 [r1],r0": "st.cg.s32  [ r1 ] , r0",
		"mov.s32 r0,1 ":     "mov.s32\tr0, 1 (* one *)",
		"exists (0:r2=0 ":   "(* *)\n exists ( P0:r2 == 0 ",
		"x: shared, y":      "x: local; y",
		"{0:.reg":           "{x=0; y=0; 0:.reg",
		"cta(":              "block (",
	}
	for old, new := range same {
		if edit(old, new) != hash {
			t.Errorf("%q for %q changes the hash", new, old)
		}
	}
	different := map[string]string{
		"GPU_PTX SB":    "PTX SB",
		"mov.s32 r0,1 ": "movs32 r0,1 ",
		"0:r2=0":        "0:r2=1",
		"exists":        "~exists",
		"x: shared":     "x: global",
		"{0:.reg":       "{x=1; 0:.reg",
		".b64 r3 = x":   ".b64 r3 = y",

		"(warp T0) (warp T1)": "(warp T0 T1)",
	}
	for old, new := range different {
		if edit(old, new) == hash {
			t.Errorf("%q for %q keeps the hash", new, old)
		}
	}
}

func TestSqueeze(t *testing.T) {
	tests := map[string]string{
		"":                         "",
		"ld.cg.s32 r2 ,  [ r3+4 ]": "ld.cg.s32 r2,[r3+4]",
		"@!p  bra\tL0":             "@!p bra L0",
		"L0 : st %r1, $r2":         "L0:st %r1,$r2",
		"add r1, -1":               "add r1,-1",
	}
	for text, want := range tests {
		if got := string(appendSqueezed(nil, text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
