package rules

import (
	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Tiles says which lanes touch the matrices that a warp moves together.
//
// It recognises ldmatrix, stmatrix, wmma.load and wmma.store. A lane that gives the address of a
// row stands for the lanes that touch the row (docs/design/verify.md). Another lane touches a part
// of that row (PTX ISA, "ldmatrix"), so the thread itself may be the second thread of a race,
// unless its lanes touch the same parts of rows by both instructions. If the address is that of a
// line of the whole matrix, each lane of the warp has its own part, and two threads at one such
// access share nothing.
var Tiles = &ask.Rule{Name: "tiles", Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	return &tiles{a}, true
}}

type tiles struct{ a *ask.Asker }

// Actors returns the thread itself, too, if it gives addresses of rows to others.
func (r *tiles) Actors(first, other *trace.Access) []*ask.Thread {
	t := r.a.Threads()
	if isReadOnly(first, other) || t.SameBlock == nil || rowsOf(first) == rowsOf(other) || first.Lines() > 0 || other.Lines() > 0 {
		return nil
	}
	return []*ask.Thread{t.SameThread}
}

// Apart returns the condition that two threads at one access are of different warps, or in
// different iterations: of a matrix that a warp moves, one of its lanes has each part.
func (r *tiles) Apart(p ask.Pair) *term.Term {
	b := r.a.Terms()
	if p.First != p.Other || p.Thread.OtherBlock || p.First.Lines() == 0 {
		return b.Bool(true)
	}
	same := p.Thread.SameWarp()
	for _, i := range p.First.Rounds {
		same = b.And(same, b.Eq(i, p.Theirs(i)))
	}
	return b.Not(same)
}

// handling is the way in which lanes touch rows: a row as a whole, parts of columns, or not by
// others.
type handling uint8

const (
	alone handling = iota
	byRows
	byColumns
)

func rowsOf(x *trace.Access) handling {
	switch {
	case x.Tile == nil || x.Tile.Rows == 0:
		return alone
	case x.Tile.Trans:
		return byColumns
	}
	return byRows
}

// ByOthers reports whether other lanes touch a row to which the thread gives the address.
func ByOthers(x *trace.Access) bool { return rowsOf(x) != alone }

// Toucher returns a lane that touches a byte of a row, to which another gives the address (PTX ISA,
// "ldmatrix": a group of four threads has a row, or of a transposed matrix each lane a part of
// two); it is the lane itself if it is the other of the alarm.
func Toucher(t *isa.Tile, lane, byteOfRow uint64) uint64 {
	row := lane % 8
	if t.Trans {
		return byteOfRow/2*isa.RowLanes + row/2
	}
	return row*isa.RowLanes + byteOfRow/4
}
