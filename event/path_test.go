package event

import (
	"fmt"
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
	s := Join(nil, make([]Thread, 2), []*Path{{Truncated: true}, {}})
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

// TestFenceRel has fences that follow one another, stand first and stand last.
func TestFenceRel(t *testing.T) {
	fence := func(s Scope) Event { return Event{Kind: Fence, Scope: s} }
	read := Event{Kind: Read, Addr: at(0), Data: ReadOf(0)}
	path := &Path{Events: []Event{fence(ScopeCTA), read, fence(ScopeCTA), fence(ScopeGPU), read, read, fence(ScopeGPU)}}
	s := Join([]Location{{Name: "x"}}, make([]Thread, 2), []*Path{path, {Events: []Event{read}}})
	s.AddFenceRel("cta", func(e *Event) bool { return e.Scope == ScopeCTA })
	s.AddFenceRel("cta or gpu", func(*Event) bool { return true })
	s.AddFenceRel("sys", func(e *Event) bool { return e.Scope == ScopeSys })
	for name, want := range map[string]string{"cta": "2-5 2-6", "cta or gpu": "2-5 2-6", "sys": ""} {
		if !s.Rels[name].Equal(pairs(s.N(), want)) {
			t.Errorf("%s = %v, want %s", name, s.Rels[name], want)
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
		Conds:     append(make([]Cond, 0, 8), Cond{Want: true}),
		Finals:    map[string]Expr{"r0": integer(0)},
		Truncated: true,
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
	if !q.Truncated || q.Finals["r0"] != Expr(integer(0)) || q.Events[0].Mnemonic != "first" {
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
	if x.FinalValue(0) != Int(5) || x.FinalValue(1) != Int(1) {
		t.Errorf("x=%v y=%v at the end, want 5 and 1", x.FinalValue(0), x.FinalValue(1))
	}
}

func TestFinalValueWithoutWrites(t *testing.T) {
	s := Join([]Location{{Name: "x", Init: Int(4)}}, nil, nil)
	x := &Execution{Structure: s, Loc: []Loc{0}, Val: []Value{Int(4)}, Rf: []ID{-1}, Co: rel.New(1)}
	if x.FinalValue(0) != Int(4) {
		t.Errorf("x=%v at the end, want 4", x.FinalValue(0))
	}
}
