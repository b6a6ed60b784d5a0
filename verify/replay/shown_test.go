package replay_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestShown: launches also show alarms about things other than accesses and barriers.
func TestShown(t *testing.T) {
	const (
		registers = " .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u32 %r1, %tid.x; mul.wide.u32 " +
			"%rd1, %r1, 4; "
		chance  = ".extern .func (.param .b32 r) chance();\n"
		call    = "{ .param .b32 v; call.uni (v), chance, (); ld.param.b32 %r2, [v]; } "
		assert  = "{ .param .b32 c; st.param.b32 [c], %r3; call.uni __assert, (c); } "
		asserts = ".func __assert(.param .b32 c);\n"
		pointer = "{ .param .b64 c; .param .b32 v; st.param.b64 [c], %rd2; call.uni (v), "
	)
	for _, test := range []struct {
		name, text string
		config     verify.Config
		says       string
	}{
		{
			"a pointer in a structure",
			".entry k(.param .align 8 .b8 s[24]) {" + registers +
				"ld.param.u64 %rd2, [s+16]; st.global.u32 [%rd2], %r1; ret; }",
			verify.Config{},
			"memory holds",
		},
		{
			"what a function without a body returns",
			chance + ".entry k(.param .u64 p) {" + registers + call +
				"setp.eq.u32 %p1, %r2, 77; @!%p1 bra END; ld.param.u64 %rd2, [p]; st.global.u32 [%rd2], %r1; " +
				"END: ret; }",
			verify.Config{PureExterns: true},
			"memory holds",
		},
		{
			"an earlier write",
			asserts + ".func (.param .b32 r) __write_global(.param .b64 p);\n.entry k(.param .u64 .ptr .global p) {" +
				registers + "ld.param.u64 %rd2, [p]; add.s64 %rd3, %rd2, %rd1; st.global.u32 [%rd3], 1;" +
				pointer + "__write_global, (c); ld.param.b32 %r2, [v]; } xor.b32 %r3, %r2, 1; " + assert + "ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"the offset of an earlier read",
			asserts +
				".func (.param .b64 r) __read_offset_bytes_global(.param .b64 p);\n" +
				".entry k(.param .u64 .ptr .global p) {" + registers +
				"ld.param.u64 %rd2, [p]; add.s64 %rd3, %rd2, %rd1; ld.global.u32 %r4, [%rd3];" +
				"{ .param .b64 c; .param .b64 v; st.param.b64 [c], %rd2; call.uni (v), __read_offset_bytes_global, " +
				"(c); ld.param.b64 %rd4, [v]; } setp.ne.s64 %p1, %rd4, 12; selp.u32 %r3, 1, 0, %p1; " + assert +
				"ret; }",
			verify.Config{},
			"it fails for thread (3,0,0)",
		},
		{
			"an access that leaves a variable",
			".entry k() { .shared .align 4 .b8 a[32];" + registers +
				"mov.u32 %r2, a; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1; ret; }",
			verify.Config{Bounds: true},
			"of a, which has 32",
		},
		{
			"a pointer that is compared",
			".entry k(.param .u64 .ptr .global p, .param .u32 i) {" + registers +
				"ld.param.u64 %rd2, [p]; ld.param.u32 %r2, [i]; setp.eq.u32 %p1, %r2, 0; selp.b64 %rd3, %rd2, 0, " +
				"%p1; setp.ne.s64 %p2, %rd3, 0; @%p2 bra END; st.global.u32 [%rd2], %r1; END: ret; }",
			verify.Config{},
			"memory holds",
		},
		{
			"a precondition of what is called",
			".func __requires(.param .b32 c);\n.func f() { { .param .b32 c; st.param.b32 [c], 0; call.uni " +
				"__requires, (c); } ret; }\n.entry k() { call.uni f, (); ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"volatile accesses, where only barriers order",
			".entry k(.param .u64 p) {" + registers +
				"ld.param.u64 %rd2, [p]; st.volatile.global.u32 [%rd2], %r1; ret; }",
			verify.Config{BarriersOnly: true},
			"memory holds",
		},
		{
			"a call that is not to return", ".func f();\n.entry k() { call.uni f, (); }",
			verify.Config{PureExterns: true},
			"it fails for thread",
		},
		{
			"a barrier that a function is",
			".func bugle_barrier(.param .b32 a, .param .b32 b);\n.entry k() {" + registers +
				"setp.gt.u32 %p1, %r1, 3; @%p1 bra END; { .param .b32 a; .param .b32 b; st.param.b32 [a], 1; " +
				"st.param.b32 [b], 1; call.uni bugle_barrier, (a, b); } END: ret; }",
			verify.Config{},
			"has ended",
		},
		{
			"an address that is no function's",
			".func f() { ret; }\n.entry k(.param .u64 g) {" + registers +
				"mov.u64 %rd2, f; ld.param.u64 %rd3, [g]; { P: .callprototype _ (); call %rd3, (), P; } ret; }",
			verify.Config{},
			"the launch fails there",
		},
		{
			"a barrier that memory decides about",
			".entry k(.param .u64 .ptr .global p) {" + registers +
				"ld.param.u64 %rd2, [p]; add.s64 %rd3, %rd2, %rd1; ld.global.u32 %r2, [%rd3]; setp.eq.u32 %p1, %r2, " +
				"0; @!%p1 bra END; bar.sync 0; END: ret; }",
			verify.Config{Only: verify.OnlyDivergence},
			"has ended",
		},
		{
			"a mask of shfl that does not name the lane",
			".entry k() {" + registers + "shfl.sync.down.b32 %r2, %r1, 1, 31, 0xfffff; ret; }",
			verify.Config{},
			"it fails for thread (2",
		},
		{
			"a mask of vote that does not name the lane",
			".entry k() {" + registers + "setp.eq.u32 %p1, %r1, 3; vote.sync.ballot.b32 %r2, %p1, 0x3; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a mask of match that does not name the lane",
			".entry k() {" + registers + "match.any.sync.b32 %r2, %r1, 0xffff; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a mask of redux that does not name the lane",
			".entry k() {" + registers + "redux.sync.add.u32 %r2, %r1, 0x1; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a mask of a barrier that does not name the lane",
			".entry k() {" + registers + "bar.warp.sync 0xff; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a barrier above 15",
			".entry k(.param .u32 n) {" + registers + "ld.param.u32 %r2, [n]; barrier.sync %r2; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a barrier that waits for half a warp", ".entry k() {" + registers + "bar.sync 1, 16; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a branch beyond its table",
			".entry k() {" + registers + "T: .branchtargets A, B; brx.idx %r1, T; A: ret; B: ret; }",
			verify.Config{},
			"the launch fails there",
		},
		{
			"a copy that reads more than it writes",
			".entry k(.param .u64 p) { .shared .align 16 .b8 s[512];" + registers +
				"ld.param.u64 %rd2, [p]; cvta.to.global.u64 %rd2, %rd2; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 " +
				"%r2, %r2, %r3; add.s64 %rd3, %rd2, %rd1; cp.async.ca.shared.global [%r2], [%rd3], 4, %r1; " +
				"cp.async.wait_all; ret; }",
			verify.Config{},
			"it fails for thread",
		},
		{
			"a null pointer", ".entry k() {" + registers + "st.global.u32 [%rd1], %r1; ret; }",
			verify.Config{},
			"the launch fails there",
		},
		{
			"a write to constant memory",
			".const .align 4 .b8 c[128];\n.entry k() {" + registers +
				"mov.u64 %rd2, c; add.s64 %rd2, %rd2, %rd1; st.const.u32 [%rd2], %r1; ret; }",
			verify.Config{},
			"the launch fails there",
		},
		{
			"an assertion behind one that fails first",
			asserts + ".entry k() {" + registers + "setp.lt.u32 %p1, %r1, 31; selp.u32 %r3, 1, 0, %p1; " + assert +
				"setp.lt.u32 %p1, %r1, 30; selp.u32 %r3, 1, 0, %p1; " + assert + "ret; }",
			verify.Config{},
			"it fails for thread (3",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := kernel.Parse(src.NewFile("k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n"+test.text))
			if err != nil {
				t.Fatal(err)
			}
			test.config.Launch = verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}
			r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], test.config)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Alarms) == 0 {
				t.Fatalf("no alarm: %v", r.Open)
			}
			for _, a := range r.Alarms {
				again, err := replay.Run(t.Context(), r, a)
				if err != nil {
					t.Fatal(err)
				}
				if !again.Shown() || !strings.Contains(again.String(), test.says) {
					t.Errorf("%v: %v, want %q", a.Kind, again, test.says)
				}
			}
		})
	}
}
