package rules_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// electing returns a kernel in which those write to the first element of B who have set p1; f is
// what rd1 points to, or in shared memory.
func electing(body string) string {
	return `.version 8.0
.target sm_70
.address_size 64
.visible .entry elect(.param .u64 A, .param .u64 B) {
.shared .align 4 .b8 f[8];
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; setp.ne.u32 %p1, %r1, %r1;
` + body + `
@%p1 st.global.u32 [%rd2], %r1;
ret; }
`
}

// TestElections: at most one thread finds a number that no thread writes and all replace.
func TestElections(t *testing.T) {
	const exch, cas = "atom.global.exch.b32 %r4, [%rd1], 1; ", "atom.global.cas.b32 %r4, [%rd1], 0, 1; "
	const zero, one = "setp.eq.u32 %p1, %r4, 0;", "setp.eq.u32 %p1, %r4, 1;"
	for _, test := range []struct {
		name, body string
		want       verify.Verdict
	}{
		{"exchange", exch + zero, verify.Verified},
		{"compare and exchange", cas + zero, verify.Verified},
		{"by a number of the thread's own", "add.u32 %r5, %r1, 1; atom.global.cas.b32 %r4, [%rd1], 0, %r5; " + zero, verify.Verified},
		{"by a number that may be 0", "atom.global.cas.b32 %r4, [%rd1], 0, %r1; " + zero, verify.Alarmed},
		{"what was written", exch + one, verify.Alarmed},
		{"what is not looked for", cas + "setp.eq.u32 %p1, %r4, 7;", verify.Alarmed},
		{"what is not replaced", "atom.global.cas.b32 %r4, [%rd1], 1, 2; " + zero, verify.Alarmed},
		{"either", exch + zero + "@%p1 bra E; " + cas + zero + " E:", verify.Verified},
		{"given back by an exchange", exch + "atom.global.exch.b32 %r5, [%rd1], 0; " + zero, verify.Alarmed},
		{"given back by a store", exch + "st.relaxed.gpu.global.u32 [%rd1], 0; " + zero, verify.Alarmed},
		{"given back by a sum", exch + "atom.global.add.u32 %r5, [%rd1], -1; " + zero, verify.Alarmed},
		{"looked at", "ld.relaxed.gpu.global.u32 %r5, [%rd1]; " + exch + zero, verify.Verified},
		{"of each block", "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd1, %rd1, %rd3; " + exch + zero, verify.Alarmed},
		{"of one of two places", "selp.b64 %rd4, %rd1, %rd2, %p2; atom.global.exch.b32 %r4, [%rd4+64], 1; " + zero, verify.Alarmed},
		{"by a bit", "atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero, verify.Verified},
		{"by another bit", "atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 2; " + zero, verify.Alarmed},
		{"by a bit that some set", "shl.b32 %r5, %r3, 2; atom.global.or.b32 %r4, [%rd1], %r5; and.b32 %r4, %r4, 4; " + zero, verify.Alarmed},
		{"by a bit of the thread's own", "shl.b32 %r5, 1, %r3; atom.global.or.b32 %r4, [%rd1], %r5; and.b32 %r4, %r4, %r5; " + zero, verify.Alarmed},
		{"by a bit, of each block", "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd1, %rd1, %rd3; atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero, verify.Alarmed},
		{"by a bit, of each thread", "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero, verify.Alarmed},
		{"by a bit, of each pair of threads", "shr.u32 %r5, %r1, 1; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd1, %rd1, %rd3; atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero + "add.s64 %rd2, %rd2, %rd3; setp.eq.and.u32 %p1, %r2, 0, %p1;", verify.Verified},
		{"by a bit that is cleared", "atom.global.and.b32 %r4, [%rd1], -5; and.b32 %r4, %r4, 4; setp.ne.u32 %p1, %r4, 0;", verify.Verified},
		{"by a bit that is set and cleared", "atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero + "red.global.and.b32 [%rd1], 0;", verify.Alarmed},
		{"by a bit that is set by another size", "atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero + "red.global.or.b64 [%rd1], 1;", verify.Alarmed},
		{"by a bit that a store clears", "st.relaxed.gpu.global.u32 [%rd1], 0; atom.global.or.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero, verify.Alarmed},
		{"by a bit that is exchanged", "atom.global.xor.b32 %r4, [%rd1], 4; and.b32 %r4, %r4, 4; " + zero, verify.Alarmed},
		{"by a maximum", "atom.global.max.u32 %r4, [%rd1], 5; setp.lt.u32 %p1, %r4, 5;", verify.Verified},
		{"by a maximum, as others read it", "atom.global.max.u32 %r4, [%rd1], 5; setp.lt.s32 %p1, %r4, 5;", verify.Alarmed},
		{"by a minimum and a maximum", "atom.global.max.s32 %r4, [%rd1], 5; setp.lt.s32 %p1, %r4, 5; red.global.min.s32 [%rd1], 2;", verify.Alarmed},
		{"by maxima of two kinds", "atom.global.max.s32 %r4, [%rd1], 5; setp.lt.s32 %p1, %r4, 5; red.global.max.u32 [%rd1], -1;", verify.Alarmed},
		{"by a minimum", "atom.global.min.s32 %r4, [%rd1], -3; setp.gt.s32 %p1, %r4, -3;", verify.Verified},
		{"by a maximum of its own", "atom.global.max.u32 %r4, [%rd1], %r1; setp.lt.u32 %p1, %r4, %r1;", verify.Alarmed},
		{"by a bit, of one of two places", "selp.b64 %rd4, %rd1, %rd2, %p2; atom.global.or.b32 %r4, [%rd4+64], 1; " + zero, verify.Alarmed},
		{"by a bit, in shared memory of all blocks", "atom.shared.or.b32 %r4, [f], 1; " + zero, verify.Alarmed},
		{"by a bit, in shared memory", "atom.shared.or.b32 %r4, [f], 1; " + zero + "setp.eq.and.u32 %p1, %r2, 0, %p1;", verify.Verified},
		{"by a bit again behind a barrier", "atom.shared.or.b32 %r4, [f], 1; bar.sync 0; st.volatile.shared.u32 [f], 0; bar.sync 0; @%p2 bra E; atom.shared.or.b32 %r4, [f], 1; E: " + zero, verify.Alarmed},
		{"in shared memory", "atom.shared.exch.b32 %r4, [f], 1; " + zero + "setp.eq.and.u32 %p1, %r2, 0, %p1;", verify.Verified},
		{"in shared memory, of all blocks", "atom.shared.exch.b32 %r4, [f], 1; " + zero, verify.Alarmed},
		{"again behind a barrier", "atom.shared.exch.b32 %r4, [f], 1; bar.sync 0; st.volatile.shared.u32 [f], 0; bar.sync 0; @%p2 bra E; atom.shared.exch.b32 %r4, [f], 1; E: " + zero, verify.Alarmed},
	} {
		m := kerneltest.Parse(t, electing(test.body))
		kerneltest.Expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}, Budget: 2_000}, test.want)
	}
}

// elects draws a kernel that elects threads by some atomics, and the elected thread writes.
func elects(r *rand.Rand) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	number := func() string { return one("0", "0", "1", "1", "2", "%r1", "%r2", "%r5") }
	var code []string
	for range 1 + r.IntN(2) {
		where := one("global", "global", "shared")
		at := map[string]string{"global": one("[%rd1]", "[%rd1]", "[%rd4]", "[%rd6]"), "shared": "[f]"}[where]
		kind := one("exch.b32 %r4, "+at+", "+number(), "cas.b32 %r4, "+at+", "+number()+", "+number(), "cas.b32 %r4, "+at+", 0, "+number(),
			one("or.b32", "and.b32", "max.s32", "min.s32", "max.u32")+" %r4, "+at+", "+number(), "or.b32 %r4, "+at+", 1")
		code = append(code, one("", "", "@%p2 ", "@!%p2 ")+"atom."+where+"."+kind+";",
			"setp."+one("eq", "eq", "eq", "ne", "lt")+".and.u32 %p3, %r4, "+number()+", "+one("%p1", "%p2", "!%p1", "!%p1")+"; or.pred %p1, %p1, %p3;",
			one("", "", "", "bar.sync 0;", "@%p1 st.volatile.global.u32 [%rd1], 3;"))
	}
	return electing("mov.u32 %r4, 9; add.u32 %r5, %r1, 1; selp.b64 %rd4, %rd1, %rd2, %p2; add.s64 %rd4, %rd4, 8; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd1, %rd6; mov.u64 %rd5, f; st.volatile.shared.u32 [f], %r3; bar.sync 0;\n" +
		strings.Join(code, "\n") + one("", "", "\nsetp.eq.and.u32 %p1, %r2, 0, %p1;"))
}

// TestRandomElections: random kernels that elect threads are not verified if launches show them to
// race.
func TestRandomElections(t *testing.T) {
	n := sample.Of(2_000, 60)
	verified, shownWrong := 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 31))
		text := elects(r)
		m := kerneltest.Parse(t, text)
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{4, 1, 1}}, Alarms: 1, Budget: 2_000})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		shown := false
		for i := range 12 {
			got, err := launch.New(m).Run(t.Context(), launch.Launch{
				Kernel: "elect", Grid: launch.Dim{X: 2, Y: 1, Z: 1}, Block: launch.Dim{X: 4, Y: 1, Z: 1}, Unbounded: true, Schedule: launch.Random(seed + uint64(i)),
				Args: []launch.Arg{
					{Buffer: &launch.Buffer{Name: "A", Bytes: append([]byte{byte(i % 3), 0, 0, 0, 0, 0, 0, 0, byte(i / 3 % 3), 0, 0, 0}, make([]byte, 64)...)}},
					{Buffer: &launch.Buffer{Name: "B", Bytes: make([]byte, 64)}},
				},
			})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			shown = shown || got.Verdict() != launch.Verdict{}
		}
		switch {
		case said.Verdict == verify.Verified && shown:
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
