package verify_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestStandsOn: a verdict prints what it stands on, and nothing that does not matter to it.
func TestStandsOn(t *testing.T) {
	const (
		begin = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 .ptr .global a, .param .u64 .ptr .global b, .param .u32 n) { .shared .align 4 .b8 s[512];" +
			".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r7, %ctaid.x; mad.lo.u32 %r8, %r7, 64, %r2;" +
			"mul.wide.u32 %rd3, %r8, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; shl.b32 %r3, %r2, 2; mov.u32 %r4, s; add.u32 %r5, %r4, %r3; xor.b32 %r6, %r3, 4; add.u32 %r6, %r4, %r6; "
		end = " ret; }"
	)
	all := []*assume.Assumption{
		assume.Volatile, assume.Strong, assume.Atomics, assume.SameValue, assume.OnlyDivergence, assume.OnlyBlock, assume.NoOtherWriter, assume.UnwrittenShared, assume.Aligned,
	}
	for _, test := range []struct {
		name, body string
		config     verify.Config
		on         []*assume.Assumption
	}{
		{"volatile without a barrier", "st.volatile.shared.u32 [%r5], %r2; ld.volatile.shared.u32 %r4, [%r6];", verify.Config{}, []*assume.Assumption{assume.Volatile}},
		{"volatile with a barrier", "st.volatile.shared.u32 [%r5], %r2; bar.sync 0; ld.volatile.shared.u32 %r4, [%r6];", verify.Config{}, nil},
		{"volatile, each its own", "st.volatile.shared.u32 [%r5], %r2; ld.volatile.shared.u32 %r4, [%r5];", verify.Config{}, nil},
		{"volatile and an atomic", "ld.volatile.global.u32 %r4, [%rd1]; red.global.add.u32 [%rd1], 1;", verify.Config{}, []*assume.Assumption{assume.Volatile}},
		{"relaxed without a barrier", "st.relaxed.cta.shared.u32 [%r5], %r2; ld.relaxed.cta.shared.u32 %r4, [%r6];", verify.Config{}, []*assume.Assumption{assume.Strong}},
		{"relaxed with a barrier", "st.relaxed.cta.shared.u32 [%r5], %r2; bar.sync 0; ld.relaxed.cta.shared.u32 %r4, [%r6];", verify.Config{}, nil},
		{"atomics", "red.global.add.u32 [%rd1], 1;", verify.Config{}, nil},
		{"atomics of a block, where only barriers order", "red.global.cta.add.u32 [%rd1], 1;", verify.Config{BarriersOnly: true}, []*assume.Assumption{assume.Atomics}},
		{"stores of one value", "st.global.u32 [%rd1], 7;", verify.Config{SameValue: true}, []*assume.Assumption{assume.SameValue}},
		{"stores apart", "st.global.u32 [%rd4], 7;", verify.Config{SameValue: true}, nil},
		{"divergence only", "st.global.u32 [%rd1], %r2; bar.sync 0;", verify.Config{Only: verify.OnlyDivergence}, []*assume.Assumption{assume.OnlyDivergence}},
		{"blocks on their own", "setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd1], %r2;", verify.Config{Only: verify.OnlyBlock}, []*assume.Assumption{assume.OnlyBlock}},
		{"a barrier that memory decides about", "ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L; bar.sync 0; L: st.global.u32 [%rd5], %r4;", verify.Config{}, []*assume.Assumption{assume.NoOtherWriter}},
		{"data that decides about nothing", "ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd5], %r4;", verify.Config{}, nil},
		{"data that decides whether a place of one's own is written", "ld.global.u32 %r4, [%rd4]; setp.eq.u32 %p1, %r4, 0; @%p1 st.global.u32 [%rd5], %r4;", verify.Config{}, nil},
		{
			"one of two stores, as memory says", "ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; setp.eq.u32 %p2, %r2, 0; setp.eq.u32 %p3, %r7, 0; and.pred %p2, %p2, %p3; and.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd2], 1;" +
				"setp.eq.u32 %p2, %r2, 1; setp.eq.u32 %p3, %r7, 0; and.pred %p2, %p2, %p3; not.pred %p1, %p1; and.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd2], 2;",
			verify.Config{},
			[]*assume.Assumption{assume.NoOtherWriter},
		},
		{"shared memory that nobody has written", "ld.shared.u32 %r4, [s]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L; bar.sync 0; L:", verify.Config{}, []*assume.Assumption{assume.UnwrittenShared}},
		{"rows that overlap where they are misaligned", "mul.lo.u32 %r4, %r7, %r1; mul.wide.u32 %rd6, %r4, 4; shl.b32 %r5, %r2, 2; setp.ge.u32 %p1, %r5, %r1; @%p1 ret; mul.wide.u32 %rd7, %r5, 4; add.s64 %rd6, %rd6, %rd7; add.s64 %rd6, %rd6, %rd1; st.global.v4.u32 [%rd6], {%r1, %r1, %r1, %r1};", verify.Config{Least: map[string]int64{"n": 0}}, []*assume.Assumption{assume.Aligned}},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", begin+test.body+end))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		test.config.Launch = verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], test.config)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verify.Verified {
			t.Errorf("%s: %v %v", test.name, r.Verdict, r.Open)
		}
		for _, a := range all {
			want := false
			for _, b := range test.on {
				want = want || a == b
			}
			fixed, _, _ := strings.Cut(a.Format(), "%")
			says := strings.Contains(strings.Join(r.Assumptions, "\n"), fixed)
			if says != want {
				t.Errorf("%s: says %q: %t, want %t", test.name, a.Format(), says, want)
			}
		}
		if got, want := len(r.JSON().Assumptions), len(r.Assumptions); got != want {
			t.Errorf("%s: JSON has %d assumptions of %d", test.name, got, want)
		}
	}
}

// TestSettingsAreSaid: what is given of parameters is an assumption, too.
func TestSettingsAreSaid(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", head+".entry k(.param .u64 p, .param .u32 n, .param .u32 m) { .reg .b32 %r<4>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; st.global.u32 [%rd1], %r1; ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
		Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{1, 1, 1}}, Values: map[string]uint64{"n": 4, "m": 5},
	})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.Assumptions, "\n"); !strings.Contains(all, "n = 4") || strings.Contains(all, "m = 5") {
		t.Error(all)
	}
}
