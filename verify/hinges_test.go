package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// returning is a kernel whose threads know what a function without a body returns for their places.
const returning = `.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 v) %s(.param .b32 x);
.visible .entry k(.param .u64 A) {
.reg .pred %%p; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;
ld.param.u64 %%rd1, [A];
mov.u32 %%r1, %%tid.x;
{
.param .b32 x; .param .b32 v;
st.param.b32 [x], %%r1;
call.uni (v), %[1]s, (x);
ld.param.b32 %%r2, [v];
}
setp.ne.s32 %%p, %%r2, 0;
mul.wide.s32 %%rd2, %%r2, 4;
add.s64 %%rd3, %%rd1, %%rd2;
%s
ret;
}
`

// TestHinges: an error that depends on the result of an OpenCL function without a body is no alarm.
// If it depends on the result of another function, the alarm says so, unless it happens with every
// result.
func TestHinges(t *testing.T) {
	const abs, unknown = "_Z3absi", "f"
	for _, test := range []struct{ function, code, want string }{
		{abs, "st.global.u32 [%rd3], %r1;", "whether this is a race hinges on what abs returns"},
		{unknown, "st.global.u32 [%rd3], %r1;", "race, if f returns so"},
		{unknown, "@%p st.global.u32 [%rd1], %r1;", "race, if f returns so"},
		{abs, "@%p bar.sync 0;", "whether this is a barrier divergence hinges on what abs returns"},
		{unknown, "st.global.u32 [%rd1], %r2;", "race"},
		{abs, "st.global.u32 [%rd1], %r1; st.global.u32 [%rd3], %r1;", "race"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", fmt.Sprintf(returning, test.function, test.code)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[1], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}, PureExterns: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := said(r)
		if r.Verdict == verify.Undecided && len(r.Open) > 0 {
			got = r.Open[0].Why
		} else if len(r.Alarms) > 0 && r.Alarms[0].Hinges != "" {
			got += ", if " + r.Alarms[0].Hinges + " returns so"
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s, %s: %s, want %s", test.function, test.code, got, test.want)
		}
	}
}
