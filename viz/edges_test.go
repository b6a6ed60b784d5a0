package viz

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/rel"
)

// lines lists the lines of g; highlighted edges have a star.
func lines(g *Graph) []string {
	var got []string
	for _, l := range g.lines {
		star := ""
		if l.highlighted() {
			star = "*"
		}
		got = append(got, fmt.Sprintf("%s %s%s %s", g.ref(l.From), star, l.label, g.ref(l.To)))
	}
	return got
}

func TestChosenEdges(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		want []string
	}{
		{
			name:     "po between neighbours only",
			scenario: scenario{code: []string{"W x 1, W y 1, W z 1"}},
			want:     []string{"a po b", "b po c"},
		},
		{
			name:     "a fence between the accesses next to it, in place of po",
			scenario: scenario{code: []string{"W x 1, W y 1, membar.gl, W z 1, W w 1"}},
			want:     []string{"a po b", "b membar.gl c", "c po d"},
		},
		{
			name: "several fences",
			scenario: scenario{
				code: []string{"membar.gl, W x 1, membar.cta, membar.gl, W y 1, membar.gl, W z 1, membar.gl"},
			},
			want: []string{"a membar.cta, membar.gl b", "b membar.gl c"},
		},
		{
			name:     "co between neighbours, without the initial write",
			scenario: scenario{code: []string{"W x 1", "W x 2", "W x 3"}, co: "c b"},
			want:     []string{"a co c", "c co b"},
		},
		{
			name:     "fr to the next write only, and rf from the initial write",
			scenario: scenario{code: []string{"R x", "W x 1", "W x 2"}},
			want:     []string{"init[x] rf a", "a fr b", "b co c"},
		},
		{
			name:     "a branch: ctrl to the first event after it",
			scenario: scenario{code: []string{"R x, W y 1, W z 1, W w 1"}, ctrl: "a c, a d"},
			want:     []string{"init[x] rf a", "a po b", "a ctrl c", "b po c", "c po d"},
		},
		{
			name:     "a predicate: ctrl to the event that it guards",
			scenario: scenario{code: []string{"R x, W y 1, W z 1, W w 1"}, ctrl: "a b, a c"},
			want:     []string{"init[x] rf a", "a ctrl b", "a ctrl c", "b po c", "c po d"},
		},
		{
			name:     "an atomic: no fr to its own write",
			scenario: scenario{code: []string{"R.atom x, W.atom x 1", "W x 2"}, rmw: "a b"},
			want:     []string{"init[x] rf a", "a rmw b", "b co c"},
		},
		{
			name:     "an atomic that is torn",
			scenario: scenario{code: []string{"R.atom x, W.atom x 1", "W x 2"}, rmw: "a b", co: "c b"},
			want:     []string{"init[x] rf a", "a rmw b", "a fr c", "c co b"},
		},
		{
			name:     "dependencies between neighbours share a line, apart from communication",
			scenario: scenario{code: []string{"R x, membar.gl, W x 1"}, addr: "a b", data: "a b"},
			want:     []string{"init[x] rf a", "a fr b", "a membar.gl, addr, data b"},
		},
		{
			name:     "a highlighted rfe is the rf",
			scenario: scenario{code: []string{"W x 1", "R x"}, rf: "a b", cycle: "a rfe b"},
			want:     []string{"a *rfe b"},
		},
		{
			name:     "highlighting adds what is left out otherwise",
			scenario: scenario{code: []string{"W x 1, W x 2, W x 3"}, cycle: "a po-loc c, init co a"},
			want:     []string{"init[x] *co a", "a po b", "a co b", "a *po-loc c", "b po c", "b co c"},
		},
		{
			name:     "a highlighted po-loc stays beside a fence",
			scenario: scenario{code: []string{"W x 1, membar.gl, R x"}, rf: "a b", cycle: "a po-loc b"},
			want:     []string{"a *po-loc, membar.gl b", "a rf b"},
		},
		{
			name:     "a highlighted fence event is a node",
			scenario: scenario{code: []string{"W x 1, fence.sc.gpu, W y 1"}, cycle: "f1 sc f1"},
			want:     []string{"a po f1", "f1 *sc f1", "f1 po b"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The lines are in the order of the events.
			if diff := cmp.Diff(c.want, lines(c.graph(t))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShowAndHide(t *testing.T) {
	x := scenario{code: []string{"W x 1, R y", "W y 1, R x"}}.execution(t)
	names := x.Names()
	g := New(x, Options{
		Hide: []string{"po", "rf", "fr"},
		// By transitivity 2→5 is not drawn; po is, although hidden.
		Show: map[string]rel.Rel{
			"hb": rel.Of(x.N(), [2]int{2, 3}, [2]int{3, 5}, [2]int{2, 5}, [2]int{4, 4}),
			"po": rel.Of(x.N(), [2]int{4, 5}),
		},
	})
	want := []string{"a hb b", "a hb d", "b hb d", "c hb c", "c po d"} // 4→4 makes hb cyclic, so all of it is drawn
	if diff := cmp.Diff(want, lines(g)); diff != "" {
		t.Errorf("(-want +got):\n%s\nnames: %v", diff, names)
	}
	if len(g.inits) > 0 {
		t.Errorf("initial writes are drawn that no line touches")
	}
}

func TestShowLeavesOutTransitivity(t *testing.T) {
	x := scenario{code: []string{"W x 1, W y 1, W z 1"}}.execution(t)
	g := New(x, Options{Hide: []string{"po"}, Show: map[string]rel.Rel{"hb": x.Po}})
	if diff := cmp.Diff([]string{"a hb b", "b hb c"}, lines(g)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
