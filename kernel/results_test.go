package kernel_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// TestResults: which registers an instruction writes.
func TestResults(t *testing.T) {
	const body = `
add.u32 %r1, %r2, %r3;
setp.lt.u32 %p1|%p2, %r1, %r2;
ld.global.v2.u32 {%r1, %r2}, [%rd1];
atom.global.add.u32 %r1, [%rd1], %r2;
red.global.add.u32 [%rd1], %r2;
st.global.u32 [%rd1], %r2;
bar.sync %r1, %r2;
barrier.red.and.pred %p1, %r1, %p2;
shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1;
prefetch.global.L1 [%rd1];
ret;
`
	want := strings.Split("%r1 / %p1 %p2 / %r1 %r2 / %r1 / / / / %p1 / %r1 %p1 / / ", "/")
	m, err := kernel.Parse(src.NewFile("k.ptx", `.version 8.0
.target sm_80
.address_size 64
.visible .entry k() { .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<2>;`+body+"}"))
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range m.Funcs[0].Instrs {
		var names []string
		for _, r := range in.Results() {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != strings.TrimSpace(want[i]) {
			t.Errorf("%v writes %q, want %q", in, got, strings.TrimSpace(want[i]))
		}
	}
}
