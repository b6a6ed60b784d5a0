package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// lost is a kernel whose threads iterate a loop n times, and all reach the barrier after it. Only
// an invariant that is not guessed shows that the last store never happens.
const lost = `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 A, .param .u32 n) {
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [A];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
and.b32 %r1, %r1, 0xffff;
add.u32 %r3, %r1, 64;
HEAD:
setp.ge.u32 %p1, %r2, %r1;
@%p1 bra DONE;
add.u32 %r2, %r2, 64;
bra HEAD;
DONE:
bar.sync 0;
setp.ge.u32 %p2, %r2, %r3;
@%p2 st.global.u32 [%rd1], %r2;
ret;
}
`

// TestLostInLoops: a thread that is still in a loop when others have left it does not count as
// missing the barrier after it.
func TestLostInLoops(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", lost))
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}})
	if got == verify.Alarmed {
		t.Errorf("%s of a kernel in which nothing goes wrong", got)
	}
}
