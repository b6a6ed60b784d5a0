package rules_test

import (
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// goingRound returns a kernel of two warps whose lanes go round a loop: each as often as %r4 says,
// which setup sets. %r1 is the thread, %r2 its lane, %r3 data of its own, %r5 a number that is the
// host's, %r6 a mask; a round begins with what lanes do together in head, and ends with tail.
func goingRound(setup, head, tail string) string {
	return `.version 8.0
.target sm_70
.address_size 64
.visible .entry rounds(.param .u64 A, .param .u64 B, .param .u32 n) {
.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .shared .align 4 .b8 s[256];
ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u32 %r5, [n]; and.b32 %r5, %r5, 3;
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
ld.global.u32 %r3, [%rd1]; mov.u32 %r9, 0; mov.u32 %r6, -1;
` + setup + `
L:
setp.gt.u32 %p3, %r3, %r9; setp.ne.u32 %p4, %r3, %r3;
` + head + `
add.u32 %r9, %r9, 1;
` + tail + `
setp.lt.u32 %p1, %r9, %r4;
@%p1 bra L;
E:
st.global.u32 [%rd2], %r9;
ret;
}
`
}

// The parts of such kernels.
const (
	byData  = "and.b32 %r4, %r3, 3;"
	byHost  = "mov.u32 %r4, %r5;"
	byWarp  = "shr.u32 %r4, %r1, 5; mul.lo.u32 %r4, %r4, %r5;"
	byHalf  = "shr.u32 %r4, %r1, 4; mul.lo.u32 %r4, %r4, %r5;"
	byVote  = "setp.gt.u32 %p2, %r3, 4; vote.sync.ballot.b32 %r4, %p2, -1; and.b32 %r4, %r4, 3; add.u32 %r4, %r4, %r5;"
	half    = " and.b32 %r6, %r2, 16; shl.b32 %r6, 0xffff, %r6;"
	eight   = " and.b32 %r6, %r2, 24; shl.b32 %r6, 0xff, %r6;"
	vote    = "vote.sync.any.pred %p4, %p3, %r6;"
	shuffle = "shfl.sync.bfly.b32 %r8, %r3, 1, 31, %r6;"
	// countDown goes on as long as the data of the thread are not small.
	countDown = "sub.s32 %r3, %r3, 1; setp.gt.s32 %p6, %r3, 2; selp.u32 %r4, -1, 0, %p6;"
	sync      = "bar.warp.sync %r6;"
)

// TestRoundsOfLanes: a lane that leaves a loop does not come to where others of its mask meet in
// the next round, also where each round begins with that.
func TestRoundsOfLanes(t *testing.T) {
	for _, test := range []struct {
		name, setup, head, tail string
		want                    verify.Verdict // an alarm may be undecided: what lanes do that have ended is not known everywhere
	}{
		{"all vote as often as data say", byData, vote, "", verify.Alarmed},
		{"all vote until their data are small", byData, vote, countDown, verify.Alarmed},
		{"halves exchange something until their data are small", byData + half, shuffle, countDown, verify.Alarmed},
		{"halves exchange something until what the host says is small", byData + half + "mov.u32 %r3, %r5;", shuffle, countDown, verify.Verified},
		{"all vote as often as the host says", byHost, vote, "", verify.Verified},
		{"each warp votes as often as its number says", byWarp, vote, "", verify.Verified},
		{"all exchange something as often as the half of the warp says", byHalf, shuffle, "", verify.Alarmed},
		{"halves exchange something as often as the half says", byHalf + half, shuffle, "", verify.Verified},
		{"eight lanes each, as often as the half says", byHalf + eight, vote, "", verify.Verified},
		{"eight lanes each, as often as data say", byData + eight, vote, "", verify.Alarmed},
		{"halves wait as often as the half says", byHalf + half, sync, "", verify.Verified},
		{"all wait as often as the half says", byHalf, sync, "", verify.Alarmed},
		{"until a vote says no", byData, vote, "selp.u32 %r4, 9, 0, %p4;", verify.Verified},
		{"until a vote and the data of each say no", byData, vote, "add.u32 %r8, %r3, 5; selp.u32 %r4, 9, %r8, %p4;", verify.Alarmed},
		{"as often as a vote before says", byVote, shuffle, "", verify.Verified},
		{"a mask that each round makes anew, by halves", byHalf, "and.b32 %r7, %r2, 16; add.u32 %r8, %r9, %r3; sub.u32 %r8, %r8, %r8; add.u32 %r7, %r7, %r8; shl.b32 %r7, 0xffff, %r7; bar.warp.sync %r7;", "", verify.Verified},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := kerneltest.Parse(t, goingRound(test.setup, test.head, test.tail))
			want := []verify.Verdict{test.want}
			if test.want == verify.Alarmed {
				want = append(want, verify.Undecided)
			}
			kerneltest.Expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}, Alarms: 1}, want...)
			if miss := missing(t, m, 3); miss != (test.want == verify.Alarmed) {
				t.Errorf("lanes miss each other in a launch: %v", miss)
			}
		})
	}
}

// TestRandomRounds: random kernels whose lanes meet in loops are not verified if a launch shows
// that they miss each other.
func TestRandomRounds(t *testing.T) {
	n := sample.Rounds(3_000, 300, 40)
	verified, wrong := 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 211))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		text := goingRound(one(byData, byHost, byWarp, byHalf, byVote)+one("", half, eight, "setp.gt.u32 %p2, %r3, 3; vote.sync.ballot.b32 %r6, %p2, -1; @!%p2 bra E;"),
			one("", "", "setp.gt.u32 %p5, %r9, "+one("0", "%r5", "%r4", "%r2")+"; @%p5 ")+one(vote, shuffle, sync)+one("", "", vote, "@%p3 "+sync, "activemask.b32 %r7; bar.warp.sync %r7;"),
			one("", "", countDown, "selp.u32 %r4, 3, %r4, %p4;", "selp.u32 %r4, 3, 0, %p4;", "setp.eq.u32 %p6, %r9, "+one("%r5", "%r3", "1")+"; @%p6 bra E;"))
		m := kerneltest.Parse(t, text)
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}, Alarms: 1, Budget: 2_000})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		switch miss := missing(t, m, seed); {
		case said.Verdict == verify.Verified && miss:
			t.Errorf("seed %d: verified, and lanes miss each other in a launch\n%s", seed, text)
		case said.Verdict == verify.Verified:
			verified++
		case miss:
			wrong++
		}
	}
	t.Logf("%d kernels: %d verified, %d that go wrong", n, verified, wrong)
	if verified < n/10 || wrong < n/10 {
		t.Errorf("too few of a kind")
	}
}

// missing reports whether lanes of such a kernel miss each other in a launch, of those that are
// tried.
func missing(t *testing.T, m *kernel.Module, seed uint64) bool {
	t.Helper()
	for i := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, i))
		data := make([]byte, 4*64)
		for j := 0; j < len(data); j += 4 {
			data[j] = byte(r.IntN(8))
		}
		got, err := launch.New(m).Run(t.Context(), launch.Launch{
			Kernel: "rounds", Grid: launch.Dim{X: 1, Y: 1, Z: 1}, Block: launch.Dim{X: 64, Y: 1, Z: 1}, Schedule: launch.Random(seed + i), MaxSteps: 50_000,
			Args: []launch.Arg{{Buffer: &launch.Buffer{Name: "A", Bytes: data}}, {Buffer: &launch.Buffer{Name: "B", Bytes: make([]byte, 4*64)}}, {Value: i}},
		})
		if err == nil && len(got.Divergences) > 0 {
			return true
		}
	}
	return false
}
