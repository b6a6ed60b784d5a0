package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestStrides: threads write at a distance that is a parameter. They write to one place if it is 0.
func TestStrides(t *testing.T) {
	for _, test := range []struct {
		name, stride string
		want         verify.Verdict
	}{
		{"16 bits", "cvt.u64.u16 %rd4, %h1;", verify.Alarmed},
		{"16 bits, and one more", "cvt.u64.u16 %rd4, %h1; add.s64 %rd4, %rd4, 1;", verify.Verified},
		{"not 0", "setp.eq.u16 %p1, %h1, 0; @%p1 ret; cvt.u64.u16 %rd4, %h1;", verify.Verified},
		{"32 bits", "cvt.u64.u32 %rd4, %r1;", verify.Alarmed},
		{"no less than 0", "max.s32 %r1, %r1, 0; cvt.s64.s32 %rd4, %r1;", verify.Alarmed},
		{"from 0 to 5", "max.s32 %r1, %r1, 0; min.s32 %r1, %r1, 5; cvt.s64.s32 %rd4, %r1;", verify.Alarmed},
		{"no less than 1", "max.s32 %r1, %r1, 1; cvt.s64.s32 %rd4, %r1;", verify.Verified},
		{"from 1 to 5", "max.s32 %r1, %r1, 1; min.s32 %r1, %r1, 5; cvt.s64.s32 %rd4, %r1;", verify.Verified},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 A, .param .u32 n) { .reg .pred %p<3>; .reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
			ld.param.u64 %rd1, [A]; ld.param.u32 %r1, [n]; ld.param.u16 %h1, [n]; mov.u32 %r2, %tid.x; cvt.u64.u32 %rd2, %r2;
			`+test.stride+` mul.lo.s64 %rd2, %rd2, %rd4; shl.b64 %rd2, %rd2, 2; add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2; ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		for _, grid := range []int{1, 3} {
			r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{grid, 1, 1}, Block: verify.Dim{64, 1, 1}}, Only: verify.OnlyBlock})
			if err != nil || r.Verdict != test.want {
				t.Errorf("%s: %v %v, %v; want %v", test.name, r.Verdict, r.Open, err, test.want)
			}
		}
	}
}
