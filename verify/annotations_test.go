package verify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// called is a kernel with a loop at whose head an annotation says that a thread is the first.
const called = `.version 6.0
.target sm_70
.address_size 64
.extern .func %[1]s(.param .b32 holds);
.visible .entry k(.param .u64 A)
{
	.reg .pred %%p<3>;
	.reg .b32 %%r<4>;
	mov.u32 %%r1, %%tid.x;
	setp.eq.s32 %%p1, %%r1, 0;
	selp.u32 %%r2, 1, 0, %%p1;
	mov.u32 %%r3, 0;
HEAD:
	{
	.param .b32 p;
	st.param.b32 [p], %%r2;
	call.uni %[1]s, (p);
	}
	add.s32 %%r3, %%r3, 1;
	setp.lt.s32 %%p2, %%r3, 4;
	@%%p2 bra HEAD;
	ret;
}
`

// TestAnnotations: calls that state something are checked, and calls that propose something are
// not. The requirement that each thread is the first is contradictory for two threads, so that the
// verdict is undecided.
func TestAnnotations(t *testing.T) {
	for name, want := range map[string]string{
		"__assert": "assertion", "__invariant": "assertion", "__global_invariant": "assertion",
		"__candidate_invariant": "verified", "__candidate_global_invariant": "verified",
		"__function_wide_candidate_invariant": "verified", "__candidate_assert": "verified",
		"__requires": "undecided", "__global_requires": "undecided",
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", fmt.Sprintf(called, name)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(context.Background(), m, m.Funcs[1], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{4, 1, 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if said(r) != want {
			t.Errorf("%s: %s, want %s: %v", name, said(r), want, r.Open)
		}
	}
}

// TestWhatIsStated: calls that state something about other threads in a loop that is cut, about
// arrays that a condition chooses, and about the thread's own stores; and which calls count.
func TestWhatIsStated(t *testing.T) {
	const declared = ".extern .func __assert(.param .b32 p);\n.extern .func __invariant(.param .b32 p);\n.extern .func (.param .b32 r) __other_int(.param .b32 p);\n" +
		".extern .func (.param .b64 r) __write_offset_bytes(.param .b64 p);\n.extern .func (.param .b32 r) __write(.param .b64 p);\n.extern .func (.param .b32 r) _Z12get_work_dimv();\n.extern .func __assertfail();\n" +
		".extern .func __non_temporal_loads_begin();\n.extern .func __non_temporal_loads_end();\n"
	const registers = ".reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .param .b32 p; .param .b32 v; .param .b64 a; .param .b64 o;\n"
	call := func(name, register string) string {
		return "st.param.b32 [p], " + register + "; call.uni " + name + ", (p);\n"
	}
	state := func(name, relation string) string {
		return "setp." + relation + "; selp.u32 %r8, 1, 0, %p4;\n" + call(name, "%r8")
	}
	const (
		ask  = "call.uni __non_temporal_loads_begin; ld.global.u32 %s, [%%rd3]; call.uni __non_temporal_loads_end;\n"
		own  = "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd4], %r1;"
		loop = "mov.u32 %r4, 0;\nL: setp.ge.u32 %p1, %r4, %r5; @%p1 bra X; st.global.u32 [%rd5], %r4; add.u32 %r4, %r4, 1; bra L;\nX:"
	)
	both := "ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u32 %r5, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd2, %rd5;\n" +
		"xor.b32 %r6, %r1, 1; mul.wide.u32 %rd3, %r6, 4; add.s64 %rd3, %rd1, %rd3;\n" + fmt.Sprintf(ask, "%r2") + "|" + fmt.Sprintf(ask, "%r3")
	for _, test := range []struct {
		what, body  string
		annotations verify.Annotations
		want        string
	}{
		{
			"another thread in the same round", "ld.param.u32 %r5, [n]; mov.u32 %r1, %tid.x;\nL: st.param.b32 [p], %r1; call.uni (v), __other_int, (p); ld.param.b32 %r2, [v];\n" +
				state("__assert", "ne.u32 %p4, %r1, %r2") + "add.u32 %r1, %r1, 3; setp.lt.u32 %p1, %r1, %r5; @%p1 bra L;", verify.AllAnnotations, "verified",
		},
		{
			"another thread in any round", "ld.param.u32 %r5, [n]; mov.u32 %r1, %tid.x;\nL: st.param.b32 [p], %r1; call.uni (v), __other_int, (p); ld.param.b32 %r2, [v];\n" +
				"and.b32 %r2, %r2, 1; and.b32 %r3, %r1, 1;" + state("__assert", "ne.u32 %p4, %r3, %r2") + "add.u32 %r1, %r1, 3; setp.lt.u32 %p1, %r1, %r5; @%p1 bra L;",
			verify.AllAnnotations, "assertion",
		},
		{
			"one of two arrays", "ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u32 %r5, [n]; setp.eq.u32 %p1, %r5, 0; selp.b64 %rd3, %rd1, %rd2, %p1; mov.u32 %r1, %tid.x;\n" +
				"mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], 1; add.s64 %rd6, %rd2, %rd4; st.global.u32 [%rd6], 1;\n" +
				"st.param.b64 [a], %rd3; call.uni (v), __write, (a); ld.param.b32 %r2, [v]; call.uni (o), __write_offset_bytes, (a); ld.param.b64 %rd7, [o];\n" +
				"setp.ne.u64 %p2, %rd7, %rd4; setp.ne.u32 %p3, %r2, 0; and.pred %p1, %p2, %p3;" + state("__assert", "eq.or.u64 %p4, %rd7, %rd4, !%p1"),
			verify.AllAnnotations, "verified",
		},
		{
			"what the thread has stored", "ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4;\n" +
				"st.global.u32 [%rd5], %r1; st.global.u32 [%rd5], 7; st.global.u32 [%rd5+4096], 8; ld.global.u32 %r2, [%rd5];" + state("__assert", "eq.u32 %p4, %r2, 7"),
			verify.AllAnnotations, "verified",
		},
		{
			"what it will store elsewhere", "ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], 1;\n" +
				"st.param.b64 [a], %rd1; call.uni (v), __write, (a); ld.param.b32 %r2, [v]; call.uni (o), __write_offset_bytes, (a); ld.param.b64 %rd7, [o]; setp.eq.u32 %p1, %r2, 0;\n" +
				state("__assert", "eq.or.u64 %p4, %rd7, %rd4, %p1") + "st.global.u32 [%rd5+4096], 1;",
			verify.AllAnnotations, "verified",
		},
		{
			"what it has stored elsewhere", "ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], 1; st.global.u32 [%rd5+4096], 1;\n" +
				"st.param.b64 [a], %rd1; call.uni (v), __write, (a); ld.param.b32 %r2, [v]; call.uni (o), __write_offset_bytes, (a); ld.param.b64 %rd7, [o]; setp.eq.u32 %p1, %r2, 0;\n" +
				state("__assert", "eq.or.u64 %p4, %rd7, %rd4, %p1"),
			verify.AllAnnotations, "assertion",
		},
		{
			"what it has just stored", "ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], 1;\n" +
				"st.param.b64 [a], %rd1; call.uni (v), __write, (a); ld.param.b32 %r2, [v];" + state("__assert", "eq.u32 %p4, %r2, 0"),
			verify.AllAnnotations, "assertion",
		},
		{
			"what it may have stored", "ld.param.u64 %rd1, [A]; ld.param.u32 %r5, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4;\n" +
				"setp.eq.u32 %p1, %r5, 0; @%p1 st.global.u32 [%rd5], 7; ld.global.u32 %r2, [%rd5];" + state("__assert", "eq.u32 %p4, %r2, 7"),
			verify.AllAnnotations, "assertion",
		},
		{
			"two loads of an annotation, which race with what another thread stores", strings.Replace(both, "|", "", 1) + state("__assert", "eq.u32 %p4, %r2, %r3") + own, verify.AllAnnotations, "assertion",
		},
		{
			"the same with a loop between them", strings.Replace(both, "|", loop, 1) + state("__assert", "eq.u32 %p4, %r2, %r3") + own, verify.AllAnnotations, "assertion",
		},
		{"dimensions", "call.uni (v), _Z12get_work_dimv, (); ld.param.b32 %r2, [v];" + state("__assert", "eq.u32 %p4, %r2, 1"), verify.AllAnnotations, "verified"},
		{"a wrong invariant", "mov.u32 %r1, 0;\nL: " + call("__invariant", "0") + "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra L;", verify.AllAnnotations, "assertion"},
		{"a wrong invariant", "mov.u32 %r1, 0;\nL: " + call("__invariant", "0") + "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra L;", verify.Candidates, "verified"},
		{
			"a wrong invariant of a loop that is cut", "ld.param.u32 %r5, [n]; mov.u32 %r1, 0;\nL: " + call("__invariant", "0") + "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r5; @%p1 bra L;" +
				call("__assert", "0"), verify.Candidates, "assertion",
		},
		{"an assertion", call("__assert", "0"), verify.OnlyRequires, "verified"},
		{"an assertion of the program", "call.uni __assertfail;", verify.NoAnnotations, "assertion"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+declared+".entry k(.param .u64 .ptr A, .param .u64 .ptr B, .param .u32 n) {\n"+registers+test.body+"ret; }"))
		if err != nil {
			t.Fatalf("%s: %v", test.what, err)
		}
		r, err := verify.Verify(t.Context(), m, m.Func("k"), verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{4, 1, 1}}, Annotations: test.annotations,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := said(r); got != test.want {
			t.Errorf("%s: %s, want %s: %v %v", test.what, got, test.want, first(r), r.Open)
		}
	}
}

// TestFunctionsOfArguments: of functions without a body whose name says that they are nothing but
// functions, and of those of libdevice, equal arguments have one result, which may be anything.
func TestFunctionsOfArguments(t *testing.T) {
	const f, sin = "__uninterpreted_function_f", "__nv_sinf"
	call := func(name, to, of string) string {
		return "st.param.b32 [p], " + of + "; call.uni (v), " + name + ", (p); ld.param.b32 " + to + ", [v];\n"
	}
	for _, test := range []struct{ what, body, want string }{
		{"equal arguments", call(f, "%r2", "%r1") + call(f, "%r3", "%r1") + "setp.eq.u32 %p1, %r2, %r3;", "verified"},
		{"other arguments", call(f, "%r2", "%r1") + call(f, "%r3", "%r4") + "setp.eq.u32 %p1, %r2, %r3;", "assertion"},
		{"the highest bits", call(f, "%r2", "%r1") + "setp.lt.u32 %p1, %r2, 0x80000000;", "assertion"},
		{"of libdevice", call(sin, "%r2", "%r1") + call(sin, "%r3", "%r1") + "setp.eq.u32 %p1, %r2, %r3;", "verified"},
		{"of libdevice, other arguments", call(sin, "%r2", "%r1") + call(sin, "%r3", "%r4") + "setp.eq.u32 %p1, %r2, %r3;", "assertion"},
		{"one and another", call(f, "%r2", "%r1") + call(sin, "%r3", "%r1") + "setp.eq.u32 %p1, %r2, %r3;", "assertion"},
		{"two results", "st.param.b32 [p], %r1; call.uni (v), __nv_frexpf, (p, a); setp.eq.u32 %p1, %r1, %r1;", "undecided"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+".extern .func (.param .b32 v) "+f+"(.param .b32 p);\n.extern .func (.param .b32 v) "+sin+"(.param .b32 p);\n"+
			".extern .func (.param .b32 v) __nv_frexpf(.param .b32 p, .param .b64 a);\n.extern .func __assert(.param .b32 p);\n"+
			".entry k(.param .u32 n) { .reg .pred %p<2>; .reg .b32 %r<6>; .param .b32 p; .param .b32 v; .param .b64 a;\n"+
			"mov.u32 %r1, %tid.x; ld.param.u32 %r4, [n];\n"+test.body+"selp.u32 %r5, 1, 0, %p1; st.param.b32 [p], %r5; call.uni __assert, (p); ret; }\n"))
		if err != nil {
			t.Fatalf("%s: %v", test.what, err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{4, 1, 1}}})
		if err != nil || said(r) != test.want {
			t.Errorf("%s: %s, %v, want %s: %v", test.what, said(r), err, test.want, r.Open)
		}
	}
}
