package replay_test

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestMixedRaces: two accesses of any sizes and scopes, by threads of one block, of one cluster,
// and of two clusters. The model of PTX flags exactly the races of a launch.
func TestMixedRaces(t *testing.T) {
	ptx := model(t)
	races := 0
	for _, pair := range [][2]string{
		{"atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;", "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"},
		{"red.global.add.noftz.bf16x2 [%rd1], %r2;", "ld.relaxed.gpu.global.b32 %r1, [%rd1];"},
		{"red.global.add.noftz.f16x2 [%rd1], %r2;", "atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;"},
		{"red.global.add.noftz.f16x2 [%rd1], %r2;", "atom.global.add.noftz.f16 %rs1, [%rd1+2], %rs2;"},
		{"red.global.min.noftz.v2.f16 [%rd1], {%rs1, %rs2};", "red.global.add.noftz.f16x2 [%rd1], %r2;"},
		{"red.global.add.v2.f32 [%rd1], {%f1, %f2};", "atom.global.exch.b32 %r1, [%rd1+4], %r2;"},
		{"red.global.add.v2.f32 [%rd1], {%f1, %f2};", "st.relaxed.gpu.global.b64 [%rd1], %rd2;"},
		{"red.relaxed.cluster.global.add.f32 [%rd1], %f1;", "ld.relaxed.gpu.global.b32 %r1, [%rd1];"},
		{"st.release.cluster.global.b32 [%rd1], %r1;", "ld.acquire.cluster.global.b32 %r2, [%rd1];"},
		{"atom.global.cta.add.u32 %r1, [%rd1], %r2;", "ld.volatile.global.b32 %r2, [%rd1];"},
		{"st.volatile.global.b64 [%rd1], %rd2;", "ld.volatile.global.b32 %r2, [%rd1+4];"},
	} {
		for _, at := range []int{1, 32, 64} { // the second thread, of blocks of 32 in clusters of two
			m := parse(t, fmt.Sprintf(`.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p) .reqnctapercluster 2
{
.reg .pred %%p<3>; .reg .b16 %%rs<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<9>;
ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd1, %%rd1;
mov.u32 %%r4, %%tid.x; mov.u32 %%r5, %%ctaid.x; mad.lo.u32 %%r6, %%r5, 32, %%r4;
setp.eq.u32 %%p1, %%r6, 0; setp.eq.u32 %%p2, %%r6, %d;
@%%p1 bra A; @%%p2 bra B; ret;
A: %s ret;
B: %s ret;
}
`, at, pair[0], pair[1]))
			r, err := launch.New(m).Run(t.Context(), launch.Launch{
				Grid:  launch.Dim{X: 4},
				Block: launch.Dim{X: 32},
				Args:  []launch.Arg{{Buffer: &launch.Buffer{Name: "p", Size: 64}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			text := replay.Threads("threads", r, 0, at)
			if got := flagged(t, ptx, text); got != (len(r.Races) > 0) {
				t.Errorf("%s and %s of thread %d: %d races, and to the model: %t, in\n%s", pair[0], pair[1], at,
					len(r.Races), got, text)
			}
			races += len(r.Races)
			for _, race := range r.Races {
				if text := replay.Litmus("race", r, race); !flagged(t, ptx, text) {
					t.Errorf("the model sees no race in\n%s", text)
				}
			}
		}
	}
	if races < 10 {
		t.Errorf("only %d races", races)
	}
}
