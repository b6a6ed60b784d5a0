package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestEachFamily: with each family of guesses something is proved of a loop that is not without.
// Parameters are in %n and %m, registers of the loop are %x and %y, and %odd says whether its round
// is odd.
func TestEachFamily(t *testing.T) {
	for _, test := range []struct{ family, begin, claim, step string }{
		{"bound", "mov.u32 %x, %n;", "setp.le.u32 %holds, %x, %n;", "shr.u32 %x, %x, 1;"},
		{"power", "mov.u32 %x, 1;", "sub.u32 %a, %x, 1; and.b32 %a, %a, %x; setp.eq.u32 %holds, %a, 0;", "shl.b32 %x, %x, 1;"},
		{
			"product", "mov.u32 %x, %n; mov.u32 %y, %m;",
			"mul.lo.u32 %a, %x, %y; mul.lo.u32 %b, %n, %m; setp.eq.u32 %holds, %a, %b;", "neg.s32 %x, %x; neg.s32 %y, %y;",
		},
		{
			"multiple", "mov.u32 %x, %n;", "sub.u32 %a, %x, %n; and.b32 %a, %a, 1; setp.eq.u32 %holds, %a, 0;",
			"selp.b32 %a, 6, 8, %odd; add.u32 %x, %x, %a;",
		},
		{
			"relation", "mov.u32 %x, %n; mov.u32 %y, %m;", "sub.u32 %a, %x, %n; mul.lo.u32 %a, %a, 3; sub.u32 %b, %y, %m; setp.eq.u32 %holds, %a, %b;",
			"selp.b32 %a, 5, 8, %odd; add.u32 %x, %x, %a; mad.lo.u32 %y, %a, 3, %y;",
		},
		{
			"chunk", "mul.lo.u32 %x, %thread, 8;", "mul.lo.u32 %a, %thread, 8; sub.u32 %a, %x, %a; setp.le.u32 %holds, %a, 8;",
			"mad.lo.u32 %a, %thread, 8, 8; setp.lt.u32 %q, %x, %a; and.pred %q, %q, %odd; @%q add.u32 %x, %x, 1;",
		},
		{"value", "mov.u32 %x, 3;", "sub.u32 %a, %x, 3; sub.u32 %b, %x, 12; mul.lo.u32 %a, %a, %b; setp.eq.u32 %holds, %a, 0;", "xor.b32 %x, %x, 15;"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.extern .func __assert(.param .b32 holds);
.visible .entry k(.param .u32 n, .param .u32 m, .param .u32 rounds) {
	.reg .pred %end, %odd, %holds, %q; .reg .b32 %n, %m, %x, %y, %a, %b, %i, %rounds, %thread;
	ld.param.u32 %n, [n]; ld.param.u32 %m, [m]; ld.param.u32 %rounds, [rounds]; mov.u32 %thread, %tid.x; mov.u32 %i, 0;
	`+test.begin+`
	AGAIN: setp.ge.u32 %end, %i, %rounds;
	@%end bra END;
	`+test.claim+`
	selp.b32 %a, 1, 0, %holds;
	{ .param .b32 holds; st.param.b32 [holds], %a; call __assert, (holds); }
	and.b32 %a, %i, 1; setp.ne.u32 %odd, %a, 0;
	`+test.step+`
	add.u32 %i, %i, 1;
	bra AGAIN;
	END: ret;
}`))
		if err != nil {
			t.Fatalf("%s: %v", test.family, err)
		}
		c := verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{8, 1, 1}}, Budget: 500}
		with := ask(t, m, c)
		c.Without = []string{test.family}
		if without := ask(t, m, c); with != verify.Verified || without == verify.Verified {
			t.Errorf("%s: %s with such guesses, %s without", test.family, with, without)
		}
	}
}
