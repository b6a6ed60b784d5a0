package ptx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
)

// inEveryOrder lets the threads arrive in every order there is, and remembers nothing.
func inEveryOrder(a *attendance, end func(*attendance)) {
	for t := range a.paths {
		a.leave(t)
	}
	last := true
	for t := range a.paths {
		if a.ready(t) {
			last = false
			next := a.clone()
			next.arrive(t)
			inEveryOrder(next, end)
		}
	}
	if last && a.asThePathsSay() {
		end(a)
	}
}

// eachCombination calls f with each combination of the paths of a program.
func eachCombination(p *Program, f func([]*path)) {
	choice := make([]*path, len(p.paths))
	var choose func(t int)
	choose = func(t int) {
		if t == len(p.paths) {
			f(choice)
			return
		}
		for _, choice[t] = range p.paths[t] {
			choose(t + 1)
		}
	}
	choose(0)
}

// drawBarriers draws a program of two to four threads of one CTA that meet at barriers 0 and 1.
func drawBarriers(t *rapid.T) (columns []string) {
	barriers := []string{
		"bar.sync 0", "bar.sync 0, 64", "bar.sync 1, 64", "bar.sync 1, 96", "bar.arrive 0, 64", "bar.arrive 1, 64",
		"bar.cta.sync 0", "bar.cta.arrive 0", "bar.cta.sync 1, 0, 2", "bar.cta.sync 1, 1, 2",
	}
	threads := rapid.IntRange(2, 4).Draw(t, "threads")
	for i := range threads {
		lines := rapid.SliceOfN(rapid.SampledFrom(barriers), 0, 6-threads+i%2).Draw(t, "thread")
		columns = append(columns, strings.Join(append(lines, "st.weak x, 1"), "\n"))
	}
	return columns
}

// compareOrders compares the ways in which the threads of a program can meet with those that come from trying every order of arrivals.
func compareOrders(t rapid.TB, p *Program) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	eachCombination(p, func(paths []*path) {
		s := p.structure(paths)
		note := func(all map[string]bool, a *attendance) {
			a.synchronizations(s.First, func(w waits) bool {
				for _, pairs := range [][]event.Pair{w.awaited, w.released} {
					slices.SortFunc(pairs, func(a, b event.Pair) int { return slices.Compare(a[:], b[:]) })
				}
				all[fmt.Sprint(s.Names(), s.Wait, w)] = true
				return true
			})
		}
		inEveryOrder(p.attendance(paths), func(a *attendance) { note(want, a) })
		p.attend(paths, &patience{ctx: context.Background()}, func(a *attendance) bool {
			note(got, a)
			return true
		})
	})
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Fatal(diff)
	}
}

// TestMeetingsAmongAllOrders is compareOrders on random programs.
func TestMeetingsAmongAllOrders(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) { compareOrders(r, scoped(t, "x=0", drawBarriers(r)...)) })
}

// TestOthersComeBetween: threads that are ready are not the only ones that may arrive next at a barrier, if others can come there by way of another
// one.
func TestOthersComeBetween(t *testing.T) {
	for _, columns := range [][]string{
		{"bar.sync 0, 64", "bar.sync 0, 64", "bar.sync 1, 64\nbar.sync 0, 64", "bar.sync 1, 64", "bar.sync 1, 64"},
		{"bar.sync 0, 64", "bar.sync 1, 64\nbar.sync 0, 64", "bar.sync 1, 64\nbar.arrive 0, 64", "bar.sync 1, 64\nbar.sync 0, 64"},
		{"bar.arrive 0, 64\nbar.arrive 0, 64", "bar.sync 0, 64", "bar.sync 1, 64\nbar.sync 0, 64", "bar.arrive 1, 64\nbar.sync 1, 64"},
	} {
		compareOrders(t, scoped(t, "x=0", columns...))
	}
}

// TestMeetingsComeOnce: however often the search comes to one way to meet, it is one structure.
func TestMeetingsComeOnce(t *testing.T) {
	const meet = "bar.sync 0, 64\nbar.sync 0, 64"
	all := syncs(scoped(t, "x=0", meet, meet, meet, meet))
	if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
		t.Errorf("%d structures, %d of them different", len(all), len(once))
	}
}

// TestMeetingsLookAheadByStanding: that nothing can come of where the threads stand is found out
// once for each standing, not for each history that leads there.
func TestMeetingsLookAheadByStanding(t *testing.T) {
	const meet = "bar.sync 0, 64\nbar.sync 0, 64\nbar.sync 0, 64"
	p := scoped(t, "x=0", meet, meet, meet, meet, meet) // 15 arrivals never make pairs
	var complete []*path
	for _, paths := range p.paths {
		i := slices.IndexFunc(paths, func(p *path) bool { return p.Ending == event.Complete })
		complete = append(complete, paths[i])
	}
	asked := &patience{ctx: t.Context()}
	p.attend(complete, asked, func(*attendance) bool {
		t.Error("15 arrivals have made pairs")
		return false
	})
	// There are 157,336 histories.
	if bound := 20_000; asked.steps > bound {
		t.Errorf("%d steps, want at most %d", asked.steps, bound)
	}
}

// impatient is a context that is done when it has been asked a number of times.
type impatient struct {
	context.Context
	left, late int
}

var errLate = errors.New("late")

func (c *impatient) Err() error {
	if c.left--; c.left > 0 {
		return nil
	}
	c.late++
	return errLate
}

// TestMeetingsAskWhetherToStop: the search for ways to meet ends when it is told to, whether
// barriers are named by numbers or by values.
func TestMeetingsAskWhetherToStop(t *testing.T) {
	for name, column := range map[string]string{
		"numbers": strings.Repeat("bar.sync 0, 64\n", 4),
		"values":  "ld.relaxed.gpu r0, x\nbar.sync r0, 64\nld.relaxed.gpu r1, x\nbar.sync r1, 64",
		"no end":  "bar.sync 0, 96\nbar.arrive 1, 96\nbar.sync 0, 96\nbar.arrive 1, 96\nbar.sync 2, 160",
	} {
		p := scoped(t, "x=0", slices.Repeat([]string{column}, 6)...)
		ctx := &impatient{t.Context(), 50, 0}
		var last error
		found := 0
		for s, err := range p.Structures(ctx) {
			last = err
			if s != nil {
				found++
			}
			if s != nil && ctx.late > 0 {
				t.Errorf("%s: a structure comes after the end", name)
			}
		}
		if last != errLate || ctx.late != 1 {
			t.Errorf("%s: the last error is %v, and the context was asked %d times after its end", name, last, ctx.late)
		}
		if found > 50*16 {
			t.Errorf("%s: %d structures between 50 questions", name, found)
		}
	}
}
