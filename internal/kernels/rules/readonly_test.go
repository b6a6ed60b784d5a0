package rules_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestReadOnly: no thread writes what ld.global.nc and ldu load: neither another thread, before a
// barrier or behind it, nor the thread itself.
func TestReadOnly(t *testing.T) {
	const write, other, own = "st.global.u32 [%rd3], %r1; ", "ld.global.nc.u32 %r2, [%rd4]; ", "ld.global.nc.u32 %r2, [%rd3]; "
	const loop, again = "mov.u32 %r3, 0; L: setp.ge.s32 %p1, %r3, %r4; @%p1 bra E; ", "add.s32 %r3, %r3, 1; bra L; E: "
	const elected = "atom.global.exch.b32 %r2, [%rd6], 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra N; "
	for _, test := range []struct {
		name, body string
		want       verify.Verdict
	}{
		{"nobody writes", other, verify.Verified},
		{"written before a barrier", write + "bar.sync 0; " + other, verify.Alarmed},
		{"written behind a barrier", other + "bar.sync 0; " + write, verify.Alarmed},
		{"a fence between proxies", write + "bar.sync 0; fence.proxy.alias; " + other, verify.Alarmed},
		{"the thread itself", write + own, verify.Alarmed},
		{"the thread itself, later", own + write, verify.Alarmed},
		{"by ldu", write + "ldu.global.u32 %r2, [%rd3]; ", verify.Alarmed},
		{"by an atomic", "atom.global.add.u32 %r2, [%rd3], 1; bar.sync 0; " + own, verify.Alarmed},
		{"another element", write + "ld.global.nc.u32 %r2, [%rd3+4096]; ", verify.Verified},
		{"another array", write + "ld.global.nc.u32 %r2, [%rd6]; ", verify.Verified},
		{"by a coherent load", write + "bar.sync 0; ld.global.u32 %r2, [%rd4]; ", verify.Verified},
		{"in a loop", loop + write + "bar.sync 0; ld.global.nc.u32 %r2, [%rd6]; " + again, verify.Verified},
		{"in a loop, of what it writes", loop + write + "bar.sync 0; " + own + again, verify.Alarmed},
		{"after a loop", loop + write + again + own, verify.Alarmed},
		{"in a loop, beside what the one thread writes that was elected", elected + loop + write + other + again + "N: ", verify.Verified},
		{"in a loop, of what the one thread writes that was elected", elected + loop + write + own + again + "N: ", verify.Alarmed},
	} {
		m := readOnlyKernel(t, test.body)
		r := kerneltest.Expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, test.want)
		if err := replay.All(t.Context(), r, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Alarms {
			if !strings.HasPrefix(a.Replay, "replayed: ") || a.Litmus != "" {
				t.Errorf("%s: %s, %q", test.name, a.Replay, a.Litmus)
			}
		}
	}
}

// TestReadOnlyAlone: a block of one thread does not write what it loads as read-only, and what it
// has read is one number wherever it goes.
func TestReadOnlyAlone(t *testing.T) {
	const index = "ld.global.u32 %r5, [%rd6]; mul.wide.u32 %rd5, %r5, 8; add.s64 %rd5, %rd1, %rd5; st.global.u32 [%rd5], %r1; "
	one := verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{1, 1, 1}}}
	kerneltest.Expect(t, "the element", readOnlyKernel(t, index+"ld.global.nc.u32 %r2, [%rd5]; "), one, verify.Alarmed)
	kerneltest.Expect(t, "beside it", readOnlyKernel(t, index+"ld.global.nc.u32 %r2, [%rd5+4]; "), one, verify.Verified)
}

// readOnlyKernel returns a kernel with arrays a and b: rd3 is the element of the thread in a and
// rd4 that of the thread opposite, rd6 is b.
func readOnlyKernel(t *testing.T, body string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("k.ptx", kerneltest.Head+`.entry k(.param .u64 a, .param .u64 b, .param .u32 n) {
		.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
		ld.param.u64 %rd1, [a]; ld.param.u64 %rd6, [b]; ld.param.u32 %r4, [n]; mov.u32 %r1, %tid.x;
		mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3; xor.b32 %r2, %r1, 63; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4; `+body+"ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
