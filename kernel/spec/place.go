package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Places in a contract: loops, barriers and instructions.

// place returns the kind of place and the instruction that statements are about, or nil.
func (b *binder) place(p *placed) (Where, *kernel.Instr) {
	where := map[string]Where{"": Point, "loop": Loop, "barrier": Barrier}[p.What]
	var all []*kernel.Instr
	switch where {
	case Loop:
		all = b.heads()
	case Barrier:
		all = b.barriers()
	default:
		all = b.kernel.Instrs
	}
	at := p.Place
	if where == Point {
		at = p.Point
	}
	switch {
	case len(all) == 0:
		b.wrong(p.Tree, "%s has no %s", b.kernel.Name, cmp.Or(p.What, "instruction"))
	case p.Nth != "":
		if n, err := strconv.Atoi(p.Nth); err == nil && 0 < n && n <= len(all) {
			return where, all[n-1]
		}
		b.wrong(p.Tree, "%s has %d %ss: they are counted from 1, in the order of the PTX", b.kernel.Name, len(all),
			p.What)
	case at != nil:
		return where, b.find(at, all)
	case b.text.next:
		if in := b.after(p.Pos.Offset); slices.Contains(all, in) {
			return where, in
		}
		b.wrong(p.Tree, "what follows is no %s", p.What)
	case len(all) == 1:
		return where, all[0]
	default:
		b.wrong(p.Tree, "%s has %d %ss: say which", b.kernel.Name, len(all), p.What).WithHint("%s 1, or %s at line 12",
			p.What, p.What)
	}
	return where, nil
}

// heads returns the first instructions of the loops.
func (b *binder) heads() (all []*kernel.Instr) {
	flow := b.kernel.Flow()
	var visit func(order []kernel.Loop)
	visit = func(order []kernel.Loop) {
		for _, l := range order {
			if l.Back {
				all = append(all, b.kernel.Instrs[flow.Blocks[l.Head].First])
			}
			visit(l.Body)
		}
	}
	visit(flow.Order)
	return all
}

// barriers returns the barriers of the block.
func (b *binder) barriers() (all []*kernel.Instr) {
	for _, in := range b.kernel.Instrs {
		if op, err := isa.Decode(in.Opcode); err == nil && op.Class() == isa.ClassBarrier && !op.Warp {
			all = append(all, in)
		}
	}
	return all
}

// after returns the instruction that follows a comment, or the last one, or nil if the kernel is
// empty.
func (b *binder) after(offset int) *kernel.Instr {
	for _, in := range b.kernel.Instrs {
		if in.At.Start > offset {
			return in
		}
	}
	if n := len(b.kernel.Instrs); n > 0 {
		return b.kernel.Instrs[n-1]
	}
	return nil
}

// find returns the first of some instructions at a place, or nil. A label must be unique among the
// blocks.
func (b *binder) find(p *place, all []*kernel.Instr) *kernel.Instr {
	var found *kernel.Instr
	for _, in := range all {
		switch {
		case !b.is(p, in):
		case p.Label == "":
			return in
		case found != nil:
			b.wrong(p.Tree, "several blocks of %s have a label %s", b.kernel.Name, p.Label).
				WithHint("say the line: ptx line %d or ptx line %d", found.At.Pos().Line, in.At.Pos().Line)
			return nil
		default:
			found = in
		}
	}
	if found != nil {
		return found
	}
	d := b.wrong(p.Tree, "nothing of this kind is here")
	var labels, lines []string
	for _, in := range all {
		labels = append(labels, in.Labels...)
		if in.Place != nil {
			lines = append(lines, strconv.Itoa(in.Place.Line))
		}
	}
	if p.Label != "" {
		d.WithHint("%s", nearest(p.Label, labels, "it has no labels"))
	} else {
		d.WithHint("%s",
			nearest(p.Line+p.Of, lines,
				"the module says no lines of its source: ptx line and a number is one of its own"))
	}
	return nil
}

// is reports whether an instruction is at a place.
func (b *binder) is(p *place, in *kernel.Instr) bool {
	if p.Label != "" {
		return slices.Contains(in.Labels, p.Label)
	}
	line := in.At.Pos().Line
	if !p.PTX {
		if in.Place == nil || !b.inFile(p.File, in.Place.File) {
			return false
		}
		line = in.Place.Line
	}
	return strconv.Itoa(line) == p.Line+p.Of
}

// inFile reports whether a place is in a file of the source. A place without a file name is in the
// file in which the kernel begins.
func (b *binder) inFile(name string, file int) bool {
	if name != "" {
		return strings.HasSuffix(b.module.Sources[file], strings.Trim(name, `"`))
	}
	for _, in := range b.kernel.Instrs {
		if in.Place != nil {
			return in.Place.File == file
		}
	}
	return false
}
