package event

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/rel"
)

// copying returns an execution of a thread that writes x, has x copied to y, waits, and reads y.
// Its events are
//
//	0  init  x=0    1  init  y=0    2  a: W x=1
//	3  b: R x=1    4  c: W y=1     5  f1: wait    6  d: R y=1
//
// Events 3 and 4 belong to an agent.
func copying() *Execution {
	locs := []Location{{Name: "x", Init: Int(0)}, {Name: "y", Init: Int(0)}}
	path := &Path{
		Events: []Event{
			{Kind: Write, Addr: at(0), Data: integer(1)},
			{Kind: Read, Addr: at(0), Data: ReadOf(1), Agent: 1},
			{Kind: Write, Addr: at(1), Data: ReadOf(1), Agent: 1},
			{Kind: Fence, Mnemonic: "wait"},
			{Kind: Read, Addr: at(1), Data: ReadOf(4)},
		},
		Data:   []Pair{{1, 2}},
		Issue:  []Pair{{0, 1}, {0, 2}},
		Within: []Pair{{1, 2}}, Complete: []Pair{{1, 3}, {2, 3}},
	}
	s := Join(locs, []Thread{{Name: "T0"}}, []*Path{path})
	s.AddRel("awaited", nil)
	s.AddRel("syncbar", nil)
	return &Execution{
		Structure: s,
		Loc:       []Loc{0, 1, 0, 0, 1, NoLoc, 1},
		Val:       []Value{Int(0), Int(0), Int(1), Int(1), Int(1), {}, Int(1)},
		Rf:        []ID{-1, -1, -1, 2, -1, -1, 4},
		Co:        rel.Of(7, [2]int{0, 2}, [2]int{1, 4}),
		ThinAir:   rel.NewSet(7),
	}
}

// TestAgent: what a thread has done asynchronously is in no program order, and is placed by
// relations of its own.
func TestAgent(t *testing.T) {
	x := copying()
	if err := x.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]rel.Rel{
		"po":       pairs(7, "2-5 2-6 5-6"),
		"issue":    pairs(7, "2-3 2-4"),
		"within":   pairs(7, "3-4"),
		"complete": pairs(7, "3-5 4-5"),
		"data":     pairs(7, "3-4"),
	} {
		if got, ok := x.Rel(name); !ok || !got.Equal(want) {
			t.Errorf("%s = %v, %v, want %v", name, got, ok, want)
		}
	}
	if got, ok := x.Set("AGENT"); !ok || !got.Equal(events(7, "3 4")) {
		t.Errorf("AGENT = %v, %v", got, ok)
	}
}

// TestValidateAgent: each relation of asynchronous operations has ends of its own.
func TestValidateAgent(t *testing.T) {
	for name, breaks := range map[string]func(*Structure){
		"issue starts in the operation":  func(s *Structure) { s.Issue = append(s.Issue, Pair{3, 4}) },
		"issue goes back":                func(s *Structure) { s.Issue = append(s.Issue, Pair{5, 4}) },
		"within leaves the operation":    func(s *Structure) { s.Within = append(s.Within, Pair{4, 5}) },
		"complete ends in the operation": func(s *Structure) { s.Complete = append(s.Complete, Pair{3, 4}) },
		"the thread has done it itself":  func(s *Structure) { s.Events = slices.Clone(s.Events); s.Events[3].Agent = 0 },
	} {
		x := copying()
		breaks(x.Structure)
		if x.Validate() == nil {
			t.Errorf("%s: that is valid", name)
		}
	}
}

// TestCloneAgent: paths that share a beginning do not write into each other's relations.
func TestCloneAgent(t *testing.T) {
	p := &Path{Issue: make([]Pair, 1, 4), Within: make([]Pair, 1, 4), Complete: make([]Pair, 1, 4)}
	q := p.Clone()
	q.Issue, q.Within, q.Complete = append(q.Issue, Pair{1, 2}), append(q.Within, Pair{1, 2}), append(q.Complete, Pair{1, 2})
	p.Issue, p.Within, p.Complete = append(p.Issue, Pair{3, 4}), append(p.Within, Pair{3, 4}), append(p.Complete, Pair{3, 4})
	for _, of := range [][]Pair{q.Issue, q.Within, q.Complete} {
		if of[1] != (Pair{1, 2}) {
			t.Errorf("a path has %v of its clone", of)
		}
	}
}
