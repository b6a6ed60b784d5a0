package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestTopics: a pair of places in the source has one alarm, whatever iteration of a loop or copy of
// its body it occurs in.
func TestTopics(t *testing.T) {
	const race = "@%p2 bra E; ld.global.u32 %r3, [%rd1]; st.shared.u32 [n], %r3; E: ld.shared.u32 %r4, [n]; "
	const loop = "mov.u32 %r5, 0; L: setp.ge.s32 %p1, %r5, 12; @%p1 bra X; setp.lt.s32 %p3, %r5, %r4; @%p3 bar.sync 0; add.s32 %r5, %r5, 1; bra L; X: "
	const copies = "setp.ge.s32 %p1, 0, %r4;\n.loc 1 7 3\n@!%p1 bar.sync 0;\n setp.ge.s32 %p1, 1, %r4;\n.loc 1 7 3\n@!%p1 bar.sync 0; "
	for name, body := range map[string]string{"rounds": race + loop, "copies": race + copies} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.file 1 "k.cu"
			.entry k(.param .u64 a) { .shared .align 4 .b8 n[4]; .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
			ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; setp.ne.u32 %p2, %r1, 0; `+body+"ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		r := expect(t, name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, verify.Alarmed)
		kinds := map[verify.AlarmKind]int{}
		for _, a := range r.Alarms {
			kinds[a.Kind]++
		}
		if kinds[verify.Divergence] != 1 || kinds[verify.Race] != 1 {
			t.Errorf("%s: %v", name, kinds)
		}
	}
}
