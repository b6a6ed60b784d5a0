package viz

import (
	"context"
	"io/fs"
	"testing"

	"github.com/muster-gpu/muster/event"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// shipped returns an allowed execution of a shipped test.
func shipped(t *testing.T, name string) *event.Execution {
	t.Helper()
	text, err := fs.ReadFile(litmustests.FS, name+".litmus")
	if err != nil {
		t.Fatal(err)
	}
	test, err := sim.Load(src.NewFile(name, string(text)), sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(test.Format.Model, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := test.Run(context.Background(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	return r.States[0].Witness().Execution
}

// TestRowsFollowTime: asynchronous operations are below the events before their issue, and above
// the events that wait for them.
func TestRowsFollowTime(t *testing.T) {
	for _, name := range []string{"cp-async-three-stage-refill", "cluster-copy-reuse", "tensor-store"} {
		x := shipped(t, "async/"+name)
		g, drawn := New(x, Options{}), 0
		for _, later := range []rel.Rel{relationOf(x, "issue"), relationOf(x, "complete")} {
			for a, b := range later.Pairs() {
				above, ok := g.rows[a]
				below, alsoOK := g.rows[b]
				if !ok || !alsoOK {
					continue
				}
				if drawn++; above >= below {
					t.Errorf("%s: %s stands in row %d, and %s, which comes later, in row %d", name, g.names[a], above,
						g.names[b], below)
				}
			}
		}
		if drawn == 0 {
			t.Errorf("%s: nothing is issued", name)
		}
	}
}

// TestCtrlOfAsynchronousOperations: a control dependency of an asynchronous operation is drawn, or
// follows from what is drawn by program order and issue. It is not drawn to each event of the
// operation.
func TestCtrlOfAsynchronousOperations(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
	}{{"wgmma-gemm", 0}, {"tcgen05-gemm", 2}} {
		x := shipped(t, "async/"+c.name)
		drawn := 0
		starts := ctrlStarts(x)
		follows := starts.Compose(x.Po.Opt()).Compose(relationOf(x, "issue").Opt()).Compose(relationOf(x,
			"within").Opt())
		for read, e := range x.Ctrl.Pairs() {
			if x.Events[e].Agent == 0 {
				continue
			}
			if starts.Has(read, e) {
				drawn++
			}
			if !follows.Has(read, e) {
				t.Errorf("%s: nothing says that event %d depends on %d", c.name, e, read)
			}
		}
		if drawn > c.most {
			t.Errorf("%s: %d lines of ctrl lead to asynchronous operations, want %d at most", c.name, drawn, c.most)
		}
	}
}
