package flow_test

import (
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/flow"
)

// The locations of the tests; q is another name of p.
const (
	x event.Loc = iota
	p
	q
)

var (
	locs      = []event.Location{x: {Name: "x", Init: event.Int(0)}, p: {Name: "p", Init: event.AddressOf(x)}, q: {Name: "q", Alias: &event.Alias{Of: p}}}
	everyPath = flow.Causes{"rf", "addr", "data", "ctrl"}
)

func read(addr event.Expr) event.Event { return event.Event{Kind: event.Read, Addr: addr} }

func write(addr, data event.Expr) event.Event {
	return event.Event{Kind: event.Write, Addr: addr, Data: data}
}

func at(l event.Loc) event.Expr { return event.Const(event.AddressOf(l)) }

func number(i int64) event.Expr { return event.Const(event.Int(i)) }

// equal is the condition that an expression has a value.
func equal(a event.Expr, v event.Expr) event.Cond {
	is, err := event.Apply(arith.Eq, arith.S64, a, v)
	if err != nil {
		panic(err)
	}
	return event.Cond{X: is, Want: true}
}

// copies reads a location and writes what it has read, plus 1, to another.
func copies(from, to event.Loc) *event.Path {
	more, err := event.Apply(arith.Add, arith.S64, event.ReadOf(0), number(1))
	if err != nil {
		panic(err)
	}
	return &event.Path{Events: []event.Event{read(at(from)), write(at(to), more)}, Data: []event.Pair{{0, 1}}}
}

// sees reads a location, and its branches ask for a value.
func sees(l event.Loc, v event.Expr) *event.Path {
	return &event.Path{Events: []event.Event{read(at(l))}, Conds: []event.Cond{equal(event.ReadOf(0), v)}}
}

// TestPossible checks that a read may return what some thread may write to the location, by
// whatever name, and nothing else.
func TestPossible(t *testing.T) {
	stores := &event.Path{Events: []event.Event{write(at(q), at(x))}}
	through := &event.Path{ // what p leads to is made 7
		Events: []event.Event{read(at(p)), write(event.ReadOf(0), number(7))}, Addr: []event.Pair{{0, 1}},
	}
	if7 := &event.Path{ // x is made 8 where it was 7
		Events: []event.Event{read(at(x)), write(at(x), number(8))}, Ctrl: []event.Pair{{0, 1}},
		Conds: []event.Cond{equal(event.ReadOf(0), number(7))},
	}
	nowhere := &event.Path{ // reads at the address that x holds, a number
		Events: []event.Event{read(at(x)), read(event.ReadOf(0))}, Addr: []event.Pair{{0, 1}},
		Conds: []event.Cond{equal(event.ReadOf(1), number(3))},
	}
	hidden := copies(x, x)
	hidden.Data = nil
	for _, c := range []struct {
		name   string
		causes flow.Causes
		paths  []*event.Path
		want   bool
	}{
		{"the initial value", everyPath, []*event.Path{sees(x, number(0))}, true},
		{"what nobody writes", everyPath, []*event.Path{sees(x, number(1)), stores}, false},
		{"a copy", everyPath, []*event.Path{sees(x, number(1)), copies(x, x)}, true},
		{"more than a write can add", everyPath, []*event.Path{sees(x, number(2)), copies(x, x)}, false},
		{"what two writes add", everyPath, []*event.Path{sees(x, number(2)), copies(x, x), copies(x, x)}, true},
		{"a pointer by another name", everyPath, []*event.Path{sees(p, at(x)), stores}, true},
		{"through a pointer", everyPath, []*event.Path{sees(x, number(7)), through}, true},
		{"after a branch", everyPath, []*event.Path{sees(x, number(8)), if7, through}, true},
		{"after a branch that nobody takes", everyPath, []*event.Path{sees(x, number(8)), if7}, false},
		{"an address without a meaning", everyPath, []*event.Path{nowhere, stores}, true},
		{"a dependency that no check knows", everyPath, []*event.Path{sees(x, number(5)), hidden}, true},
		{"a dependency within program order", flow.Causes{"rf", "po"}, []*event.Path{sees(x, number(5)), hidden}, false},
	} {
		f := flow.New(locs, c.causes)
		for range 2 { // the second time, the paths are known
			if got := f.Possible(c.paths); got != c.want {
				t.Errorf("%s: possible: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// TestMuch: more values than are looked at rule nothing out.
func TestMuch(t *testing.T) {
	many := &event.Path{}
	for i := range int64(70) {
		many.Events = append(many.Events, write(at(x), number(i)))
	}
	if !flow.New(locs, everyPath).Possible([]*event.Path{sees(x, number(-1)), many}) {
		t.Error("what is not looked at is ruled out")
	}
}
