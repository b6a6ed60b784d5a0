package report_test

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/muster-gpu/muster/internal/probe"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestComparedTestsAreForgotten compares a test on which two models differ: what is printed of
// it in the end does not keep it, for there may be very many.
func TestComparedTestsAreForgotten(t *testing.T) {
	f := src.NewFile("sb.litmus", string([]byte(sb)))
	text := weak.Make(unsafe.StringData(f.Text))
	found := report.NewDifferences([]string{"sc", "tso"}, false)
	c, err := probe.Compare(t.Context(), load(t, f, sim.Defaults()), model(t, "sc"), model(t, "tso"))
	if err != nil {
		t.Fatal(err)
	}
	if kind := found.Add(c); kind != report.Difference {
		t.Fatalf("sc and tso differ: %q", kind)
	}
	f, c = nil, nil
	runtime.GC()
	if text.Value() != nil {
		t.Error("the text of the test is kept")
	}
	runtime.KeepAlive(found)
}
