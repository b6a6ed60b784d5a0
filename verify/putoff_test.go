package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestPutOff: a pair of accesses that the solver cannot decide soon is put off until all others are
// decided. Here it is whether a hash has collisions (it has none), and the race is one of shared
// memory.
func TestPutOff(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 a, .param .u32 n) { .shared .align 4 .b8 s[1024]; .reg .b32 %r<9>; .reg .b64 %rd<9>;
		ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r3, %tid.x; add.u32 %r4, %r3, %r1;
		shr.u32 %r2, %r4, 16; xor.b32 %r4, %r4, %r2; mul.lo.u32 %r4, %r4, 0x85ebca6b; shr.u32 %r2, %r4, 13; xor.b32 %r4, %r4, %r2; mul.lo.u32 %r4, %r4, 0xc2b2ae35; shr.u32 %r2, %r4, 16; xor.b32 %r4, %r4, %r2;
		mul.wide.u32 %rd2, %r4, 8; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], 1;
		shl.b32 %r5, %r3, 2; mov.u32 %r6, s; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], %r3; ld.shared.u32 %r7, [%r6+16]; ret; }`))
	if err != nil {
		t.Fatal(err)
	}
	r := expect(t, "a race behind a hard question", m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{256, 1, 1}}, Alarms: 1}, verify.Alarmed)
	if r.Stats.Conflicts > 10_000 {
		t.Errorf("%d conflicts until there is an alarm: %s", r.Stats.Conflicts, first(r))
	}
}

// TestQuestionsAreCountedOnce: a question that is put off counts once, like one that is answered at
// once. A pair of accesses that simplification decides does not count.
func TestQuestionsAreCountedOnce(t *testing.T) {
	const hash = "shr.u32 %r2, %r4, 16; xor.b32 %r4, %r4, %r2; mul.lo.u32 %r4, %r4, 0x85ebca6b; shr.u32 %r2, %r4, 13; xor.b32 %r4, %r4, %r2; mul.lo.u32 %r4, %r4, 0xc2b2ae35; shr.u32 %r2, %r4, 16; xor.b32 %r4, %r4, %r2;"
	for name, test := range map[string]struct {
		index        string
		budget, want int
	}{
		"simplified": {"", 50, 0}, "answered at once": {"xor.b32 %r4, %r4, 6; add.u32 %r4, %r4, %r1;", 20_000, 1}, "put off": {hash, 50, 1},
	} {
		m := parsed(t, head+`.entry k(.param .u64 a, .param .u32 n) { .reg .b32 %r<9>; .reg .b64 %rd<9>;
			ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r3, %tid.x; add.u32 %r4, %r3, %r1; `+test.index+`
			mul.wide.u32 %rd2, %r4, 8; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], 1; ret; }`)
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{256, 1, 1}}, Budget: test.budget})
		if err != nil || r.Stats.Questions != test.want {
			t.Errorf("%s: %d questions, want %d; %v, %v", name, r.Stats.Questions, test.want, r.Verdict, err)
		}
	}
}
