package enumerate

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
)

// TestThinAir: where the value of a read depends on itself, each value of the domain that the
// program justifies is a candidate, and marked.
func TestThinAir(t *testing.T) {
	copies := func() *fake {
		return program(straight(read(x), write(y, v(0))), straight(read(y), write(x, v(0))))
	}
	noCycle := []string{
		"a=0<init c=0<init | x: d | y: b",
		"a=0<init c=0<b | x: d | y: b",
		"a=0<d c=0<init | x: d | y: b",
	}
	tests := []struct {
		name  string
		prog  *fake
		want  []string
		stats Stats
	}{
		{
			name: "load buffering of copies",
			prog: copies().with(event.Int(0), event.Int(42), event.AddressOf(y)),
			want: append(noCycle[:3:3],
				"a=0*<d c=0<b | x: d | y: b",
				"a=42*<d c=42<b | x: d | y: b",
				"a=y*<d c=y<b | x: d | y: b"),
			stats: Stats{Structures: 1, Candidates: 6, ThinAir: 3},
		},
		{
			name: "no value, no candidate",
			prog: copies(),
			want: noCycle, stats: Stats{Structures: 1, Candidates: 3},
		},
		{
			name: "a value that is not its own successor",
			prog: program(straight(read(x), write(y, plus(v(0), integer(1)))), straight(read(y), write(x, v(0)))).
				with(event.Int(0), event.Int(1), event.Int(2)),
			want: []string{
				"a=0<init c=0<init | x: d | y: b",
				"a=0<init c=1<b | x: d | y: b",
				"a=0<d c=0<init | x: d | y: b",
			},
			stats: Stats{Structures: 1, Candidates: 3},
		},
		{
			name: "one thread with its own write",
			prog: program(straight(read(x), write(x, v(0)))).with(event.Int(5)),
			want: []string{"a=0<init | x: b", "a=5*<b | x: b"}, stats: Stats{Structures: 1, Candidates: 2, ThinAir: 1},
		},
		{
			name: "two cycles guess one value each",
			prog: program(straight(read(x), write(x, v(0))), straight(read(y), write(y, v(0)))).with(event.Int(5),
				event.Int(6)),
			want: []string{
				"a=0<init c=0<init | x: b | y: d",
				"a=0<init c=5*<d | x: b | y: d", "a=0<init c=6*<d | x: b | y: d",
				"a=5*<b c=0<init | x: b | y: d", "a=6*<b c=0<init | x: b | y: d",
				"a=5*<b c=5*<d | x: b | y: d", "a=5*<b c=6*<d | x: b | y: d",
				"a=6*<b c=5*<d | x: b | y: d", "a=6*<b c=6*<d | x: b | y: d",
			},
			stats: Stats{Structures: 1, Candidates: 9, ThinAir: 8},
		},
		{
			// Only c and its write make a cycle; a waits for it.
			name: "a read that waits for a cycle is not on it",
			prog: program(straight(read(x)), straight(read(x), write(x, v(0)))).with(event.Int(7)),
			want: []string{
				"a=0<init b=0<init | x: c", "a=0<init b=7*<c | x: c",
				"a=0<c b=0<init | x: c", "a=7<c b=7*<c | x: c",
			},
			stats: Stats{Structures: 1, Candidates: 4, ThinAir: 2},
		},
		{
			name: "a condition admits one value",
			prog: program(when(equal(v(0), integer(42)), true, straight(read(x), write(y, v(0)))),
				straight(read(y), write(x, v(0)))).
				with(event.Int(0), event.Int(42), event.Int(43)),
			want: []string{"a=42*<d c=42<b | x: d | y: b"}, stats: Stats{Structures: 1, Candidates: 1, ThinAir: 1},
		},
		{
			// T0 reads an address and writes it to the location it points to. Of the values that
			// could justify themselves, 0 is not an address and &y leads elsewhere.
			name: "an address out of thin air",
			prog: &fake{
				init:    map[event.Loc]event.Value{x: event.AddressOf(y)},
				threads: program(straight(read(x), writeAt(v(0), v(0)))).threads,
				domain:  []event.Value{event.Int(0), event.AddressOf(x), event.AddressOf(y)},
			},
			want:  []string{"a=y<init | y: b", "a=x*<b | x: b"},
			stats: Stats{Structures: 1, Candidates: 2, ThinAir: 1},
		},
		{
			// b is a write to x only if a reads b.
			name: "a constant at an address out of thin air",
			prog: &fake{
				init:    map[event.Loc]event.Value{x: event.AddressOf(y)},
				threads: program(straight(read(x), writeAt(v(0), address(x)))).threads,
				domain:  []event.Value{event.AddressOf(x), event.AddressOf(y)},
			},
			want:  []string{"a=y<init | y: b", "a=x*<b | x: b"},
			stats: Stats{Structures: 1, Candidates: 2, ThinAir: 1},
		},
		{
			// a reads from c, and so waits for the address of c, which b takes out of thin air.
			name: "a read that waits for the address of a write",
			prog: &fake{
				init:    map[event.Loc]event.Value{x: event.AddressOf(y)},
				threads: program(straight(read(x)), straight(read(x), writeAt(v(0), address(x)))).threads,
				domain:  []event.Value{event.AddressOf(x)},
			},
			want: []string{
				"a=y<init b=y<init | y: c", "a=y<init b=x*<c | x: c",
				"a=x<c b=x*<c | x: c",
			},
			stats: Stats{Structures: 1, Candidates: 3, ThinAir: 2},
		},
		{
			// b waits for its address, which a takes out of thin air.
			name: "a read that waits for its address",
			prog: &fake{
				init:    map[event.Loc]event.Value{x: event.AddressOf(y)},
				threads: program(straight(readAt(address(x)), readAt(v(0)), writeAt(v(0), address(x)))).threads,
				domain:  []event.Value{event.AddressOf(x)},
			},
			want: []string{
				"a=y<init b=0<init | y: c", "a=y<init b=x<c | y: c",
				"a=x*<c b=y<init | x: c", "a=x*<c b=x<c | x: c",
			},
			stats: Stats{Structures: 1, Candidates: 4, ThinAir: 2},
		},
		{
			// Both pass on what they read; which location b reads depends on what e wrote. If a
			// reads from e and d reads from c, 5 would have to be an address.
			name: "an address that waits for what is read there",
			prog: &fake{
				init: map[event.Loc]event.Value{x: event.AddressOf(y), y: event.AddressOf(x)},
				threads: program(straight(read(x), readAt(v(0)), write(y, v(1))),
					straight(read(y), write(x, v(0)))).threads,
				domain: []event.Value{event.Int(5)},
			},
			want: []string{
				"a=y<init b=x<init d=x<init | x: e | y: c",
				"a=y<init b=x<init d=x<c | x: e | y: c",
				"a=y<init b=5*<c d=x<init | x: e | y: c",
				"a=y<init b=5*<c d=5<c | x: e | y: c",
				"a=x<e b=y<init d=x<init | x: e | y: c",
				"a=x<e b=x<e d=x<init | x: e | y: c",
			},
			stats: Stats{Structures: 1, Candidates: 6, ThinAir: 2},
		},
		{
			name: "a constant comes out of no thin air",
			prog: program(straight(read(x), write(y, integer(1))),
				straight(read(y), write(x, v(0)))).with(event.Int(9)),
			want: []string{
				"a=0<init c=0<init | x: d | y: b",
				"a=0<init c=1<b | x: d | y: b",
				"a=0<d c=0<init | x: d | y: b",
				"a=1<d c=1<b | x: d | y: b",
			},
			stats: Stats{Structures: 1, Candidates: 4},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.prog, tt.want, tt.stats) })
	}
}

// TestMeaningless: a computation without meaning is an error, but only if the program reaches it.
func TestMeaningless(t *testing.T) {
	sum := plus(v(0), address(y))
	isPointer := equal(v(0), address(x))
	tests := []struct {
		name string
		path *event.Path // of a thread that reads x, which holds &x
		want string
	}{
		{"written", straight(read(x), write(y, sum)), errMeaningless},
		{"as an address", straight(read(x), writeAt(sum, integer(1))), errMeaningless},
		{"in a condition", when(sum, true, straight(read(x))), errMeaningless},
		{"left in a register", finally("r0", sum, straight(read(x))), errMeaningless},
		{
			"where no location is", straight(read(x), readAt(plus(v(0), integer(2)))),
			"the address x+2 is not that of a location",
		},
		{"on a path that is taken", when(isPointer, true, straight(read(x), write(y, sum))), errMeaningless},
		{"on a path that is not taken", when(isPointer, false, straight(read(x), write(y, sum))), ""},
		{
			"in a register on a path that is not taken",
			finally("r0", sum, when(isPointer, false, straight(read(x)))), "",
		},
	}
	for _, tt := range tests {
		p := program(tt.path)
		p.init = map[event.Loc]event.Value{x: event.AddressOf(x)}
		got := all(t, p)
		switch {
		case tt.want == "" && got.err != nil:
			t.Errorf("%s: %v", tt.name, got.err)
		case tt.want != "" && (got.err == nil || !strings.Contains(got.err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, got.err, tt.want)
		}
		if len(got.candidates) > 0 {
			t.Errorf("%s: %v, want no candidate", tt.name, got.candidates)
		}
	}
}

// TestMeaninglessValuesJustifyNothing: a guess that makes the program compute something without
// meaning is neither a candidate nor an error.
func TestMeaninglessValuesJustifyNothing(t *testing.T) {
	self := straight(read(x), write(x, v(0)), write(y, plus(v(0), address(y))))
	p := program(self).with(event.Int(4), event.AddressOf(x))
	check(t, p, []string{"a=0<init | x: b | y: c", "a=4*<b | x: b | y: c"},
		Stats{Structures: 1, Candidates: 2, ThinAir: 1})
}

// TestMeaninglessInOneOfManyPaths: what another thread reads decides whether the computation is
// reached.
func TestMeaninglessInOneOfManyPaths(t *testing.T) {
	reader := func(l event.Loc) *fake {
		p := &fake{threads: [][]*event.Path{
			{straight(write(y, address(l)))},
			{
				when(v(0), true, straight(read(y), write(x, plus(v(0), address(x))))),
				when(v(0), false, straight(read(y))),
			},
		}}
		return p
	}
	got := all(t, reader(y))
	if got.err == nil || !slices.Equal(got.candidates, []string{"b=0<init | y: a"}) || got.stats.Candidates != 2 {
		t.Errorf("%v and %v of %d, want one from the first path and one from the second", got.err,
			got.candidates, got.stats.Candidates)
	}
	p := reader(y)
	p.threads[1] = p.threads[1][1:]
	check(t, p, []string{"b=0<init | y: a"}, Stats{Structures: 1, Candidates: 1})
}

// finally sets a register at the end of a path.
func finally(name string, x event.Expr, p *event.Path) *event.Path {
	p.Finals = map[string]event.Expr{name: x}
	return p
}
