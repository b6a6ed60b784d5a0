package harness

import (
	"fmt"
	"maps"
	"slices"
)

// Patterns are the sequences of accesses that stressing threads repeat on a line.
var Patterns = []string{"store store", "store load", "load store", "load load"}

// stress writes the code of CTAs that play no role: accesses to a few lines of scratch memory,
// which keep the memory system busy (ASPLOS 2015, Sec. 4.3.1).
func (p *Plan) stress(a *assembler) {
	a.label("STRESS")
	a.line("mov.u32 %%r_stressing, %%r_stress_rounds")
	a.line("rem.u32 %%r_line, %%r_thread, %%r_lines")
	p.hammer(a, "STRESS", "%r_stressing", "%r_stress_pattern")
}

// preStress writes the same for the threads of the test, before they begin.
func (p *Plan) preStress(a *assembler, r int) {
	a.line("mov.u32 %%r_stressing, %%r_pre_rounds")
	a.line("rem.u32 %%r_line, %%r_ctaid, %%r_lines")
	p.hammer(a, fmt.Sprintf("PRE%d", r), "%r_stressing", "%r_pre_pattern")
}

// nounroll prevents the assembler from unrolling the loop in whose first block it stands (PTX ISA,
// "Pragma Strings"). It has no effect before the label.
const nounroll = `.pragma "nounroll"`

// conflict writes the code of the other threads of a warp in which one plays, in launches of one
// instance: accesses to shared memory that all go to one bank (ASPLOS 2015, Sec. 4.3.2).
func (p *Plan) conflict(a *assembler) {
	a.label("ABSENT")
	a.line("div.u32 %%r_played, %%r_first, %%r_lanes")
	a.line("setp.ne.u32 %%p_other, %%r_played, %%r_tile")
	a.line("@%%p_other bra NEXT")
	a.line("mad.lo.u32 %%r_bank, %%r_lane, %d, %%r_conflicts_at", bankStride)
	a.line("cvt.u64.u32 %%d_bank, %%r_bank")
	a.line("mov.u64 %%d_shared, shared_memory")
	a.line("add.u64 %%d_bank, %%d_bank, %%d_shared")
	a.line("mov.u32 %%r_conflicting, %%r_conflicts")
	a.label("CONFLICT")
	a.line(nounroll)
	a.line("setp.eq.u32 %%p_enough, %%r_conflicting, 0")
	a.line("@%%p_enough bra NEXT")
	a.line("st.volatile.shared.u32 [%%d_bank], %%r_conflicting")
	a.line("ld.volatile.shared.u32 %%r_hammered, [%%d_bank]")
	a.line("sub.u32 %%r_conflicting, %%r_conflicting, 1")
	a.line("bra CONFLICT")
}

// bankStride is the distance of words in one bank of shared memory (CUDA C++ Programming Guide,
// "Shared Memory": 32 banks of 4 bytes).
const bankStride = 4 * 32

// hammer accesses the line of %r_line for the given number of rounds. Accesses are volatile, so
// that none is optimized away.
func (p *Plan) hammer(a *assembler, label, rounds, pattern string) {
	a.line("mul.wide.u32 %%d_line, %%r_line, %%r_line_stride")
	a.line("add.u64 %%d_line, %%d_scratch, %%d_line")
	a.line("and.b32 %%r_bit, %s, 2", pattern)
	a.line("setp.ne.u32 %%p_load_first, %%r_bit, 0")
	a.line("and.b32 %%r_bit, %s, 1", pattern)
	a.line("setp.ne.u32 %%p_load_second, %%r_bit, 0")
	a.label("%s_AGAIN", label)
	a.line(nounroll)
	a.line("setp.eq.u32 %%p_enough, %s, 0", rounds)
	a.line("@%%p_enough bra %s_ENOUGH", label)
	a.line("@%%p_load_first ld.volatile.global.u32 %%r_hammered, [%%d_line]")
	a.line("@!%%p_load_first st.volatile.global.u32 [%%d_line], %s", rounds)
	a.line("@%%p_load_second ld.volatile.global.u32 %%r_hammered, [%%d_line]")
	a.line("@!%%p_load_second st.volatile.global.u32 [%%d_line], %s", rounds)
	a.line("sub.u32 %s, %s, 1", rounds, rounds)
	a.line("bra %s_AGAIN", label)
	a.label("%s_ENOUGH", label)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
