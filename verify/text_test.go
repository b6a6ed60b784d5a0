package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/verify"
)

// TestAlarmText: one line reports all places of an array from which a thread reads one value. The
// array has its name in the source. An instruction is shown without the others of its line.
func TestAlarmText(t *testing.T) {
	var loads strings.Builder
	for i := range 12 {
		fmt.Fprintf(&loads, "ld.shared.u32 %%r2, [_ZZ5totalE3sum+%d]; add.u32 %%r1, %%r1, %%r2;\n", 4*i)
	}
	m := parsed(t, `.version 8.0
.target sm_70
.address_size 64
.visible .entry total(.param .u64 A) {
.shared .align 4 .b8 _ZZ5totalE3sum[64];
.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [A];
`+loads.String()+`setp.ne.u32 %p1, %r1, 7; @%p1 st.global.u32 [%rd1], %r1; // of one line
ret;
}
`)
	r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{1, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for want, times := range map[string]int{
		"from total::sum (.shared) at bytes 0, 4, 8, 12, … (12 places)\n": 1,
		" reads ":                                1,
		"     @%p1 st.global.u32 [%rd1], %r1;\n": 2,
	} {
		if strings.Count(text.String(), want) != times {
			t.Errorf("want %q %d times:\n%s", want, times, &text)
		}
	}
}
