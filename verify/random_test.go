package verify_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// shown returns what random kernels show when all their launches are run.
func shown(t *testing.T, k *examples.Random, m *kernel.Module, seed uint64) (v launch.Verdict) {
	t.Helper()
	program := launch.New(m)
	for _, l := range k.Launches(seed) {
		l.Schedule = launch.Random(seed)
		r, err := program.Run(t.Context(), l)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
		}
		v = v.Or(r.Verdict())
	}
	return v
}

// proved returns what Verify says of a random kernel.
func proved(t *testing.T, k *examples.Random, m *kernel.Module, seed uint64) (v launch.Verdict, decided bool) {
	t.Helper()
	r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
		Launch: verify.Launch{Grid: verify.Dim{k.Grid.X, 1, 1}, Block: verify.Dim{k.Block.X, max(1, k.Block.Y), 1}},
		Alarms: 100,
	})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
	}
	for _, a := range r.Alarms {
		v.Race = v.Race || a.Kind == verify.Race
		v.Divergence = v.Divergence || a.Kind == verify.Divergence
		v.Assertion = v.Assertion || a.Kind == verify.Assertion
	}
	return v, r.Verdict != verify.Undecided
}

// TestRandom compares with brute force on kernels without loops. In half of them no action depends
// on a read; there the two must agree. In the others, brute force tries some contents of memory,
// and Verify must find what it finds.
func TestRandom(t *testing.T) {
	n := uint64(sample.Rounds(10_000, 2000, 240))
	verdicts := map[string]int{}
	for seed := range n {
		k := examples.RandomKernel(seed, examples.Kind{Reads: seed%2 == 0})
		m, err := kernel.Parse(src.NewFile("random.ptx", k.Text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
		}
		brute := shown(t, &k, m, seed)
		said, decided := proved(t, &k, m, seed)
		verdicts[brute.String()]++
		switch {
		case !decided:
			verdicts["undecided"]++
		case seed%2 == 0 && said.Or(brute) != said && !brute.Divergence,
			seed%2 == 0 && said == (launch.Verdict{}) && brute != said,
			seed%2 == 1 && said != brute && !brute.Divergence,
			seed%2 == 1 && (said == launch.Verdict{}) != (brute == launch.Verdict{}):
			t.Errorf("seed %d: Verify says %+v, brute force shows %+v, grid %v, block %v\n%s", seed, said, brute, k.Grid, k.Block, k.Text)
		}
	}
	t.Log(verdicts)
	if verdicts["undecided"] > 0 || verdicts["verified"] < int(n)/20 || verdicts["race"] < int(n)/5 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}

// compare compares the verdict of Verify on a random kernel with its launches, and returns both
// verdicts. An error in some launch must not be verified. An alarm must happen with the arguments
// that it names.
func compare(t *testing.T, seed uint64, kind examples.Kind, budget int) (*verify.Result, launch.Verdict) {
	t.Helper()
	k := examples.RandomKernel(seed, kind)
	m, err := kernel.Parse(src.NewFile("random.ptx", k.Text))
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
	}
	brute := shown(t, &k, m, seed)
	r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
		Launch: verify.Launch{Grid: verify.Dim{k.Grid.X, 1, 1}, Block: verify.Dim{k.Block.X, max(1, k.Block.Y), 1}}, Budget: budget,
	})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
	}
	if r.Verdict == verify.Verified && brute != (launch.Verdict{}) {
		t.Errorf("seed %d: verified, but brute force shows %+v, grid %v, block %v\n%s", seed, brute, k.Grid, k.Block, k.Text)
	}
	if r.Verdict == verify.Alarmed && brute == (launch.Verdict{}) && !happens(t, &k, m, r.Alarms[0], seed) {
		t.Errorf("seed %d: %v, but brute force shows nothing, grid %v, block %v\n%s", seed, r.Alarms[0], k.Grid, k.Block, k.Text)
	}
	return r, brute
}

// TestRandomLoops compares with brute force on kernels with loops that iterate as often as an
// argument says, for few iterations.
func TestRandomLoops(t *testing.T) {
	n := uint64(sample.Rounds(10_000, 400, 56))
	verdicts := map[string]int{}
	for seed := range n {
		r, brute := compare(t, seed, examples.Kind{Loops: true}, 1000)
		verdicts[r.Verdict.String()+", "+brute.String()]++
		if r.Verdict == verify.Verified && slices.Contains(r.Assumptions, assume.LoopsEnd.Of()) {
			verdicts["verified, loops cut"]++
		}
	}
	t.Log(verdicts)
	if verdicts["verified, verified"] < int(n)/20 || verdicts["alarm, race"] < int(n)/5 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}

// TestRandomLocal compares with brute force on kernels with loops whose threads keep numbers,
// pointers and variables in local memory. Verify does not always follow values that are written
// there in parts, so a few alarms are shown by no launch.
func TestRandomLocal(t *testing.T) {
	n := uint64(sample.Rounds(20_000, 600, 200))
	verdicts := map[string]int{}
	for seed := range n {
		k := examples.RandomKernel(seed, examples.Kind{Loops: true, Local: true})
		m := parsed(t, k.Text)
		brute := shown(t, &k, m, seed)
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{k.Grid.X, 1, 1}, Block: verify.Dim{k.Block.X, max(1, k.Block.Y), 1}}, Budget: 1000,
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
		}
		verdicts[r.Verdict.String()+", "+brute.String()]++
		switch {
		case r.Verdict == verify.Verified && brute != (launch.Verdict{}):
			t.Errorf("seed %d: verified, but brute force shows %+v, grid %v, block %v\n%s", seed, brute, k.Grid, k.Block, k.Text)
		case r.Verdict == verify.Verified && slices.Contains(r.Assumptions, assume.LoopsEnd.Of()):
			verdicts["verified, loops cut"]++
		case r.Verdict == verify.Alarmed && brute == (launch.Verdict{}) && !happens(t, &k, m, r.Alarms[0], seed):
			verdicts["not shown"]++
		}
	}
	t.Log(verdicts)
	if verdicts["verified, verified"] < int(n)/5 || verdicts["alarm, race"] < int(n)/3 || verdicts["verified, loops cut"] < int(n)/50 || verdicts["not shown"] > int(n)/100 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}

// TestRandomReadBack compares with brute force on kernels whose threads read arrays again in loops:
// a kernel that a launch shows to go wrong, with one of several contents of memory, is not
// verified.
func TestRandomReadBack(t *testing.T) {
	n := uint64(sample.Rounds(5_000, 150, 40))
	verdicts := map[string]int{}
	for seed := range n {
		k := examples.RandomReadBack(seed)
		m := parsed(t, k.Text)
		brute := shown(t, &k, m, seed)
		for contents := range uint64(3) {
			brute = brute.Or(shownWith(t, &k, m, seed+1_000_003*contents))
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{k.Block.X, 1, 1}}, Budget: 500,
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
		}
		verdicts[r.Verdict.String()+", "+brute.String()]++
		if r.Verdict == verify.Verified && brute != (launch.Verdict{}) {
			t.Errorf("seed %d: verified, but brute force shows %+v, block %v\n%s", seed, brute, k.Block, k.Text)
		}
	}
	t.Log(verdicts)
	if verdicts["verified, verified"] < int(n)/20 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}

// shownWith returns what a random kernel shows whose shared memory holds small numbers at first.
func shownWith(t *testing.T, k *examples.Random, m *kernel.Module, seed uint64) (v launch.Verdict) {
	t.Helper()
	program := launch.New(m)
	for _, l := range k.Launches(seed) {
		l.Schedule = launch.Random(seed)
		l.Contents = func(o *launch.Object) map[int64]byte {
			if o.Buffer != nil {
				return nil
			}
			bytes := map[int64]byte{}
			for i := range uint64(8) {
				bytes[int64(4*i)] = byte((seed + 3*i) % 13)
			}
			return bytes
		}
		r, err := program.Run(t.Context(), l)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
		}
		v = v.Or(r.Verdict())
	}
	return v
}

// TestRandomOpen compares with brute force on kernels whose indices and conditions are products,
// quotients and shifts of open arguments, launched with decisive values. Such products are hard:
// the solver gets few conflicts for each question.
func TestRandomOpen(t *testing.T) {
	n := uint64(sample.Rounds(10_000, 150, 12))
	verdicts := map[string]int{}
	for seed := range n {
		r, brute := compare(t, seed, examples.Kind{Open: true, Loops: seed%4 == 1}, 100)
		verdicts[r.Verdict.String()+", "+brute.String()]++
	}
	t.Log(verdicts)
	if verdicts["verified, verified"] < int(n)/6 || verdicts["alarm, race"] < int(n)/6 {
		t.Errorf("%v: too much of one kind", verdicts)
	}
}

// happens reports whether something goes wrong with the numbers that an alarm names, or whether the
// alarm needs more iterations of loops than are run.
func happens(t *testing.T, k *examples.Random, m *kernel.Module, a *verify.Alarm, seed uint64) bool {
	t.Helper()
	l, named := k.Launches(seed)[0], false
	for _, p := range a.Params {
		if i := slices.Index([]string{"A", "B", "n", "m"}, p.Name); i > 1 {
			l.Args[i].Value, named = p.Bits, true
		}
	}
	if rounds := len(l.Args) == 3; rounds && (!named || l.Args[2].Value >= 50) {
		return true
	}
	r, err := launch.New(m).Run(t.Context(), l)
	return err != nil || r.Verdict() != (launch.Verdict{})
}
