package named_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

const arrivingWarps = 4

// arriving returns a random kernel whose warps write and read cells, and reach barriers of some
// of them, in the order of one sequence that all share, as the author of such a kernel thinks of
// it. Some sequences are spoiled.
func arriving(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 5))
	var groups [3][]int
	numbers := [3]int{1, 2, 3}
	for v := range groups {
		groups[v] = r.Perm(arrivingWarps)[:2+r.IntN(arrivingWarps-1)]
		if r.IntN(4) == 0 {
			numbers[v] = 1 + r.IntN(3) // perhaps that of another group
		}
	}
	var warps [arrivingWarps][]string
	for range 4 + r.IntN(8) {
		if w := r.IntN(arrivingWarps); r.IntN(5) < 2 {
			warps[w] = append(warps[w], access(r))
			continue
		}
		if r.IntN(12) == 0 {
			at := []string{"bar.sync 0;", "@%p0 bar.sync 0;"}[r.IntN(2)]
			for w := range warps {
				warps[w] = append(warps[w], at)
			}
			continue
		}
		v := r.IntN(len(groups))
		waits := r.IntN(len(groups[v]))
		for i, w := range groups[v] {
			what := "sync"
			if i != waits && r.IntN(3) == 0 {
				what = "arrive"
			}
			at := fmt.Sprintf("bar.%s %d, %d;", what, numbers[v], 32*len(groups[v]))
			if r.IntN(2) == 0 {
				at = fmt.Sprintf("add.u32 %%r4, %%r2, %d; bar.%s %%r4, %d;", numbers[v]-w, what, 32*len(groups[v]))
			}
			warps[w] = append(warps[w], at)
			if r.IntN(3) == 0 {
				warps[w] = append(warps[w], access(r))
			}
		}
	}
	if w := r.IntN(arrivingWarps); r.IntN(3) == 0 && len(warps[w]) > 1 { // spoiled
		i := r.IntN(len(warps[w]) - 1)
		if r.IntN(2) == 0 {
			warps[w][i], warps[w][i+1] = warps[w][i+1], warps[w][i]
		} else {
			warps[w] = slices.Delete(warps[w], i, i+1)
		}
	}
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n) {\n.shared .b32 s[4]; .reg .pred %p<3>; .reg .b32 %r<9>;\n")
	s.WriteString("ld.param.u32 %r6, [n]; setp.ne.u32 %p0, %r6, 0;\n")
	s.WriteString("mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; setp.eq.u32 %p1, %r3, 0;\n")
	for w, events := range warps {
		fmt.Fprintf(&s, "setp.ne.u32 %%p2, %%r2, %d; @%%p2 bra W%d;\n%s\nW%d:\n", w, w, strings.Join(events, "\n"), w)
	}
	return s.String() + "ret;\n}\n"
}

func access(r *rand.Rand) string {
	if cell := 4 * r.IntN(3); r.IntN(2) == 0 {
		return fmt.Sprintf("@%%p1 st.shared.u32 [s+%d], %%r1;", cell)
	} else {
		return fmt.Sprintf("@%%p1 ld.shared.u32 %%r5, [s+%d];", cell)
	}
}

// TestRandomArrivals compares what is said of barriers of some warps of a block with what launches
// show: what one of them shows to go wrong is not verified, and what is said to go wrong is shown,
// unless it is that a warp may reach a barrier again too early.
func TestRandomArrivals(t *testing.T) {
	n := uint64(sample.Rounds(50_000, 1500, 300))
	verdicts := map[string]int{}
	for seed := range n {
		text := arriving(seed)
		m := kerneltest.Parse(t, text)
		var brute launch.Verdict
		program := launch.New(m)
		for i := range uint64(4) {
			l := launch.Launch{Kernel: "k", Grid: launch.Dim{X: 1}, Block: launch.Dim{X: 32 * arrivingWarps}, Args: []launch.Arg{{Value: i % 2}}, Schedule: launch.Random(seed*4 + i)}
			report, err := program.Run(t.Context(), l)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			brute = brute.Or(report.Verdict())
		}
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32 * arrivingWarps, 1, 1}}})
		if err != nil {
			t.Fatal(err)
		}
		verdicts[fmt.Sprintf("%v/%v", said.Verdict, brute)]++
		switch again := len(said.Alarms) > 0 && strings.Contains(said.Alarms[0].What, "again"); {
		case said.Verdict == verify.Verified && brute != (launch.Verdict{}):
			t.Errorf("seed %d: verified, and launches show %v\n%s", seed, brute, text)
		case said.Verdict == verify.Alarmed && brute == (launch.Verdict{}) && !again:
			t.Errorf("seed %d: %v, and launches show nothing\n%s", seed, said.Alarms[0], text)
		}
	}
	t.Log(verdicts)
	if verdicts["verified/verified"] < int(n)/30 || verdicts["alarm/race"] < int(n)/5 || verdicts["alarm/divergence"] < int(n)/10 {
		t.Errorf("%v: too few of one kind", verdicts)
	}
}

// TestOpenArrivals: what is not known of barriers of some threads is left open.
func TestOpenArrivals(t *testing.T) {
	for name, k := range map[string]struct {
		code  string
		block int
		why   string
	}{
		// All threads from 1024 on write to one place, in a block of more warps than are kept
		// apart.
		"many warps": {"setp.lt.u32 %p1, %r1, 64;\n@%p1 bar.sync 1, 64;\nsetp.ge.u32 %p1, %r1, 1024;\n@%p1 st.shared.u32 [s], %r1;", 2048, "a block of more than 1024"},
		// The first warp copies, and waits for the copies, before it says so to the second one,
		// which is right.
		"a copy that has ended": {`and.b32 %r2, %r1, 31;
			shl.b32 %r2, %r2, 2;
			setp.lt.u32 %p1, %r1, 32;
			@%p1 bra COPY;
			setp.ge.u32 %p1, %r1, 64;
			@%p1 bra END;
			bar.sync 1, 64;
			mov.u32 %r3, s;
			add.u32 %r3, %r3, %r2;
			ld.shared.u32 %r4, [%r3];
			bra END;
			COPY:
			mov.u32 %r3, s;
			add.u32 %r3, %r3, %r2;
			ld.param.u64 %rd1, [in];
			cp.async.ca.shared.global [%r3], [%rd1], 4;
			cp.async.wait_all;
			bar.arrive 1, 64;
			END:`, 96, "when asynchronous copies end"},
		// The first warp waits for another that does not come, in no launch that keeps what is
		// required.
		"a wait that no launch has": {`setp.ge.u32 %p1, %r1, 32;
			setp.lt.u32 %p2, %r1, 0;
			selp.b32 %r2, 1, 0, %p2;
			{ .param .b32 c; st.param.b32 [c], %r2; call.uni __requires, (c); }
			@!%p1 bar.sync 1, 64;`, 64, "threads may wait at this barrier for others that do not come"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", `.version 8.0
.target sm_80
.address_size 64
.extern .func __requires(.param .b32 c);
.visible .entry k(.param .u64 in) {
	.shared .b32 s[32]; .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>;
	mov.u32 %r1, %tid.x;
	`+k.code+`
	ret;
}`))
		if err != nil {
			t.Fatal(err)
		}
		said, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{LargeBlocks: true, Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{k.block, 1, 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if said.Verdict != verify.Undecided || !strings.Contains(said.Open[0].Why, k.why) {
			t.Errorf("%s: %v, %v", name, said.Verdict, said.Open)
		}
	}
}

// TestReadsBetweenArrivals: what one warp reads again, another has written between two barriers of
// both.
func TestReadsBetweenArrivals(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", `.version 8.0
.target sm_80
.address_size 64
.extern .func __assert(.param .b32 holds);
.visible .entry k() {
	.shared .b32 s[32]; .reg .pred %p<4>; .reg .b32 %r<5>;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 32;
	setp.eq.u32 %p2, %r1, 0;
	@%p1 bra WRITER;
	ld.shared.u32 %r2, [s];
	bar.arrive 1, 64;
	bar.sync 2, 64;
	ld.shared.u32 %r3, [s];
	setp.eq.u32 %p3, %r2, %r3;
	selp.b32 %r4, 1, 0, %p3;
	{ .param .b32 x; st.param.b32 [x], %r4; call __assert, (x); }
	bra END;
	WRITER:
	bar.sync 1, 64;
	@%p2 st.shared.u32 [s], 7;
	bar.arrive 2, 64;
	END: ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := kerneltest.Verdict(t, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}); got != verify.Alarmed {
		t.Errorf("%s, want an alarm", got)
	}
}
