package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// computing returns a kernel k(A, n) that stores %r9 in the first word of A, and asserts that it is
// equal to number.
func computing(body string, number uint64) string {
	return head + `.extern .func __assert (.param .b32 holds);
.entry k(.param .u64 A, .param .u32 n) {
	.reg .pred %p<6>; .reg .b16 %h<9>; .reg .b32 %r<16>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [A]; ld.param.u32 %r1, [n]; mov.u32 %r2, %laneid; mov.u32 %r3, 0x9abcdef0; mov.u64 %rd3, 0x123456789abcdef0;
	` + body + fmt.Sprintf(`
	st.global.u32 [%%rd1], %%r9;
	setp.eq.u32 %%p1, %%r9, %d; selp.u32 %%r10, 1, 0, %%p1;
	{ .param .b32 holds; st.param.b32 [holds], %%r10; call __assert, (holds); }
	ret;
}
`, number)
}

// TestInstructions: what an instruction computes is the same to Verify and to a launch.
func TestInstructions(t *testing.T) {
	for _, body := range []string{
		"lop3.b32 %r9, %r1, %r3, 4, 0x96;",
		"lop3.b32 %r9, %r3, %r1, %r2, 0xE8;",
		"add.cc.u32 %r8, %r3, %r3; addc.u32 %r9, %r1, 0;",
		"add.cc.u32 %r8, %r3, %r3; addc.cc.u32 %r8, -1, 0; addc.u32 %r9, 0, 0;",
		"sub.cc.u32 %r8, %r1, %r3; subc.u32 %r9, %r1, 0;",
		"mad.lo.cc.u32 %r8, %r3, %r3, %r3; madc.hi.u32 %r9, %r3, %r3, 1;",
		"mov.b64 {%r4, %r5}, %rd3; add.cc.u32 %r4, %r4, %r3; addc.u32 %r9, %r5, 7;",
		"setp.lt.u32 %p2|%p3, %r1, 4; selp.u32 %r9, 1, 2, %p3;",
		"setp.eq.u32 %p4, %r1, 5; setp.gt.and.u32 %p2|%p3, %r1, 9, %p4; selp.u32 %r9, 1, 2, %p3;",
		"T: .branchtargets A0, A1, A2; sub.u32 %r4, %r1, 3; brx.idx %r4, T; A0: mov.u32 %r9, 10; bra.uni E; A1: mov.u32 %r9, 11; bra.uni E; A2: mov.u32 %r9, 12; E:",
		"T: .branchtargets A0, A1, A0; and.b32 %r4, %r3, 1; brx.idx.uni %r4, T; A1: mov.u32 %r9, 11; bra.uni E; A0: mov.u32 %r9, 12; E:",
		"mov.u32 %r9, 1; T: .branchtargets A0; setp.eq.u32 %p2, %r1, 6; @%p2 brx.idx %r1, T; mov.u32 %r9, 2; A0:",
		"elect.sync _|%p2, 1; selp.u32 %r9, 1, 2, %p2;",
		"elect.sync %r9|%p2, 1;",
		"shf.l.wrap.b32 %r9, %r3, %r1, 37;", "shf.r.clamp.b32 %r9, %r3, %r1, 33;", "shf.l.clamp.b32 %r9, %r3, %r1, 8;",
		"prmt.b32 %r9, %r3, %r1, 0x4BA0;", "prmt.b32.f4e %r9, %r3, %r1, 2;",
		"bfi.b32 %r9, %r1, %r3, 4, 8;", "bfe.s32 %r9, %r3, 28, 9;", "bfind.shiftamt.u32 %r9, %r1;", "bfind.s32 %r9, %r3;",
		"sad.s32 %r9, %r3, %r1, 7;", "slct.u32.s32 %r9, 1, 2, %r3;", "szext.clamp.s32 %r9, %r1, 3;", "bmsk.clamp.b32 %r9, 3, %r1;",
		"mul24.hi.u32 %r9, %r3, %r3;", "mad24.lo.s32 %r9, %r3, %r1, 1;", "dp4a.u32.s32 %r9, %r3, %r3, 9;", "dp2a.hi.s32.u32 %r9, %r3, %r3, 9;",
		"mul.hi.s64 %rd2, %rd3, %rd3; cvt.u32.u64 %r9, %rd2;", "mul.hi.u16 %h1, 60000, 50000; cvt.u32.u16 %r9, %h1;",
		"cvt.sat.s8.s32 %r9, %r3;", "cvt.u16.u32 %h1, %r3; cvt.s32.s8 %r9, %h1;", "cvt.u16.u32 %h1, %r3; mul.wide.s16 %r9, %h1, %h1;",
		"brev.b32 %r9, %r3;", "clz.b64 %r9, %rd3;", "popc.b64 %r9, %rd3;", "cnot.b32 %r9, %r1;", "add.sat.s32 %r9, %r3, %r3;",
		"rem.s32 %r9, %r3, 7;", "div.s32 %r9, %r3, %r1;", "shr.s32 %r9, %r3, 40;", "shl.b32 %r9, %r3, 32;", "min.s32 %r9, %r3, %r1;",
		"{ .local .align 4 .b8 d[16]; st.local.u32 [d+4], %r3; ld.local.s8 %r9, [d+6]; }",
		"{ .local .align 4 .b8 d[16]; st.local.v2.u16 [d+4], {%h1, %h2}; st.local.u32 [d+4], %r3; ld.local.v2.u16 {%h3, %h4}, [d+4]; cvt.u32.u16 %r9, %h4; }",
	} {
		word := launched(t, body)
		for _, by := range []uint64{0, 1} {
			m, err := kernel.Parse(src.NewFile("k.ptx", computing(body, word^by)))
			if err != nil {
				t.Fatalf("%s\n%v", body, err)
			}
			r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
				Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{1, 1, 1}}, Values: map[string]uint64{"n": 5},
			})
			want := []verify.Verdict{verify.Verified, verify.Alarmed}[by]
			if err != nil || r.Verdict != want {
				t.Errorf("%s\na launch computes %#x; that it is %#x is %v %v, %v", body, word, word^by, r.Verdict, r.Open, err)
			}
		}
	}
}

// launched returns what a launch with n = 5 leaves in the first word of A.
func launched(t *testing.T, body string) uint64 {
	t.Helper()
	text, _, _ := strings.Cut(computing(body, 0), "{ .param .b32 holds; st")
	m, err := kernel.Parse(src.NewFile("k.ptx", text+"ret; }"))
	if err != nil {
		t.Fatalf("%s\n%v", body, err)
	}
	b := &launch.Buffer{Name: "A", Size: 256}
	r, err := launch.New(m).Run(t.Context(), launch.Launch{Args: []launch.Arg{{Buffer: b}, {Value: 5}}})
	if err != nil {
		t.Fatalf("%s\n%v", body, err)
	}
	return r.Read(b, 0, 4)
}

// TestUnknownResults: instructions that are only known to access no shared memory have any result,
// and keep their requirements on the warp.
func TestUnknownResults(t *testing.T) {
	const mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%f0, %f1, %f2, %f3};"
	for _, test := range []struct {
		body string
		want verify.Verdict
		note string
	}{
		{mma + " st.global.f32 [%rd3], %f0;", verify.Verified, ""},
		{"setp.lt.u32 %p1, %r1, 7; @%p1 " + mma, verify.Undecided, ""},
		{"tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd4, {%r1}]; st.global.f32 [%rd3], %f0;", verify.Verified, "no thread writes to the memory of textures"},
		{"tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd4, {%r1}]; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd3, %rd2, %rd4; st.global.u32 [%rd3], 0;", verify.Alarmed, ""},
		{"cvt.rn.f16x2.f32 %r4, %f0, %f1; cvt.rn.relu.bf16x2.f32 %r5, %f0, %f1; st.global.u32 [%rd3], %r4;", verify.Verified, ""},
		{"vabsdiff4.u32.u32.u32.add %r4, %r1, %r1, %r1; st.global.u32 [%rd3], %r4;", verify.Verified, ""},
		{"griddepcontrol.wait; setmaxnreg.inc.sync.aligned.u32 232; st.global.u32 [%rd3], %r1; griddepcontrol.launch_dependents;", verify.Verified, ""},
		{"createpolicy.fractional.L2::evict_first.b64 %rd4, 1.0; ld.global.L2::cache_hint.u32 %r4, [%rd3], %rd4; st.global.L2::cache_hint.u32 [%rd3], %r4, %rd4;", verify.Verified, ""},
		{"elect.sync _|%p1, -1; @%p1 st.shared.u32 [s], %r1;", verify.Verified, ""},
		{"elect.sync _|%p1, -1; @!%p1 st.shared.u32 [s], %r1;", verify.Alarmed, ""},
		{"elect.sync _|%p1, -1; @%p1 st.shared.u32 [s], %r1; elect.sync _|%p1, -1; @%p1 st.shared.u32 [s], %r1;", verify.Verified, ""},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 A) { .reg .pred %p<3>; .reg .f32 %f<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .u32 s;
			ld.param.u64 %rd2, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd2, %rd4; `+test.body+" ret; }"))
		if err != nil {
			t.Fatalf("%s\n%v", test.body, err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}})
		if err != nil || r.Verdict != test.want || !strings.Contains(strings.Join(r.Assumptions, "\n"), test.note) {
			t.Errorf("%s\n%v %v %v, %v; want %v", test.body, r.Verdict, r.Open, r.Assumptions, err, test.want)
		}
	}
}

// TestNoReturn: labels of debug information do not end a function as a branch to its end does.
func TestNoReturn(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", head+".func f() .noreturn { ret; }\n.entry k() { call f; Ltmp1: Lfunc_end0: }"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(t.Context(), m, m.Func("k"), verify.Config{})
	if err != nil || r.Verdict != verify.Alarmed {
		t.Errorf("%v %v, %v; want an alarm, as the call returns", r.Verdict, r.Open, err)
	}
}

// TestEndOfFunction: a thread that branches to the end of a kernel does not execute what follows
// the branch.
func TestEndOfFunction(t *testing.T) {
	for _, body := range []string{"@%p1 bra E; st.global.u32 [%rd1], 1; E:", "T: .branchtargets E, F; brx.idx %r2, T; F: st.global.u32 [%rd1], 1; E:"} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 A) { .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
			ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; min.u32 %r2, %r1, 1; setp.eq.u32 %p1, %r1, 0; `+body+" }"))
		if err != nil {
			t.Fatalf("%s\n%v", body, err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{3, 1, 1}}})
		if err != nil || r.Verdict != verify.Alarmed || len(r.Alarms) != 1 || r.Alarms[0].Kind != verify.Race {
			t.Errorf("%s\n%v %v, %v; want a race of threads 1 and 2", body, r.Verdict, r.Alarms, err)
		}
	}
}

// TestSpecials: a special register that does not change has one value for all reads that share it
// (PTX ISA, "Special Registers"). Thread 0 of each block writes at the place that it says: two
// blocks race unless they read different values.
func TestSpecials(t *testing.T) {
	const differ, same = "sub.u32 %r2, %r3, %r4; setp.ne.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd2], %r1;", "mov.u32 %r2, %ctaid.x; add.u32 %r2, %r2, %r3;"
	for _, test := range []struct {
		register string
		stable   bool // between the reads of a thread
		alike    bool // in all blocks
	}{
		{"%envreg2", true, true},
		{"%reserved_smem_offset_begin", true, true},
		{"%reserved_smem_offset_1", true, true},
		{"%total_smem_size", true, true},
		{"%nsmid", true, true},
		{"%cluster_ctarank", true, false},
		{"%clusterid.x", true, false},
		{"%nclusterid.x", true, true},
		{"%tid.w", true, true},
		{"WARP_SZ", true, true},
		{"%smid", false, false},
		{"%clock", false, false},
		{"%pm3", false, false},
		{"%globaltimer_lo", false, false},
	} {
		reads := fmt.Sprintf("mov.u32 %%r3, %[1]s; mov.u32 %%r4, %[1]s; ", test.register)
		for body, verified := range map[string]bool{differ: test.stable, same + " mul.wide.u32 %rd4, %r2, 4; add.s64 %rd3, %rd2, %rd4; st.global.u32 [%rd3], %r1;": test.alike} {
			m, err := kernel.Parse(src.NewFile("k.ptx", ".version 9.3\n.target sm_90\n.address_size 64\n.entry k(.param .u64 A) { .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; "+
				"ld.param.u64 %rd2, [A]; mov.u32 %r1, %ctaid.x; "+reads+body+" ret; }"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{1, 1, 1}}})
			if err != nil || (r.Verdict == verify.Verified) != verified {
				t.Errorf("%s %s: %v, %v; verified should be %t", test.register, body, r.Verdict, err, verified)
			}
		}
	}
}

// TestWindows: an address of a known array is in the state space of that array (PTX ISA,
// "isspacep"). libcu++ tests this before each atomic.
func TestWindows(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 A) { .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .b32 s[32]; .local .b32 l[4];\n" +
		"ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; setp.lt.u32 %p2, %r1, 9; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4; selp.b64 %rd6, %rd3, %rd4, %p2;\n"
	for test, want := range map[string]verify.Verdict{
		"isspacep.local %p1, %rd1;": verify.Verified, "isspacep.shared %p1, %rd1;": verify.Verified, "isspacep.global %p1, %rd1;": verify.Alarmed,
		"isspacep.global %p1, %rd3;": verify.Verified, "isspacep.shared %p1, %rd3;": verify.Alarmed, "isspacep.shared::cta %p1, %rd3;": verify.Alarmed,
		"isspacep.local %p1, %rd4;": verify.Alarmed, "isspacep.shared %p1, %rd4;": verify.Verified, "isspacep.local %p1, %rd6;": verify.Alarmed,
		"isspacep.global %p1, %rd6;": verify.Verified, "ld.global.u64 %rd5, [%rd1]; isspacep.local %p1, %rd5;": verify.Alarmed,
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+test+" @%p1 st.u32 [%rd1], %r1; ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}})
		if err != nil || r.Verdict != want {
			t.Errorf("%s %v, %v; want %v", test, r.Verdict, err, want)
		}
	}
}

// TestClusters: if a kernel gives the size of clusters, its blocks have their places in them;
// otherwise these are arbitrary.
func TestClusters(t *testing.T) {
	const place = "mov.u32 %r2, %clusterid.x; mov.u32 %r3, %cluster_ctarank; "
	for _, test := range []struct {
		clusters, body string
		want           verify.Verdict
	}{
		{".reqnctapercluster 2", place + "mad.lo.u32 %r2, %r2, 2, %r3;", verify.Verified},
		{".reqnctapercluster 2, 1, 1", place + "mov.u32 %r4, %cluster_nctarank; mad.lo.u32 %r2, %r2, %r4, %r3;", verify.Verified},
		{".reqnctapercluster 2", "mov.u32 %r2, %cluster_ctaid.x; mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %clusterid.x; mad.lo.u32 %r2, %r2, %r3, %r4;", verify.Verified},
		{".reqnctapercluster 2, 2", place + "mov.u32 %r4, %clusterid.y; shl.b32 %r4, %r4, 2; add.u32 %r2, %r2, %r4; mad.lo.u32 %r2, %r2, 4, %r3;", verify.Verified},
		{".reqnctapercluster 2, 2", place + "mov.u32 %r4, %clusterid.y; shl.b32 %r4, %r4, 2; add.u32 %r2, %r2, %r4; mad.lo.u32 %r2, %r2, 3, %r3;", verify.Alarmed},
		{".reqnctapercluster 2", place + "mov.u32 %r2, %r3;", verify.Alarmed},
		{".reqnctapercluster 2", place, verify.Alarmed},
		{"", place + "mad.lo.u32 %r2, %r2, 2, %r3;", verify.Alarmed},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 A) "+test.clusters+` { .reg .b32 %r<9>; .reg .b64 %rd<9>;
			ld.param.u64 %rd2, [A]; mov.u32 %r1, %tid.x; `+test.body+" mad.lo.u32 %r2, %r2, 32, %r1; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd3, %rd2, %rd4; st.global.u32 [%rd3], %r1; ret; }"))
		if err != nil {
			t.Fatalf("%s\n%v", test.body, err)
		}
		grid := verify.Dim{8, 1, 1}
		if strings.HasSuffix(test.clusters, ", 2") {
			grid = verify.Dim{8, 4, 1}
		}
		expect(t, test.clusters+" "+test.body, m, verify.Config{Launch: verify.Launch{Grid: grid, Block: verify.Dim{32, 1, 1}}}, test.want)
	}
}

// TestReciprocals: x % 3 is known to be less than 8 even if a compiler replaced it by a product
// with a reciprocal, in a launch of many threads.
func TestReciprocals(t *testing.T) {
	for less, want := range map[string]verify.Verdict{"3": verify.Verified, "1": verify.Alarmed} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 A) { .reg .b32 %r<12>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [A];
			mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r1, 6; mov.u32 %r3, %tid.x; add.s32 %r4, %r2, %r3; shl.b32 %r5, %r4, `+less+`;
			mul.hi.s32 %r6, %r4, 1431655766; shr.u32 %r7, %r6, 31; add.s32 %r8, %r6, %r7; mul.lo.s32 %r9, %r8, 3; sub.s32 %r10, %r4, %r9;
			add.s32 %r11, %r5, %r10; cvt.s64.s32 %rd3, %r11; add.s64 %rd4, %rd1, %rd3; st.global.u8 [%rd4], 1; ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		expect(t, less, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1000, 1, 1}, Block: verify.Dim{64, 1, 1}}}, want)
	}
}
