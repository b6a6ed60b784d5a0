package event

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/rel"
)

// at returns the address of a location, and integer a constant.
func at(l Loc) Expr         { return Const(AddressOf(l)) }
func integer(i int64) Const { return Const(Int(i)) }

// plusOne is v+1 for the value v of a read.
func plusOne(read int) Expr {
	x, err := Apply(arith.Add, arith.U64, ReadOf(read), integer(1))
	if err != nil {
		panic(err)
	}
	return x
}

// sample returns an execution with events of every sort. Its events are
//
//	0  init  x=0 (region 0)       1  init  y=0 (region 1)
//	2  T0    a: W x=1             5  T1  c: R.volatile y=1   8   T2  f: R.atom x=1
//	3        f1: membar.cta       6      d: R x=0            9       g: W.atom x=2
//	4        b: W.volatile y=1    7      e: W x=5            10      h: R x=2
//	                                                         11      i: W x=3
//
// All threads share a place at level 0, T0 and T1 one at level 1, and none do at level 2.
func sample() *Execution {
	locs := []Location{{Name: "x"}, {Name: "y", Region: 1}}
	for l := range locs {
		locs[l].Init = Int(0)
	}
	threads := []Thread{{"T0", []int{0, 0, 0}}, {"T1", []int{0, 0, 1}}, {"T2", []int{0, 1, 2}}}
	paths := []*Path{
		{
			Events: []Event{
				{Kind: Write, Addr: at(0), Data: integer(1), Order: Weak},
				{Kind: Fence, Order: SC, Scope: ScopeCTA, Mnemonic: "membar.cta"},
				{Kind: Write, Addr: at(1), Data: integer(1), Volatile: true, Order: Relaxed, Scope: ScopeSys},
			},
			Finals: map[string]Expr{"r0": integer(7)},
		},
		{
			Events: []Event{
				{Kind: Read, Addr: at(1), Data: ReadOf(0), Volatile: true, Order: Relaxed, Scope: ScopeSys},
				{Kind: Read, Addr: at(0), Data: ReadOf(1), Order: Weak},
				{Kind: Write, Addr: at(0), Data: integer(5), Order: Weak},
			},
			Ctrl:   []Pair{{0, 1}, {0, 2}},
			Conds:  []Cond{{X: ReadOf(0), Want: true}},
			Finals: map[string]Expr{"r0": ReadOf(0), "r1": plusOne(1)},
		},
		{
			Events: []Event{
				{Kind: Read, Addr: at(0), Data: ReadOf(0), Atomic: true, Order: Relaxed, Scope: ScopeGPU},
				{Kind: Write, Addr: at(0), Data: plusOne(0), Atomic: true, Order: Relaxed, Scope: ScopeGPU},
				{Kind: Read, Addr: at(0), Data: ReadOf(2), Order: Weak},
				{Kind: Write, Addr: at(0), Data: integer(3), Order: Weak},
			},
			Addr: []Pair{{0, 2}},
			Data: []Pair{{0, 1}},
			Rmw:  []Pair{{0, 1}},
		},
	}
	s := Join(locs, threads, paths)
	s.AddRel("awaited", nil)
	s.AddRel("syncbar", []Pair{{2, 5}})
	x := &Execution{
		Structure: s,
		Loc:       []Loc{0, 1, 0, NoLoc, 1, 1, 0, 0, 0, 0, 0, 0},
		Val:       make([]Value, s.N()),
		Rf:        []ID{-1, -1, -1, -1, -1, 4, 0, -1, 2, -1, 9, -1},
		Co:        pairs(s.N(), "0-2 0-9 0-11 0-7 2-9 2-11 2-7 9-11 9-7 11-7 1-4"),
		ThinAir:   rel.NewSet(s.N()),
	}
	for e, v := range []int64{0, 0, 1, 0, 1, 1, 0, 5, 1, 2, 2, 3} {
		x.Val[e] = Int(v)
	}
	return x
}

// pairs reads a relation: "0-2 1-4".
func pairs(n int, text string) rel.Rel {
	r := rel.New(n)
	for _, pair := range strings.Fields(text) {
		var a, b int
		if _, err := fmt.Sscanf(pair, "%d-%d", &a, &b); err != nil {
			panic(err)
		}
		r.Add(a, b)
	}
	return r
}

// classes reads an equivalence by its classes: "0,1 2,3,4".
func classes(n int, text string) rel.Rel {
	r := rel.New(n)
	for _, class := range strings.Fields(text) {
		members := events(n, strings.ReplaceAll(class, ",", " "))
		r = r.Union(rel.Product(members, members))
	}
	return r
}

// events reads a set: "0 1 4".
func events(n int, text string) rel.Set {
	s := rel.NewSet(n)
	for _, word := range strings.Fields(text) {
		var e int
		if _, err := fmt.Sscan(word, &e); err != nil {
			panic(err)
		}
		s.Add(e)
	}
	return s
}

func TestSampleIsValid(t *testing.T) {
	if err := sample().Validate(); err != nil {
		t.Fatal(err)
	}
}
