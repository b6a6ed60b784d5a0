package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// verified returns what Verify says of a random kernel.
func verified(t *testing.T, k *examples.Random) *verify.Result {
	t.Helper()
	m := parsed(t, k.Text)
	r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
		Launch: verify.Launch{Grid: verify.Dim{k.Grid.X, 1, 1}, Block: verify.Dim{k.Block.X, 1, 1}}, Budget: 300,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, k.Text)
	}
	return r
}

// TestRandomOverlaps compares with brute force on accesses of all sizes near each other. The
// threads read nothing, so the two must agree on each kernel.
func TestRandomOverlaps(t *testing.T) {
	n := uint64(sample.Rounds(20_000, 4000, 800))
	races := uint64(0)
	for seed := range n {
		k := examples.RandomOverlaps(seed)
		brute := shown(t, &k, parsed(t, k.Text), seed)
		if got := said(verified(t, &k)); got != brute.String() {
			t.Errorf("seed %d: %s, want %s, grid %v, block %v\n%s", seed, got, brute, k.Grid, k.Block, k.Text)
		}
		if brute.Race {
			races++
		}
	}
	if races < n/8 || races > 7*n/8 {
		t.Errorf("%d of %d kernels race", races, n)
	}
}

// TestRandomParts compares with brute force on threads that read what they have written in parts,
// at unknown indices.
func TestRandomParts(t *testing.T) {
	n := uint64(sample.Rounds(20_000, 4000, 800))
	verdicts := map[string]int{}
	for seed := range n {
		k := examples.RandomParts(seed)
		brute := shown(t, &k, parsed(t, k.Text), seed)
		r := verified(t, &k)
		if verdicts[r.Verdict.String()+", "+brute.String()]++; r.Verdict == verify.Verified && brute != (launch.Verdict{}) {
			t.Errorf("seed %d: verified, but brute force shows %+v, grid %v, block %v\n%s", seed, brute, k.Grid, k.Block, k.Text)
		}
	}
	if t.Log(verdicts); verdicts["verified, verified"] < int(n)/6 || verdicts["alarm, assertion"] < int(n)/4 || verdicts["alarm, verified"] > int(n)/5 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}

// TestRandomUneven compares with brute force on loops with different numbers of barriers in their
// iterations. Threads of one block race at its barriers if the same number of blocks of one thread
// each race at barriers of the grid.
func TestRandomUneven(t *testing.T) {
	n := uint64(sample.Rounds(10_000, 1000, 60))
	verdicts := map[string]int{}
	for seed := range n {
		block, grid := examples.RandomUneven(seed)
		brute := shown(t, &block, parsed(t, block.Text), seed)
		r, grids := verified(t, &block), verified(t, &grid)
		if verdicts[r.Verdict.String()+", "+brute.String()]++; r.Verdict == verify.Verified && brute != (launch.Verdict{}) {
			t.Errorf("seed %d: verified, but brute force shows %+v, %d threads\n%s", seed, brute, block.Block.X, block.Text)
		}
		if block.Grid.X == 1 && said(r) != said(grids) {
			t.Errorf("seed %d: %s at barriers of %d threads, %s at barriers of the grid\n%s", seed, said(r), block.Block.X, said(grids), grid.Text)
		}
	}
	if t.Log(verdicts); verdicts["verified, verified"] < int(n)/3 || verdicts["alarm, race"] < int(n)/6 || verdicts["alarm, verified"] > int(n)/20 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}
