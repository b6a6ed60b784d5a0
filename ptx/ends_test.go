package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
)

// drawReaders draws a program of two to four threads of one CTA, which read whether they do something at their next barrier, or besides it.
func drawReaders(t *rapid.T) (columns []string) {
	barriers := []string{
		"bar.sync 0", "bar.sync 0", "bar.sync 0, 64", "bar.sync 1, 64", "bar.arrive 0, 64", "bar.arrive 1, 64", "bar.cta.sync 1, 0, 2",
		"setp.eq.u32 q, r0, 0\nbar.red.or.pred q, 0, q",
	}
	for i := range rapid.IntRange(2, 4).Draw(t, "threads") {
		lines := []string{"ld.weak.u32 r0, [x]"}
		for j := range rapid.IntRange(1, 3).Draw(t, "length") {
			at := fmt.Sprintf("L%d%d", i, j)
			read, skip := "ld.weak.u32 r0, [x]\nsetp.eq.u32 p, r0, 0", "@p bra "+at
			barrier := rapid.SampledFrom(barriers).Draw(t, "barrier")
			switch rapid.SampledFrom([]string{"straight", "straight", "besides", "instead", "spin"}).Draw(t, "how") {
			case "straight":
				lines = append(lines, barrier)
			case "besides":
				lines = append(lines, read, skip, "st.weak.u32 [x], 1", at+": "+barrier)
			case "instead":
				lines = append(lines, read, skip, barrier, at+": st.weak.u32 [x], 2")
			case "spin":
				lines = append(lines, at+": ld.acquire.gpu.u32 r0, [x]\nsetp.eq.u32 p, r0, 0", skip, barrier)
			}
		}
		columns = append(columns, "cta 0,gpu 0@"+strings.Join(lines, "\n"))
	}
	return columns
}

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

// TestEnds: the ways to meet that are found once, for all combinations of paths, are those that are found for each, and no combination that has some is
// left out.
func TestEnds(t *testing.T) {
	known, apart, ways := 0, 0, 0
	compare := func(draw func(*rapid.T) []string) func(*rapid.T) {
		return func(r *rapid.T) {
			p := scoped(t, "x=0", draw(r)...)
			e := p.ends()
			if e == nil || p.Combinations() > 2000 {
				return
			}
			known++
			kept := map[int]bool{}
			unwind.Combine(p.paths, e.possible(p.paths), func(number int, _ []*path) bool {
				kept[number] = true
				return true
			})
			unwind.Combine(p.paths, nil, func(number int, paths []*path) bool {
				s, asked := p.structure(paths), &patience{ctx: t.Context()}
				list := func(meet func([]*path, *patience, func(*attendance) bool) bool) (all []string) {
					meet(paths, asked, func(a *attendance) bool {
						return a.synchronizations(s.First, func(w waits) bool {
							for _, pairs := range [][]event.Pair{w.awaited, w.released} {
								slices.SortFunc(pairs, func(a, b event.Pair) int { return slices.Compare(a[:], b[:]) })
							}
							all = append(all, fmt.Sprint(w))
							return true
						})
					})
					slices.Sort(all)
					return all
				}
				want, got := list(p.attend), list(p.gather)
				if !slices.Equal(want, got) || kept[number] != (len(want) > 0) {
					r.Fatalf("combination %d, kept: %v; ways to meet %v, want %v", number, kept[number], got, want)
				}
				ways += len(want)
				return true
			})
			apart += p.Combinations() - len(kept)
		}
	}
	rapid.Check(t, compare(drawReaders))
	rapid.Check(t, compare(drawRendezvous))
	rapid.Check(t, compare(drawBarriers))
	if t.Logf("%d programs, %d ways to meet, %d combinations left out", known, ways, apart); known == 0 || ways == 0 || apart == 0 {
		t.Error("nothing was compared")
	}
}

// TestEndsOfPipelines: threads that wait for each other at named barriers meet in one way, or in few where one of them does something wrong, and that is
// known at once.
func TestEndsOfPipelines(t *testing.T) {
	pipeline := func(change func(thread, tile int, line string) string) *Program {
		columns := make([]string, 6)
		for i := range columns {
			var lines []string
			for tile := range 6 {
				full, empty := fmt.Sprintf("%d, 192", tile%2), fmt.Sprintf("%d, 192", 2+tile%2)
				steps := []string{"bar.sync " + empty, "st.weak.u32 [x], 1", "bar.arrive " + full}
				if i >= 3 {
					steps = []string{"bar.sync " + full, "ld.weak.u32 r0, [x]", "bar.arrive " + empty}
				}
				for _, line := range steps {
					if tile < 2 && strings.HasPrefix(line, "bar.sync "+empty) || tile >= 4 && strings.HasPrefix(line, "bar.arrive "+empty) {
						continue
					}
					lines = append(lines, change(i, tile, line))
				}
			}
			columns[i] = "cta 0,gpu 0@" + strings.Join(lines, "\n")
		}
		return scoped(t, "x=0", columns...)
	}
	for name, c := range map[string]struct {
		change func(thread, tile int, line string) string
		most   int // ways to meet
	}{
		"right": {func(_, _ int, line string) string { return line }, 1},
		"another barrier": {func(thread, tile int, line string) string {
			if thread == 4 && tile == 3 {
				return strings.Replace(line, " 1, ", " 0, ", 1)
			}
			return line
		}, 20},
		"too few": {func(thread, tile int, line string) string {
			if thread == 0 && tile == 2 {
				return strings.Replace(line, "192", "160", 1)
			}
			return line
		}, 20},
		"no wait": {func(thread, tile int, line string) string {
			if thread == 1 && tile == 2 {
				return strings.Replace(line, "bar.sync", "bar.arrive", 1)
			}
			return line
		}, 20},
	} {
		p := pipeline(c.change)
		e := p.ends()
		if e == nil {
			t.Errorf("%s: too much", name)
			continue
		}
		ways := 0
		for _, of := range e.ways {
			ways += len(of)
		}
		if t.Logf("%s: %d combinations, %d ways", name, p.Combinations(), ways); ways == 0 || ways > c.most {
			t.Errorf("%s: %d ways to meet, want 1 to %d", name, ways, c.most)
		}
	}
}
