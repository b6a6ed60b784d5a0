package report_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestComparedTestsAreForgotten: what Differences keeps of a test does not keep the test itself
// alive, for there may be very many.
func TestComparedTestsAreForgotten(t *testing.T) {
	f := src.NewFile("sb.litmus", strings.Clone(`GPU_PTX SB
{x=0; y=0;}
 T0               | T1               ;
 st.cg.s32 [x],1  | st.cg.s32 [y],1  ;
 ld.cg.s32 r0,[y] | ld.cg.s32 r0,[x] ;
ScopeTree(grid (cta (warp T0)) (cta (warp T1)))
exists (0:r0=0 /\ 1:r0=0)
`))
	text := weak.Make(unsafe.StringData(f.Text))
	found := report.NewDifferences([]string{"sc", "tso"}, false)
	test, err := sim.Load(f, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	sc, err := models.Load("sc", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tso, err := models.Load("tso", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := probe.Compare(t.Context(), test, sc, tso)
	if err != nil {
		t.Fatal(err)
	}
	if kind := found.Add(c); kind != report.Difference {
		t.Fatalf("sc and tso differ: %q", kind)
	}
	f, test, c = nil, nil, nil
	runtime.GC()
	if text.Value() != nil {
		t.Error("the text of the test is kept")
	}
	runtime.KeepAlive(found)
}
