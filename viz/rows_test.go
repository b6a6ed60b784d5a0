package viz

import (
	"context"
	"io/fs"
	"testing"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestRowsFollowTime: asynchronous operations stand below what was done before they were issued, and above what waits for them.
func TestRowsFollowTime(t *testing.T) {
	m, err := models.Load("ptx", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cp-async-three-stage-refill", "cluster-copy-reuse", "tensor-store"} {
		text, err := fs.ReadFile(litmustests.FS, "async/"+name+".litmus")
		if err != nil {
			t.Fatal(err)
		}
		test, err := sim.Load(src.NewFile(name, string(text)), sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		r, err := test.Run(context.Background(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		x := r.States[0].Witness().Execution
		g, drawn := New(x, Options{}), 0
		for _, later := range []rel.Rel{relationOf(x, "issue"), relationOf(x, "complete")} {
			for a, b := range later.Pairs() {
				above, ok := g.rows[a]
				below, alsoOK := g.rows[b]
				if !ok || !alsoOK {
					continue
				}
				if drawn++; above >= below {
					t.Errorf("%s: %s stands in row %d, and %s, which comes later, in row %d", name, g.names[a], above, g.names[b], below)
				}
			}
		}
		if drawn == 0 {
			t.Errorf("%s: nothing is issued", name)
		}
	}
}
