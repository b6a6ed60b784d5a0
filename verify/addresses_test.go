package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// openCL begins a module as compilers of OpenCL write it.
const openCL = ".version 7.0\n.target sm_70, texmode_independent\n.address_size 64\n"

// TestAddresses: which array an address points into, and what is said where that is not known.
func TestAddresses(t *testing.T) {
	const thread = " .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; "
	const local = ".visible .const .align 4 .b8 C[256];\n.entry k(.param .u64 .ptr .global .align 8 p, .param .u64 q) { .local .align 8 .b8 depot[16];" + thread
	const branch = "ld.const.u32 %r3, [C+4]; setp.eq.s32 %p1, %r3, 0; @%p1 bra END; ld.param.u64 %rd6, [q]; st.global.u32 [%rd6], %r1; END: ret; }"
	for _, test := range []struct {
		name, text string
		want       verify.Verdict
		says       string // the first alarm, or the first reason
	}{
		{
			"a bit of an aligned address of one's own", head + local + "mov.u64 %rd2, depot; or.b64 %rd3, %rd2, 4; st.local.u32 [depot+4], %r1;" +
				"ld.local.u32 %r2, [%rd3]; mul.wide.u32 %rd4, %r2, 4; ld.param.u64 %rd5, [q]; add.s64 %rd5, %rd5, %rd4; st.global.u32 [%rd5], %r1; ret; }",
			verify.Verified, "",
		},
		{
			"a bit of an aligned parameter", head + local + "ld.param.u64 %rd2, [p]; or.b64 %rd3, %rd2, 4; st.global.u32 [%rd3], %r1; ret; }",
			verify.Alarmed, "race",
		},
		{
			"a bit beyond the alignment", head + local + "ld.param.u64 %rd2, [p]; or.b64 %rd3, %rd2, 8; st.global.u32 [%rd3], %r1; ret; }",
			verify.Undecided, "st.global.u32: which array this address points into is not known",
		},
		{
			"a bit that may be set already", head + local + "ld.param.u64 %rd2, [p]; add.s64 %rd2, %rd2, %rd1; or.b64 %rd3, %rd2, 4; st.global.u32 [%rd3], %r1; ret; }",
			verify.Undecided, "which array this address points into is not known",
		},
		{"null and an index", head + local + "st.global.u32 [%rd1], %r1; ret; }", verify.Alarmed, "access through a null pointer"},
		{"null and an atomic", head + local + "red.global.add.u32 [0], 1; ret; }", verify.Alarmed, "access through a null pointer"},
		{
			"null, or an array", head + local + "setp.eq.u32 %p1, %r1, 7; ld.param.u64 %rd2, [p]; selp.b64 %rd3, %rd2, 0, %p1; add.s64 %rd3, %rd3, %rd1; ld.global.u32 %r2, [%rd3]; ret; }",
			verify.Alarmed, "access through a null pointer",
		},
		{"a number that is no null pointer", head + local + "st.global.u32 [65536], %r1; ret; }", verify.Undecided, "which array this address points into is not known"},
		{"an index that is a parameter", head + ".entry k(.param .u32 n) {" + thread + "ld.param.u32 %r2, [n]; mul.wide.u32 %rd2, %r2, 4; st.global.u32 [%rd2], %r1; ret; }", verify.Undecided, "which array"},
		{
			"a race beside an address from memory", head + local + "ld.param.u64 %rd2, [p]; ld.global.u64 %rd3, [%rd2]; ld.u32 %r2, [%rd3]; ld.param.u64 %rd4, [q]; st.global.u32 [%rd4], %r1; ret; }",
			verify.Alarmed, "race",
		},
		{
			"memory of one's own after a store to an address from memory", head + local + "ld.param.u64 %rd2, [p]; ld.global.u64 %rd3, [%rd2]; st.local.u32 [depot], 0;" +
				"st.u32 [%rd3], %r1; ld.local.u32 %r2, [depot]; setp.eq.u32 %p1, %r2, 0; @%p1 bra END; ld.param.u64 %rd4, [q]; st.global.u32 [%rd4], %r1; END: ret; }",
			verify.Alarmed, "race",
		},
		{
			"a number as a predicate", head + local + "mov.pred %p1, 4; @!%p1 bra END; ld.param.u64 %rd6, [q]; st.global.u32 [%rd6], %r1; END: ret; }",
			verify.Alarmed, "race",
		},
		{
			"a module of 32 bits", strings.Replace(openCL, "64", "32", 1) + ".entry k(.param .u32 p) { .reg .b32 %r<9>; ld.param.u32 %r1, [p]; mov.u32 %r2, %tid.x; st.global.u32 [%r1], %r2; ret; }",
			verify.Undecided, "st.global.u32: addresses of 32 bits are not followed",
		},
		{"a constant of OpenCL without initial values", openCL + local + branch, verify.Verified, ""},
		{"a constant of CUDA without initial values", head + local + branch, verify.Alarmed, "race"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		c := verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], c)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := first(r); r.Verdict != test.want || !strings.Contains(got, test.says) {
			t.Errorf("%s: %v %q, want %v %q", test.name, r.Verdict, got, test.want, test.says)
		}
	}
}

// TestApart: functions that no kernel calls, and functions with a postcondition, are verified on
// their own. Each thread has its own arguments.
func TestApart(t *testing.T) {
	const declared = ".func __ensures(.param .b32 c);\n.func __requires(.param .b32 c);\n.func (.param .b32 r) __return_val_int();\n"
	const promise = "{ .reg .pred %p<2>; .reg .b32 %r<6>; ld.param.u32 %r1, [x]; setp.gt.s32 %p1, %r1, 0; selp.u32 %r2, 1, 0, %p1;" +
		"{ .param .b32 c; st.param.b32 [c], %r2; call.uni __requires, (c); }" +
		"{ .param .b32 v; call.uni (v), __return_val_int, (); ld.param.b32 %r3, [v]; } setp.gt.s32 %p1, %r3, 0; selp.u32 %r2, 1, 0, %p1;" +
		"{ .param .b32 c; st.param.b32 [c], %r2; call.uni __ensures, (c); }"
	const call = ".entry k() { .reg .b32 %r<2>; { .param .b32 c; .param .b32 v; st.param.b32 [c], 6; call.uni (v), f, (c); ld.param.b32 %r1, [v]; } ret; }\n"
	for _, test := range []struct {
		name, text string
		want       []string // of each kernel and function: its name, verdict, and first alarm
	}{
		{"a promise that one call keeps", declared + ".func (.param .b32 r) f(.param .b32 x)" + promise + "shr.s32 %r4, %r1, 1; st.param.b32 [r], %r4; ret; }\n" + call, []string{
			"k verified ", "f alarm assertion postcondition __ensures",
		}},
		{"a promise that all calls keep", declared + ".func (.param .b32 r) f(.param .b32 x)" + promise + "st.param.b32 [r], %r1; ret; }\n" + call, []string{
			"k verified ", "f verified ",
		}},
		{"a function that a kernel calls", ".func g() { ret; }\n.func f(.param .b32 x) { call g; ret; }\n.entry k() { { .param .b32 c; st.param.b32 [c], 6; call.uni f, (c); } ret; }", []string{"k verified "}},
		{
			"a function that nobody calls", ".func f(.param .b64 p) { .reg .b32 %r<2>; .reg .b64 %rd<4>; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [p];" +
				"add.s64 %rd3, %rd2, %rd1; st.u32 [%rd3], %r1; ret; }\n.entry k() { ret; }", []string{"k verified ", "f alarm race"},
		},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, f := range append(kernels(m), verify.Apart(m)...) {
			r, err := verify.Verify(t.Context(), m, f, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}})
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			got = append(got, f.Name+" "+r.Verdict.String()+" "+first(r))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func kernels(m *kernel.Module) (all []*kernel.Function) {
	for _, f := range m.Funcs {
		if f.Entry {
			all = append(all, f)
		}
	}
	return all
}

// TestLoopsInLoops: nested loops that end by chance have too many paths to unroll, and are cut. An
// error in their first iterations is still found.
func TestLoopsInLoops(t *testing.T) {
	const loops = ".extern .func (.param .b32 r) chance();\n.entry k(.param .u64 q) { .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [q]; mov.u32 %r1, %tid.x; A: "
	chance := func(target string) string {
		return "{ .param .b32 v; call.uni (v), chance, (); ld.param.b32 %r2, [v]; } setp.eq.u32 %p1, %r2, 0; @%p1 bra " + target + "; "
	}
	body := "st.global.u32 [%rd1], %r1; "
	text := loops + chance("END") + "B: " + chance("A") + "C: " + chance("B") + chance("A") + "D: " + chance("C") + chance("B")
	for want, text := range map[verify.Verdict]string{verify.Verified: text + "bra D; END: ret; }", verify.Alarmed: text + body + "bra D; END: ret; }"} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[1], verify.Config{PureExterns: true, Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}})
		if err != nil || r.Verdict != want {
			t.Errorf("%v (%v) %q, want %v", r.Verdict, err, first(r), want)
		}
	}
}
