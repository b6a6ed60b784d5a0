package ptx

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/unwind"
)

// drawRendezvous draws a program of two or three threads of one CTA by rounds in which some of them meet, at barriers that count. Some arrivals
// wait and some do not; now and then one is missing, or the thread has read before whether it goes on.
func drawRendezvous(t *rapid.T) []string {
	columns := make([][]string, rapid.IntRange(2, 3).Draw(t, "threads"))
	for range rapid.IntRange(1, 5).Draw(t, "rounds") {
		barrier := rapid.IntRange(0, 1).Draw(t, "barrier")
		who := rapid.Permutation([]int{0, 1, 2}[:len(columns)]).Draw(t, "who")
		who = who[:rapid.IntRange(2, len(columns)).Draw(t, "comers")]
		for i, w := range who {
			how := rapid.SampledFrom([]string{"sync", "arrive"}).Draw(t, "how")
			if i == 0 {
				how = "sync"
			}
			switch rapid.IntRange(0, 15).Draw(t, "odd") {
			case 0:
				continue
			case 1:
				columns[w] = append(columns[w], fmt.Sprintf("ld.weak.u32 r0, [x]\nsetp.eq.u32 p, r0, 0\n@p bra END%d", w))
			}
			columns[w] = append(columns[w], fmt.Sprintf("bar.%s %d, %d", how, barrier, len(who)*warpSize))
		}
	}
	texts := make([]string, len(columns))
	for t, lines := range columns {
		texts[t] = "cta 0,gpu 0@" + strings.Join(append(lines, fmt.Sprintf("END%d: st.weak [x], 1", t)), "\n")
	}
	return texts
}

// TestSettled: where barriers are settled, there is no other way to meet than the one that is found, and no combination of paths whose threads
// can meet is left out.
func TestSettled(t *testing.T) {
	settled, again, left := 0, 0, 0
	compare := func(r *rapid.T) {
		columns := drawRendezvous(r)
		p := scoped(t, "x=0", columns...)
		if !p.settled() {
			return
		}
		settled++
		kept := possible(t, p)
		unwind.Combine(p.paths, nil, func(number int, paths []*path) bool {
			histories := map[string]bool{}
			inEveryOrder(p.attendance(paths), func(a *attendance) { histories[a.history()] = true })
			found := map[string]bool{}
			p.attend(paths, &patience{ctx: t.Context()}, func(a *attendance) bool {
				found[a.history()] = true
				return true
			})
			if len(histories) > 1 || len(found) != len(histories) || len(histories) == 1 && !kept[number] {
				r.Fatalf("combination %d: %d ways to meet, %d are found, kept: %v", number, len(histories), len(found), kept[number])
			}
			return true
		})
		for _, c := range columns {
			if strings.Count(c, "bar.arrive 0") > 1 || strings.Count(c, "bar.arrive 1") > 1 {
				again++
			}
		}
		left += p.Combinations() - len(kept)
	}
	for rounds := 0; rounds < 10 && (again == 0 || left == 0); rounds++ { // few programs are of either kind
		rapid.Check(t, compare)
	}
	if t.Logf("%d programs are settled, %d threads arrive at a barrier again without waiting; %d combinations left out", settled, again, left); again == 0 || left == 0 {
		t.Error("nothing was compared")
	}
}
