package replay_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestScoped: for kernels whose accesses have orders and scopes, the results of verify, of launches
// and of the PTX model for the threads agree. The first two report a race where only
// synchronization through memory orders accesses.
func TestScoped(t *testing.T) {
	ptx := model(t)
	all, err := examples.Read("../testdata/scoped")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		t.Run(e.Name+" "+e.Row["grid"], func(t *testing.T) {
			m, err := examples.Module(e.Files[0])
			if err != nil {
				t.Fatal(err)
			}
			l := e.Launches[0]
			r, err := verify.Verify(t.Context(), m, m.Func(l.Kernel), verify.Config{
				Launch: verify.Launch{Grid: verify.Dim{l.Grid.X, 1, 1}, Block: verify.Dim{l.Block.X, 1, 1}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Verdict == verify.Alarmed; got != (e.Verdict() == "race") || r.Verdict == verify.Undecided {
				t.Errorf("verify says %v %v, want %s: %s", r.Verdict, r.Open, e.Verdict(), e.Row["why"])
			}
			for _, a := range r.Alarms {
				again, err := replay.Run(t.Context(), r, a)
				switch {
				case err != nil:
					t.Fatal(err)
				case again.Race == nil:
					t.Errorf("not shown: %s", again.Why)
				case e.Row["model"] == "race" && !flagged(t, ptx, replay.Litmus("race", again.Report, *again.Race)):
					t.Errorf("the model sees no race in\n%s", replay.Litmus("race", again.Report, *again.Race))
				}
			}
			inLaunch(t, &e, launch.New(m), func(text string) bool { return flagged(t, ptx, text) })
		})
	}
	if len(all) < 50 {
		t.Errorf("only %d kernels", len(all))
	}
}

// inLaunch compares the result of a launch with the table and with the model's result for the
// threads.
func inLaunch(t *testing.T, e *examples.Example, p *launch.Program, flagged func(string) bool) {
	t.Helper()
	report, err := p.Run(t.Context(), e.Launches[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Verdict().String(); got != e.Verdict() {
		t.Errorf("the launch shows: %s, want %s", got, e.Verdict())
	}
	for _, race := range report.Races {
		if text := replay.Litmus("race", report, race); flagged(text) != (e.Row["model"] == "race") {
			t.Errorf("the model sees a race: %v, want %s, in\n%s", flagged(text), e.Row["model"], text)
		}
	}
	for _, other := range []int{1, 31, e.Launches[0].Block.X} {
		if e.Verdict() != "verified" || other >= e.Launches[0].Grid.X*e.Launches[0].Block.X {
			continue
		}
		if text := replay.Threads("threads", report, 0, other); flagged(text) {
			t.Errorf("the model sees a race in\n%s", text)
		}
	}
}
