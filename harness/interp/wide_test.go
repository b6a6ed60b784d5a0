package interp_test

import (
	"testing"

	"github.com/muster-gpu/muster/harness"
)

// TestWide: conditions can ask for 64-bit values in registers, global and shared memory; both
// halves and the sign are right.
func TestWide(t *testing.T) {
	test := parse(t, "wide", `PTX wide
{ x=-1; y=0x100000002; shared s=0; z=7; P0:r1=0x500000006; P0:r2=0x80000000; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0 ;
 st.weak.u64 [s], r1  | st.weak z, 8   ;
 ld.weak.u64 r3, [x]  | ;
 ld.weak.u64 r4, [y]  | ;
 st.weak.u64 [y], r2  | ;
exists (P0:r3=-1 /\ P0:r4=0x100000002 /\ y=0x80000000 /\ s=0x500000006 /\ x=-1 /\ z=8)
`)
	plan := planOf(t, test, harness.SM70)
	if plan == nil {
		t.Fatal("it cannot be run")
	}
	h := run(t, plan, small(), 1, 500)
	checkStates(t, test, h, sequential(t, test))
	const want = "0:r3=-1; 0:r4=4294967298; [s]=21474836486; [x]=-1; [y]=2147483648; [z]=8;"
	if len(h.States) != 1 || h.States[0].State.Format(h.Refs) != want {
		t.Errorf("the states are %v, of %v", h.States, h.Refs)
	}
}
