package exec_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// A round of a loop that is cut is executed several times, until it is known what all have in
// common. What was noted before is forgotten: where lanes meet, what they exchange, and what is
// taken for granted.
func TestCutAgain(t *testing.T) {
	const text = `.version 8.0
.target sm_70
.address_size 64
.extern .func __assume(.param .b32 a);
.visible .entry k(.param .u64 A, .param .u32 n) {
.reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [A]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, 5; add.u64 %rd2, %rd1, 1024;
again: { .param .b32 a; st.param.b32 [a], %r2; call __assume, (a); }
atom.global.add.u32 %r5, [%rd2], 1; shfl.sync.idx.b32 %r4, %r5, 0, 31, -1; bar.warp.sync 3;
mov.u64 %rd3, %rd1; mov.u64 %rd1, %rd2; mov.u64 %rd2, %rd3;
sub.u32 %r3, 9, %r3; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again;
ret;
}
`
	m, err := kernel.Parse(src.NewFile("k.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	one := [3]int{1, 1, 1}
	tr, err := exec.Run(term.NewBuilder(), m, m.Func("k"), exec.Config{
		Launch:   exec.Launch{Grid: one, Block: [3]int{64, 1, 1}, GridLimit: one, BlockLimit: [3]int{64, 1, 1}},
		Limits:   exec.Limits{Rounds: 4, Steps: 10_000},
		Cut:      func(*kernel.Instr) ([]*trace.Invariant, bool) { return nil, true },
		Contents: func(string) exec.Contents { return exec.Changing }, Stop: func() bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Given) != 1 {
		t.Errorf("%d things are taken for granted, want one", len(tr.Given))
	}
	if len(tr.Convergences) != 2 || len(tr.Exchanges) != 1 {
		t.Errorf("lanes meet at %d places, and exchange something at %d; want 2 and 1", len(tr.Convergences), len(tr.Exchanges))
	}
}
