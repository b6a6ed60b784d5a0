package few_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/few"
)

// TestTrap: a thread that ended by trap is not missed at a barrier, because the trap ends the
// launch; a thread that ended by exit is.
func TestTrap(t *testing.T) {
	for end, want := range map[string]verify.Verdict{"trap": verify.Verified, "exit": verify.Alarmed} {
		m, err := kernel.Parse(src.NewFile("k.ptx", `.version 8.0
.target sm_70
.address_size 64
.entry k(.param .u64 a) { .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1]; setp.eq.s32 %p, %r2, 7; @%p `+end+`; bar.sync 0; st.global.u32 [%rd1], %r1; ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []few.Engine{few.Intervals, few.Schedules} {
			r, err := few.Verify(t.Context(), m, m.Func("k"), few.Config{Block: verify.Dim{4, 1, 1}, Engine: engine})
			if err != nil || r.Verdict != want {
				t.Errorf("%s: %v %v, %v; want %v", end, r.Verdict, r.Open, err, want)
			}
			if said := strings.Contains(strings.Join(r.Assumptions, "\n"), "no thread executes the trap"); said !=
				(end == "trap") {
				t.Errorf("%s: %v", end, r.Assumptions)
			}
		}
	}
}
