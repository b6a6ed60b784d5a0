package shrink

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// TestLikeness knows tests again under other names, and tells others apart.
func TestLikeness(t *testing.T) {
	const mp = `GPU_PTX MP
{ x=0; y=0; }
 T0              | T1               ;
 st.cg.s32 [x],1 | ld.cg.s32 r0,[y] ;
 st.cg.s32 [y],1 | ld.cg.s32 r1,[x] ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (1:r0=1 /\ 1:r1=0)
`
	same := []string{
		`GPU_PTX renamed
{ a=0; b=0; }
 T0              | T1               ;
 ld.cg.s32 r7,[b] | st.cg.u32 [a],5 ;
 ld.cg.b32 r2,[a] | st.cg.s32 [b],3 ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (0:r2=0 /\ 0:r7=3)
`,
	}
	others := []string{
		strings.Replace(mp, "1:r0=1", "1:r0=0", 1),
		strings.Replace(mp, "(warp T0)) (cta (warp T1))", "(warp T0) (warp T1))", 1),
		strings.Replace(mp, "exists", "~exists", 1),
		strings.Replace(mp, "st.cg.s32 [y],1", "st.wt.s32 [y],1", 1),
		strings.Replace(mp, "{ x=0;", "{ x=1;", 1),
		strings.Replace(mp, "exists", "x: shared, y: global\nexists", 1),
	}
	likenessOf := func(text string) string {
		test, err := litmus.Parse(src.NewFile("test", text), ptx.Formats())
		if err != nil {
			t.Fatal(err)
		}
		return Likeness(test)
	}
	want := likenessOf(mp)
	for _, text := range same {
		if got := likenessOf(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	for _, text := range others {
		if likenessOf(text) == want {
			t.Errorf("%s\nlooks like MP", text)
		}
	}
	seen := map[string]string{}
	for _, p := range gen.Presets {
		for test, err := range gen.Sample(gen.Distinct(p.Cycles(t.Context()), &gen.Counts{}), sample.Of(2000, 500), 1) {
			if err != nil {
				t.Fatal(err)
			}
			like := Likeness(test.Test)
			if seen[like] != "" {
				t.Errorf("%s\nlooks like\n%s", test, seen[like])
			}
			seen[like] = test.String()
		}
	}
}
