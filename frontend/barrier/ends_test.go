package barrier

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// kept returns the combinations that Possible does not leave out.
func (p *Program) kept(t *testing.T) map[string]bool {
	kept := map[string]bool{}
	possible := p.Possible(NewBudget(t.Context()))
	sizes := make([]int, len(p.tracks))
	for i := range sizes {
		sizes[i] = len(p.tracks[i])
	}
	combine(sizes, func(which []int) bool { return possible(len(which)-1, which) }, func(which []int) bool {
		kept[keyOf(which)] = true
		return true
	})
	return kept
}

// withoutEnds returns a program whose ends are unknown.
func (p *Program) withoutEnds() *Program {
	for _, t := range p.teams {
		t.once.Do(func() {
			t.findUses()
			t.turns = t.allTurns()
		})
	}
	return p
}

// TestEnds: the ways to meet that are found once, for all combinations of tracks, are those that
// are found for each; no combination that has some is left out; and none that has none is kept.
func TestEnds(t *testing.T) {
	known, apart, ways := 0, 0, 0
	compare := func(r *rapid.T, rules Rules, threads [][]string) {
		p, direct := program(rules, threads...), program(rules, threads...).withoutEnds()
		for _, team := range p.teams {
			if team.look(); team.ends == nil {
				return
			}
		}
		if p.combinations() > 1000 {
			return
		}
		known++
		kept := p.kept(t)
		p.each(func(which []int) {
			got, want := p.ways(t, which), direct.ways(t, which)
			if !slices.Equal(got, want) || kept[keyOf(which)] != (len(want) > 0) {
				r.Fatalf("%v, combination %v, kept: %v; ways to meet %v, want %v", threads, which, kept[keyOf(which)], got, want)
			}
			ways += len(want)
		})
		apart += p.combinations() - len(kept)
	}
	for _, rules := range []Rules{ptx, c} {
		rapid.Check(t, func(r *rapid.T) { compare(r, rules, drawThreads(r, ofManual)) })
		rapid.Check(t, func(r *rapid.T) { compare(r, rules, drawThreads(r, byTurns)) })
		rapid.Check(t, func(r *rapid.T) { compare(r, rules, drawThreads(r, byRegister)) })
		rapid.Check(t, func(r *rapid.T) { compare(r, rules, drawRendezvous(r)) })
	}
	if t.Logf("%d programs, %d ways to meet, %d combinations left out", known, ways, apart); known == 0 || ways == 0 || apart == 0 {
		t.Error("nothing was compared")
	}
}

// TestTurns: what two tracks tell of turns leaves out no combination whose threads can meet.
func TestTurns(t *testing.T) {
	met, left := 0, 0
	words := append(slices.Clone(byTurns), "s5", "s5", "|5+", "#5-", "s5/2")
	rapid.Check(t, func(r *rapid.T) {
		rules := rapid.SampledFrom([]Rules{ptx, c}).Draw(r, "rules")
		threads := drawThreads(r, words)
		p := program(rules, threads...).withoutEnds()
		if p.combinations() > 2000 {
			return
		}
		kept := p.kept(t)
		p.each(func(which []int) {
			if n := len(p.ways(t, which)); n > 0 {
				if met++; !kept[keyOf(which)] {
					r.Fatalf("%v, combination %v is left out", threads, which)
				}
			}
		})
		left += p.combinations() - len(kept)
	})
	if t.Logf("%d combinations in which threads meet, %d left out", met, left); left == 0 || met == 0 {
		t.Error("nothing was compared")
	}
}

// TestAgree: two tracks contradict each other where one has got through a round that the other
// keeps from being complete, or where rounds have returned different results to them.
func TestAgree(t *testing.T) {
	x, y := place{number: 0}, place{number: 1}
	for _, tt := range []struct {
		p, q []turns
		want bool
	}{
		{nil, []turns{{x, nil, 0}}, true},
		{[]turns{{x, []int64{0, 0}, 2}}, []turns{{x, []int64{0, 0}, 2}}, true},
		{[]turns{{x, []int64{0, 0}, 2}}, []turns{{x, []int64{0}, 1}}, false},
		{[]turns{{x, []int64{0}, 2}}, []turns{{x, nil, 1}}, true},
		{[]turns{{x, []int64{0, 0}, 2}}, []turns{{y, nil, 0}}, true},
		{[]turns{{x, []int64{0, 0}, 2}, {y, []int64{0}, 1}}, []turns{{y, nil, 0}}, false},
		{[]turns{{x, []int64{1, 2}, 2}}, []turns{{x, []int64{1}, 9}}, true},
		{[]turns{{x, []int64{1, 2}, 2}}, []turns{{x, []int64{2}, 9}}, false},
	} {
		if agree(tt.p, tt.q) != tt.want || agree(tt.q, tt.p) != tt.want {
			t.Errorf("%v and %v agree: %v, want %v", tt.p, tt.q, !tt.want, tt.want)
		}
	}
}

// pipeline is threads that hand tiles over at named barriers: three fill them, three empty them.
func pipeline(change func(thread, tile int, word string) string) []string {
	const tiles, buffers = 6, 2
	threads := make([]string, 6)
	for i := range threads {
		for tile := range tiles {
			full, empty := fmt.Sprintf("%d/6", tile%buffers), fmt.Sprintf("%d/6", buffers+tile%buffers)
			words := []string{"s" + empty, "a" + full}
			if i >= 3 {
				words = []string{"s" + full, "a" + empty}
			}
			for _, word := range words {
				if tile < buffers && word == "s"+empty || tile >= tiles-buffers && word == "a"+empty {
					continue
				}
				threads[i] += " " + change(i, tile, word)
			}
		}
	}
	return threads
}

// TestEndsOfPipelines: threads that wait for each other at named barriers meet in one way, or in
// few where one of them does something wrong, and that is known at once.
func TestEndsOfPipelines(t *testing.T) {
	for name, tt := range map[string]struct {
		thread, tile int
		from, to     string
		most         int // ways to meet
	}{
		"right":           {-1, 0, "", "", 1},
		"another barrier": {4, 3, "s1/6", "s0/6", 20},
		"too few":         {0, 2, "a0/6", "a0/5", 20},
		"no wait":         {1, 2, "s2/6", "a2/6", 20},
	} {
		threads := pipeline(func(thread, tile int, word string) string {
			if thread == tt.thread && tile == tt.tile && word == tt.from {
				return tt.to
			}
			return word
		})
		team := onlyWay(ptx, threads...).teams[0]
		if team.look(); team.ends == nil {
			t.Errorf("%s: too much", name)
			continue
		}
		ways := 0
		for _, of := range team.ends.ways {
			ways += len(of)
		}
		if ways == 0 || ways > tt.most {
			t.Errorf("%s: %d ways to meet, want 1 to %d", name, ways, tt.most)
		}
	}
}
