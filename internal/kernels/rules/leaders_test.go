package rules_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// led draws a kernel whose warps take ranges of B from a counter in A, one lane for all, and write
// there: as much as they have taken, or more. Some do so in a loop whose rounds are data.
func led(r *rand.Rand) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	leader, amount, place := one("0", "0", "0", "31", "5"), "", "popc.b32 %r9, %r9;"
	if r.IntN(3) == 0 { // a lane that votes takes places for all
		leader, amount, place = "%r12", one("mov.u32 %r6, 32;", "mov.u32 %r6, 32;", "mov.u32 %r6, 31;", "popc.b32 %r6, %r5;"), "mov.u32 %r9, %r2;"
	}
	from := leader
	if r.IntN(6) == 0 {
		from = one("0", "1", "31", "%r12")
	}
	loops := r.IntN(3) == 0
	code := []string{
		"and.b32 %r3, %r4, 1; setp.ne.u32 %p2, %r3, 0;",
		"vote.sync.ballot.b32 %r5, %p2, -1;",
		one("brev.b32 %r12, %r5; clz.b32 %r12, %r12;", "brev.b32 %r12, %r5; bfind.shiftamt.u32 %r12, %r12;", "clz.b32 %r12, %r5; sub.s32 %r12, 31, %r12;",
			"shr.u32 %r12, %r4, 1; and.b32 %r12, %r12, 31;", "popc.b32 %r12, %r5; sub.s32 %r12, %r12, 1;"),
		one("popc.b32 %r6, %r5;", "popc.b32 %r6, %r5;", "popc.b32 %r6, %r5;", "popc.b32 %r6, %r5;", "and.b32 %r6, %r5, 0x7fffffff; popc.b32 %r6, %r6;", "mov.u32 %r6, 32;", "mov.u32 %r6, 1;", "sub.s32 %r6, 0, %r3;") + amount,
		"setp.eq.u32 %p1, %r2, " + leader + "; mov.u32 %r7, 0;",
		one("@%p1 ", "@%p1 ", "@%p1 ", "@%p1 ", "", "@%p2 ") + "atom.global.add.u32 %r7, [%rd1], %r6;",
		"shfl.sync.idx.b32 %r8, %r7, " + from + ", " + one("31", "31", "31", "31", "0x101f") + ", -1;",
		"mov.u32 %r9, " + one("1", "1", "1", "2") + "; shl.b32 %r9, %r9, %r2; sub.u32 %r9, %r9, 1; and.b32 %r9, %r5, %r9;",
		one(place, place, place, "mov.u32 %r9, %r2;") + " add.u32 %r9, %r8, %r9;",
		"mul.wide.u32 %rd4, %r9, 4; add.u64 %rd4, %rd2, %rd4;",
		one("@%p2 ", "@%p2 ", "@%p2 ", "@!%p2 ", "") + "st.global.u32 [%rd4], %r1;",
	}
	if loops { // a warp goes on as long as the first number that it got is small
		code = append([]string{"more:"}, append(code, "shfl.sync.idx.b32 %r10, %r7, "+from+", 31, -1; setp.lt.u32 %p3, %r10, 150; "+one("@%p3 bra more;", "@%p3 bra more;", "@!%p3 bra done; shl.b32 %r4, %r4, 0; bra more;"))...)
	}
	return `.version 8.0
.target sm_70
.address_size 64
.visible .entry take(.param .u64 A, .param .u64 B, .param .u64 C) {
.reg .pred %p<4>; .reg .b32 %r<13>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u64 %rd3, [C];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r11, %r2, 64, %r1; mul.wide.u32 %rd5, %r11, 4; add.u64 %rd5, %rd3, %rd5; ld.global.u32 %r4, [%rd5];
and.b32 %r2, %r1, 31;
` + strings.Join(code, "\n") + "\ndone:\nret;\n}\n"
}

// TestLeaders: random kernels whose warps take ranges from counters are not verified if launches
// show them to race or to diverge.
func TestLeaders(t *testing.T) {
	n := sample.Rounds(400, 40, 12)
	verified, byVotes, shownWrong := 0, 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 19))
		text := led(r)
		m := kerneltest.Parse(t, text)
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}, Alarms: 1, Budget: 3_000})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		shown, how := false, ""
		for i := range uint64(3) {
			got, err := launch.New(m).Run(t.Context(), ledLaunch(r, seed+i))
			if err != nil {
				continue // a warp gets too small numbers for ever
			}
			if got.Verdict() != (launch.Verdict{}) {
				shown, how = true, fmt.Sprint(got.Verdict())
			}
		}
		switch {
		case said.Verdict == verify.Verified && shown:
			t.Errorf("seed %d: verified, and a launch goes wrong: %s\n%s", seed, how, text)
		case said.Verdict == verify.Verified:
			verified++
			if strings.Contains(text, "setp.eq.u32 %p1, %r2, %r12;") {
				byVotes++
			}
		case shown:
			shownWrong++
		}
	}
	t.Logf("%d kernels: %d verified, %d of these with leaders by votes, %d of the others go wrong in a launch", n, verified, byVotes, shownWrong)
	if verified < n/40 || byVotes < n/80 || shownWrong < n/5 {
		t.Errorf("too few of a kind")
	}
}

// ledLaunch returns a launch of such a kernel, on random data.
func ledLaunch(r *rand.Rand, seed uint64) launch.Launch {
	data := make([]byte, 4*128)
	for j := range data {
		data[j] = byte(r.IntN(256))
	}
	return launch.Launch{
		Kernel: "take", Grid: launch.Dim{X: 2, Y: 1, Z: 1}, Block: launch.Dim{X: 64, Y: 1, Z: 1}, Unbounded: true, Schedule: launch.Random(seed), MaxSteps: 100_000,
		Args: []launch.Arg{
			{Buffer: &launch.Buffer{Name: "A", Bytes: []byte{100, 0, 0, 0}}},
			{Buffer: &launch.Buffer{Name: "B", Bytes: make([]byte, 1<<14)}},
			{Buffer: &launch.Buffer{Name: "C", Bytes: data}},
		},
	}
}
