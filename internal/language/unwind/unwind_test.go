package unwind

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// A toy of a front end: "r" reads x into the register that its operand names, "w" writes x, "j" jumps to
// its operand if register a holds something else than 0.
type (
	toyCode []toy
	toy     struct {
		op     byte
		reg    string
		target int
	}
	toyWalk struct {
		Walk[string, int]
		code  toyCode
		regs  map[string]Held
		forks *[]*toyWalk
	}
)

func (c toyCode) Len() int { return len(c) }
func (c toyCode) Back(pc int) (int, bool) {
	return c[pc].target, (c[pc].op == 'j' || c[pc].op == 'g') && c[pc].target <= pc
}

func (c toyCode) Sets(pc int, r string) bool { return c[pc].op == 'r' && c[pc].reg == r }

func (c toyCode) EachRead(pc int, visit func(string)) {
	visit(map[byte]string{'j': "a", 'd': "a"}[c[pc].op])
}

func (c toyCode) Successors(pc int) []int {
	switch c[pc].op {
	case 'j':
		return []int{pc + 1, c[pc].target}
	case 'g':
		return []int{c[pc].target}
	}
	return []int{pc + 1}
}

func (w *toyWalk) value(r string) event.Expr { return w.regs[r].Value }

func (w *toyWalk) fork() *toyWalk {
	f := *w
	f.Walk, f.regs = w.Walk.Fork(), maps.Clone(w.regs)
	*w.forks = append(*w.forks, &f)
	return &f
}

func (w *toyWalk) forkWalk() *Walk[string, int] { return &w.fork().Walk }

func (w *toyWalk) Run() error {
	for {
		on, err := w.Continues(len(w.code))
		if !on {
			return err
		}
		if !w.BeginRound(w.value, w.forkWalk) {
			return nil
		}
		in, at := w.code[w.PC], w.PC
		w.PC++
		switch in.op {
		case 'r':
			n := w.Event(event.Event{Kind: event.Read}, nil, nil, nil)
			w.regs[in.reg] = Held{event.ReadOf(n), Deps{n}}
		case 'f':
			w.Event(event.Event{Kind: event.Fence}, nil, nil, nil)
		case 'b':
			w.Event(event.Event{Kind: event.Barrier}, nil, nil, nil)
		case 'w':
			w.Event(event.Event{Kind: event.Write}, nil, w.regs["a"].From, nil)
		case 'c': // sets a to a number, from which d counts down
			w.regs["a"] = Held{Value: event.Const(event.Int(int64(in.target)))}
		case 'd':
			w.regs["a"] = Held{Value: event.Const(event.Int(w.value("a").(event.Const).Int - 1))}
		case 'g':
			if in.target > at || w.EndRound(at, w.value, w.forkWalk) {
				w.PC = in.target
			}
		case 'j':
			taken, known := w.Truth(w.value("a"))
			if !known {
				w.fork().Assume(w.value("a"), false)
				w.Assume(w.value("a"), true)
				taken = true
			}
			if taken && (in.target > at || w.EndRound(at, w.value, w.forkWalk)) {
				w.PC = in.target
			}
		}
	}
}

// follow is the control paths of a program such as "r:a w j:0", as text: events, the dependencies of
// writes, and the ending.
func follow(program string, observed map[string]bool, opts frontend.Options) ([]string, error) {
	var code toyCode
	for _, word := range strings.Fields(program) {
		op, operand, _ := strings.Cut(word, ":")
		in := toy{op: op[0], reg: operand}
		_, _ = fmt.Sscan(operand, &in.target)
		code = append(code, in)
	}
	w := &toyWalk{
		Walk: New[string, int]("T0", FindLoops(code, observed), opts), code: code,
		regs: map[string]Held{"a": {Value: event.Const(event.Int(0))}, "b": {Value: event.Const(event.Int(0))}},
	}
	w.forks = &[]*toyWalk{w}
	paths, err := Follow(w.forks)
	var lines []string
	for _, p := range paths {
		line := map[event.Ending]string{
			event.Complete: "", event.EndlessSpin: " spins", event.Truncated: " cut",
		}[p.Ending]
		for _, e := range slices.Backward(p.Events) {
			line = map[event.Kind]string{event.Read: "R", event.Write: "W", event.Fence: "F", event.Barrier: "B"}[e.Kind] + line
		}
		lines = append(lines, fmt.Sprint(line, p.Data))
	}
	slices.Sort(lines)
	return lines, err
}

func TestFollow(t *testing.T) {
	b := map[string]bool{"b": true}
	for _, tt := range []struct {
		name, program string
		observed      map[string]bool
		want          []string
	}{
		{"a straight line", "r:a w", nil, []string{"RW[[0 1]]"}},
		{"a spin loop: left at once, after an idle round, or never", "r:a j:0", nil, []string{"R spins[]", "RR[]", "R[]"}},
		{"one with a fence is as idle", "r:a f j:0", nil, []string{"RF spins[]", "RFRF[]", "RF[]"}},
		{"a round that waits for others leaves a trace", "r:a b j:0", nil, []string{"RBRB cut[]", "RBRB[]", "RB[]"}},
		{"a round that writes leaves a trace", "r:a w j:0", nil, []string{"RWRW cut[[0 1] [2 3]]", "RWRW[[0 1] [2 3]]", "RW[[0 1]]"}},
		{"a register that the next round sets anew is no trace", "r:b r:a j:0", b, []string{"RR spins[]", "RRRR[]", "RR[]"}},
		{"a loop that reads before it begins", "r:a j:4 r:a g:1 w", nil, []string{"RR spins[]", "RRRW[[2 3]]", "RRW[[1 2]]", "RW[[0 1]]"}},
		{"where what its rounds set matters", "r:a j:5 w r:a g:1 w", nil, []string{"RWRWR cut[[0 1] [2 3]]", "RWRWRW[[0 1] [2 3] [4 5]]", "RWRW[[0 1] [2 3]]", "RW[[0 1]]"}},
		{"a loop that counts is as long as it is", "c:5 w d j:1", nil, []string{strings.Repeat("W", 5) + "[]"}},
		{"but for a bound", "c:100 w d j:1", nil, []string{strings.Repeat("W", 34) + " cut[]"}},
		{"what a path assumed is known", "r:a j:2 j:3 w", nil, []string{"RW[[0 1]]", "RW[[0 1]]"}},
		{"nothing that reads decide: endless", "j:0", nil, []string{"[]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := follow(tt.program, tt.observed, frontend.Options{Unroll: 1})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("paths %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestFollowEnds(t *testing.T) {
	_, err := follow(strings.Repeat("r:a ", maxSteps+1), nil, frontend.Options{})
	var limit *frontend.PathLimitError
	if !errors.As(err, &limit) || limit.Thread != "T0" {
		t.Errorf("error %v, want that of a thread with too many instructions", err)
	}
	enough := errors.New("enough")
	if _, err := follow("r:a", nil, frontend.Options{Stop: func() error { return enough }}); err != enough {
		t.Errorf("error %v, want that of Stop", err)
	}
}

// TestStopIsAskedOnEveryPath: short paths can be many.
func TestStopIsAskedOnEveryPath(t *testing.T) {
	asked := 0
	paths, err := follow("r:a j:3 r:b j:5 w", nil, frontend.Options{Stop: func() error { asked++; return nil }})
	if err != nil || len(paths) < 2 || asked < len(paths) {
		t.Errorf("%d paths, error %v, asked %d times", len(paths), err, asked)
	}
}

func TestCombine(t *testing.T) {
	busy, idle := &Path[int]{Path: &event.Path{}}, &Path[int]{Path: &event.Path{Idle: []int{0}}}
	threads := [][]*Path[int]{{busy, idle}, {busy, idle}}
	var got []string
	Combine(threads, nil, func(number int, paths []*Path[int]) bool {
		got = append(got, fmt.Sprint(number, ": ", paths[0].Idles(), paths[1].Idles()))
		return true
	})
	if want := []string{"0: false false", "1: false true", "2: true false"}; !slices.Equal(got, want) {
		t.Errorf("combinations %q, want %q", got, want)
	}
	if n := Combinations(threads); n != len(got) {
		t.Errorf("%d combinations are announced, want %d", n, len(got))
	}
	if n := Combinations(slices.Repeat([][]*Path[int]{{busy, busy}}, 100)); n != math.MaxInt {
		t.Errorf("%d combinations of 100 threads", n)
	}
	visits := 0
	Combine(threads, nil, func(int, []*Path[int]) bool { visits++; return false })
	if visits != 1 {
		t.Errorf("%d visits after the first said no, want 1", visits)
	}
}

func TestUnion(t *testing.T) {
	for _, tt := range []struct{ a, b, want Deps }{
		{nil, nil, nil}, {Deps{1}, nil, Deps{1}}, {Deps{1, 3}, Deps{2, 3}, Deps{1, 2, 3}},
	} {
		if got := tt.a.Union(tt.b); !slices.Equal(got, tt.want) {
			t.Errorf("union of %v and %v is %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestEqualsItself: what a read returns equals itself, and what is computed from it may have no meaning.
func TestEqualsItself(t *testing.T) {
	w := New[string, int]("T0", nil, frontend.Options{})
	read, half := event.Expr(event.ReadOf(0)), event.Expr(apply(t, arith.Div, event.ReadOf(0), event.ReadOf(1)))
	for _, tt := range []struct {
		code         arith.Op
		x            event.Expr
		truth, known bool
	}{{arith.Eq, read, true, true}, {arith.Ne, read, false, true}, {arith.Lt, read, false, false}, {arith.Eq, half, false, false}} {
		if truth, known := w.Truth(apply(t, tt.code, tt.x, tt.x)); known != tt.known || known && truth != tt.truth {
			t.Errorf("%v of %v and itself: %v, known: %v", tt.code, tt.x, truth, known)
		}
	}
}

func apply(t *testing.T, code arith.Op, args ...event.Expr) event.Expr {
	t.Helper()
	x, err := event.Apply(code, arith.S32, args...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// meetAlike is threads whose numbers are even, and those whose are odd, which can meet if they come to as many meetings.
func meetAlike(threads [][]*Path[int]) *Meeting[int, int] {
	return &Meeting[int, int]{
		Unit: func(t, _ int) int { return t % 2 },
		Ways: func(paths []*Path[int]) int {
			for t, p := range paths[:max(0, len(paths)-2)] {
				if len(p.Meetings) != len(paths[t+2].Meetings) {
					return 0
				}
			}
			return 1
		},
		Join:  func(paths []*Path[int]) *event.Structure { return &event.Structure{Paths: Plain(paths)} },
		Over:  func() bool { return false },
		Alike: func(m, n int) bool { return m == n },
	}
}

// TestPossible: combinations that a team cannot take are left out, and the others keep their numbers. A family has the others, by what paths do at
// meetings, and those in which several threads are idle.
func TestPossible(t *testing.T) {
	never, once, idle := &Path[int]{Path: &event.Path{}}, &Path[int]{Path: &event.Path{}, Meetings: []int{0}}, &Path[int]{Path: &event.Path{Idle: []int{0}}, Meetings: []int{0}}
	threads := [][]*Path[int]{{never, once}, {once, never, idle}, {once, never}, {once, idle, never}}
	how := meetAlike(threads)
	all, some := map[int]string{}, map[int]string{}
	Combine(threads, nil, func(n int, paths []*Path[int]) bool {
		if how.Ways(paths) > 0 {
			all[n] = fmt.Sprint(paths)
		}
		return true
	})
	visits := 0
	Combine(threads, how.Possible(threads), func(n int, paths []*Path[int]) bool {
		some[n] = fmt.Sprint(paths)
		visits++
		return true
	})
	if !maps.Equal(all, some) || visits != len(all) {
		t.Errorf("%d visits of %v, want %v", visits, some, all)
	}
	family, busy := 0, make([][]*Path[int], len(threads))
	for t, paths := range threads {
		for _, p := range paths {
			busy[t] = append(busy[t], &Path[int]{Path: &event.Path{}, Meetings: p.Meetings})
		}
	}
	Combine(busy, nil, func(_ int, paths []*Path[int]) bool {
		family += how.Ways(paths)
		return true
	})
	f := Family(threads, how)
	if len(f.Teams) != 2 || !slices.Equal(f.Teams[1].Threads, []int{1, 3}) || len(f.Teams[1].Takes) != 2 || f.Len() != family || family <= len(all) {
		t.Errorf("%d teams, %d structures, want %d", len(f.Teams), f.Len(), family)
	}
	if one := meetAlike(threads[:1]); one.Possible(threads[:1]) != nil {
		t.Error("a team alone is asked about")
	}
}

// TestAgree: two paths contradict each other where one has got through a round that the other keeps from being complete, or has got something else
// from a round.
func TestAgree(t *testing.T) {
	for _, c := range []struct {
		p, q []Turns[int]
		want bool
	}{
		{nil, []Turns[int]{{At: 0, Most: 0}}, true},
		{[]Turns[int]{{0, []int64{0, 0}, 2}}, []Turns[int]{{0, []int64{0, 0}, 2}}, true},
		{[]Turns[int]{{0, []int64{0, 0}, 2}}, []Turns[int]{{0, []int64{0}, 1}}, false},
		{[]Turns[int]{{0, []int64{0}, 2}}, []Turns[int]{{0, nil, 1}}, true},
		{[]Turns[int]{{0, []int64{0, 0}, 2}}, []Turns[int]{{1, nil, 0}}, true},
		{[]Turns[int]{{0, []int64{0, 0}, 2}, {1, []int64{0}, 1}}, []Turns[int]{{1, nil, 0}}, false},
		{[]Turns[int]{{0, []int64{1, 2}, 2}}, []Turns[int]{{0, []int64{1}, Any}}, true},
		{[]Turns[int]{{0, []int64{1, 2}, 2}}, []Turns[int]{{0, []int64{2}, Any}}, false},
	} {
		if agree(c.p, c.q) != c.want || agree(c.q, c.p) != c.want {
			t.Errorf("%v and %v agree: %v, want %v", c.p, c.q, !c.want, c.want)
		}
	}
}
