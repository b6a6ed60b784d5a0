package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// TestLockstep compares with brute force on random kernels whose threads run in lockstep, two or
// four together. What a launch shows is never verified; and some kernels are verified only in
// lockstep.
func TestLockstep(t *testing.T) {
	verdicts := map[string]int{}
	for seed := range uint64(sample.Rounds(10_000, 1000, 120)) {
		k := examples.RandomKernel(seed, examples.Kind{Reads: seed%2 == 0})
		m := kerneltest.Parse(t, k.Text)
		lanes := 2 << (seed / 2 % 2)
		var brute launch.Verdict
		program := launch.New(m)
		for _, l := range k.Launches(seed) {
			l.Schedule, l.Lockstep = launch.Random(seed), lanes
			r, err := program.Run(t.Context(), l)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, k.Text)
			}
			brute = brute.Or(r.Verdict())
		}
		c := verify.Config{Launch: verify.Launch{Grid: verify.Dim{k.Grid.X, 1, 1}, Block: verify.Dim{k.Block.X, max(1, k.Block.Y), 1}}}
		apart := kerneltest.Verdict(t, m, c)
		c.Lockstep = lanes
		together := kerneltest.Verdict(t, m, c)
		verdicts[together.String()]++
		if together == verify.Verified && apart != verify.Verified {
			verdicts["only in lockstep"]++
		}
		if together == verify.Verified && brute != (launch.Verdict{}) {
			t.Errorf("seed %d: verified with %d threads in lockstep, brute force shows %+v, grid %v, block %v\n%s", seed, lanes, brute, k.Grid, k.Block, k.Text)
		}
	}
	t.Log(verdicts)
	if verdicts["only in lockstep"] == 0 || verdicts["verified"] == 0 || verdicts["alarm"] == 0 {
		t.Errorf("%v: too little of a kind", verdicts)
	}
}

// warpKernel is a kernel of one warp that runs some instructions with the array s in shared memory:
// %r1 is the thread, %rd2 its element, and %rd3 that of its neighbour.
const warpKernel = `.version 8.0
.target sm_70
.address_size 64
.extern .func __assert(.param .b32 holds);
.visible .entry k() {
.shared .align 4 .b8 s[256];
.reg .pred %%p<9>; .reg .b32 %%r<30>; .reg .b64 %%rd<9>;
mov.u32 %%r1, %%tid.x;
xor.b32 %%r2, %%r1, 1;
mov.u64 %%rd1, s;
mul.wide.u32 %%rd2, %%r1, 4;
add.u64 %%rd2, %%rd1, %%rd2;
mul.wide.u32 %%rd3, %%r2, 4;
add.u64 %%rd3, %%rd1, %%rd3;
%s
ret;
}
`

// TestWarps are kernels of one warp with what lanes do together, independent and in lockstep.
func TestWarps(t *testing.T) {
	const sync, half = "bar.warp.sync -1;\n", "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r3, 0xffff, 0xffff0000, %p1;\n"
	const data = "mov.u32 %r4, %clock;\nand.b32 %r4, %r4, 15;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd1, %rd3;\n"
	const last = "clz.b32 %r6, %r5;\nsub.u32 %r6, 31, %r6;\nsetp.eq.u32 %p1, %r6, %r1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd1, %rd3;\n@%p1 st.shared.u32 [%rd3], %r1;"
	assert := func(p string) string {
		return "selp.b32 %r20, 1, 0, " + p + ";\n{ .param .b32 x; st.param.b32 [x], %r20; call __assert, (x); }\n"
	}
	next := func(meet string) string { // what the next lane writes is read before and after
		return "ld.shared.u32 %r4, [%rd2+4];\n" + meet + "st.shared.u32 [%rd2], 7;\n" + meet + "ld.shared.u32 %r5, [%rd2+4];\nsetp.eq.u32 %p2, %r4, %r5;\n" + assert("%p2")
	}
	tests := []struct {
		name, text            string
		independent, lockstep verify.Verdict
	}{
		{"a write, then a read of what the neighbour writes", "st.shared.u32 [%rd2], %r1;\nld.shared.u32 %r4, [%rd3];", verify.Alarmed, verify.Verified},
		{"all write to one place", "st.shared.u32 [%rd1], %r1;", verify.Alarmed, verify.Alarmed},
		{
			"two branches write to one place", "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nst.shared.u32 [%rd1], 1;\nbra B;\nA: st.shared.u32 [%rd1], 2;\nB:",
			verify.Alarmed, verify.Alarmed,
		},
		{
			"one thread writes, then another", "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\n@%p1 st.shared.u32 [%rd1], 1;\n@%p2 st.shared.u32 [%rd1], 2;",
			verify.Alarmed, verify.Alarmed, // nothing that both execute is in between
		},
		{"a barrier of a mask that is one of halves", half + "st.shared.u32 [%rd2], %r1;\nbar.warp.sync %r3;\nld.shared.u32 %r4, [%rd3];", verify.Verified, verify.Verified},
		{"a write, a barrier of the warp, then a read of what the neighbour writes", "st.shared.u32 [%rd2], %r1;\n" + sync + "ld.shared.u32 %r4, [%rd3];", verify.Verified, verify.Verified},
		{"a barrier of the warp before both", sync + "st.shared.u32 [%rd2], %r1;\nld.shared.u32 %r4, [%rd3];", verify.Alarmed, verify.Verified},
		{"a barrier of a mask before both", half + "bar.warp.sync %r3;\nst.shared.u32 [%rd2], %r1;\nld.shared.u32 %r4, [%rd3];", verify.Alarmed, verify.Verified},
		{"different masks", "setp.eq.u32 %p1, %r1, 3;\nselp.b32 %r3, 0xffffffff, 0x7fffffff, %p1;\nbar.warp.sync %r3;\nst.shared.u32 [%rd2], %r1;", verify.Alarmed, verify.Alarmed},
		{"a mask without its own lane", "bar.warp.sync 1;", verify.Alarmed, verify.Alarmed},
		{
			"what the neighbour writes between two barriers of halves", half + "ld.shared.u32 %r4, [%rd3];\nbar.warp.sync %r3;\nst.shared.u32 [%rd2], 7;\nbar.warp.sync %r3;\n" +
				"ld.shared.u32 %r5, [%rd3];\nsetp.eq.u32 %p2, %r4, %r5;\n" + assert("%p2"), verify.Alarmed, verify.Alarmed,
		},
		{
			"what the neighbour writes between two barriers of the warp", "ld.shared.u32 %r4, [%rd3];\nbar.warp.sync -1;\nst.shared.u32 [%rd2], 7;\nbar.warp.sync -1;\n" +
				"ld.shared.u32 %r5, [%rd3];\nsetp.eq.u32 %p2, %r4, %r5;\n" + assert("%p2"), verify.Alarmed, verify.Alarmed,
		},
		{"what the next lane writes between two barriers of the warp", next(sync), verify.Alarmed, verify.Alarmed},
		{
			"what odd lanes write between two barriers of halves", half + "and.b32 %r6, %r1, 1;\nsetp.eq.u32 %p3, %r6, 0;\nsetp.ne.u32 %p4, %r6, 0;\n" +
				"@%p3 ld.shared.u32 %r4, [%rd2+4];\nbar.warp.sync %r3;\n@%p4 st.shared.u32 [%rd2], 7;\nbar.warp.sync %r3;\n@%p3 ld.shared.u32 %r5, [%rd2+4];\n" +
				"setp.eq.or.u32 %p2, %r4, %r5, %p4;\n" + assert("%p2"), verify.Alarmed, verify.Alarmed,
		},
		{"what the next lane writes", next(""), verify.Alarmed, verify.Alarmed},
		{"half of the lanes vote, then all", "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nvote.sync.any.pred %p2, %p1, -1;\nA: vote.sync.any.pred %p2, %p1, -1;", verify.Alarmed, verify.Alarmed},
		{"an exchange orders nothing", "st.shared.u32 [%rd2], %r1;\nshfl.sync.idx.b32 %r5, %r1, 0, 31, -1;\nld.shared.u32 %r4, [%rd3];", verify.Alarmed, verify.Verified},
		{"what lane 3 has is one value", "clock:\nmov.u32 %r4, %clock;\nshfl.sync.idx.b32 %r5, %r4, 3, 31, -1;\nand.b32 %r6, %r5, 31;\nsetp.eq.u32 %p1, %r6, %r1;\n@%p1 st.shared.u32 [%rd1], %r1;", verify.Verified, verify.Verified},
		{"the lane above", "shfl.sync.down.b32 %r5, %r1, 1, 31, -1;\nadd.u32 %r6, %r1, 1;\nmin.u32 %r6, %r6, 31;\nsetp.eq.u32 %p1, %r5, %r6;\n" + assert("%p1"), verify.Verified, verify.Verified},
		{"a vote for all", "mov.u32 %r4, %clock;\nsetp.gt.u32 %p1, %r4, 7;\nvote.sync.all.pred %p2, %p1, -1;\n@!%p2 bra B;\n" + assert("%p1") + "B:", verify.Verified, verify.Verified},
		{"a vote for any", "mov.u32 %r4, %clock;\nsetp.gt.u32 %p1, %r4, 7;\nvote.sync.any.pred %p2, %p1, -1;\n@!%p2 bra B;\n" + assert("%p1") + "B:", verify.Alarmed, verify.Alarmed},
		{
			"what another lane writes between two barriers of the warp", "ld.shared.u32 %r4, [%rd1];\n" + sync + "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%rd1], 7;\n" + sync +
				"ld.shared.u32 %r5, [%rd1];\nsetp.eq.or.u32 %p2, %r4, %r5, %p1;\n" + assert("%p2"), verify.Alarmed, verify.Alarmed,
		},
		{"the last lane of those that have one value", data + "match.any.sync.b32 %r5, %r4, -1;\n" + last, verify.Verified, verify.Verified},
		{"each lane of those that have one value", data + "match.any.sync.b32 %r5, %r4, -1;\nst.shared.u32 [%rd3], %r1;", verify.Alarmed, verify.Alarmed},
		{"the last lane of those that have another value", data + "shr.u32 %r7, %r4, 1;\nmatch.any.sync.b32 %r5, %r7, -1;\nmov.u32 %r4, %r7;\n" + last, verify.Verified, verify.Verified},
		{"the last lane of those that have a value of more bits", data + "shl.b32 %r7, %r1, 9;\nor.b32 %r7, %r7, %r4;\nmatch.any.sync.b32 %r5, %r7, -1;\n" + last, verify.Alarmed, verify.Alarmed},
		{"a lane has its own value", data + "match.any.sync.b32 %r5, %r4, -1;\nmov.u32 %r6, %lanemask_eq;\nand.b32 %r6, %r6, %r5;\nsetp.ne.u32 %p1, %r6, 0;\n" + assert("%p1"), verify.Verified, verify.Verified},
		{"all have one value or none", data + "match.all.sync.b32 %r5|%p2, %r4, -1;\nsetp.eq.u32 %p3, %r5, 0;\nxor.pred %p1, %p2, %p3;\n" + assert("%p1"), verify.Verified, verify.Verified},
		{"the first lane by masks", "mov.u32 %r4, %lanemask_lt;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 st.shared.u32 [%rd1], %r1;", verify.Verified, verify.Verified},
		{"the last lanes by masks", "mov.u32 %r4, %lanemask_gt;\nsetp.lt.u32 %p1, %r4, 0xc0000000;\n@!%p1 st.shared.u32 [%rd1], %r1;\n@%p1 bra E;\nmov.u32 %r4, %lanemask_ge;\nE:", verify.Alarmed, verify.Alarmed},
		{"a thread that has ended is not waited for", "setp.gt.u32 %p1, %r1, 7;\n@%p1 bra E;\nshfl.sync.idx.b32 %r5, %r1, 0, 31, -1;\nE:", verify.Undecided, verify.Undecided},
	}
	for _, test := range tests {
		m := kerneltest.Parse(t, fmt.Sprintf(warpKernel, strings.TrimSpace(test.text)))
		c := verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}}
		if got := kerneltest.Verdict(t, m, c); got != test.independent {
			t.Errorf("%s: %s, want %s", test.name, got, test.independent)
		}
		c.Lockstep = 32
		if got := kerneltest.Verdict(t, m, c); got != test.lockstep {
			t.Errorf("%s, in lockstep: %s, want %s", test.name, got, test.lockstep)
		}
	}
}

// TestShuffles: what a lane gets by shfl, and whether it gets it from another, is what the formulas
// of the manual say (PTX ISA, "shfl.sync"), in segments of all sizes and with any clamp.
func TestShuffles(t *testing.T) {
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		for _, by := range []int{0, 1, 5, 16, 31} {
			for _, c := range []int{0, 31, 0x1000, 0x181f, 0x1c03} {
				inside := uint32(0)
				for lane := range 32 {
					segment := c >> 8 & 31
					most, least := lane&segment|c&31&^segment, lane&segment
					at, is := map[string]int{"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": least | by&^segment}[mode], false
					if is = at <= most; mode == "up" {
						is = at >= most
					}
					if is {
						inside |= 1 << lane
					}
				}
				other := fmt.Sprintf("%s %%r9, %%r1, %d;", map[string]string{"up": "sub.u32", "down": "add.u32", "bfly": "xor.b32"}[mode], by)
				if mode == "idx" {
					other = fmt.Sprintf("and.b32 %%r9, %%r1, %d; or.b32 %%r9, %%r9, %d;", c>>8&31, by&^(c>>8&31))
				}
				text := fmt.Sprintf("shfl.sync.%s.b32 %%r5|%%p1, %%r1, %d, %d, -1;\nshr.u32 %%r6, %d, %%r1; and.b32 %%r6, %%r6, 1; setp.ne.u32 %%p2, %%r6, 0;\n%s\n"+
					"selp.u32 %%r9, %%r9, %%r1, %%p2; setp.eq.u32 %%p3, %%r5, %%r9; xor.pred %%p4, %%p1, %%p2; not.pred %%p4, %%p4; and.pred %%p3, %%p3, %%p4;\n"+
					"selp.b32 %%r20, 1, 0, %%p3;\n{ .param .b32 x; st.param.b32 [x], %%r20; call __assert, (x); }", mode, by, c, inside, other)
				m := kerneltest.Parse(t, fmt.Sprintf(warpKernel, text))
				kerneltest.Expect(t, fmt.Sprintf("%s by %d, %#x", mode, by, c), m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}}, verify.Verified)
			}
		}
	}
}
