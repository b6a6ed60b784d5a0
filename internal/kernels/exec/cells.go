package exec

import (
	"slices"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// cells are the known contents of a region of a thread's own memory: values sorted by offset,
// without overlaps. Bytes outside the cells may be anything. Cells are shared and never changed.
type cells []cell

type cell struct {
	offset int64
	size   int // bytes
	value  *term.Term
}

func (c cell) end() int64 { return c.offset + int64(c.size) }

// write returns the cells after a write.
func (all cells) write(w cell) cells {
	made := make(cells, 0, len(all)+1)
	for _, c := range all {
		if c.end() <= w.offset || w.end() <= c.offset {
			made = append(made, c)
		}
	}
	at, _ := slices.BinarySearchFunc(made, w.offset, func(c cell, offset int64) int { return int(c.offset - offset) })
	return slices.Insert(made, at, w)
}

// parts returns the cells that cover bytes [offset, offset+size), in order; false if some byte is
// unknown.
func (all cells) parts(offset int64, size int) (parts []cell, ok bool) {
	next := offset
	for _, c := range all {
		if c.end() <= next || next >= offset+int64(size) {
			continue
		}
		if c.offset > next {
			return nil, false
		}
		parts = append(parts, c)
		next = c.end()
	}
	return parts, next >= offset+int64(size)
}

// read returns the value of some bytes; nil if not all are known.
func (all cells) read(b *term.Builder, offset int64, size int) *term.Term {
	parts, ok := all.parts(offset, size)
	if !ok {
		return nil
	}
	var value *term.Term
	for _, c := range parts {
		from, to := max(c.offset, offset), min(c.end(), offset+int64(size))
		part := b.Extract(c.value, int(from-c.offset)*8, int(to-from)*8)
		if value == nil {
			value = part
		} else {
			value = concat(b, part, value)
		}
	}
	return value
}

// concat puts one value above another. Parts of one term that lie side by side are one part again.
func concat(b *term.Builder, high, low *term.Term) *term.Term {
	width := high.Width() + low.Width()
	whole, at := high, 0
	if high.Op() == term.Extract {
		whole, at = high.Args()[0], high.Low()
	}
	if low.Op() == term.Extract && low.Args()[0] == whole && low.Low()+low.Width() == at {
		return b.Extract(whole, low.Low(), width)
	}
	return b.Or(b.Shl(b.ZExt(high, width), b.Const(uint64(low.Width()), width)), b.ZExt(low, width))
}

// mergeCells returns what two ways know alike: cells that both have, with either value.
func mergeCells(x, y cells, choose func(a, b *term.Term) *term.Term) cells {
	if len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0]) {
		return x
	}
	var made cells
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		a, b := x[i], y[j]
		switch {
		case a.offset == b.offset && a.size == b.size:
			made = append(made, cell{a.offset, a.size, choose(a.value, b.value)})
			i, j = i+1, j+1
		case a.end() <= b.end():
			i++
		default:
			j++
		}
	}
	return made
}
