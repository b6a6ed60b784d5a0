package ptx

import (
	"iter"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// This file finds wrong use of mbarriers in the code. Wrong use that depends on the execution is an
// error of the operation (transition.Apply).

// mbarrierNames returns the locations that operations on mbarriers name, each with its first
// operation.
func (b *builder) mbarrierNames() map[event.Loc]*Instr {
	all := map[event.Loc]*Instr{}
	for _, t := range b.prog.code {
		for _, in := range t.code {
			if l, ok := b.mbarrierOf(in); ok && all[l] == nil {
				all[l] = in
			}
		}
	}
	return all
}

// mbarrierOf returns the location of the mbarrier that an instruction names, and false if it names
// none.
func (b *builder) mbarrierOf(in *Instr) (event.Loc, bool) {
	if in.Op.Form == nil {
		return event.NoLoc, false
	}
	o := in.place("bar")
	if o == nil || o.Kind != Location {
		return event.NoLoc, false
	}
	return event.Physical(b.prog.Locs, o.Loc) + int(o.Offset/event.ElemSize), true
}

// checkMbarriers reports mbarriers that are also accessed as data. Their contents are opaque to
// programs (PTX ISA, "mbarrier": other operations are undefined until mbarrier.inval).
func (b *builder) checkMbarriers() {
	bars := b.mbarrierNames()
	if len(bars) == 0 {
		return
	}
	reused := b.invalidated()
	for _, t := range b.prog.code {
		for _, in := range t.code {
			for o := range in.accessed() {
				l := event.Physical(b.prog.Locs, o.Loc) + int(o.Offset/event.ElemSize)
				if bar := bars[l]; bar != nil && !reused[l] {
					b.diags.Errorf(o.At, "%s accesses %s, which is the mbarrier of %s", in.Opcode, o.Text, bar.Opcode).
						WithHint("what an mbarrier contains is opaque; give data a location of its own")
				}
			}
		}
	}
	for _, r := range b.test.Mentions() {
		l, ok := b.prog.Loc(r.Name, r.Index)
		if bar := bars[l]; ok && r.Thread < 0 && bar != nil {
			b.diags.Errorf(r.At, "%s is an mbarrier, which has no value that programs see", r.Name).
				WithHint("ask for a register that a wait sets, or for data that it guards")
		}
	}
}

// invalidated returns the mbarriers that some thread invalidates.
func (b *builder) invalidated() map[event.Loc]bool {
	all := map[event.Loc]bool{}
	for _, t := range b.prog.code {
		for _, in := range t.code {
			if l, ok := b.mbarrierOf(in); ok && in.Op.Form.Head == "mbarrier.inval" {
				all[l] = true
			}
		}
	}
	return all
}

// accessed returns the locations that an instruction names and accesses, but for mbarriers.
func (in *Instr) accessed() iter.Seq[*Operand] {
	return func(yield func(*Operand) bool) {
		if in.Addr != nil && in.Addr.Kind == Location && !yield(in.Addr) {
			return
		}
		for i := range in.Places {
			if o := &in.Places[i]; o.Role != "bar" && o.Kind == Location && !yield(o) {
				return
			}
		}
	}
}

// checkInitialised reports mbarriers that two threads initialise without an mbarrier.inval in
// between.
func (b *builder) checkInitialised() {
	if !slices.ContainsFunc(b.prog.code, func(t *thread) bool { return t.mbarriers != nil }) {
		return
	}
	reused := b.invalidated()
	first := map[event.Loc]int{}
	for t, code := range b.prog.code {
		for l := range code.mbarriers {
			l = event.Physical(b.prog.Locs, l)
			if by, twice := first[l]; twice && !reused[l] {
				b.diags.Errorf(b.initialisation(code, l), "%s initialises %s, and so does %s", code.name, b.prog.Locs[l].Name, b.prog.Threads[by].Name).
					WithHint("mbarrier.inval must come before another mbarrier.init")
			}
			first[l] = t
		}
	}
}

// initialised returns the mbarriers that a thread initialises on some path, or nil.
func (t *thread) initialised() (all map[event.Loc]bool) {
	for _, p := range t.paths {
		for i := range p.Events {
			e := &p.Events[i]
			at, known := e.Addr.(event.Const)
			c, _ := e.Data.(event.Const)
			if e.Kind == event.Write && e.Tags&mbarrierTag != 0 && known && event.Value(c).IsOpaque() {
				if l, err := event.Resolve(t.locs, event.Value(at)); err == nil {
					if all == nil {
						all = map[event.Loc]bool{}
					}
					all[l] = true
				}
			}
		}
	}
	return all
}

// initialisation returns the place where a thread initialises an mbarrier.
func (b *builder) initialisation(t *thread, l event.Loc) (at src.Span) {
	for _, in := range t.code {
		if in.Op.Form == nil || in.Op.Form.Head != "mbarrier.init" {
			continue
		}
		if m, named := b.mbarrierOf(in); !named || m == l {
			at = in.At
		}
	}
	return at
}
