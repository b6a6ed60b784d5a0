package ptx

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// drawTurns draws a program of two to four threads, of one or two CTAs and warps, that meet at barriers of all kinds, on paths of some length.
func drawTurns(t *rapid.T) string {
	steps := []string{
		"bar.sync 0", "bar.sync 0", "bar.sync 0", "bar.sync 1", "bar.sync 1, 64", "bar.arrive 1, 64", "bar.sync r0",
		"ld.weak.u32 r0, [x];setp.eq.u32 p, r0, 0;bar.red.and.pred q, 0, p", "setp.eq.u32 p, r0, 0;bar.red.popc.u32 r1, 2, p",
		"bar.cta.sync 0", "bar.cta.sync 0", "bar.cta.arrive 0", "bar.cta.sync 1, 0, 2",
		"barrier.cluster.arrive;barrier.cluster.wait", "barrier.cluster.arrive", "barrier.cluster.wait",
		"bar.warp.sync 3", "bar.warp.sync 0xffffffff", "ld.weak.u32 r0, [x];setp.eq.u32 p, r0, 0;@p bra END",
	}
	columns := make([][]string, rapid.IntRange(2, 4).Draw(t, "threads"))
	rows := 0
	for i := range columns {
		for range rapid.IntRange(0, 6-len(columns)).Draw(t, "length") {
			columns[i] = append(columns[i], strings.Split(rapid.SampledFrom(steps).Draw(t, "step"), ";")...)
		}
		columns[i] = append(columns[i], "END: st.weak.u32 [x], 1")
		rows = max(rows, len(columns[i]))
	}
	text := "PTX turns\n{ x=0; "
	for i := range columns {
		text += strings.NewReplacer("N", string(rune('0'+i))).Replace("N:.reg .u32 r0; N:.reg .u32 r1; N:.reg .pred p; N:.reg .pred q; ")
	}
	text += "}\n"
	for r := -1; r < rows; r++ {
		for i, column := range columns {
			switch {
			case r < 0:
				text += "P" + string(rune('0'+i))
			case r < len(column):
				text += strings.ReplaceAll(column[r], "END", "END"+string(rune('0'+i)))
			}
			text += map[bool]string{true: ";\n", false: " | "}[i == len(columns)-1]
		}
	}
	ctas := rapid.SampledFrom([]string{"(cta (warp T0) (warp T1) (warp T2) (warp T3))", "(cta (warp T0 T1) (warp T2 T3))", "(cta (warp T0 T2)) (cta (warp T1 T3))"}).Draw(t, "places")
	for i := range 4 {
		name := ""
		if i < len(columns) {
			name = "P" + string(rune('0'+i))
		}
		ctas = strings.ReplaceAll(ctas, "T"+string(rune('0'+i)), name)
	}
	ctas = strings.NewReplacer("(warp )", "", "(warp  )", "").Replace(ctas)
	return text + "scopeTree(device (cluster " + ctas + "))\nforall (true)\n"
}

// possible is the numbers of the combinations of paths that are not left out.
func possible(t *testing.T, p *Program) map[int]bool {
	kept := map[int]bool{}
	unwind.Combine(p.paths, p.meeting(&patience{ctx: t.Context()}).Possible(p.paths), func(number int, _ []*path) bool {
		kept[number] = true
		return true
	})
	return kept
}

// TestTurns: what is told from turns at barriers leaves out no combination of paths whose threads can meet.
func TestTurns(t *testing.T) {
	programs, met, left := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		text := drawTurns(r)
		test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		p, err := New(test, frontend.Options{Unroll: 1})
		if err != nil {
			return // such as a mask without the thread's own lane
		}
		if p.Combinations() > 20_000 {
			return
		}
		programs++
		kept := possible(t, p)
		unwind.Combine(p.paths, nil, func(number int, paths []*path) bool {
			p.structures(paths, p.meets(), &patience{ctx: t.Context()}, func(*event.Structure) bool {
				if met++; !kept[number] {
					r.Fatalf("combination %d is left out\n%s", number, text)
				}
				return false
			})
			return true
		})
		left += p.Combinations() - len(kept)
	})
	if t.Logf("%d programs, %d combinations in which threads meet, %d left out", programs, met, left); left == 0 || met == 0 {
		t.Error("nothing was compared")
	}
}

// TestTurnsLeaveOut: of threads that all come to a few barriers, the combinations in which they can are found without listing the others.
func TestTurnsLeaveOut(t *testing.T) {
	const threads, barriers = 8, 6
	p := scoped(t, "x=0", slices.Repeat([]string{strings.Repeat("bar.sync 0\n", barriers) + "st.weak x, 1"}, threads)...)
	n := 0
	for _, err := range p.Structures(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	f := p.Family(t.Context())
	if n != 1 || f == nil || f.Len() != 1 {
		t.Errorf("%d structures, of %d combinations, in the family %v", n, p.Combinations(), f)
	}
}
