package verify_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestTrap: a trap ends the launch, so a thread that executed one, at any place, is not missing at
// a barrier. What other threads do is still checked, and so is what a thread does before its trap.
// A breakpoint ends nothing.
func TestTrap(t *testing.T) {
	const (
		unrolled = "mov.u32 %r2, 0; L: setp.ge.s32 %p1, %r2, 3; @%p1 bra E; "
		open     = "mov.u32 %r2, 0; L: setp.ge.s32 %p1, %r2, %r1; @%p1 bra E; "
		next     = "add.s32 %r2, %r2, 1; bra L; E: "
		behind   = "bra.uni D; T: mov.u32 %r5, 1; trap; D: "
		mine     = "ld.global.u32 %r3, [%rd3]; setp.eq.s32 %p2, %r3, 7; "
		meet     = "st.shared.u32 [%r7], %r4; bar.sync 0; xor.b32 %r8, %r6, 4; mov.u32 %r5, s; add.s32 %r8, %r8, %r5; ld.shared.u32 %r3, [%r8]; bar.sync 0; "
	)
	verified, wrong, undecided := []verify.Verdict{verify.Verified}, []verify.Verdict{verify.Alarmed}, []verify.Verdict{verify.Undecided}
	for _, test := range []struct {
		name, body string
		want       []verify.Verdict
	}{
		{"under a guard", mine + "@%p2 trap; " + meet, verified},
		{"in a block of its own", mine + "@%p2 bra T; " + meet + behind, verified},
		{"for another thread", mine + "@!%p2 bra N; trap; N: " + meet, verified},
		{"in a loop that is unrolled", unrolled + mine + "@%p2 bra T; " + meet + next + behind, verified},
		{"in a loop that is cut", open + mine + "@%p2 bra T; " + meet + next + behind, verified},
		{"under a guard in a loop that is cut", open + mine + "@%p2 trap; " + meet + next, verified},
		{"behind a barrier", mine + meet + "@%p2 trap; " + meet, verified},
		{"exit instead", mine + "@%p2 exit; " + meet, wrong},
		{"exit before a trap that others execute", mine + "@%p2 exit; setp.eq.s32 %p2, %r3, 8; @%p2 trap; " + meet, wrong},
		{"a race of those that go on", mine + "@%p2 trap; st.shared.u32 [s], %r4; ", wrong},
		{"a race before it", "setp.lt.u32 %p2, %r4, 2; @!%p2 bra D; st.shared.u32 [s], %r4; trap; D: ", wrong},
		{"a race in a round before it", open + mine + "@%p2 bra T; st.shared.u32 [s], %r4; " + next + behind, wrong},
		{"a race before it in a block of its own", mine + "@%p2 bra T; " + meet + "bra.uni D; T: st.shared.u32 [s], %r4; trap; D: ", wrong},
		{"a barrier before it", mine + "@%p2 bra T; " + "bra.uni D; T: bar.sync 0; trap; D: ", wrong},
		{"a trap that is not for whoever misses the barrier", mine + "setp.eq.u32 %p1, %r4, 70; @%p1 trap; @%p2 bra D; bar.sync 0; D: ", wrong},
		{"an index that misses the table before it", "setp.eq.u32 %p1, %r1, 0; @%p1 bra D; tt: .branchtargets T; brx.idx %r1, tt; T: trap; D: ", wrong},
		{"brkpt", "brkpt; L: st.shared.u32 [s], %r4; ", undecided},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 a, .param .u32 n) {
			.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared .align 4 .b8 s[256];
			ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r4, %tid.x; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3;
			mov.u32 %r7, s; shl.b32 %r6, %r4, 2; add.s32 %r7, %r7, %r6; `+test.body+"ret; }"))
		if err != nil {
			t.Fatalf("%s\n%v", test.name, err)
		}
		r := expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, test.want...)
		if assumed := strings.Join(r.Assumptions, "\n"); r.Verdict == verify.Verified && !strings.Contains(assumed, "no thread executes the trap of k.ptx:") {
			t.Errorf("%s: it is assumed that\n%s", test.name, assumed)
		}
	}
}
