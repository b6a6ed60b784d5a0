package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Lanes of a warp move matrices together (ldmatrix, stmatrix, wmma.load, wmma.store). A lane that gives the address of a row stands for those
// that touch it: see RATIONALE.md, "Who reads the row of a matrix?".

// actors are the second threads of a question about two accesses. Of a row to which a thread gives the address, another lane touches a part: so
// the thread itself may be the second one, too, unless its lanes touch the same parts of rows by both instructions.
func (q *questions) actors(a, b *symbolic.Access) []*second {
	all := q.seconds(a.Region.Space != isa.Shared)
	if readOnly(a, b) {
		return append(all, q.itself(a, b))
	}
	if rows, others := rowsOf(a), rowsOf(b); q.near != nil && rows != others && a.Lines() == 0 && b.Lines() == 0 {
		all = append(all, q.self)
	}
	return all
}

// handling is how lanes touch rows: a row as a whole, parts of columns, or not by others.
type handling uint8

const (
	alone handling = iota
	byRows
	byColumns
)

func rowsOf(a *symbolic.Access) handling {
	switch {
	case a.Tile == nil || a.Tile.Rows == 0:
		return alone
	case a.Tile.Trans:
		return byColumns
	}
	return byRows
}

// eachItsPart is that two threads at one access do not share what they do there: of a copy by a block, one of them has each element, and
// of a matrix that a warp moves, one of its lanes each part.
func (q *questions) eachItsPart(a, b *symbolic.Access, s *second) *term.Term {
	switch {
	case a != b || s.far:
	case a.Copy != nil && a.Copy.Element != nil:
		return q.Ne(a.Copy.Element, s.Term(a.Copy.Element))
	case a.Lines() > 0:
		same := q.sameWarp(s)
		for _, r := range a.Rounds {
			same = q.And(same, q.Eq(r, s.Term(r)))
		}
		return q.Not(same)
	}
	return q.Bool(true)
}

// toucher is a lane that touches a byte of a row, to which another gives the address (PTX ISA, "ldmatrix": a group of four threads has a
// row, or of a transposed matrix each lane a part of two); it is the lane itself if it is the other of the alarm.
func toucher(t *isa.Tile, lane, byteOfRow uint64) uint64 {
	row := lane % 8
	if t.Trans {
		return byteOfRow/2*isa.RowLanes + row/2
	}
	return row*isa.RowLanes + byteOfRow/4
}

// touches has the point of an alarm be about the lane that touches a row, and not about the one that gives its address: one that is not the
// other thread of the alarm, if there is one in the block.
func (a *Alarm) touches(i int, of *symbolic.Access) {
	p, other := &a.Points[i], &a.Points[1-i]
	if of == nil || rowsOf(of) == alone || p.Block != other.Block {
		return
	}
	block := a.Launch.Block
	linear := p.Thread[0] + uint64(block[0])*(p.Thread[1]+uint64(block[1])*p.Thread[2])
	from := max(other.Access.Offset-p.Access.Offset, 0)
	for at := from; at < isa.RowBytes && at < other.Access.Offset+int64(other.Access.Size)-p.Access.Offset; at++ {
		n := linear/warp*warp + toucher(of.Tile, linear%warp, uint64(at))
		thread := [3]uint64{n % uint64(block[0]), n / uint64(block[0]) % uint64(block[1]), n / uint64(block[0]*block[1])}
		if thread != other.Thread && n < uint64(block[0]*block[1]*block[2]) {
			p.Thread = thread
			return
		}
	}
}
