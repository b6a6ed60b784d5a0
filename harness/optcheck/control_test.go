package optcheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
)

// encoded returns machine code with encodings: the given ones for lines that contain a text, and
// for the others one that neither counts nor waits.
func encoded(code string, upper map[string]uint64) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(line)
		if !strings.Contains(line, ";") {
			continue
		}
		word := uint64(noScoreboard<<5) << 41
		for text, w := range upper {
			if strings.Contains(line, text) {
				word = w
			}
		}
		fmt.Fprintf(&b, "   /* %#016x */\n", word)
	}
	return b.String()
}

// TestWaits: a store that waits for the scoreboard of a load on which it does not depend is noted;
// a store that depends on the load, or follows such a wait, is not.
func TestWaits(t *testing.T) {
	const (
		counts2 = uint64(2<<5) << 41                      // its result, on scoreboard 2
		waits2  = uint64(1<<(11+2)|noScoreboard<<5) << 41 // for scoreboard 2
		waits3  = uint64(1<<(11+3)|noScoreboard<<5) << 41
	)
	const test = "ld.weak r1, x\nst.weak y, 1"
	const machine = "LDG.E R10, [R2.64]\nMOV R11, 0x1\nSTG.E [R4.64], R11"
	const remark = "P0, st.weak y, 1: waits for the value of ld.weak r1, x"
	for _, c := range []struct {
		name, test, machine string
		upper               map[string]uint64
		remarks             int
	}{
		{"nothing waits", test, machine, map[string]uint64{"LDG.E R10": counts2}, 0},
		{"the store waits", test, machine, map[string]uint64{"LDG.E R10": counts2, "STG.E [R4": waits2}, 1},
		{"what is before it waits", test, machine, map[string]uint64{"LDG.E R10": counts2, "MOV R11": waits2}, 1},
		{
			"it waits for another scoreboard", test, machine,
			map[string]uint64{"LDG.E R10": counts2, "STG.E [R4": waits3},
			0,
		},
		{
			"it depends on the load", "ld.weak r1, x\nst.weak y, r1", "LDG.E R10, [R2.64]\nSTG.E [R4.64], R10",
			map[string]uint64{"LDG.E R10": counts2, "STG.E [R4": waits2},
			0,
		},
		{
			"something before it depends on the load", "ld.weak r1, x\nst.weak y, r1\nst.weak x, 1",
			"LDG.E R10, [R2.64]\nSTG.E [R4.64], R10\nSTG.E [R2.64], R11",
			map[string]uint64{"LDG.E R10": counts2, "STG.E [R4": waits2},
			0,
		},
	} {
		r := Check(t.Context(), planFor(t, oneThread(c.test), harness.SM80), encoded(machineCode(c.machine), c.upper))
		if got := strings.Count(r.String(), remark); r.Verdict != Passed || got != c.remarks {
			t.Errorf("%s: %d remarks, want %d\n%s", c.name, got, c.remarks, r)
		}
	}
}
