package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestUnwritten: memory without a writer is a function of the address in every iteration of a loop.
// Without that, the loop could not be executed, because threads seem to pass different numbers of
// barriers in it. A writer is not overlooked: before the barrier, in a late iteration, or after the
// loop.
func TestUnwritten(t *testing.T) {
	const first, next, then = "mov.u32 %r2, 0; L: setp.ge.s32 %p1, %r2, %r1; @%p1 bra E; ", "N: add.s32 %r2, %r2, 1; bra L; E: ", "ld.global.u32 %r3, [%rd1]; setp.eq.s32 %p2, %r3, 0; @%p2 bra N; bar.sync 0; "
	const own = "mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd2, %rd3; "
	for _, test := range []struct {
		name, body string
		want       []verify.Verdict
	}{
		{"one element", first + then + next, []verify.Verdict{verify.Verified}},
		{"read without coherence", first + "ld.global.nc.u32 %r3, [%rd1]; setp.eq.s32 %p2, %r3, 0; @%p2 bra N; bar.sync 0; " + next, []verify.Verdict{verify.Verified}},
		{"read before the loop", "ld.global.u32 %r3, [%rd1]; setp.eq.s32 %p2, %r3, 0; " + first + "@%p2 bra N; bar.sync 0; " + next, []verify.Verdict{verify.Verified}},
		{"an element of each round", first + "bar.sync 0; mul.wide.s32 %rd3, %r2, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3]; setp.eq.s32 %p2, %r3, 0; @%p2 bra N; bar.sync 0; " + next, []verify.Verdict{verify.Verified}},
		{"another array is written", own + first + "st.global.u32 [%rd3], %r2; " + then + next, []verify.Verdict{verify.Verified}},
		{"an element of each thread", "mul.wide.u32 %rd3, %r4, 4; add.s64 %rd1, %rd1, %rd3; " + first + then + next, []verify.Verdict{verify.Alarmed}},
		{"written before the barrier", first + "st.global.u32 [%rd1], %r4; " + then + next, []verify.Verdict{verify.Alarmed}},
		{"written in a round far from the first", first + then + "setp.eq.s32 %p3, %r2, 2000; @%p3 st.global.u32 [%rd1], %r4; " + next, []verify.Verdict{verify.Alarmed, verify.Undecided}},
		{"written after the loop", first + then + next + "st.global.u32 [%rd1], %r4; ", []verify.Verdict{verify.Alarmed, verify.Undecided}},
		{"written by one thread after the loop", first + then + next + "setp.eq.u32 %p3, %r4, 0; @%p3 st.global.u32 [%rd1], %r4; ", []verify.Verdict{verify.Alarmed, verify.Undecided}},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 a, .param .u64 b, .param .u32 n) {
			.reg .pred %p<4>; .reg .b32 %r<5>; .reg .b64 %rd<4>;
			ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; mov.u32 %r4, %tid.x; `+test.body+"ret; }"))
		if err != nil {
			t.Fatalf("%s\n%v", test.name, err)
		}
		expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, test.want...)
	}
}
