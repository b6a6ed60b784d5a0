package few_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/few"
)

// TestReadOnly: the value of ld.global.nc is unknown if the kernel writes there.
func TestReadOnly(t *testing.T) {
	for from, want := range map[string]verify.Verdict{"%rd1": verify.Undecided, "%rd2": verify.Verified} {
		m, err := kernel.Parse(src.NewFile("k.ptx", `.version 8.0
.target sm_70
.address_size 64
.entry k(.param .u64 a, .param .u64 b) { .reg .b32 %r<3>; .reg .b64 %rd<5>;
	ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;
	st.global.u32 [%rd4], %r1; bar.sync 0; ld.global.nc.u32 %r2, [`+from+`]; ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := few.Verify(t.Context(), m, m.Func("k"), few.Config{Block: verify.Dim{4, 1, 1}})
		if err != nil || r.Verdict != want {
			t.Errorf("%s: %v %v, %v; want %v", from, r.Verdict, r.Open, err, want)
		}
	}
}
