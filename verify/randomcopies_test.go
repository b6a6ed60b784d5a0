package verify_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// TestRandomCopies compares with brute force on kernels of asynchronous copies and matrices: no
// kernel that goes wrong is verified. All kernels without loops are decided. An alarm that no
// launch shows is about lanes of one warp: the manual does not say which lane touches which part.
func TestRandomCopies(t *testing.T) {
	for _, loops := range []bool{false, true} {
		verdicts := map[string]int{}
		n := uint64(sample.Rounds(5_000, 600, 120))
		if loops {
			n = uint64(sample.Rounds(5_000, 80, 30)) // alarms are looked for in rounds one by one
		}
		for seed := range n {
			k := examples.RandomCopies(seed, loops)
			m := parsed(t, k.Text)
			brute := shown(t, &k, m, seed)
			r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{k.Block.X, 1, 1}}})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
			}
			verdicts[r.Verdict.String()+", "+brute.String()]++
			switch {
			case r.Verdict == verify.Verified && brute != launch.Verdict{}:
				t.Errorf("seed %d: verified, but brute force shows %+v, block %v\n%s", seed, brute, k.Block, k.Text)
			case r.Verdict == verify.Undecided && !loops:
				t.Errorf("seed %d: undecided, %v\n%s", seed, r.Open, k.Text)
			case r.Verdict == verify.Alarmed && brute == launch.Verdict{} && !loops && !slices.ContainsFunc(r.Alarms, sameWarp):
				t.Errorf("seed %d: %v, but brute force shows nothing, block %v\n%s", seed, r.Alarms[0], k.Block, k.Text)
			}
		}
		t.Log(loops, verdicts)
		if verdicts["verified, verified"] < int(n)/20 || verdicts["alarm, race"] < int(n)/5 || verdicts["alarm, verified"] > int(n)/20 {
			t.Errorf("%v: too much of one kind", verdicts)
		}
	}
}

// sameWarp reports whether an alarm is about threads of one warp.
func sameWarp(a *verify.Alarm) bool {
	return len(a.Points) == 2 && a.Points[0].Thread[0]/32 == a.Points[1].Thread[0]/32
}
