package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestCounters: threads that count get different values of one counter, unless it comes round; of
// two counters, nothing is known.
func TestCounters(t *testing.T) {
	const registers = ".entry k(.param .u64 .ptr .global .align 4 c, .param .u64 .ptr .global .align 4 a) { .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [c]; ld.param.u64 %rd2, [a]; mov.u32 %r1, %tid.x; "
	const store = "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], %r1; ret; }"
	count := func(step uint32) string { return fmt.Sprintf("atom.global.add.u32 %%r2, [%%rd1], %d; ", step) }
	any := verify.Dim{verify.Any, 1, 1}
	for _, test := range []struct {
		name, body  string
		grid, block verify.Dim
		want        verify.Verdict
		assumes     bool // that the counter does not come round
	}{
		{"one counter", count(1), verify.Dim{64, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"down", count(1<<32 - 3), verify.Dim{64, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"as often as there are numbers", count(1), verify.Dim{1 << 22, 1, 1}, verify.Dim{1024, 1, 1}, verify.Verified, false},
		{"once more", count(1), verify.Dim{1<<22 + 1, 1, 1}, verify.Dim{1024, 1, 1}, verify.Alarmed, false},
		{"in large steps", count(1 << 20), verify.Dim{16, 1, 1}, verify.Dim{256, 1, 1}, verify.Verified, false},
		{"in larger steps", count(1 << 21), verify.Dim{16, 1, 1}, verify.Dim{256, 1, 1}, verify.Alarmed, false},
		{"up to all ones", "atom.global.inc.u32 %r2, [%rd1], -1; ", verify.Dim{2, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"up to a bound from which it begins anew", "atom.global.inc.u32 %r2, [%rd1], 255; ", verify.Dim{2, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"down to 0", "atom.global.dec.u32 %r2, [%rd1], -1; ", verify.Dim{2, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"in as many elements, by two blocks", count(1) + "and.b32 %r2, %r2, 255; ", verify.Dim{2, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"two elements each", count(2) + "add.s32 %r3, %r2, 1; mul.wide.s32 %rd6, %r3, 4; add.s64 %rd7, %rd2, %rd6; st.global.u32 [%rd7], 1; mul.wide.s32 %rd3, %r2, 4; add.s64 %rd3, %rd2, %rd3; st.global.u32 [%rd3], 2; ret; ", verify.Dim{64, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"three of two each", count(2) + "add.s32 %r3, %r2, 2; mul.wide.s32 %rd6, %r3, 4; add.s64 %rd7, %rd2, %rd6; st.global.u32 [%rd7], 1; ", verify.Dim{64, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"any size", count(1), any, any, verify.Verified, true},
		{"two counters", "and.b32 %r3, %r1, 1; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd1, %rd1, %rd3; " + count(1), verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"a counter that is written, too", "st.volatile.global.u32 [%rd1], 0; " + count(1), verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"two steps", "red.global.add.u32 [%rd1], 2; " + count(1), verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"a step back", "red.global.add.u32 [%rd1], -1; " + count(1), verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"in as many elements", count(1) + "and.b32 %r2, %r2, 127; ", verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"in fewer elements", count(1) + "and.b32 %r2, %r2, 63; ", verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"in as many elements, by more blocks", count(1) + "and.b32 %r2, %r2, 127; ", verify.Dim{2, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"in as many elements, twice", "red.global.add.u32 [%rd1], 1; " + count(1) + "and.b32 %r2, %r2, 127; ", verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, false},
		{"in as many elements, down by three", count(1<<32-3) + "and.b32 %r2, %r2, 511; ", verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Verified, false},
		{"in as many elements, any size", count(1) + "and.b32 %r2, %r2, 1023; ", any, any, verify.Alarmed, true},
		{"in a loop, in as many elements", "mov.u32 %r4, 0; L: " + count(1) + "and.b32 %r2, %r2, 127; add.s32 %r4, %r4, 1; ld.volatile.global.u32 %r5, [%rd2+4096]; setp.lt.u32 %p1, %r4, %r5; @%p1 bra L; ", verify.Dim{1, 1, 1}, verify.Dim{128, 1, 1}, verify.Alarmed, true},
		{"by the thread, any size", "add.s32 %r3, %r1, 1; atom.global.add.u32 %r2, [%rd1], %r3; ", any, any, verify.Verified, true},
	} {
		m := kerneltest.Parse(t, kerneltest.Head+registers+test.body+store)
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: test.grid, Block: test.block}})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		assumes := slices.ContainsFunc(r.Assumptions, func(a string) bool { return strings.Contains(a, "come round") })
		if r.Verdict != test.want || assumes != test.assumes {
			t.Errorf("%s: %v %s, assumes %v, want %v, %v", test.name, r.Verdict, kerneltest.First(r), assumes, test.want, test.assumes)
		}
	}
}

// TestCountsOfBlocks: what threads of a block get as they count from 0 is less than how often they
// do; so blocks have parts of their own.
func TestCountsOfBlocks(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       verify.Verdict
	}{
		{"once", "@%p1 st.shared.u32 [n], 0; bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Verified},
		{"twice", "@%p1 st.shared.u32 [n], 0; bar.sync 0; red.shared.add.u32 [n], 1; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"once before and once behind a barrier", "@%p1 st.shared.u32 [n], 0; bar.sync 0; red.shared.add.u32 [n], 1; bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"from 1", "@%p1 st.shared.u32 [n], 1; bar.sync 0; atom.shared.add.u32 %r2, [n], 1; sub.u32 %r2, %r2, 1;", verify.Verified},
		{"from what nobody says", "@%p1 st.shared.u32 [n], %r3; bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"from what nobody writes", "bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"from what one block writes", "@%p2 st.shared.u32 [n], 0; bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"without a barrier", "@%p1 st.volatile.shared.u32 [n], 0; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"in a cell that is written with the one before it", "@%p1 st.shared.u32 [n+4], 0; bar.sync 0; mul.lo.u32 %r5, %r3, -64; @%p1 st.shared.v2.u32 [n], {%r3, %r5}; bar.sync 0; atom.shared.add.u32 %r2, [n+4], 1;", verify.Alarmed},
		{"in a cell that is written with the one behind it", "@%p1 st.shared.u32 [n], 0; bar.sync 0; mul.lo.u32 %r5, %r3, -64; @%p1 st.shared.v2.u32 [n], {%r5, %r3}; bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Alarmed},
		{"in a cell of which a byte is written", "@%p1 st.shared.u32 [n+4], 0; bar.sync 0; mul.lo.u32 %r5, %r3, 192; @%p1 st.shared.u8 [n+4], %r5; bar.sync 0; atom.shared.add.u32 %r2, [n+4], 1; and.b32 %r2, %r2, 127; add.u32 %r2, %r2, %r2;", verify.Alarmed},
		{"in a cell behind one that is written", "@%p1 st.shared.u32 [n+4], 0; bar.sync 0; @%p1 st.shared.u32 [n], %r3; bar.sync 0; atom.shared.add.u32 %r2, [n+4], 1;", verify.Verified},
		{"in a cell before one that is written", "@%p1 st.shared.u32 [n], 0; bar.sync 0; @%p1 st.shared.u32 [n+4], %r3; bar.sync 0; atom.shared.add.u32 %r2, [n], 1;", verify.Verified},
		{"in another cell", "@%p1 st.shared.u32 [n], 0; bar.sync 0; atom.shared.add.u32 %r2, [n+4], 1;", verify.Alarmed},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", kerneltest.Head+`.entry k(.param .u64 a) { .shared .align 4 .b8 n[8]; .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd2, [a]; mov.u32 %r1, %tid.x;
			mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.and.u32 %p2, %r3, 0, %p1; `+test.body+`
			mad.lo.u32 %r4, %r3, 64, %r2; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], %r1; R: ret; }`))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		kerneltest.Expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}}, test.want)
	}
}

// TestChosenCounters: a pointer that is chosen leads threads to two counters, which may give them
// the same value.
func TestChosenCounters(t *testing.T) {
	for chosen, want := range map[string]verify.Verdict{"selp.b64 %rd1, %rd1, %rd3, %p1;": verify.Alarmed, "": verify.Verified} {
		m, err := kernel.Parse(src.NewFile("k.ptx", kerneltest.Head+`.entry k(.param .u64 a, .param .u64 b, .param .u64 c) { .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
			ld.param.u64 %rd1, [a]; ld.param.u64 %rd3, [b]; ld.param.u64 %rd2, [c]; mov.u32 %r1, %tid.x; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; `+chosen+`
			atom.global.add.u32 %r2, [%rd1], 1; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], %r1; ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		kerneltest.Expect(t, chosen, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, want)
	}
}
