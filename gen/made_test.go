package gen_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/src"
)

// TestMadeIsParsed: the parser reads from the text of a generated test what the generator has
// recorded about it, positions included, and the text is canonical.
func TestMadeIsParsed(t *testing.T) {
	for _, p := range gen.Presets {
		for test, err := range gen.Sample(testsOf(p), sample.Of(0, 1000), 3) {
			if err != nil {
				t.Fatal(err)
			}
			asParsed(t, test)
		}
	}
	for _, c := range []struct {
		isa              *gen.ISA
		accesses, levels string
	}{
		{gen.GPUPTX, "cg", "warp sys"},
		{gen.PTX, "weak", "warp cta cluster sys"},
		{gen.C11, "plain release acquire atom.relaxed.cas", "gpu"},
		{gen.OpenCL, "plain release.device atom.relaxed.work_group.add", "cta gpu sys"},
		{gen.CUDA, "plain volatile atom.relaxed.block.cas", "cta cluster gpu sys"},
	} {
		g := &gen.Generator{ISA: c.isa, Size: gen.Range{Min: 2, Max: 4}}
		if err := g.Add(gen.Words{
			Edges:    "Rfe Fre Coe Pod** DpAddrd* DpDatad* DpCtrld*",
			Accesses: c.accesses,
			Levels:   c.levels,
		}); err != nil {
			t.Fatal(err)
		}
		for test, err := range gen.Sample(gen.Distinct(g.Cycles(t.Context()), &gen.Counts{}), sample.Of(0, 300), 3) {
			if err != nil {
				t.Fatal(err)
			}
			asParsed(t, test)
		}
	}
}

// asParsed compares a test with the parse of its text.
func asParsed(t *testing.T, test *gen.Test) {
	t.Helper()
	if again, err := frontends.Shipped().Parse(src.NewFile("again", test.File.Text)); err != nil ||
		again.String() != test.File.Text {
		t.Fatalf("%v, or not canonical:\n%s", err, cmp.Diff(test.File.Text, again.String()))
	}
	parsed, err := frontends.Shipped().Parse(test.File) // so that positions are in one file
	if err != nil {
		t.Fatal(err)
	}
	parsed.Name.Text = test.Name.Text // it may be numbered (Distinct)
	if !reflect.DeepEqual(parsed, test.Test) {
		t.Fatalf("read in another way than made:\n%s%s", test.File.Text,
			cmp.Diff(parsed, test.Test, cmp.AllowUnexported(),
				cmp.Comparer(func(x, y *src.File) bool { return x == y })))
	}
}
