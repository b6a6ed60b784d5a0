package litmus

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaces(t *testing.T) {
	tests := []struct {
		header, tree string
		want         []Place // device, kernel, cluster, CTA, warp
	}{
		{header: "P0", want: []Place{{0, 0, 0, 0, 0}}},
		{header: "P3", tree: "(device (warp P3))", want: []Place{{0, 0, 0, 0, 0}}},

		// A complete tree, in both spellings.
		{
			header: "P0|P1|P2",
			tree:   "(device (kernel (cluster (cta (warp P0) (warp P1)) (cta (warp P2)))))",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 1, 2}},
		},
		{
			header: "P0|P1|P2",
			tree:   "GPU(grid(cluster(work_group(sub_group P0) (sub_group P1)) block(wavefront P2)))",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 1, 2}},
		},

		// Threads directly in a node.
		{header: "P0|P1", tree: "(warp P0 P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
		{header: "P0|P1", tree: "(cta P0 P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}},
		{header: "P0|P1", tree: "(cluster P0 P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 1, 1}}},
		{header: "P0|P1", tree: "(kernel P0 P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}}},
		{header: "P0|P1", tree: "(device P0 P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}}},
		{header: "P0|P1", tree: "(cta P0 (warp P1))", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}},
		{header: "P0|P1", tree: "(device (cta P0) P1)", want: []Place{{0, 0, 1, 1, 1}, {0, 0, 0, 0, 0}}},

		// Levels left out between nodes, or above the roots.
		{header: "P0|P1", tree: "(cta P0) (cta P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}}},
		{header: "P0|P1", tree: "(warp P0) (warp P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}},
		{header: "P0|P1", tree: "(cluster P0) (cluster P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}}},
		{header: "P0|P1", tree: "(kernel P0) (kernel P1)", want: []Place{{0, 0, 0, 0, 0}, {0, 1, 1, 1, 1}}},
		{header: "P0|P1", tree: "(device (cta P0)) (device (cta P1))", want: []Place{{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}}},
		{header: "P0|P1", tree: "(sys (device P0) (device P1))", want: []Place{{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}}},
		{
			header: "P0|P1|P2",
			tree:   "(device (cta P0 P1) (cta P2))",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 1, 1, 2}},
		},
		{
			header: "P0|P1|P2",
			tree:   "(kernel (warp P0 P1) (warp P2))",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}},
		},
		{ // the kernel that is left out is not the one that is there
			header: "P0|P1|P2",
			tree:   "(device (kernel (cta P0)) (cta P1) (cluster P2))",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 1, 1, 1, 1}, {0, 1, 2, 2, 2}},
		},
		{
			header: "P0|P1|P2",
			tree:   "(kernel (cta P0) (cluster (cta P1) (cta P2)))",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}, {0, 0, 1, 2, 2}},
		},

		// Places in the header.
		{header: "P0@cta 0,gpu 0 | P1@cta 0,gpu 0", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}},
		{header: "P0@cta 0,gpu 0 | P1@cta 1,gpu 0", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}}},
		{header: "P0@cta 0,gpu 0 | P1@cta 0,gpu 1", want: []Place{{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}}},
		{header: "P0@cta 7 | P1@cta 7", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}},
		{header: "P0@gpu 2 | P1@gpu 2", want: []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}}},
		{
			header: "P0@cta 0,cluster 1,gpu 0 | P1@cta 1,cluster 1,gpu 0 | P2@cta 0,cluster 2,gpu 0 | P3@cta 0,gpu 0",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 0, 1, 1}, {0, 0, 1, 2, 2}, {0, 0, 2, 3, 3}},
		},
		{
			header: "P0@cta 1,gpu 5 | P1@cta 0,gpu 5 | P2@cta 1,gpu 5",
			want:   []Place{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 2}, {0, 0, 0, 0, 1}},
		},
	}
	for _, tt := range tests {
		test := parse(t, fmt.Sprintf("PTX x\n{}\n%s ;\n%s\nforall (true)", tt.header, tt.tree))
		if diff := cmp.Diff(tt.want, test.Places()); diff != "" {
			t.Errorf("%s %s (-want +got)\n%s", tt.header, tt.tree, diff)
		}
		again := parse(t, test.String())
		if diff := cmp.Diff(tt.want, again.Places()); diff != "" {
			t.Errorf("%s %s, printed as\n%s\n(-want +got)\n%s", tt.header, tt.tree, test, diff)
		}
	}
}

// A scope tree may be spelled in many ways.
func TestScopeTreeSpellings(t *testing.T) {
	const want = "\nScopeTree (kernel (cta (warp T0) (warp T1)) (cta T2))\n"
	for _, tree := range []string{
		"ScopeTree(grid(cta(warp T0) (warp T1)) (cta T2))",
		"scopeTree (ker (block (warp P0) (warp P1)) (work_group P2))",
		"SCOPETREE grid(cta(warp T0)(warp T1))(cta(T2))",
		"grid(cta(warp T0) warp(T1)) (cta 2)",
		"grid(cta(warp T0)(warp T1) cta(T2))",
		"(((GRID ((CTA (WARP T0) (WARP T1)) (CTA T2)))))",
		"(system (kernel (cta (Sub_Group 0) (wavefront 1)) (cta T2)))",
		"sys(kernel(cta(warp T0)(warp T1))(cta T2))",
	} {
		test := parse(t, "PTX x\n{}\nT0|T1|T2 ;\n"+tree+"\nforall (true)")
		if diff := cmp.Diff("PTX x\n{\n}\n T0 | T1 | T2 ;"+want+"forall (true)\n", test.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tree, diff)
		}
	}
}
