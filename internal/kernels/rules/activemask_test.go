package rules_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestActivemask: the lanes that activemask names have come there together, and may exchange values
// as long as they stay together; those of a warp need not be one group.
func TestActivemask(t *testing.T) {
	const mask, shuffle = "activemask.b32 %r3; ", "shfl.sync.idx.b32 %r4, %r1, 0, 31, %r3; "
	const leader = "brev.b32 %r5, %r3; bfind.shiftamt.u32 %r5, %r5; and.b32 %r6, %r1, 31; setp.ne.u32 %p2, %r5, %r6; "
	const own, other = "st.shared.u32 [%r7], %r1; ", "ld.shared.u32 %r4, [%r8]; "
	for _, test := range []struct {
		name, body string
		want       []verify.Verdict
	}{
		{"together", mask + shuffle, []verify.Verdict{verify.Verified}},
		{"in a branch", "@%p1 bra E; " + mask + shuffle + "E: ", []verify.Verdict{verify.Verified}},
		{"before a branch", mask + "@%p1 bra E; " + shuffle + "E: ", []verify.Verdict{verify.Alarmed, verify.Undecided}},
		{"before a branch, and they go on", mask + "@%p1 bra E; " + shuffle + "E: st.global.u32 [%rd2], %r1; ", []verify.Verdict{verify.Alarmed}},
		{"some of them", mask + "and.b32 %r3, %r3, 15; @!%p1 bra E; " + shuffle + "E: ", []verify.Verdict{verify.Alarmed}},
		{"another mask", mask + "mov.u32 %r5, %r3; " + mask + "mov.u32 %r3, %r5; " + shuffle, []verify.Verdict{verify.Verified}},
		{"either mask", mask + "mov.u32 %r5, %r3; " + mask + "selp.b32 %r3, %r3, %r5, %p1; " + shuffle, []verify.Verdict{verify.Alarmed}},
		{"in a loop", "mov.u32 %r5, 0; L: " + mask + shuffle + "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r1; @%p2 bra L; ", []verify.Verdict{verify.Alarmed, verify.Undecided}},
		{"one of each group writes", mask + leader + "@!%p2 st.shared.u32 [s], %r1; ", []verify.Verdict{verify.Alarmed}},
		{"with a neighbour who may be in another group", own + mask + "bar.warp.sync %r3; " + other, []verify.Verdict{verify.Alarmed}},
		{"with a neighbour who is in the group", own + mask + "bar.warp.sync %r3; xor.b32 %r5, %r1, 1; shr.u32 %r5, %r3, %r5; and.b32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 0; @%p2 ret; " + other, []verify.Verdict{verify.Verified}},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", kerneltest.Head+`.entry k(.param .u64 a) { .shared .align 4 .b8 s[4096]; .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
			ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 10; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
			shl.b32 %r7, %r1, 2; xor.b32 %r8, %r7, 4; mov.u32 %r2, s; add.s32 %r7, %r7, %r2; add.s32 %r8, %r8, %r2; `+test.body+"ret; }"))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		kerneltest.Expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}}, test.want...)
	}
}
