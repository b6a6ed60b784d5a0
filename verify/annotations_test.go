package verify_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// called is a kernel with a loop at whose head an annotation says that a thread is the first.
const called = `.version 6.0
.target sm_70
.address_size 64
.extern .func %[1]s(.param .b32 holds);
.visible .entry k(.param .u64 A)
{
	.reg .pred %%p<3>;
	.reg .b32 %%r<4>;
	mov.u32 %%r1, %%tid.x;
	setp.eq.s32 %%p1, %%r1, 0;
	selp.u32 %%r2, 1, 0, %%p1;
	mov.u32 %%r3, 0;
HEAD:
	{
	.param .b32 p;
	st.param.b32 [p], %%r2;
	call.uni %[1]s, (p);
	}
	add.s32 %%r3, %%r3, 1;
	setp.lt.s32 %%p2, %%r3, 4;
	@%%p2 bra HEAD;
	ret;
}
`

// TestAnnotations has calls that state something be checked, and those that only propose something be nothing.
func TestAnnotations(t *testing.T) {
	for name, want := range map[string]string{
		"__assert": "assertion", "__invariant": "assertion", "__global_invariant": "assertion",
		"__candidate_invariant": "verified", "__candidate_global_invariant": "verified",
		"__function_wide_candidate_invariant": "verified", "__candidate_assert": "verified",
		"__requires": "verified", "__global_requires": "undecided",
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", fmt.Sprintf(called, name)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(context.Background(), m, m.Funcs[1], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{4, 1, 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if said(r) != want {
			t.Errorf("%s: %s, want %s: %v", name, said(r), want, r.Open)
		}
	}
}
