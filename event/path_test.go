package event

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/rel"
)

func TestJoin(t *testing.T) {
	x := sample()
	if diff := cmp.Diff([]ID{2, 5, 8}, x.First); diff != "" {
		t.Error(diff)
	}
	for e, thread := range []int{InitThread, InitThread, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2} {
		if x.Events[e].Thread != thread {
			t.Errorf("event %d is of thread %d, want %d", e, x.Events[e].Thread, thread)
		}
	}
	if len(x.Conds) != 1 || x.Conds[0].Thread != 1 {
		t.Errorf("conditions are %v, want one of thread 1", x.Conds)
	}
	if x.Truncated {
		t.Error("truncated, but no path is")
	}
	s := Join(nil, make([]Thread, 2), []*Path{{Ending: Truncated}, {}})
	if !s.Truncated || s.N() != 0 {
		t.Errorf("%d events, truncated: %v; want none, true", s.N(), s.Truncated)
	}
}

func TestInitialWritesHoldInitialValues(t *testing.T) {
	s := Join([]Location{{Name: "x", Init: Int(7)}, {Name: "p", Init: AddressOf(0)}}, nil, nil)
	for l, want := range []Value{Int(7), AddressOf(0)} {
		e := &s.Events[l]
		if e.Kind != Write || !e.IsInit() || e.Addr != at(l) || e.Data != Expr(Const(want)) {
			t.Errorf("event %d is %+v, want the initial write of %v", l, e, want)
		}
	}
}

// TestSeparation has fences that follow one another, stand first and stand last.
func TestSeparation(t *testing.T) {
	fence := func(s Scope) Event { return Event{Kind: Fence, Scope: s} }
	scoped := func(s Scope) Members { return func(e *Event) bool { return e.Scope == s } }
	read := Event{Kind: Read, Addr: at(0), Data: ReadOf(0)}
	path := &Path{Events: []Event{fence(ScopeCTA), read, fence(ScopeCTA), fence(ScopeGPU), read, read, fence(ScopeGPU)}}
	s := Join([]Location{{Name: "x"}}, make([]Thread, 2), []*Path{path, {Events: []Event{read}}})
	tests := []struct {
		by   Members
		want string
	}{
		{scoped(ScopeCTA), "2-5 2-6"},
		{func(*Event) bool { return true }, "2-5 2-6"},
		{scoped(ScopeSys), ""},
	}
	for i, tt := range tests {
		if got := s.pairs(func(to rel.Rel) { Separation(tt.by)(s, to) }); !got.Equal(pairs(s.N(), tt.want)) {
			t.Errorf("the fences of test %d separate %v, want %s", i, got, tt.want)
		}
	}
}

// TestCloneSharesNothing lets two ways go on from one beginning.
func TestCloneSharesNothing(t *testing.T) {
	// Room to grow in place is what makes sharing visible.
	grown := func(n int) []Pair { return append(make([]Pair, 0, 8), Pair{0, n}) }
	p := &Path{
		Events: append(make([]Event, 0, 8), Event{Mnemonic: "first"}),
		Addr:   grown(1), Data: grown(2), Ctrl: grown(3), Rmw: grown(4),
		Conds:  append(make([]Cond, 0, 8), Cond{Want: true}),
		Finals: map[string]Expr{"r0": integer(0)},
		Ending: Truncated,
	}
	extend := func(p *Path, n int) {
		p.Events = append(p.Events, Event{Scope: Scope(n)})
		for _, pairs := range []*[]Pair{&p.Addr, &p.Data, &p.Ctrl, &p.Rmw} {
			*pairs = append(*pairs, Pair{n, n})
		}
		p.Conds = append(p.Conds, Cond{Thread: n})
		p.Finals["r1"] = integer(int64(n))
	}
	q := p.Clone()
	extend(p, 1)
	before := fmt.Sprintf("%+v", p)
	extend(q, 2)
	if diff := cmp.Diff(before, fmt.Sprintf("%+v", p)); diff != "" {
		t.Errorf("the original changed with its copy:\n%s", diff)
	}
	if q.Ending != Truncated || q.Finals["r0"] != Expr(integer(0)) || q.Events[0].Mnemonic != "first" {
		t.Errorf("the copy lost something: %+v", q)
	}
}

func TestFinals(t *testing.T) {
	x := sample()
	for r, want := range map[Reg]int64{{0, "r0"}: 7, {1, "r0"}: 1, {1, "r1"}: 1} {
		if v, ok := x.Final(r); !ok || v != Int(want) {
			t.Errorf("%v ends as %v, %v, want %d", r, v, ok, want)
		}
	}
	if v, ok := x.Final(Reg{2, "r0"}); ok {
		t.Errorf("a register that is never set ends as %v", v)
	}
	for l, want := range []Value{Int(5), Int(1)} {
		if got := x.FinalValues(l); !slices.Equal(got, []Value{want}) {
			t.Errorf("%s ends as %v, want %v", x.Locs[l].Name, got, want)
		}
	}
}

func TestFinalValueWithoutWrites(t *testing.T) {
	s := Join([]Location{{Name: "x", Init: Int(4)}}, nil, nil)
	x := &Execution{Structure: s, Loc: []Loc{0}, Val: []Value{Int(4)}, Rf: []ID{-1}, Co: rel.New(1)}
	if got := x.FinalValues(0); !slices.Equal(got, []Value{Int(4)}) {
		t.Errorf("x ends as %v, want 4", got)
	}
}

// racing returns an execution of two threads that write x, the second through another name.
func racing() *Execution {
	locs := []Location{{Name: "x", Init: Int(0)}, {Name: "y", Init: Int(0), Alias: &Alias{Of: 0}}}
	write := func(l Loc, i int64) *Path {
		return &Path{Events: []Event{{Kind: Write, Addr: at(l), Data: integer(i), Order: Weak}}}
	}
	x := &Execution{
		Structure: Join(locs, make([]Thread, 2), []*Path{write(0, 1), write(1, 2)}),
		Loc:       []Loc{0, 0, 0}, Via: []Loc{0, 0, 1}, Val: []Value{Int(0), Int(1), Int(2)}, Rf: []ID{-1, -1, -1},
	}
	x.Co = rel.Of(3, [2]int{0, 1}, [2]int{0, 2})
	return x
}

// Writes that race leave either value (PTX ISA, "Coherence Order"), by whatever name.
func TestFinalValuesOfARace(t *testing.T) {
	x := racing()
	for l := range x.Locs {
		if got := x.FinalValues(l); !slices.Equal(got, []Value{Int(1), Int(2)}) {
			t.Errorf("%s ends as %v, want 1 or 2", x.Locs[l].Name, got)
		}
	}
	x.Co.Add(2, 1)
	if got := x.FinalValues(1); !slices.Equal(got, []Value{Int(1)}) {
		t.Errorf("y ends as %v, want 1", got)
	}
}

func TestAliases(t *testing.T) {
	x := racing()
	for name, want := range map[string]bool{"loc": true, "vloc": false} {
		r, _ := x.Rel(name)
		if r.Has(1, 2) != want || !r.Has(0, 1) {
			t.Errorf("%s: %v, want x and its alias related: %v", name, r, want)
		}
	}
	x.Locs[1].Alias.Through = "surface"
	if r, _ := x.Rel("vloc"); !r.Has(1, 2) {
		t.Errorf("vloc: %v: a surface is another way to the same address", r)
	}
	if s, ok := x.Located("y"); !ok || s.Len() != 3 {
		t.Errorf("at y: %v, want all writes", s)
	}
	if got := x.Action(2); got != "W[y]=2" {
		t.Errorf("the write through the alias is %s", got)
	}
}

// An alias of an alias is a name of the same memory. Through the generic proxy it has a virtual
// address of its own, through another that of what it names.
func TestAliasOfAnAlias(t *testing.T) {
	of := func(l Loc, through string) *Alias { return &Alias{l, through} }
	locs := []Location{
		{Name: "x"},
		{Name: "g", Alias: of(0, "")},
		{Name: "s", Alias: of(1, "surface")},
		{Name: "t", Alias: of(2, "texture")},
		{Name: "h", Alias: of(3, "")},
		{Name: "c", Alias: of(0, "constant")},
	}
	for l, want := range []Loc{0, 1, 1, 1, 4, 0} {
		if got := Virtual(locs, l); got != want {
			t.Errorf("%s has the virtual address of %s, want that of %s", locs[l].Name, locs[got].Name, locs[want].Name)
		}
		if got := Physical(locs, l); got != 0 {
			t.Errorf("%s is another name of %s", locs[l].Name, locs[got].Name)
		}
	}
}

// A thread that spins hangs if nothing overwrites what it reads.
func TestHangs(t *testing.T) {
	locs := []Location{{Name: "x", Init: Int(0)}}
	spin := &Path{Events: []Event{{Kind: Read, Addr: at(0), Data: ReadOf(0)}}, Ending: EndlessSpin, Spin: []int{0}}
	set := &Path{Events: []Event{{Kind: Write, Addr: at(0), Data: integer(1)}}}
	x := &Execution{
		Structure: Join(locs, make([]Thread, 2), []*Path{spin, set}),
		Loc:       []Loc{0, 0, 0}, Val: []Value{Int(0), Int(0), Int(1)}, Rf: []ID{-1, 0, -1}, Co: rel.Of(3, [2]int{0, 2}),
	}
	if x.Hangs() {
		t.Error("a thread spins for ever on a value that is overwritten")
	}
	x.Rf[1] = 2
	if !x.Hangs() {
		t.Error("a thread that spins on the last value does not hang")
	}
	x.Stuck = false
	if x.Hangs() {
		t.Error("threads that end hang")
	}
}

// The elements of a vector access are in no order.
func TestVectorElementsHaveNoOrder(t *testing.T) {
	part := Event{Kind: Read, Addr: at(0), Data: ReadOf(0), Vector: 1}
	second := part
	second.Data = ReadOf(1)
	after := Event{Kind: Fence}
	s := Join([]Location{{Name: "x"}}, make([]Thread, 1), []*Path{{Events: []Event{part, second, after}}})
	if want := rel.Of(4, [2]int{1, 3}, [2]int{2, 3}); !s.Po.Equal(want) {
		t.Errorf("po is %v, want %v", s.Po, want)
	}
}
