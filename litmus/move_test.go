package litmus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

func TestMoved(t *testing.T) {
	const (
		tree   = "ScopeTree(grid(cta(warp T0)) (cta(warp T1))) (* where *)"
		header = "P0@cta 0,gpu 0 | P1@cta 1,gpu 0       ;"
	)
	origin := Place{0, 0, 0, 0, 0}
	tests := []struct {
		name, text string
		places     []Place
		want       string
	}{
		{"together in a CTA", tree, []Place{origin, {0, 0, 0, 0, 1}}, "ScopeTree(kernel (cta (warp T0) (warp T1))) (* where *)"},
		{"in one warp", tree, []Place{origin, origin}, "ScopeTree(kernel (cta (warp T0 T1))) (* where *)"},
		{"in a cluster", tree, []Place{origin, {0, 0, 0, 1, 1}}, "ScopeTree(kernel (cluster (cta (warp T0)) (cta (warp T1)))) (* where *)"},
		{"in two kernels", tree, []Place{origin, {0, 1, 1, 1, 1}}, "ScopeTree(kernel (cta (warp T0))) (kernel (cta (warp T1))) (* where *)"},
		{"on two GPUs", tree, []Place{origin, {1, 1, 1, 1, 1}}, "ScopeTree(device (kernel (cta (warp T0)))) (device (kernel (cta (warp T1)))) (* where *)"},
		{"numbers that clash", tree, []Place{origin, {1, 0, 0, 0, 0}}, "ScopeTree(device (kernel (cta (warp T0)))) (device (kernel (cta (warp T1)))) (* where *)"},

		{"together in a CTA", header, []Place{origin, {0, 0, 0, 0, 1}}, "P0@cta 0,gpu 0 | P1@cta 0,gpu 0       ;"},
		{"in a cluster", header, []Place{origin, {0, 0, 0, 1, 1}}, "P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;"},
		{"on two GPUs", header, []Place{origin, {1, 1, 1, 1, 1}}, "P0@cta 0,gpu 0 | P1@cta 0,gpu 1       ;"},
		{"numbers that clash", header, []Place{origin, {0, 0, 1, 0, 0}}, "P0@cta 0,gpu 0 | P1@cta 1,gpu 0       ;"},
	}
	for _, test := range tests {
		text := "PTX t\n{ x=0; }\n P0 | P1 ;\n ld.weak r1, x | ld.weak r1, x ;\n" + test.text + "\nexists (0:r1=0)\n"
		if test.text == header {
			text = "PTX t\n{ x=0; }\n " + test.text + "\n ld.weak r1, x | ld.weak r1, x ;\nexists (0:r1=0)\n"
		} else {
			text = strings.Replace(text, "P0 | P1", "T0 | T1", 1)
		}
		got := parse(t, text).Moved(test.places)
		if want := strings.Replace(text, test.text, test.want, 1); got != want {
			t.Errorf("%s:\n%s", test.name, cmp.Diff(want, got))
		}
	}
}

// TestUnplaced: a test that places none of its threads cannot tell them apart, and stays as it is.
func TestUnplaced(t *testing.T) {
	free := &Format{Arch: "FREE", Layout: Columns{}, Machine: GPU, Unplaced: true}
	test, err := Parse(src.NewFile("free.litmus", "FREE t\n{ x=0; }\n P0 | P1 ;\n a | b ;\nexists (x=1)\n"), []*Format{free})
	if err != nil {
		t.Fatal(err)
	}
	if levels := test.Levels(); levels != nil {
		t.Errorf("levels %v", levels)
	}
	if got := test.Moved([]Place{{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}}); got != test.File.Text {
		t.Error(cmp.Diff(test.File.Text, got))
	}
}

// TestMovedIsThere moves the threads of random tests: read again, a test has them where they
// were put, as far as it can tell, and says the same in all else.
func TestMovedIsThere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		test := parse(t, testGen.Draw(rt, "test").String())
		if test.Levels() == nil {
			return
		}
		number := rapid.IntRange(0, 2)
		places := make([]Place, len(test.Threads))
		for i := range places {
			at := Place{number.Draw(rt, "device"), 0, number.Draw(rt, "cluster"), number.Draw(rt, "cta"), i}
			if len(test.Scopes) > 0 {
				at[Kernel], at[Warp] = number.Draw(rt, "kernel"), number.Draw(rt, "warp")
			}
			places[i] = at
		}
		moved := parse(t, test.Moved(places))
		if diff := cmp.Diff(GPU.nested(places), GPU.nested(moved.Places())); diff != "" {
			rt.Errorf("not at the places asked for:\n%s\n%s", diff, moved.File.Text)
		}
		moved.Scopes, test.Scopes = nil, nil
		for i := range moved.Threads {
			moved.Threads[i].Place, test.Threads[i].Place = nil, nil
		}
		if diff := cmp.Diff(test.String(), moved.String()); diff != "" {
			rt.Errorf("more has changed than the places:\n%s", diff)
		}
	})
}
