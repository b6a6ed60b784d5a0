package path

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
	"github.com/muster-gpu/muster/frontend/barrier"
)

// A small language: "r" reads x into the register that its operand names, "w" writes x, "f" is a
// fence, "b" a barrier; "j" jumps to its operand if register a holds something else than 0, "g"
// always; "c" sets a to a number, from which "d" counts down.
type (
	toyCode []toy
	toy     struct {
		op     byte
		reg    string
		target int
	}
)

func (c toyCode) Len() int { return len(c) }

func (c toyCode) Next(pc int) []int {
	switch c[pc].op {
	case 'j':
		return []int{pc + 1, c[pc].target}
	case 'g':
		return []int{c[pc].target}
	}
	return nil
}

func (c toyCode) Uses(pc int) (sets, reads []string) {
	switch c[pc].op {
	case 'j', 'd':
		return nil, []string{"a"}
	case 'r':
		return []string{c[pc].reg}, nil
	}
	return nil, nil
}

func (c toyCode) Step(w *Walk[string], pc int) error {
	x := Held{Value: event.Const(event.AddressOf(0))}
	a, _ := w.Get("a")
	switch in := c[pc]; in.op {
	case 'r':
		w.Set(in.reg, w.Read(event.Event{}, x))
	case 'f':
		w.Fence(event.Event{})
	case 'b':
		w.Event(event.Event{Kind: event.Barrier}, nil, nil, nil)
	case 'w':
		w.Write(event.Event{}, x, a, nil)
	case 'c':
		w.Set("a", Held{Value: event.Const(event.Int(int64(in.target)))})
	case 'd':
		w.Set("a", Held{Value: event.Const(event.Int(a.Value.(event.Const).Int - 1))})
	case 'g':
		w.Jump(in.target)
	case 'j':
		w.Branch(a, true, in.target, Never)
	}
	return nil
}

// follow returns the control paths of a program such as "r:a w j:0", as text: events, the
// dependencies of writes, and the ending.
func follow(program string, observed map[string]bool, opts frontend.Options) ([]string, error) {
	var code toyCode
	for _, word := range strings.Fields(program) {
		op, operand, _ := strings.Cut(word, ":")
		in := toy{op: op[0], reg: operand}
		_, _ = fmt.Sscan(operand, &in.target)
		code = append(code, in)
	}
	zero := event.Const(event.Int(0))
	start := &Start[string]{Name: "T0", Thread: code, Registers: map[string]event.Expr{"a": zero, "b": zero}, Observed: observed, Options: opts}
	paths, err := start.Follow()
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
	busy, idle := &Path{Path: &event.Path{}}, &Path{Path: &event.Path{Idle: []int{0}}}
	threads := [][]*Path{{busy, idle}, {busy, idle}}
	var got []string
	combine(threads, nil, func(number int, which []int) bool {
		got = append(got, fmt.Sprint(number, ": ", which))
		return true
	})
	if want := []string{"0: [0 0]", "1: [0 1]", "2: [1 0]"}; !slices.Equal(got, want) {
		t.Errorf("combinations %q, want %q", got, want)
	}
	if n := combinationsOf(threads); n != len(got) {
		t.Errorf("%d combinations are announced, want %d", n, len(got))
	}
	if n := combinationsOf(slices.Repeat([][]*Path{{busy, busy}}, 100)); n != math.MaxInt {
		t.Errorf("%d combinations of 100 threads", n)
	}
	visits := 0
	combine(threads, nil, func(int, []int) bool { visits++; return false })
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

// TestEqualsItself: what a read returns equals itself, and what is computed from it may have no
// meaning.
func TestEqualsItself(t *testing.T) {
	w := &Walk[string]{}
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

// TestPossible: combinations that a team cannot take are left out, and the others keep their
// numbers. A family has the others, by what paths do at barriers, and those in which several
// threads are idle.
func TestPossible(t *testing.T) {
	visit := []barrier.Visit{{At: barrier.Barrier{Key: "0", Level: 0}, Count: 2}}
	never, once, idle := func() *Path { return &Path{Path: &event.Path{}} }, func() *Path { return &Path{&event.Path{Events: make([]event.Event, 1)}, visit} },
		func() *Path { return &Path{&event.Path{Events: make([]event.Event, 1), Idle: []int{0}}, visit} }
	p := &Program{
		Threads: []event.Thread{{At: []int{0}}, {At: []int{1}}, {At: []int{0}}, {At: []int{1}}},
		Paths:   [][]*Path{{never(), once()}, {once(), never(), idle()}, {once(), never()}, {once(), idle(), never()}},
	}
	all := map[int]string{}
	combine(p.Paths, nil, func(n int, which []int) bool {
		come := 0
		for thread, path := range which {
			if len(p.Paths[thread][path].Visits) > 0 {
				come |= 1 << thread
			}
		}
		if come&0b0101 != 0b0001 && come&0b0101 != 0b0100 && come&0b1010 != 0b1000 && come&0b1010 != 0b0010 {
			all[n] = fmt.Sprint(which)
		}
		return true
	})
	some := map[int]string{}
	combine(p.Paths, p.barriers().Possible(barrier.NewBudget(t.Context())), func(n int, which []int) bool {
		some[n] = fmt.Sprint(which)
		return true
	})
	structures := 0
	for s, err := range p.Structures(t.Context()) {
		structures++
		if _, is := all[s.Combination]; !is || err != nil {
			t.Errorf("combination %d, error %v", s.Combination, err)
		}
	}
	if !maps.Equal(all, some) || structures != len(all) {
		t.Errorf("%v are kept, and have %d structures; want %v", some, structures, all)
	}
	f := p.Family(t.Context())
	if want := (1 + 1) * (2*2 + 1); len(f.Teams) != 2 || !slices.Equal(f.Teams[1].Threads, []int{1, 3}) || len(f.Teams[1].Takes) != 2 || f.Len() != want {
		t.Errorf("%d teams, %d structures, want %d", len(f.Teams), f.Len(), want)
	}
}
