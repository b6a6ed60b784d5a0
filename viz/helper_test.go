package viz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// scenario is an execution in the notation of the tests.
//
// The code of a thread is a list such as "W.cg x 1, membar.cta, R.atom y, bar.sync 0": accesses
// (values of reads come from rf), fences, and barriers, at which threads arrive, wait or do both.
// Pairs name events as the picture does: "a b, c d". Reads without an rf read from the initial
// write. co is the order of the events, unless a pair "b a" in co puts b first.
type scenario struct {
	place                 []event.Thread // one for each thread; may be nil
	code                  []string
	rf, co                string
	addr, data, ctrl, rmw string
	meet                  string // "b1 b3, b2 b4": the rounds of barriers
	cycle                 string // "a membar.cta b, b rfe c, …"
	title, subtitle       string
}

// testingT is what *testing.T and *rapid.T share.
type testingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

// execution builds and validates the scenario.
func (s scenario) execution(t testingT) *event.Execution {
	t.Helper()
	b := &builder{t: t}
	var paths []*event.Path
	for _, code := range s.code {
		paths = append(paths, b.path(code))
	}
	threads := make([]event.Thread, len(s.code))
	copy(threads, s.place)
	for i := range threads {
		threads[i].Name = fmt.Sprintf("T%d", i)
		if s.place == nil {
			threads[i].At = []int{0, 0, 0, i, i}
		}
	}
	b.x = &event.Execution{Structure: event.Join(b.locs, threads, paths)}
	b.x.Vocabulary = vocabulary
	b.relate(s)
	b.meet(s)
	b.witness(s)
	if err := b.x.Validate(); err != nil {
		t.Fatalf("the scenario is no execution: %v", err)
	}
	return b.x
}

type builder struct {
	t    testingT
	locs []event.Location
	x    *event.Execution
}

func (b *builder) loc(name string) event.Loc {
	i := slices.IndexFunc(b.locs, func(l event.Location) bool { return l.Name == name })
	if i < 0 {
		b.locs = append(b.locs, event.Location{Name: name, Init: event.Int(0)})
		i = len(b.locs) - 1
	}
	return i
}

// vocabulary is the vocabulary of a front end with three fences, with labels of accesses in the
// notation of the tests.
var vocabulary = event.NewVocabulary([]event.Name{fence("membar.cta"), fence("membar.gl"), fence("membar.sys")}, nil,
	func(e *event.Event) string {
		_, marks, _ := strings.Cut(e.Mnemonic, ".")
		if marks == "" {
			return ""
		}
		return "." + marks
	})

// fence returns the relation of a fence.
func fence(mnemonic string) event.Name {
	known := vocab.Name{Name: mnemonic, Family: vocab.Fence}
	return event.Name{Name: known, Is: event.Separation(func(e *event.Event) bool { return e.Mnemonic == mnemonic })}
}

func (b *builder) path(code string) *event.Path {
	p := &event.Path{}
	for i, instr := range strings.Split(code, ", ") {
		f := strings.Fields(instr)
		op := strings.Split(f[0], ".")
		e := event.Event{Mnemonic: f[0]}
		switch op[0] {
		case "R":
			e.Kind, e.Data = event.Read, event.ReadOf(i)
		case "W":
			var n int64
			if _, err := fmt.Sscan(f[2], &n); err != nil {
				b.t.Fatalf("%s: %v", instr, err)
			}
			e.Kind, e.Data = event.Write, event.Const(event.Int(n))
		case "bar":
			e.Kind, e.Mnemonic, e.Barrier = event.Barrier, instr, "barrier "+f[1]
		default:
			e.Kind = event.Fence
		}
		if e.IsMem() {
			e.Addr = event.Const(event.AddressOf(b.loc(f[1])))
			e.Atomic = slices.Contains(op, "atom")
		}
		p.Events = append(p.Events, e)
	}
	return p
}

// relate fills in the relations of the structure.
func (b *builder) relate(s scenario) {
	for _, r := range []struct {
		to    rel.Rel
		pairs string
	}{{b.x.Addr, s.addr}, {b.x.Data, s.data}, {b.x.Ctrl, s.ctrl}, {b.x.Rmw, s.rmw}} {
		for _, p := range b.pairs(r.pairs) {
			r.to.Add(p[0], p[1])
		}
	}
}

// meet makes the waits of a round wait for its arrivals.
func (b *builder) meet(s scenario) {
	var awaited []event.Pair
	for _, round := range strings.Split(s.meet, ", ") {
		for _, arrival := range strings.Fields(round) {
			for _, wait := range strings.Fields(round) {
				a, w := b.named(arrival), b.named(wait)
				if !strings.Contains(b.x.Events[a].Mnemonic, "wait") &&
					!strings.Contains(b.x.Events[w].Mnemonic, "arrive") {
					awaited = append(awaited, event.Pair{a, w})
				}
			}
		}
	}
	b.x.AddRel("awaited", awaited)
	b.x.AddRel("syncbar", awaited)
}

// witness fills in rf, co and the values.
func (b *builder) witness(s scenario) {
	x := b.x
	n := x.N()
	x.Loc, x.Val, x.Rf = make([]event.Loc, n), make([]event.Value, n), make([]event.ID, n)
	x.Co, x.ThinAir = rel.New(n), rel.NewSet(n)
	for e := range x.Events {
		x.Loc[e], x.Rf[e] = event.NoLoc, -1
		if ev := &x.Events[e]; ev.IsMem() {
			addr, _ := ev.Addr.Eval(nil)
			x.Loc[e] = addr.Base
			if ev.Kind == event.Read {
				x.Rf[e] = x.Loc[e] // initial writes come first, location by location
			}
		}
	}
	for _, p := range b.pairs(s.rf) {
		x.Rf[p[1]] = p[0]
	}
	for e := range x.Events {
		if ev := &x.Events[e]; ev.Kind == event.Write {
			x.Val[e], _ = ev.Data.Eval(nil)
		}
	}
	for e, w := range x.Rf {
		if w >= 0 {
			x.Val[e] = x.Val[w]
		}
	}
	b.coherence(s)
}

func (b *builder) coherence(s scenario) {
	x := b.x
	isWrite := func(e int) bool { return x.Events[e].Kind == event.Write }
	swapped := b.pairs(s.co)
	for a := range x.N() {
		for c := a + 1; c < x.N(); c++ {
			switch {
			case !isWrite(a) || !isWrite(c) || x.Loc[a] != x.Loc[c]:
			case slices.Contains(swapped, [2]event.ID{c, a}):
				x.Co.Add(c, a)
			default:
				x.Co.Add(a, c)
			}
		}
	}
}

func (b *builder) pairs(s string) [][2]event.ID {
	var pairs [][2]event.ID
	for _, p := range strings.Split(s, ", ") {
		if f := strings.Fields(p); len(f) == 2 {
			pairs = append(pairs, [2]event.ID{b.named(f[0]), b.named(f[1])})
		}
	}
	return pairs
}

func (b *builder) named(name string) event.ID {
	i := slices.Index(b.x.Names(), name)
	if i < 0 {
		b.t.Fatalf("no event is called %q", name)
	}
	return i
}

// graph draws the scenario.
func (s scenario) graph(t testingT) *Graph {
	t.Helper()
	x := s.execution(t)
	b := &builder{t: t, x: x}
	var cycle []Edge
	for _, step := range strings.Split(s.cycle, ", ") {
		if f := strings.Fields(step); len(f) == 3 {
			cycle = append(cycle, Edge{From: b.named(f[0]), To: b.named(f[2]), Label: f[1]})
		}
	}
	return New(x, Options{Title: s.title, Subtitle: s.subtitle, Levels: gpu, Highlight: cycle})
}

// gpu is the levels of the threads here.
var gpu = []Level{{Name: "device"}, {Name: "grid"}, {Name: "cluster", Optional: true}, {Name: "CTA"}, {Name: "warp"}}

// at is a thread in a device, grid, cluster, CTA and warp.
func at(numbers ...int) event.Thread { return event.Thread{At: numbers} }

// intraCTA places threads in different warps of one CTA.
func intraCTA(n int) []event.Thread {
	ts := make([]event.Thread, n)
	for i := range ts {
		ts[i] = at(0, 0, 0, 0, i)
	}
	return ts
}

// scenarios are those of the golden files.
var scenarios = map[string]scenario{
	// ASPLOS 2015, Fig. 14.
	"mp-fig14": {
		title:    "mp + membar.cta + membar.gl",
		subtitle: "forbidden by cta-constraint",
		place:    intraCTA(2),
		code:     []string{"W.cg x 1, membar.cta, W.cg y 1", "R.cg y, membar.gl, R.cg x"},
		rf:       "b c",
		cycle:    "a membar.cta b, b rfe c, c membar.gl d, d fr a",
	},
	"sb": {
		title: "sb",
		code:  []string{"W.cg x 1, R.cg y", "W.cg y 1, R.cg x"},
	},
	// ASPLOS 2015, Fig. 1.
	"coRR": {
		title: "coRR",
		place: []event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 0)},
		code:  []string{"W.cg x 1", "R.cg x, R.cg x"},
		rf:    "a b",
		cycle: "a rf b, b po-loc c, c fr a",
	},
	"lock": {
		title: "atomics and dependencies",
		place: []event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 1), at(0, 0, 0, 1, 2)},
		code: []string{
			"W.cg x 1, membar.gl, R.atom l, W.atom l 0",
			"R.atom l, W.atom l 1, R.ca y, R.cg x, W.cg y 2",
			"W.cg x 2, R.ca y",
		},
		rf: "h j, i g", rmw: "b c, d e", co: "e c",
		ctrl: "d f, d g, d h", addr: "f g", data: "g h",
	},
	"barriers": {
		title: "two CTAs that meet, one with a bystander",
		place: []event.Thread{
			at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 1), at(0, 0, 0, 0, 2), at(0, 0, 0, 1, 3),
			at(0, 0, 0, 1, 4),
		},
		code: []string{
			"W x 1, bar.sync 0, R y, bar.sync 0",
			"W z 1, W z 2",
			"bar.sync 0, W y 1, bar.sync 0, R x",
			"bar.arrive 1, W u 1, bar.wait 1, R v",
			"W v 1, bar.arrive 1, bar.wait 1, R u",
		},
		rf:    "e b",
		meet:  "b1 b3, b2 b4, b5 b6 b7 b8",
		cycle: "a po b1, b1 syncbar b3, b3 po f, f fr a",
	},
	"iriw": {
		title: "iriw over two CTAs on two devices",
		place: []event.Thread{
			at(0, 0, 0, 0, 0),
			at(0, 0, 0, 0, 1),
			at(1, 1, 0, 1, 2),
			at(1, 1, 0, 1, 3),
		},
		code: []string{
			"W.cg x 1", "R.cg x, membar.sys, R.cg y", "W.cg y 1", "R.cg y, membar.sys, R.cg x",
		},
		rf:    "a b, d e",
		cycle: "a rfe b, b membar.sys c, c fr d, d rfe e, e membar.sys f, f fr a",
	},
}

// aliased returns an execution with accesses to x by its name and by c, the constant address of y,
// which is another virtual address of x. The name z is unused.
func aliased(t testingT) *event.Execution {
	x := scenario{code: []string{"W x 1, R x"}, rf: "a b"}.execution(t)
	s := *x.Structure
	s.Locs = []event.Location{
		{Name: "x"},
		{Name: "y", Alias: &event.Alias{Of: 0, Through: ""}},
		{Name: "c", Alias: &event.Alias{Of: 1, Through: "constant"}},
		{Name: "z", Alias: &event.Alias{Of: 0, Through: "surface"}},
	}
	x.Structure = &s
	x.Via = slices.Clone(x.Loc)
	x.Via[len(x.Via)-1] = 2
	return x
}
