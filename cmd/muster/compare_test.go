package main

import (
	"context"
	"io"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

const storeBuffering = `GPU_PTX SB
{x=0; y=0;}
 T0           | T1           ;
 st.cg [x],1  | st.cg [y],1  ;
 ld.cg r0,[y] | ld.cg r0,[x] ;
ScopeTree(grid (cta (warp T0)) (cta (warp T1)))
exists (0:r0=0 /\ 1:r0=0)
`

// TestComparedTestsAreForgotten compares a test on which two models differ: what is printed of
// it in the end does not keep it, for there may be very many.
func TestComparedTestsAreForgotten(t *testing.T) {
	a := &app{in: nil, out: io.Discard, err: io.Discard, seen: map[int]bool{}}
	c := &comparison{simulation: simulation{app: a, workers: 1, config: sim.Defaults(), co: "total", refs: []string{"sc", "tso"}}}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	f := src.NewFile("sb.litmus", string([]byte(storeBuffering)))
	text := weak.Make(unsafe.StringData(f.Text))
	c.add(c.simulateAll(context.Background(), corpus.TestIn(f)))
	if len(c.table) != 1 || c.table[0][0] != "SB" {
		t.Fatalf("sc and tso differ: %q", c.table)
	}
	f = nil
	runtime.GC()
	if text.Value() != nil {
		t.Error("the text of the test is kept")
	}
	runtime.KeepAlive(c)
}
