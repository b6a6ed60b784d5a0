package optcheck

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/harness"
)

// TestVectors: an access to a vector is one operation, as wide as all of its elements, and each of
// them carries dependencies.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		thread  [2]string
		machine string
		want    Verdict
	}{
		{
			[2]string{"ld.weak.v4.u32 {r1,r2,r3,r4}, [a]", "st.weak.u32 [y], r4"},
			"LDG.E.128 R12, [R2.64]\nSTG.E [R4.64], R15", Passed,
		},
		{
			[2]string{"ld.weak.v4.u32 {r1,r2,r3,r4}, [a]", "st.weak.u32 [y], r4"},
			"LDG.E.128 R12, [R2.64]\nSTG.E [R4.64], R0", Failed,
		},
		{
			[2]string{"ld.weak.v4.u32 {r1,r2,r3,r4}, [a]", "st.weak.u32 [y], r4"},
			"LDG.E.64 R14, [R2.64+0x8]\nSTG.E [R4.64], R15", Failed,
		},
		{
			[2]string{"ld.weak.u32 r1, [y]", "st.weak.v2.u32 [a+8], {r2,r1}"},
			"LDG.E R13, [R4.64]\nSTG.E.64 [R2.64+0x8], R12", Passed,
		},
		{
			[2]string{"ld.weak.u32 r1, [y]", "st.weak.v2.u32 [a+8], {r2,r1}"},
			"LDG.E R13, [R4.64]\nSTG.E.64 [R2.64+0x8], R10", Failed,
		},
		{
			[2]string{"ld.weak.u32 r1, [y]", "st.weak.v2.u32 [a+8], {r2,r1}"},
			"LDG.E R13, [R4.64]\nSTG.E.64 [R2.64], R12", Failed,
		},
		{
			[2]string{"ld.weak.u32 r1, [y]", "st.weak.v4.u32 [a], {r2,r2,r2,r1}"},
			"LDG.E R15, [R4.64]\nSTG.E.128 [R2.64], R12", Passed,
		},
		{
			[2]string{"ld.weak.u32 r1, [y]", "st.weak.v4.u32 [a], {r2,r2,r2,r1}"},
			"LDG.E R8, [R4.64]\nSTG.E.128 [R2.64], R12", Failed,
		},
	} {
		plan := planFor(t,
			fmt.Sprintf(
				"PTX vectors\n{ a[4]; y=0; P0:r2=1; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n %s | st.weak.u32 [a], 1 "+
					";\n %s | ;\nexists (P0:r1=1)\n",
				c.thread[0], c.thread[1]), harness.SM80)
		if r := Check(t.Context(), plan, machineCode(c.machine)); r.Verdict != c.want {
			t.Errorf("want: %s\n%s", c.want, r)
		}
	}
}
