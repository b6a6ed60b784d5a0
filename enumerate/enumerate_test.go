package enumerate

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
)

// The expected candidates were worked out by hand, and come in the order of the choices: paths,
// then what each read reads, then coherence.
func TestCandidates(t *testing.T) {
	pointer := map[event.Loc]event.Value{x: event.AddressOf(x)}
	tests := []struct {
		name  string
		prog  *fake
		want  []string
		stats Stats
	}{
		{
			name: "no events", prog: program(straight()),
			want: []string{""}, stats: Stats{Structures: 1, Candidates: 1},
		},
		{
			name:  "no threads, no paths",
			prog:  &fake{threads: [][]*event.Path{{}}},
			stats: Stats{},
		},
		{
			name: "store buffering",
			prog: program(straight(write(x, integer(1)), read(y)), straight(write(y, integer(1)), read(x))),
			want: []string{
				"b=0<init d=0<init | x: a | y: c",
				"b=0<init d=1<a | x: a | y: c",
				"b=1<c d=0<init | x: a | y: c",
				"b=1<c d=1<a | x: a | y: c",
			},
			stats: Stats{Structures: 1, Candidates: 4},
		},
		{
			name: "coherence of two reads",
			prog: program(straight(write(x, integer(1))), straight(read(x), read(x))),
			want: []string{
				"b=0<init c=0<init | x: a", "b=0<init c=1<a | x: a",
				"b=1<a c=0<init | x: a", "b=1<a c=1<a | x: a",
			},
			stats: Stats{Structures: 1, Candidates: 4},
		},
		{
			name: "three writes and no read",
			prog: program(straight(write(x, integer(1)), write(x, integer(2))),
				straight(write(x, integer(3)), write(y, integer(4)))),
			want: []string{
				"| x: a b c | y: d", "| x: a c b | y: d", "| x: b a c | y: d",
				"| x: b c a | y: d", "| x: c a b | y: d", "| x: c b a | y: d",
			},
			stats: Stats{Structures: 1, Candidates: 6},
		},
		{
			name: "a read-modify-write may read what it writes",
			prog: program(straight(read(x), write(x, integer(1)))), // exch
			want: []string{"a=0<init | x: b", "a=1<b | x: b"}, stats: Stats{Structures: 1, Candidates: 2},
		},
		{
			name: "values follow along reads of both threads",
			prog: program(straight(read(x), write(y, plus(v(0), integer(5)))), straight(read(y), write(x, integer(3)))),
			want: []string{
				"a=0<init c=0<init | x: d | y: b", "a=0<init c=5<b | x: d | y: b",
				"a=3<d c=0<init | x: d | y: b", "a=3<d c=8<b | x: d | y: b",
			},
			stats: Stats{Structures: 1, Candidates: 4},
		},
		{
			// x holds &x at first, T0 changes it to &y; T1 reads through it.
			name: "an address that is read",
			prog: &fake{
				init:    pointer,
				threads: program(straight(write(x, address(y))), straight(read(x), readAt(v(0)))).threads,
			},
			want: []string{
				"b=x<init c=x<init | x: a", "b=x<init c=y<a | x: a",
				"b=y<a c=0<init | x: a",
			},
			stats: Stats{Structures: 1, Candidates: 3},
		},
		{
			// T1 writes through the address it read, to x or to y: coherence follows.
			name: "the address of a write",
			prog: &fake{
				init:    pointer,
				threads: program(straight(write(x, address(y))), straight(read(x), writeAt(v(0), integer(7)))).threads,
			},
			want: []string{
				"b=x<init | x: a c", "b=x<init | x: c a",
				"b=y<a | x: a | y: c",
			},
			stats: Stats{Structures: 1, Candidates: 3},
		},
		{
			name: "an address with an offset that is read",
			prog: &fake{
				init:    map[event.Loc]event.Value{x: event.Int(4), y: event.Int(6)},
				threads: program(straight(read(x), readAt(plus(plus(address(y), v(0)), integer(-4))))).threads,
			},
			want: []string{"a=4<init b=6<init"}, stats: Stats{Structures: 1, Candidates: 1},
		},
		{
			// The second path of T1 needs x=0 and does not write.
			name: "paths",
			prog: &fake{threads: [][]*event.Path{
				{straight(write(x, integer(1)))},
				{when(v(0), true, straight(read(x), write(y, v(0)))), when(v(0), false, straight(read(x)))},
			}},
			want:  []string{"b=1<a | x: a | y: c", "b=0<init | x: a"},
			stats: Stats{Structures: 2, Candidates: 2},
		},
		{
			name: "paths that cannot be",
			prog: &fake{threads: [][]*event.Path{
				{
					when(v(0), true, straight(read(x))),
					when(v(0), false, when(equal(v(0), integer(0)), false, straight(read(x)))),
				},
			}},
			stats: Stats{Structures: 2},
		},
		{
			name: "truncated paths are not completed, and one that can happen is enough",
			prog: &fake{threads: [][]*event.Path{
				{truncated(straight(read(x), read(x))), truncated(straight(read(x))), straight()},
			}},
			want: []string{""}, stats: Stats{Structures: 3, Candidates: 2, Truncated: 1},
		},
		{
			name: "truncated paths that cannot happen",
			prog: &fake{threads: [][]*event.Path{{truncated(when(v(0), true, straight(read(x)))), straight()}}},
			want: []string{""}, stats: Stats{Structures: 2, Candidates: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.prog, tt.want, tt.stats) })
	}
}

func check(t *testing.T, p Program, want []string, stats Stats) {
	t.Helper()
	got := all(t, p)
	if got.err != nil {
		t.Error(got.err)
	}
	if diff := cmp.Diff(want, got.candidates); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(stats, got.stats); diff != "" {
		t.Error(diff)
	}
}

// TestBegins: Options.Begins decides which executions of cut paths are prefixes of others.
func TestBegins(t *testing.T) {
	// the initial write of x, and that of the other thread
	for _, begins := range []event.ID{-1, 0, 3} {
		p := &fake{threads: [][]*event.Path{{truncated(straight(read(x)))}, {straight(write(x, integer(1)))}}}
		var asked []event.ID
		opts := Options{Begins: func(x *event.Execution) (bool, error) {
			asked = append(asked, x.Rf[2])
			return x.Rf[2] == begins, nil
		}}
		var stats Stats
		for x, err := range Executions(t.Context(), p, opts, &stats) {
			t.Errorf("the execution %v, %v", x, err)
		}
		if cut := stats.Truncated == 1; cut != (begins >= 0) || len(asked) == 0 {
			t.Errorf("asked about reads from %v: %+v", asked, stats)
		}
	}
}

func truncated(p *event.Path) *event.Path {
	p.Ending = event.Truncated
	return p
}

// TestLooks: a program takes a number of looks at values, and one fewer is not enough.
func TestLooks(t *testing.T) {
	p := program(straight(write(x, integer(1))), straight(write(x, integer(2))), straight(read(x)))
	const looks = 5
	for most, want := range map[int]bool{looks - 1: false, looks: true, 0: true} {
		got := run(t, t.Context(), p, Options{MaxLooks: most})
		var limit *LimitError
		if errors.As(got.err, &limit) == want {
			t.Errorf("%d looks: %v", most, got.err)
		}
	}
}

// TestCounts: n writers of one location are ordered in n! ways, and each read of it reads from one
// of n+1.
func TestCounts(t *testing.T) {
	factorial := 1
	for n := range 5 {
		factorial *= max(1, n)
		want := factorial
		for reads := range 3 {
			p := program(straight(make([]event.Event, 0)...))
			for i := range n {
				p.threads = append(p.threads, []*event.Path{straight(write(x, integer(int64(i))))})
			}
			for range reads {
				p.threads = append(p.threads, []*event.Path{straight(read(x))})
			}
			got := all(t, p)
			distinct := map[string]bool{}
			for _, c := range got.candidates {
				distinct[c] = true
			}
			if got.stats.Candidates != want || len(distinct) != want {
				t.Errorf("%d writers, %d readers: %d candidates, %d of them different, want %d",
					n, reads, got.stats.Candidates, len(distinct), want)
			}
			want *= n + 1
		}
	}
}

// TestSameOrderEachTime also checks that a run has no effect on the next.
func TestSameOrderEachTime(t *testing.T) {
	p := program(
		straight(read(x), write(y, v(0)), write(x, integer(2))),
		straight(read(y), write(x, v(0)), read(x)),
	).with(event.Int(0), event.Int(1), event.AddressOf(x))
	first := all(t, p)
	for range 5 {
		if diff := cmp.Diff(first.candidates, all(t, p).candidates); diff != "" {
			t.Fatal(diff)
		}
	}
	if len(first.candidates) < 20 {
		t.Errorf("only %d candidates", len(first.candidates))
	}
}

// TestExecutionsCanBeKept: a yielded execution does not change when the enumeration continues.
func TestExecutionsCanBeKept(t *testing.T) {
	p := program(straight(write(x, integer(1)), read(y)), straight(write(x, integer(2)), read(x)))
	var kept []*event.Execution
	for x, err := range Executions(context.Background(), p, Options{}, &Stats{}) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, x)
	}
	want := all(t, p).candidates
	for i, x := range kept {
		if err := x.Validate(); err != nil || show(x) != want[i] {
			t.Errorf("execution %d was %s and is %s now; %v", i, want[i], show(x), err)
		}
	}
}

// manyWriters returns a program with 8!·9 candidates.
func manyWriters() *fake {
	p := program(straight(read(x)))
	for i := range 8 {
		p.threads = append(p.threads, []*event.Path{straight(write(x, integer(int64(i))))})
	}
	return p
}

func TestStopEarly(t *testing.T) {
	for _, want := range []int{1, 2, 1000} {
		var stats Stats
		n := 0
		for _, err := range Executions(context.Background(), manyWriters(), Options{}, &stats) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == want {
				break
			}
		}
		if n != want || stats.Candidates != want {
			t.Errorf("stopped after %d, %d are counted", n, stats.Candidates)
		}
	}
}

func TestStopEarlyBetweenStructures(t *testing.T) {
	var stats Stats
	path := []*event.Path{straight(), straight(), straight()}
	for range Executions(context.Background(), &fake{threads: [][]*event.Path{path}}, Options{}, &stats) {
		if stats.Structures == 2 {
			break
		}
	}
	if stats.Structures != 2 || stats.Candidates != 2 {
		t.Errorf("stopped after %+v, want 2 of each", stats)
	}
}

func TestCandidateLimit(t *testing.T) {
	for _, tt := range []struct {
		limit   int
		limited bool
	}{{1, true}, {3, true}, {4, false}, {5, false}, {0, false}} {
		sb := program(straight(write(x, integer(1)), read(y)), straight(write(y, integer(1)), read(x)))
		got := run(t, context.Background(), sb, Options{MaxCandidates: tt.limit})
		want := 4
		if tt.limited {
			want = tt.limit
		}
		if len(got.candidates) != want || got.stats.Candidates != want {
			t.Errorf("limit %d: %d candidates, %d counted, want %d", tt.limit, len(got.candidates),
				got.stats.Candidates, want)
		}
		var limit *LimitError
		if errors.As(got.err, &limit) != tt.limited {
			t.Errorf("limit %d: %v", tt.limit, got.err)
		}
		if tt.limited && got.err.Error() != fmt.Sprintf("stopped after %d candidate executions", tt.limit) {
			t.Errorf("limit %d: %v", tt.limit, got.err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stats Stats
	var last error
	for _, err := range Executions(ctx, manyWriters(), Options{}, &stats) {
		last = err
		if stats.Candidates == 10 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || stats.Candidates > 1000 {
		t.Errorf("%v after %d candidates, cancelled after 10", last, stats.Candidates)
	}
}

// TestCancelManySmallStructures: the time may be spent on many combinations of paths that are quick
// one by one.
func TestCancelManySmallStructures(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	paths := make([]*event.Path, 100)
	for i := range paths {
		paths[i] = when(v(0), true, straight(read(x))) // cannot happen
	}
	paths[0] = straight()
	var stats Stats
	var last error
	for _, err := range Executions(ctx, &fake{threads: [][]*event.Path{paths, paths}}, Options{}, &stats) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) || stats.Structures > 2 {
		t.Errorf("%v after %d structures, cancelled in the first", last, stats.Structures)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := run(t, ctx, manyWriters(), Options{})
	if !errors.Is(got.err, context.Canceled) || len(got.candidates) > 0 {
		t.Errorf("%v and %d candidates, cancelled from the start", got.err, len(got.candidates))
	}
}

// TestCancelAndStop: a caller that stops an enumeration while the context ends gets no more
// results, however many candidates came before.
func TestCancelAndStop(t *testing.T) {
	for stopAt := 1; stopAt <= 600; stopAt++ {
		ctx, cancel := context.WithCancel(context.Background())
		seen := 0
		for range Executions(ctx, manyWriters(), Options{}, &Stats{}) {
			if seen++; seen == stopAt {
				cancel()
				break
			}
		}
		cancel()
	}
}
