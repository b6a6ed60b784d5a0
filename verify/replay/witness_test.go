package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestWitnesses: in the launch of an alarm about threads that miss each other at barriers, the
// alarm's threads reach the barriers that it names, and the launch ends at a barrier of the alarm:
// barriers of the block and of some of its warps, in one loop and in several.
func TestWitnesses(t *testing.T) {
	shown, counting := 0, 0
	for file, sizes := range map[string][2]int{
		"named": {2, 128}, "teams": {1, 128}, "roles": {2, 128}, "pipelines": {1, 160}, "rounds": {2, 64},
	} {
		m, err := examples.Module("../testdata/many/" + file + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Funcs {
			if long := file == "rounds" ||
				file == "pipelines" && f.Name != "wrong_rounds" && f.Name != "wrong_each_waits"; !f.Entry ||
				!strings.HasPrefix(f.Name, "wrong") || long && !sample.All() {
				continue
			}
			r, err := verify.Verify(t.Context(), m, f, verify.Config{
				Launch: verify.Launch{Grid: verify.Dim{sizes[0], 1, 1}, Block: verify.Dim{sizes[1], 1, 1}},
				Only:   verify.OnlyDivergence,
				Budget: 2000,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range r.Alarms {
				again, err := replay.Run(t.Context(), r, a)
				if err != nil {
					t.Fatal(err)
				}
				if a.Kind != verify.Divergence || !again.Shown() {
					continue
				}
				shown++
				if again.Stuck.Count > 0 {
					counting++
				}
				if at := again.Stuck.At; at != a.Points[0].Instr && at != a.Points[len(a.Points)-1].Instr {
					t.Errorf("%s: a thread waits at line %d, which the alarm does not speak of", f.Name,
						at.At.Pos().Line)
				}
				witnesses(t, f.Name, a, again)
			}
		}
	}
	if shown < 8 || counting < 4 {
		t.Errorf("only %d divergences are shown, %d of them at barriers that count", shown, counting)
	}
}

// witnesses checks that the threads of an alarm that reach a barrier reach it in its launch.
func witnesses(t *testing.T, name string, a *verify.Alarm, again *replay.Replay) {
	t.Helper()
	for i, p := range a.Points {
		if i > 0 && a.What == "" {
			break // this one misses it
		}
		at := func(d [3]uint64) launch.Dim { return launch.Dim{X: int(d[0]), Y: int(d[1]), Z: int(d[2])} }
		l := again.Launch
		thread := l.Grid.Index(at(p.Block))*l.Block.Count() + l.Block.Index(at(p.Thread))
		if !slices.ContainsFunc(again.Report.Syncs, func(s launch.Sync) bool {
			return s.Thread == thread && s.Instr == p.Instr
		}) {
			t.Errorf("%s: thread %v does not come to line %d: %s", name, p.Thread, p.Instr.At.Pos().Line, again)
		}
	}
}
