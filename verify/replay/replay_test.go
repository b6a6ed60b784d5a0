package replay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestReplay: nearly all alarms of the kernels can be replayed, with the sizes of their rows and
// with any sizes; the litmus tests of races are races in the model of PTX.
func TestReplay(t *testing.T) {
	ptx := model(t)
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	alarms, shown := 0, 0
	for i, e := range all {
		l := e.Launches[0]
		for _, file := range e.Files {
			m, err := examples.Module(file)
			if err != nil {
				t.Fatal(err)
			}
			f := m.Funcs[len(m.Funcs)-1]
			for _, sizes := range []verify.Launch{
				{
					Grid:  verify.Dim{l.Grid.X, max(1, l.Grid.Y), max(1, l.Grid.Z)},
					Block: verify.Dim{l.Block.X, max(1, l.Block.Y), max(1, l.Block.Z)},
				},
				{},
			} {
				if sizes == (verify.Launch{}) && i%8 > 0 && os.Getenv("MUSTER_NIGHTLY") == "" ||
					sizes != (verify.Launch{}) && e.Verdict() == "verified" {
					continue
				}
				r, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: sizes, Budget: 500})
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				for _, a := range r.Alarms {
					alarms++
					again, err := replay.Run(t.Context(), r, a)
					if err != nil {
						t.Fatal(err)
					}
					if !again.Shown() {
						t.Logf("%s, %v, %v at %v: %s", filepath.Base(file), a.Launch, a.Kind, a.Points[0].Instr,
							again.Why)
						continue
					}
					shown++
					if again.Race == nil {
						continue
					}
					if text := replay.Litmus("race", again.Report, *again.Race); !flagged(t, ptx, text) &&
						!atomicsOrder(e.Name) {
						t.Errorf("the model sees no race in\n%s", text)
					}
				}
			}
		}
	}
	t.Logf("%d alarms, %d replayed", alarms, shown)
	if 100*shown < 95*alarms || alarms < 60 {
		t.Errorf("%d of %d alarms are replayed", shown, alarms)
	}
}
