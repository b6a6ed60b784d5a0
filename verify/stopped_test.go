package verify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// factors is a kernel whose threads race if the host passes the two factors of a number.
const factors = `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 A, .param .u32 p, .param .u32 q) {
	.reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [A]; ld.param.u32 %r1, [p]; ld.param.u32 %r2, [q];
	mul.wide.u32 %rd2, %r1, %r2;
	setp.ne.u64 %p1, %rd2, 4611685846628697223;
	@%p1 ret;
	st.global.u32 [%rd1], 1;
	ret;
}
`

// TestStoppedQuestion: if the time ends during a question, the result names the question rather
// than the first instruction of the thread.
func TestStoppedQuestion(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", factors))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	r, err := verify.Verify(ctx, m, m.Funcs[0], verify.Config{
		Launch: verify.Launch{Grid: dim(t, "2"), Block: dim(t, "32")}, Budget: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verify.Undecided || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "the question was whether this can be a race: st.global.u32") {
		t.Errorf("it is %v, with %v", r.Verdict, r.Notes)
	}
}
