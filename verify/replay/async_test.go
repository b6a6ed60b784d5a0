package replay_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestAsync: launches show alarms about asynchronous copies and about matrix rows that lanes of a
// warp access; races with copies are not written as litmus tests.
func TestAsync(t *testing.T) {
	all, err := examples.Read("../testdata/async")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Verdict() != "race" {
			continue
		}
		m, err := examples.Module(e.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		l := e.Launches[0]
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{l.Grid.X, 1, 1}, Block: verify.Dim{l.Block.X, 1, 1}}, Alarms: 1,
		})
		if err != nil || len(r.Alarms) == 0 {
			t.Errorf("%s: %v, %v", e.Name, r.Verdict, err)
			continue
		}
		if err := replay.All(t.Context(), r, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		a := r.Alarms[0]
		copies := strings.HasPrefix(a.Points[0].Instr.Opcode, "cp.async") ||
			strings.HasPrefix(a.Points[1].Instr.Opcode, "cp.async")
		if !strings.HasPrefix(a.Replay, "replayed") || (a.Litmus == "") != copies {
			t.Errorf("%s: %s, %q", e.Name, a.Replay, a.Litmus)
		}
	}
}
