package viz

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

// meetings lists the titles of the meetings of g.
func meetings(g *Graph) (all []string) {
	for _, m := range g.meetings {
		all = append(all, fmt.Sprintf("%s: %s", m.title(), g.who(m)))
	}
	return all
}

// arrows lists the lines of g other than po, rf and fr.
func arrows(g *Graph) []string {
	return slices.DeleteFunc(lines(g), func(s string) bool {
		return strings.Contains(s, " po ") || strings.Contains(s, " rf ") || strings.Contains(s, " fr ")
	})
}

func TestMeetings(t *testing.T) {
	for _, c := range []struct {
		name string
		scenario
		meetings, arrows []string
	}{
		{
			name: "rounds of one barrier",
			scenario: scenario{
				code: []string{
					"bar.sync 0, W x 1, bar.sync 0, bar.sync 1", "bar.sync 0, bar.sync 0, bar.sync 1",
					"R x, bar.sync 0, bar.sync 0, bar.sync 1",
				},
				meet: "b1 b4 b7, b2 b5 b8, b3 b6 b9",
			},
			meetings: []string{"barrier 0, round 1: b1 b4 b7", "barrier 0, round 2: b2 b5 b8", "barrier 1: b3 b6 b9"},
		},
		{
			name: "the same barrier of other threads",
			scenario: scenario{
				code: []string{"bar.sync 0", "bar.sync 0", "bar.sync 0", "bar.sync 0"},
				meet: "b1 b2, b3 b4",
			},
			meetings: []string{"barrier 0: b1 b2", "barrier 0: b3 b4"},
		},
		{
			name:     "one arrow is as good as a band",
			scenario: scenario{code: []string{"W x 1, bar.arrive 0", "bar.sync 0, R x"}, meet: "b1 b2"},
			arrows:   []string{"b1 syncbar b2"},
		},
		{
			name:     "a thread that waits alone meets nobody",
			scenario: scenario{code: []string{"bar.sync 0", "bar.arrive 0"}, meet: "b1"},
		},
		{
			name: "arrivals and waits",
			scenario: scenario{
				code: []string{"bar.arrive 0, bar.wait 0", "bar.arrive 0, W x 1, bar.wait 0"},
				meet: "b1 b2 b3 b4",
			},
			meetings: []string{"barrier 0: b1 b2 b3 b4"},
		},
		{
			name: "meetings that cross cannot lie level",
			scenario: scenario{
				code: []string{"bar.arrive 0, bar.sync 1", "bar.arrive 1, bar.sync 0", "bar.arrive 0, bar.arrive 1"},
				meet: "b1 b4 b5, b2 b3 b6",
			},
			meetings: []string{"barrier 0: b1 b4 b5"},
			arrows:   []string{"b3 syncbar b2", "b6 syncbar b2"},
		},
		{
			name: "the cycle stays",
			scenario: scenario{
				code:  []string{"W x 1, bar.sync 0", "bar.sync 0, R x", "bar.sync 0"},
				meet:  "b1 b2 b3",
				cycle: "a po b1, b1 syncbar b2, b2 po b, b fr a",
			},
			meetings: []string{"barrier 0: b1 b2 b3"},
			arrows:   []string{"a *po b1", "b1 *syncbar b2", "b2 *po b", "b *fr a"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := c.graph(t)
			if diff := cmp.Diff(c.meetings, meetings(g)); diff != "" {
				t.Errorf("meetings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.arrows, arrows(g), cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Errorf("arrows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBarriersHaveNames draws tests of all languages.
func TestBarriersHaveNames(t *testing.T) {
	for name, want := range map[string][]string{
		"ptx/ISA2+rel.gpu+acq.gpu-bar.syncs":     {"barrier 0: b1 b2"},
		"ptx/MP+bar.syncs-twice-named-intra-cta": {"barrier 0, round 1: b1 b3", "barrier 0, round 2: b2 b4"},
		"ptx/MP+bar.syncs-twice-intra-cta":       {"barrier 0: b1 b3", "barrier 1: b2 b4"},
		"ptx/MP+cluster.barriers-inter-cta":      {"cluster barrier: b1 b2 b3 b4"},
		"opencl/cl-barrier-two-turns":            {"barrier, round 1: b1 b2 b5 b6", "barrier, round 2: b3 b4 b7 b8"},
		"opencl/cl-barrier-labels":               {"barrier A: b1 b2 b3 b4"},
		"cpp/cpp-syncthreads-mp":                 {"__syncthreads: b1 b2 b3 b4"},
	} {
		if diff := cmp.Diff(want, meetings(New(shipped(t, name), Options{}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMeetingsAreARelation hides meetings by the name of their relation, and draws them as arrows
// under another name.
func TestMeetingsAreARelation(t *testing.T) {
	x := scenario{code: []string{"bar.sync 0", "bar.sync 0", "bar.sync 0"}, meet: "b1 b2 b3"}.execution(t)
	pairs := []string{"b1 %s b2", "b1 %s b3", "b2 %s b1", "b2 %s b3", "b3 %s b1", "b3 %s b2"}
	for _, c := range []struct {
		name     string
		opts     Options
		meetings int
		arrows   string
	}{
		{"as it is", Options{}, 1, ""},
		{"a model that shows it", Options{Show: map[string]rel.Rel{meets: meetsOthers(x)}}, 1, ""},
		{"hidden", Options{Hide: []string{meets}}, 0, ""},
		{"not asked for", Options{Only: []string{"rf"}}, 0, ""},
		{"asked for", Options{Only: []string{meets}}, 1, ""},
		{"by another name", Options{Show: map[string]rel.Rel{"pairs": meetsOthers(x)}}, 1, "pairs"},
	} {
		g := New(x, c.opts)
		var want []string
		for _, pair := range pairs {
			if c.arrows != "" {
				want = append(want, fmt.Sprintf(pair, c.arrows))
			}
		}
		if len(g.meetings) != c.meetings || !slices.Equal(lines(g), want) {
			t.Errorf("%s: %d meetings and %v, want %d and %v", c.name, len(g.meetings), lines(g), c.meetings, want)
		}
		if named := slices.ContainsFunc(g.Drawn(), func(d Drawn) bool {
			return d.Label == meets
		}); named != (c.meetings > 0) {
			t.Errorf("%s: of what is drawn, %s is named: %v", c.name, meets, named)
		}
	}
}

// TestMeetingsLieLevel: the events of a tier are in one row, waits are below arrivals, no other
// event is between those that meet, and all are below the events before them.
func TestMeetingsLieLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		for _, c := range g.columns {
			for i, e := range c.events {
				if i > 0 && g.rows[e] <= g.rows[c.events[i-1]] {
					t.Fatalf("%s is in row %d, and %s before it in row %d", g.names[e], g.rows[e],
						g.names[c.events[i-1]], g.rows[c.events[i-1]])
				}
			}
		}
		for _, m := range g.meetings {
			for i, tier := range m.tiers {
				row := g.rows[tier[0]]
				if i > 0 && row <= g.rows[m.tiers[i-1][0]] {
					t.Fatalf("%s: waits lie in row %d, above arrivals", m.title(), row)
				}
				for c := m.first; c <= m.last; c++ {
					for _, e := range g.columns[c].events {
						if slices.Contains(tier, e) != (g.rows[e] == row) {
							t.Fatalf("%s: %s is in row %d, those who meet in row %d", m.title(), g.names[e], g.rows[e],
								row)
						}
					}
				}
			}
		}
	})
}
