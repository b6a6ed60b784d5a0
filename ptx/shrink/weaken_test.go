package shrink

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWeaker lists what each instruction can be weakened to. The result of an instruction is
// looked at where it goes to r1.
func TestWeaker(t *testing.T) {
	tests := []struct {
		arch, instruction string
		want              []string
	}{
		{"GPU_PTX", "membar.sys", []string{"membar.cta", "membar.gl"}},
		{"GPU_PTX", "membar.gl", []string{"membar.cta"}},
		{"GPU_PTX", "membar.cta", nil},
		{"GPU_PTX", "ld.volatile.s32 r1,[x]", []string{"ld.cg.s32 r1,[x]"}},
		{"GPU_PTX", "@r9 st.volatile.global [x],1", []string{"@r9 st.cg.global [x],1"}},
		{"GPU_PTX", "ld.cg r1,[x]", nil},
		{"GPU_PTX", "atom.cas.b32 r1,[x],0,2", []string{"ld.cg.b32 r1,[x]"}},
		{"GPU_PTX", "atom.cas.b32 r2,[x],0,2", []string{"st.cg.b32 [x],2", "ld.cg.b32 r2,[x]"}},
		{"GPU_PTX", "atom.exch.b32 r2,[x+4],2", []string{"st.cg.b32 [x+4],2", "ld.cg.b32 r2,[x+4]"}},
		{"GPU_PTX", "atom.inc r2,[x]", []string{"st.cg [x],1", "ld.cg r2,[x]", "red.inc [x]"}},
		{"GPU_PTX", "red.add.s32 [x],3", []string{"st.cg.s32 [x],3"}},
		{"GPU_PTX", "red.min.s32 [x],3", nil},

		{"PTX", "membar.sys", []string{"fence.acquire.sys", "fence.release.sys", "fence.acq_rel.sys", "membar.cta", "membar.gl"}},
		{"PTX", "fence.sc.cluster", []string{"fence.acquire.cluster", "fence.release.cluster", "fence.acq_rel.cluster", "fence.sc.cta"}},
		{"PTX", "fence.gpu", []string{"fence.acquire.gpu", "fence.release.gpu", "fence.acq_rel.cta", "fence.acq_rel.cluster"}},
		{"PTX", "fence.acquire.cta", nil},
		{"PTX", "fence.proxy.alias", nil},
		{"PTX", "ld.acquire.sys.global.u32 r1, [x]", []string{
			"ld.weak.global.u32 r1, [x]", "ld.relaxed.sys.global.u32 r1, [x]",
			"ld.acquire.cta.global.u32 r1, [x]", "ld.acquire.cluster.global.u32 r1, [x]", "ld.acquire.gpu.global.u32 r1, [x]",
		}},
		{"PTX", "st.global.release.cta x, 1", []string{"st.weak.global x, 1", "st.relaxed.cta.global x, 1"}},
		{"PTX", "st.volatile.v2 x, {1,2}", []string{"st.weak.v2 x, {1,2}", "st.relaxed.sys.v2 x, {1,2}"}},
		{"PTX", "ld.mmio.relaxed.sys r1, x", []string{"ld.weak r1, x", "ld.relaxed.sys r1, x"}},
		{"PTX", "ld.global.u32 r1, x", nil},
		{"PTX", "suld.relaxed.cta r1, x", []string{"suld.weak r1, x"}},
		{"PTX", "atom.add r1, x, 1", []string{"ld.relaxed.gpu r1, x", "atom.relaxed.cta.add r1, x, 1", "atom.relaxed.cluster.add r1, x, 1"}},
		{"PTX", "atom.acq_rel.cta.exch.b32 r1, [x], 2", []string{
			"ld.acquire.cta.b32 r1, [x]",
			"atom.relaxed.cta.exch.b32 r1, [x], 2", "atom.acquire.cta.exch.b32 r1, [x], 2", "atom.release.cta.exch.b32 r1, [x], 2",
		}},
		{"PTX", "atom.acq_rel.cta.add.u32 r2, x+4, 2", []string{
			"st.release.cta.u32 x+4, 2", "ld.acquire.cta.u32 r2, x+4",
			"atom.relaxed.cta.add.u32 r2, x+4, 2", "atom.acquire.cta.add.u32 r2, x+4, 2", "atom.release.cta.add.u32 r2, x+4, 2",
		}},
		{"PTX", "red.release.cta.or x, 2", []string{"st.release.cta x, 2", "red.relaxed.cta.or x, 2"}},
		{"PTX", "sured.relaxed.cta.add x, 2", []string{"sust.relaxed.cta x, 2"}},
		{"PTX", "bar.cta.sync 0", nil},
	}
	for _, test := range tests {
		c := codeOf(t, test.arch+" one\n{ x[2]; 0:r1; 0:r9; }\n P0 ;\n "+test.instruction+" ;\nexists (0:r1=0)")
		var got []string
		for _, s := range c.weaken() {
			weaker := c.made(s)
			if weaker == nil {
				continue
			}
			if again, err := loadText(weaker.String()); err == nil {
				got = append(got, again.Threads[0].Cells[0].Text())
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s %s (-want +got)\n%s", test.arch, test.instruction, cmp.Diff(test.want, got))
		}
	}
}

// TestWeakeningWords shows how steps say what they weaken.
func TestWeakeningWords(t *testing.T) {
	c := codeOf(t, "PTX one\n{ x; }\n P7 ;\n L: atom.acquire.cta.exch  r1,  x, 1 ;\n goto L ;\nexists (x=0)")
	var words []string
	for _, s := range c.weaken() {
		words = append(words, s.words)
	}
	want := `weakened atom.acquire.cta.exch r1, x, 1 of P7 to st.relaxed.cta x, 1
weakened atom.acquire.cta.exch r1, x, 1 of P7 to ld.acquire.cta r1, x
weakened atom.acquire.cta.exch r1, x, 1 of P7 to red.acquire.cta.exch x, 1
weakened atom.acquire.cta.exch r1, x, 1 of P7 to atom.relaxed.cta.exch`
	if diff := cmp.Diff(want, strings.Join(words, "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
