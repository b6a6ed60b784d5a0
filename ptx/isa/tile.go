package isa

import "strings"

// Tile is the part of matrices that the lanes of a warp together load from memory or store to it
// (PTX ISA, "ldmatrix", "stmatrix", "wmma.load", "wmma.store").
type Tile struct {
	Store bool
	Space Space
	Trans bool // of matrices whose rows have addresses of their own: a lane has parts of columns
	Rows  int  // the number of lanes, from lane 0 on, that give the address of one row each; 0 if all lanes give that of the matrix
	Lines int  // if Rows is 0, the number of rows, which are a stride apart
	// Column reports whether the lines are columns.
	Column bool
	Bytes  int // of a row or a line, side by side in memory
	Bits   int // of an element: strides count them
}

// RowBytes is the size of a row of 8 elements of 16 bits. RowLanes is the number of lanes that
// share a row (PTX ISA, "ldmatrix": "a group of four threads").
const (
	RowBytes = 16
	RowLanes = 4
	rowCount = 8 // of a matrix
)

// Tile returns what the instruction moves, or nil if it moves no tile or a tile of an unknown
// shape.
func (o *Opcode) Tile() *Tile {
	if o.Code != Matrix {
		return nil
	}
	parts := strings.Split(o.Text, ".")
	switch parts[0] {
	case "ldmatrix", "stmatrix":
		return rowsOf(parts)
	case "wmma":
		return linesOf(parts[1:])
	}
	return nil
}

// rowsOf returns the tile of ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16, and of stmatrix.
func rowsOf(parts []string) *Tile {
	t := &Tile{Store: parts[0] == "stmatrix", Bytes: RowBytes, Bits: 16}
	for i, part := range parts[1:] {
		switch part {
		case "sync", "aligned", "m8n8", "b16":
		case "x1", "x2", "x4":
			t.Rows = rowCount * int(part[1]-'0')
		case "trans":
			t.Trans = true
		case "shared":
			t.Space = Shared
		case "shared::cta":
			t.Space = Shared
		default:
			return nil
		}
		if i == len(parts)-2 && part != "b16" {
			return nil
		}
	}
	if t.Rows == 0 {
		return nil
	}
	return t
}

// fragments are the shapes of the matrices that wmma multiplies: m rows and k columns of the first,
// n columns of the second (PTX ISA, "Matrix Shape").
var fragments = map[string]struct{ m, n, k int }{
	"m16n16k16": {16, 16, 16}, "m8n32k16": {8, 32, 16}, "m32n8k16": {32, 8, 16}, "m16n16k8": {16, 16, 8}, "m8n8k4": {8, 8, 4}, "m8n8k32": {8, 8, 32}, "m8n8k128": {8, 8, 128},
}

// elementBits are the elements of such matrices.
var elementBits = map[string]int{
	"f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}

// linesOf returns the tile of wmma.load.a.sync{.aligned}.layout.shape{.ss}.type, and its kin.
func linesOf(parts []string) *Tile {
	if len(parts) < 6 || parts[0] != "load" && parts[0] != "store" {
		return nil
	}
	t := &Tile{Store: parts[0] == "store"}
	which := parts[1]
	var rows, columns int
	for _, part := range parts[2:] {
		switch part {
		case "sync", "aligned", "row":
		case "col":
			t.Column = true
		case "global":
			t.Space = Global
		case "shared", "shared::cta":
			t.Space = Shared
		default:
			shape, known := fragments[part]
			bits := elementBits[part]
			switch {
			case known:
				rows, columns = map[string]int{"a": shape.m, "b": shape.k, "c": shape.m, "d": shape.m}[which], map[string]int{"a": shape.k, "b": shape.n, "c": shape.n, "d": shape.n}[which]
			case bits > 0:
				t.Bits = bits
			default:
				return nil
			}
		}
	}
	if rows == 0 || t.Bits == 0 {
		return nil
	}
	if t.Column {
		rows, columns = columns, rows
	}
	t.Lines, t.Bytes = rows, columns*t.Bits/8
	return t
}

// AsyncCopy is an instruction of copies that a thread makes while it goes on (PTX ISA, "cp.async").
type AsyncCopy uint8

// What a thread does about them.
const (
	NoCopy     AsyncCopy = iota
	CopyStart            // cp.async itself
	CopyCommit           // what was begun and is in no group yet becomes one
	CopyWait             // for all groups but the last ones
	CopyFinish           // for all, whether in a group or not
)

// AsyncCopy returns the role of the instruction in asynchronous copies of a thread.
func (o *Opcode) AsyncCopy() AsyncCopy {
	rest, ok := strings.CutPrefix(o.Text, "cp.async.")
	if !ok {
		return NoCopy
	}
	switch part, _, _ := strings.Cut(rest, "."); part {
	case "ca", "cg":
		return CopyStart
	case "commit_group":
		return CopyCommit
	case "wait_group":
		return CopyWait
	case "wait_all":
		return CopyFinish
	}
	return NoCopy
}

// CopyHint reports whether the last operand of cp.async is a cache policy.
func (o *Opcode) CopyHint() bool { return strings.Contains(o.Text, ".L2::cache_hint") }
