package barrier

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// inEveryOrder lets the threads arrive in every order there is, and remembers nothing.
func inEveryOrder(s *simulation, end func(*simulation)) {
	for t := range s.tracks {
		s.leave(t)
	}
	last := true
	for t := range s.tracks {
		if s.ready(t) {
			last = false
			next := s.clone()
			next.arrive(t)
			inEveryOrder(next, end)
		}
	}
	if last && !s.wrong && s.asTracksSay() {
		end(s)
	}
}

// compareOrders compares the ways in which the threads of a program can meet with those that come
// from every order of arrivals.
func compareOrders(t *testing.T, r rapid.TB, p *Program) (ways int) {
	p.each(func(which []int) {
		var want []string
		tracks := make([]Track, len(which))
		for i, path := range which {
			tracks[i] = p.tracks[i][path]
		}
		inEveryOrder(p.begin(tracks), func(s *simulation) {
			want = append(want, (&Meeting{p.rules, tracks, s.complete()}).texts()...)
		})
		slices.Sort(want)
		got := p.ways(t, which)
		ways += len(got)
		if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" {
			r.Fatalf("tracks %v: %s", tracks, diff)
		}
	})
	return ways
}

// TestMeetAmongAllOrders compares orders of arrivals in random programs.
func TestMeetAmongAllOrders(t *testing.T) {
	ways := 0
	rapid.Check(t, func(r *rapid.T) {
		rules := rapid.SampledFrom([]Rules{ptx, c}).Draw(r, "rules")
		words := rapid.SampledFrom([][]string{ofManual, byTurns, byRegister}).Draw(r, "words")
		if p := program(rules, drawThreads(r, words)...); p.combinations() <= 500 {
			ways += compareOrders(t, r, p)
		}
	})
	if ways == 0 {
		t.Error("no threads have met")
	}
}

// TestOthersComeBetween: threads that are ready are not the only ones that may arrive next at a
// barrier, if others can come there by way of another one.
func TestOthersComeBetween(t *testing.T) {
	for _, threads := range [][]string{
		{"s0/2", "s0/2", "s1/2 s0/2", "s1/2", "s1/2"},
		{"s0/2", "s1/2 s0/2", "s1/2 a0/2", "s1/2 s0/2"},
		{"a0/2 a0/2", "s0/2", "s1/2 s0/2", "a1/2 s1/2"},
	} {
		compareOrders(t, t, onlyWay(ptx, threads...))
	}
}

// turnsInPairs is another definition of meetings at barriers by turns, for the rules of C: the k-th
// arrivals of all threads and their k-th waits belong together, and there is an order of all events
// in which arrivals come before the waits that they end. It returns the pairs of the threads that
// meet.
func (p *Program) turnsInPairs(tracks []Track) (pairs []event.Pair, ok bool) {
	type key struct {
		Barrier
		count, turn int
	}
	arrivals, waits := map[key][]int{}, map[key][]int{}
	endless, results := map[key]bool{}, map[key][]int64{}
	votes := map[key]int{}
	for t, track := range tracks {
		for i := range track.Visits {
			v := &track.Visits[i]
			at := key{v.At, v.Count, turnOf(track.Visits, i)}
			if v.arrives() {
				arrivals[at] = append(arrivals[at], 100*t+v.Arrive)
			}
			if v.Vote {
				votes[at]++
			}
			switch {
			case !v.waits():
			case track.Endless && i == len(track.Visits)-1:
				endless[at] = true
			default:
				waits[at] = append(waits[at], 100*t+v.Wait)
				results[at] = append(results[at], v.Result)
			}
		}
	}
	complete := func(at key) bool {
		needs := at.count
		for _, code := range p.code {
			if at.count == 0 && slices.Contains(code, at.Barrier) {
				needs++
			}
		}
		return len(arrivals[at]) >= needs
	}
	for at := range endless {
		if complete(at) {
			return nil, false
		}
	}
	order := rel.New(100 * len(tracks))
	for at, ends := range waits {
		wrong := func(result int64) bool { return result != at.Reduce.result(len(arrivals[at]), votes[at]) }
		if !complete(at) || at.Reduce != NoReduction && slices.ContainsFunc(results[at], wrong) {
			return nil, false
		}
		for _, from := range arrivals[at] {
			for _, to := range ends {
				pairs = append(pairs, event.Pair{from, to})
				order.Add(from, to)
			}
		}
	}
	for t := range tracks {
		for e := range 99 {
			order.Add(100*t+e, 100*t+e+1)
		}
	}
	slices.SortFunc(pairs, func(a, b event.Pair) int { return slices.Compare(a[:], b[:]) })
	return pairs, order.Acyclic()
}

// TestMeetByTurns: at barriers by turns that all arrivals complete, threads meet in one way at
// most, and do so where turns pair up without a cycle.
func TestMeetByTurns(t *testing.T) {
	words := append(slices.Clone(byTurns), "S0/2", "S4")
	met, cycles := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		p := program(c, drawThreads(r, words)...)
		if p.combinations() > 1000 {
			return
		}
		p.each(func(which []int) {
			tracks := make([]Track, len(which))
			for i, path := range which {
				tracks[i] = p.tracks[i][path]
			}
			want, can := p.turnsInPairs(tracks)
			ways := 0
			p.Meet(which, NewBudget(t.Context()), func(m *Meeting) bool {
				m.Pairs([]event.ID{0, 100, 200, 300}[:len(which)], func(pairs Pairs) bool {
					ways++
					slices.SortFunc(pairs.Awaited, func(a, b event.Pair) int { return slices.Compare(a[:], b[:]) })
					if !slices.Equal(pairs.Awaited, want) {
						r.Errorf("tracks %v: pairs %v, want %v", tracks, pairs.Awaited, want)
					}
					return true
				})
				return true
			})
			if can && ways != 1 || !can && ways != 0 {
				r.Errorf("tracks %v: %d ways to meet; that they can: %v", tracks, ways, can)
			}
			met += ways
			if want != nil && !can {
				cycles++
			}
		})
	})
	if met == 0 || cycles == 0 {
		t.Errorf("%d meetings, %d cycles: nothing was compared", met, cycles)
	}
}

// TestMeetingsComeOnce: however often the search reaches one way to meet, it is found once.
func TestMeetingsComeOnce(t *testing.T) {
	const meet = "s0/2 s0/2"
	p := onlyWay(ptx, meet, meet, meet, meet)
	n := 0
	p.each(func(which []int) {
		all := p.ways(t, which)
		n += len(all)
		if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
			t.Errorf("%d ways, %d of them different", len(all), len(once))
		}
	})
	if n == 0 {
		t.Error("no threads have met")
	}
	threads := onlyWay(ptx, "A0/2", "A0/2", "A0/2")
	if ways := threads.ways(t, []int{0, 0, 0}); len(ways) != 1 {
		t.Errorf("%d ways to arrive where no thread waits, want 1", len(ways))
	}
}

// TestSearchLooksAheadByStanding: that nothing can come of where the threads stand is found out
// once for each standing, not for each history that leads there.
func TestSearchLooksAheadByStanding(t *testing.T) {
	visits := visitsOf("s0/2 s0/2 s0/2")
	tracks := slices.Repeat([]Track{{Visits: visits}}, 5) // 15 arrivals never make pairs
	p := NewProgram(ptx, make([]event.Thread, 5), make([][]Barrier, 5), make([][]Track, 5))
	m := search{budget: NewBudget(t.Context()), wanted: (*simulation).asTracksSay, found: func(*simulation) bool {
		t.Error("15 arrivals have made pairs")
		return false
	}}
	m.all(p.begin(tracks))
	// There are 157,336 histories.
	if bound := 20_000; m.budget.steps > bound {
		t.Errorf("%d steps, want at most %d", m.budget.steps, bound)
	}
}

var errLate = errors.New("late")

// impatient is a context that is done when it has been asked a number of times.
type impatient struct {
	context.Context
	left, late int
}

func (c *impatient) Err() error {
	if c.left--; c.left > 0 {
		return nil
	}
	c.late++
	return errLate
}

// TestBudgetEndsASearch: a search ends soon after its context is done, and asks it no more.
func TestBudgetEndsASearch(t *testing.T) {
	way := strings.Repeat("s0/2 ", 4)
	p := onlyWay(ptx, slices.Repeat([]string{way}, 6)...)
	ctx := &impatient{t.Context(), 50, 0}
	budget := NewBudget(ctx)
	which := make([]int, 6)
	for thread, of := range p.tracks {
		which[thread] = len(of) - 1 // to the end
	}
	p.Meet(which, budget, func(*Meeting) bool { return true })
	if budget.Err() != errLate || ctx.late != 1 || !budget.Spend() {
		t.Errorf("error %v; the context was asked %d times after its end", budget.Err(), ctx.late)
	}
}
