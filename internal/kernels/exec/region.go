package exec

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// addresses are the arrays that the thread may access, and the terms that are addresses of them.
type addresses struct {
	run       *run
	terms     *term.Builder
	entry     bool // it is a kernel that is executed, and no function on its own
	vars      map[*kernel.Variable]*trace.Region
	leaves    map[*term.Term]*trace.Region // terms that are addresses of regions
	based     map[*term.Term]bool          // whether a term has such a leaf
	taken     map[*trace.Region]bool       // memory of the thread's own whose address was taken
	params    map[string]*term.Term
	functions []*term.Term // addresses of functions
}

// dynamic is the name of the shared memory whose size the launch says: all variables that stand for
// it begin at the same address.
const dynamic = "dynamic shared memory"

// region returns the memory of a variable.
func (m *addresses) region(v *kernel.Variable) *trace.Region {
	if r := m.vars[v]; r != nil {
		return r
	}
	r := &trace.Region{Name: v.Name, Space: v.Space, Variable: v, Private: v.Space == isa.Local || v.Space == isa.Param}
	if v.Space == isa.Shared && v.Linkage == kernel.Extern && v.Size() == 0 {
		for _, other := range m.vars {
			if other.Name == dynamic {
				r = other
			}
		}
		r.Name = dynamic
	}
	for _, other := range m.vars { // one of another function may have the same name
		if other != r && other.Name == r.Name {
			r.Name = fmt.Sprintf("%s (line %d)", v.Name, v.At.Pos().Line)
		}
	}
	m.vars[v] = r
	return r
}

// leaf returns the address of a region.
func (m *addresses) leaf(r *trace.Region, width int) *term.Term {
	t := m.terms.Var(fmt.Sprintf("&%s:%d", r.Name, width), width)
	m.leaves[t], m.taken[r] = r, true
	return t
}

// scalar returns a parameter as the configuration has it.
func (m *addresses) scalar(key, name string, width int) *term.Term {
	b := m.terms
	if v, ok := m.run.config.Params.Values[name]; ok {
		return b.Const(v, width)
	}
	t := b.Var(key, width)
	if least, ok := m.run.config.Params.Least[name]; ok && m.entry {
		if least >= 0 {
			t = b.ZExt(b.UpTo(key, term.Mask(width-1)), width)
		}
		m.run.rec.Trace.Geometry = append(m.run.rec.Trace.Geometry, b.SLe(b.Const(uint64(least)&term.Mask(width), width), t))
	}
	return t
}

// parameter returns a part of the parameters of the kernel. One of 64 bits may be a pointer.
func (m *addresses) parameter(r *trace.Region, offset int64, size int) *term.Term {
	name := r.Name
	if offset != 0 || size != r.Variable.Size() {
		name = fmt.Sprintf("%s+%d", name, offset)
	}
	key := fmt.Sprintf("%s:%d", name, size)
	if t := m.params[key]; t != nil {
		return t
	}
	t := m.scalar(key, name, 8*size)
	if _, number := t.Value(); size == 8 && !number {
		pointee := isa.Global
		if r.Variable.Points != isa.Generic {
			pointee = r.Variable.Points
		}
		m.leaves[t] = &trace.Region{Name: name, Space: pointee, Pointer: r.Variable.Pointer, Align: r.Variable.PtrAlign}
	}
	if !m.entry {
		t = m.argument(t, name)
	}
	m.params[key] = t
	m.run.rec.Trace.Params = append(m.run.rec.Trace.Params, trace.Param{Variable: r.Variable, Offset: int(offset), Size: size, Term: t})
	return t
}

// argument returns a parameter of a function on its own: each thread has one of its own. If it is a
// pointer, it leads anywhere into one array.
func (m *addresses) argument(t *term.Term, name string) *term.Term {
	own := m.run.fresh(name, t.Width())
	if m.leaves[t] != nil {
		return m.terms.Add(t, own)
	}
	return own
}

// place is a possible target of an address: under a condition, an offset of 64 bits into a region.
type place struct {
	when   *term.Term
	region *trace.Region
	offset *term.Term
}

// noArray is the region of addresses that are numbers, such as null pointers, and of addresses
// about which nothing else is known.
var noArray = &trace.Region{Name: "address", Space: isa.Generic, Null: true}

// places returns the regions that an address may point into. They are empty if it is not known
// which.
func (m *addresses) places(t *term.Term) []place {
	return m.placesIn(t, nil)
}

// placesIn is places with a memo of choices: choices may share parts.
func (m *addresses) placesIn(t *term.Term, known map[*term.Term][]place) []place {
	b := m.terms
	if r := m.leaves[t]; r != nil {
		return []place{{b.Bool(true), r, b.Const(0, 64)}}
	}
	switch args := t.Args(); t.Op() {
	case term.Const:
		return []place{{b.Bool(true), noArray, b.Const(t.Constant(), 64)}}
	case term.ZExt:
		return m.placesIn(args[0], known)
	case term.Extract:
		if t.Low() == 0 && t.Width() == 32 {
			return m.placesIn(args[0], known)
		}
	case term.Ite:
		all, ok := known[t]
		if !ok {
			if known == nil {
				known = map[*term.Term][]place{}
			}
			all = m.choice(args[0], m.placesIn(args[1], known), m.placesIn(args[2], known))
			known[t] = all
		}
		return slices.Clone(all)
	case term.Sum:
		if base := m.base(t); base != nil {
			return m.beyond(m.placesIn(base, known), b.SExt(b.Sub(t, base), 64))
		}
	case term.Or:
		if low, ok := args[1].Value(); ok {
			return m.joined(m.placesIn(args[0], known), low)
		}
	}
	return nil
}

// beyond moves places by a number of bytes.
func (m *addresses) beyond(all []place, bytes *term.Term) []place {
	for i := range all {
		all[i].offset = m.terms.Add(all[i].offset, bytes)
	}
	return all
}

// joined returns the places with their lowest bits set, which are 0 because of their alignment:
// compilers add a small number to an address like that. It returns none if these bits may not be 0.
func (m *addresses) joined(all []place, low uint64) []place {
	for _, p := range all {
		if low >= p.region.Alignment() || p.offset.Ones()&low != 0 {
			return nil
		}
	}
	return m.beyond(all, m.terms.Const(low, 64))
}

// choice returns the places of either of two addresses: those in one region become one.
func (m *addresses) choice(c *term.Term, x, y []place) (all []place) {
	b := m.terms
	if x == nil || y == nil {
		return nil
	}
	for _, p := range x {
		made := place{b.And(c, p.when), p.region, p.offset}
		for _, q := range y {
			if q.region == p.region {
				made.when, made.offset = b.Ite(c, p.when, q.when), b.Ite(c, p.offset, q.offset)
			}
		}
		all = append(all, made)
	}
	for _, q := range y {
		both := false
		for _, p := range x {
			both = both || p.region == q.region
		}
		if !both {
			all = append(all, place{b.And(b.Not(c), q.when), q.region, q.offset})
		}
	}
	return all
}

// base returns the operand of a sum that is an address: it has the coefficient 1, and if there are
// several, only one is sure to be a pointer.
func (m *addresses) base(t *term.Term) (base *term.Term) {
	var sure, maybe []*term.Term
	for i, a := range t.Args() {
		switch {
		case t.Coef(i) != 1 || !m.addresses(a):
		case m.pointer(a):
			sure = append(sure, a)
		default:
			maybe = append(maybe, a)
		}
	}
	switch {
	case len(sure) == 1:
		return sure[0]
	case len(sure) == 0 && len(maybe) == 1:
		return maybe[0]
	}
	return nil
}

// addresses reports whether an address of a region is in a term.
func (m *addresses) addresses(t *term.Term) bool {
	if m.leaves[t] != nil {
		return true
	}
	found, ok := m.based[t]
	if !ok {
		for _, a := range t.Args() {
			found = found || m.addresses(a)
		}
		m.based[t] = found
	}
	return found
}

// pointer reports whether a term is sure to be an address.
func (m *addresses) pointer(t *term.Term) bool {
	return m.pointerBut(t, map[*term.Term]bool{})
}

// pointerBut is pointer without the choices that have been seen.
func (m *addresses) pointerBut(t *term.Term, seen map[*term.Term]bool) bool {
	if r := m.leaves[t]; r != nil {
		return r.Variable != nil || r.Pointer
	}
	switch args := t.Args(); t.Op() {
	case term.Ite:
		if seen[t] {
			return false
		}
		seen[t] = true
		return m.pointerBut(args[1], seen) || m.pointerBut(args[2], seen)
	case term.Sum:
		for i, a := range args {
			if t.Coef(i) == 1 && m.pointerBut(a, seen) {
				return true
			}
		}
	case term.ZExt, term.Extract, term.Or:
		return m.pointerBut(args[0], seen)
	}
	return false
}
