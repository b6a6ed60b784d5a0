package rules_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// takers draws a kernel whose threads, or blocks, take ranges of B from a counter in A, and write
// there: as much as they have taken, or more, and with or without what makes the ranges differ.
func takers(r *rand.Rand) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	mostly := func(text string) string { // one time in eight it is missing
		if r.IntN(8) == 0 {
			return ""
		}
		return text
	}
	var code []string
	add := func(lines ...string) { code = append(code, lines...) }
	used, within := "%r3", one("lt", "lt", "lt", "lt", "le")
	if r.IntN(2) == 0 { // each thread for itself
		add(one("and.b32 %r3, %r1, 3;", "rem.u32 %r3, %r1, 3;", "mov.u32 %r3, 2;", "and.b32 %r3, %r4, 3;", "sub.s32 %r3, %r1, 1;", "mul.lo.s32 %r3, %r2, 2;"))
		add(one("mov.u32 %r5, %r3;", "mov.u32 %r5, %r3;", "add.u32 %r5, %r3, 1;", "mov.u32 %r5, 2;", "shl.b32 %r5, %r3, 1;", "neg.s32 %r5, %r3;"))
		add(one("", "", "@%p1 ", "@!%p1 ")+"atom.global.add.u32 %r6, [%rd1], %r5;", one("", "", "", "@%p1 atom.global.add.u32 %r9, [%rd1], 1;", "@%p1 atom.global.exch.b32 %r9, [%rd1], 100;"))
		for j := range 3 {
			add(fmt.Sprintf("setp.%s.s32 %%p2, %d, %s;", within, j, used), fmt.Sprintf("add.u32 %%r7, %%r6, %d;", j), "mul.wide.u32 %rd4, %r7, 4;", "add.u64 %rd4, %rd2, %rd4;", "@%p2 st.global.u32 [%rd4], %r1;")
		}
	} else { // a block together
		add(mostly("@%p1 st.shared.u32 [found], "+one("0", "0", "1", "-1")+";"), mostly("bar.sync 0;"))
		add("and.b32 %r3, %r4, "+one("1", "2", "0")+";", "setp.ne.u32 %p2, %r3, 0;", "@%p2 atom.shared.add.u32 %r9, [found], "+one("1", "1", "2", "-1")+";", mostly("bar.sync 0;"))
		add("ld.shared.u32 %r3, [found];", one("mov.u32 %r5, %r3;", "mov.u32 %r5, %r3;", "add.u32 %r5, %r3, 1;", "and.b32 %r5, %r3, 7;"))
		add(one("", "@%p1 ", "@%p1 ", "@%p1 ")+"atom.global.add.u32 %r6, [%rd1], %r5;", "@%p1 st.shared.u32 [from], %r6;", mostly("bar.sync 0;"), "ld.shared.u32 %r6, [from];")
		add(one("", "", "", "@%p1 st.shared.u32 [found], 3;"), one("", "", "bar.sync 0;"), one("", "ld.shared.u32 %r3, [found];"))
		add(fmt.Sprintf("setp.%s.s32 %%p2, %%r1, %s;", within, used), "add.u32 %r7, %r6, %r1;", "mul.wide.u32 %rd4, %r7, 4;", "add.u64 %rd4, %rd2, %rd4;", "@%p2 st.global.u32 [%rd4], %r1;")
	}
	return `.version 8.0
.target sm_70
.address_size 64
.visible .entry take(.param .u64 A, .param .u64 B, .param .u64 C) {
.shared .align 4 .b8 found[4];
.shared .align 4 .b8 from[4];
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u64 %rd3, [C];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
mad.lo.u32 %r8, %r2, 4, %r1; mul.wide.u32 %rd5, %r8, 4; add.u64 %rd5, %rd3, %rd5; ld.global.u32 %r4, [%rd5];
` + strings.Join(code, "\n") + "\nret;\n}\n"
}

// TestRanges: random kernels that take ranges from counters are not verified if launches show them
// to race or to diverge.
func TestRanges(t *testing.T) {
	n := sample.Rounds(5_000, 300, 30)
	verified, wrong, shownWrong := 0, 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 18))
		text := takers(r)
		m := kerneltest.Parse(t, text)
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{3, 1, 1}, Block: verify.Dim{4, 1, 1}}, Alarms: 1, Budget: 2_000})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		shown := false
		for i := range uint64(4) {
			data := make([]byte, 4*16)
			for j := range data {
				data[j] = byte(r.IntN(256)) & -byte(1-j&1)
			}
			got, err := launch.New(m).Run(t.Context(), launch.Launch{
				Kernel: "take", Grid: launch.Dim{X: 3, Y: 1, Z: 1}, Block: launch.Dim{X: 4, Y: 1, Z: 1}, Unbounded: true, Schedule: launch.Random(seed + i),
				Args: []launch.Arg{
					{Buffer: &launch.Buffer{Name: "A", Bytes: []byte{100, 0, 0, 0}}},
					{Buffer: &launch.Buffer{Name: "B", Bytes: make([]byte, 1<<12)}},
					{Buffer: &launch.Buffer{Name: "C", Bytes: data}},
				},
			})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			shown = shown || got.Verdict() != launch.Verdict{}
		}
		switch {
		case said.Verdict == verify.Verified && shown:
			wrong++
			t.Errorf("seed %d: verified, and a launch goes wrong\n%s", seed, text)
		case said.Verdict == verify.Verified:
			verified++
		case shown:
			shownWrong++
		}
	}
	t.Logf("%d kernels: %d verified, %d of the others go wrong in a launch", n, verified, shownWrong)
	if verified < n/20 || shownWrong < n/5 {
		t.Errorf("too few of a kind")
	}
}

// TestRangesBegin: a block in which no thread has begun to count may take a negative number of
// places, also where a thread of another block has read the same.
func TestRangesBegin(t *testing.T) {
	const head = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry take(.param .u64 A, .param .u64 B) { .shared .align 4 .b8 found[4]; .shared .align 4 .b8 from[4];\n" +
		".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>; ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" +
		"setp.eq.u32 %p1, %r1, 0; setp.eq.and.u32 %p3, %r2, 0, %p1;\n"
	const rest = " st.shared.u32 [found], 0; bar.sync 0; @%p1 atom.shared.add.u32 %r9, [found], 1; bar.sync 0; @%p3 ld.shared.u32 %r8, [found]; @%p1 ld.shared.u32 %r3, [found];\n" +
		"@%p1 atom.global.add.u32 %r6, [%rd1], %r3; @%p1 st.shared.u32 [from], %r6; bar.sync 0; ld.shared.u32 %r6, [from]; ld.shared.u32 %r3, [found];\n" +
		"setp.lt.s32 %p2, %r1, %r3; add.u32 %r7, %r6, %r1; mul.wide.u32 %rd4, %r7, 4; add.u64 %rd4, %rd2, %rd4; @%p2 st.global.u32 [%rd4], %r1; ret; }\n"
	for guard, want := range map[string]verify.Verdict{"@%p1": verify.Verified, "@%p3": verify.Alarmed} {
		m := kerneltest.Parse(t, head+guard+rest)
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{3, 1, 1}, Block: verify.Dim{4, 1, 1}}, Alarms: 1})
		if err != nil || r.Verdict != want {
			t.Errorf("the first store under %s: %v, %v, want %v", guard, r.Verdict, err, want)
		}
	}
}
