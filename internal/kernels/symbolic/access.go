package symbolic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// point is where a thread is, where a condition holds, too.
func (m *machine) point(s *state, when *term.Term) Point {
	return m.rec.stamp(Point{
		Instr: m.at, Calls: slices.Clone(m.calls),
		Guard: m.And(m.guards.Term(s.guard), when),
	})
}

// target is where an operand in brackets points to.
func (m *machine) target(s *state, o kernel.Operand) []place {
	if o.Kind != kernel.Address || len(o.List) != 1 {
		m.refuse("", "this address of %s is not modelled", m.at.Opcode)
	}
	var t *term.Term
	switch base := o.List[0]; {
	case base.Kind == kernel.Var:
		offset := m.Const(uint64(o.Offset+base.Offset), 64)
		return []place{{m.Bool(true), m.region(base.Variable), offset}}
	case base.Kind == kernel.Integer:
		t = m.Const(base.Bits+uint64(o.Offset), 64)
	case base.Kind == kernel.Reg && base.Part == "":
		t = m.register(s, base.Register)
		t = m.Add(t, m.Const(uint64(o.Offset), t.Width()))
	default:
		m.refuse("", "this address of %s is not modelled", m.at.Opcode)
	}
	if all := m.places(t); len(all) > 0 {
		return all
	}
	return []place{{m.Bool(true), numbers, m.fit(t, 64, false)}}
}

// access executes ld and st. A third operand is a cache policy.
func (m *machine) access(s *state, in *kernel.Instr, op *instruction) {
	if len(in.Ops) < 2 || len(op.Types) == 0 || op.Types[0].Bits > 64 {
		m.refuse("", "%s is not modelled", in.Opcode)
	}
	t := op.Types[0].Int()
	if op.Code == isa.St {
		m.store(s, in, op, t)
		return
	}
	list := []kernel.Operand{in.Ops[0]}
	if in.Ops[0].Kind == kernel.Vector {
		list = in.Ops[0].List
	}
	values := m.load(s, op, m.target(s, in.Ops[1]), t.Bits/8, len(list))
	for i, d := range list {
		m.set(s, d, values[i], t.Signed)
	}
}

// load is the values of n elements of so many bytes.
func (m *machine) load(s *state, op *instruction, from []place, size, n int) []*term.Term {
	var values []*term.Term
	for i, p := range from {
		got := m.loadPlace(s, op, p, size, n)
		if i == 0 {
			values = got
			continue
		}
		for j := range values {
			values[j] = m.Ite(p.when, got[j], values[j])
		}
	}
	return values
}

func (m *machine) loadPlace(s *state, op *instruction, p place, size, n int) []*term.Term {
	m.within(s, p, size*n)
	values := make([]*term.Term, n)
	shared := false
	for i := range values {
		offset := m.Add(p.offset, m.Const(uint64(i*size), 64))
		switch r := p.region; {
		case r.entry:
			values[i] = m.loadParameter(r, offset, size)
		case r.private:
			values[i] = m.loadOwn(s, r, offset, size)
			m.loaded(r, offset, size)
		case r.null:
			values[i] = m.fresh("null", 8*size)
		default:
			values[i] = m.loadShared(s, op, p, offset, size)
			shared = true
		}
	}
	if p.region.null {
		m.astray(s, p)
	}
	if shared && !s.quiet && p.region.Space != isa.Const {
		m.record(s, op, p, Load, n*size, nil)
	}
	return values
}

func (m *machine) loadParameter(r *Region, offset *term.Term, size int) *term.Term {
	at, ok := offset.Value()
	if !ok {
		m.refuse("", "a part of the parameter %s that is chosen at run time is not modelled", r.Name)
	}
	return m.parameter(r, int64(at), size)
}

// loadShared is a value from memory that threads share: an initial value that nobody changes; a
// function of the offset if no thread writes to the array; one of the offset, the block and the
// barriers passed if the thread itself has not written to it since the last; else anything.
func (m *machine) loadShared(s *state, op *instruction, p place, offset *term.Term, size int) *term.Term {
	r := p.region
	if v := m.initial(r, offset, size); v != nil {
		return v
	}
	value := m.contents(s, r, m.steady(s, op, r), offset, size)
	m.rec.Append(&Read{
		Point: m.point(s, p.when), Region: r, Offset: offset, Size: size, Value: value, Epoch: s.passed(r)[Block],
	})
	return value
}

// steady reports that a load gets what the array held at the last barrier, unless the thread itself has written: nobody else has written
// where it loads, or there is a race. That is asked of loads of the kernel, and of those of annotations only where the thread has stored itself.
func (m *machine) steady(s *state, op *instruction, r *Region) bool {
	if s.wrote[anyRegion] != unwritten {
		return false
	}
	switch m.config.Contents(r.Name) {
	case Stable:
		return true
	case Calm:
		return !s.quiet
	case Met:
		return !s.quiet && strong(op) == isa.NoScope
	}
	return false
}

func (m *machine) contents(s *state, r *Region, steady bool, offset *term.Term, size int) *term.Term {
	if r.Space == isa.Const || m.config.Contents(r.Name) == Fixed || steady && !s.quiet && s.wrote[r] == unwritten {
		return m.held(r, offset, size, s.passed(r)[Block])
	}
	if steady && s.wrote[r] == listed {
		if value, ok := m.forwarded(s, r, offset, size); ok {
			return value
		}
	}
	return m.fresh("read", 8*size)
}

// forwarded is what an array holds for a thread that has written to it since the last barrier: what it has written
// there, and elsewhere what was there before, as nobody else has written to either or there is a race.
func (m *machine) forwarded(s *state, r *Region, offset *term.Term, size int) (value *term.Term, ok bool) {
	if m.config.Hooks != nil {
		value, ok = m.current(s, r, offset, size)
		return value, ok && !s.quiet
	}
	here := m.guards.Term(s.guard)
	for _, a := range slices.Backward(m.trace.Accesses) {
		if a.Region != r || a.Kind == Load {
			continue
		}
		when := m.since(s, a)
		switch same := m.Eq(a.Offset, offset); {
		case when.False():
		case a.Kind == Atomic || len(a.Values) != 1 || a.Size != size:
			return nil, false
		case same.True() && m.Implies(here, when).True():
			return a.Values[0], true
		case !same.False() || !m.aligned(offset, size) || !m.aligned(a.Offset, size):
			return nil, false
		}
	}
	if s.quiet {
		return nil, false
	}
	return m.held(r, offset, size, s.passed(r)[Block]), true
}

// anyRegion stands for all regions.
var anyRegion = &Region{Name: "any"}

// choices is from how many terms one is chosen, up to a bound.
func choices(t *term.Term, bound int) int {
	if args := t.Args(); t.Op() == term.Ite && bound > 1 {
		n := choices(args[1], bound-1)
		return n + choices(args[2], bound-n)
	}
	return 1
}

// maxChoices bounds how many cells an access at an offset which is not a number is tried against.
const maxChoices = 64

// loadOwn is a value from memory of the thread's own.
func (m *machine) loadOwn(s *state, r *Region, offset *term.Term, size int) *term.Term {
	all := s.own[r]
	if at, ok := offset.Value(); ok {
		if v := all.read(m.Builder, int64(at), size); v != nil {
			return v
		}
		v := m.fresh("uninitialized", 8*size)
		s.own[r] = all.write(cell{int64(at), size, v})
		return v
	}
	if args := offset.Args(); offset.Op() == term.Ite && choices(offset, maxChoices) < maxChoices {
		return m.Ite(args[0], m.loadOwn(s, r, args[1], size), m.loadOwn(s, r, args[2], size))
	}
	value := m.fresh("chosen", 8*size)
	if len(all) > maxChoices {
		return value
	}
	for _, c := range all { // any cell that matches in full; for others the value may be anything
		if c.size == size {
			value = m.Ite(m.Eq(offset, m.Const(uint64(c.offset), 64)), c.value, value)
		}
	}
	return value
}

// storeOwn writes to memory of the thread's own.
func (m *machine) storeOwn(s *state, p place, offset *term.Term, v *term.Term) {
	all, size := s.own[p.region], v.Width()/8
	at, ok := offset.Value()
	if ok && p.when.True() {
		s.own[p.region] = all.write(cell{int64(at), size, v})
		return
	}
	var kept cells
	if ok {
		if old := all.read(m.Builder, int64(at), size); old != nil {
			s.own[p.region] = all.write(cell{int64(at), size, m.Ite(p.when, v, old)})
			return
		}
	}
	for _, c := range all {
		start := m.Const(uint64(c.offset), 64)
		apart := m.Not(m.ULt(m.Add(m.Sub(start, offset), m.Const(uint64(c.size-1), 64)), m.Const(uint64(size+c.size-1), 64)))
		switch same := m.Eq(offset, start); {
		case apart.True():
			kept = append(kept, c)
		case c.size == size && m.Or(same, apart).True() || c.size == size && m.aligned(offset, size) && c.offset%int64(size) == 0:
			kept = append(kept, cell{c.offset, c.size, m.Ite(m.And(p.when, same), v, c.value)})
		case size > 1 && c.size != size && c.size == pointerSize && c.offset%pointerSize == 0 && m.wholly(c.value):
			m.note(assume.PointersStay.Of())
			kept = append(kept, c)
		}
	}
	s.own[p.region] = kept
}

// pointerSize is how many bytes a pointer has in memory.
const pointerSize = 8

// wholly reports that a term is a pointer, and no number that is made of one, such as half of it, or its distance from another.
func (m *machine) wholly(t *term.Term) bool {
	args := t.Args()
	switch {
	case m.leaves[t] != nil:
		return m.pointer(t)
	case t.Op() == term.Ite:
		return m.pointer(t) && m.wholly(args[1]) && m.wholly(args[2])
	case t.Op() == term.Sum:
		n := 0
		for i, a := range args {
			switch {
			case t.Coef(i) == 1 && m.wholly(a):
				n++
			case m.pointer(a) || t.Coef(i) == term.Mask(t.Width()) && m.addresses(a):
				return false
			}
		}
		return n == 1
	}
	return false
}

// aligned reports that a term is a multiple of a size, a power of two.
func (m *machine) aligned(t *term.Term, size int) bool { return t.Ones()&uint64(size-1) == 0 }

// store executes st.
func (m *machine) store(s *state, in *kernel.Instr, op *instruction, t arith.Type) {
	list := []kernel.Operand{in.Ops[1]}
	if in.Ops[1].Kind == kernel.Vector {
		list = in.Ops[1].List
	}
	var values []*term.Term
	for _, o := range list {
		values = append(values, m.operand(s, o, t))
	}
	size := t.Bits / 8
	for _, p := range m.target(s, in.Ops[0]) {
		m.within(s, p, size*len(values))
		switch r := p.region; {
		case r.entry:
			m.refuse("", "the parameter %s of the kernel is written to", r.Name)
		case r.private:
			for i, v := range values {
				m.storeOwn(s, p, m.Add(p.offset, m.Const(uint64(i*size), 64)), v)
			}
		case r.null:
			m.astray(s, p)
			maps.DeleteFunc(s.own, func(r *Region, _ cells) bool { return m.escaped(r) })
			s.writes(anyRegion, unlisted)
		case r.Space == isa.Const:
			m.fails(s, p, "write to constant memory")
		default:
			m.record(s, op, p, Store, size*len(values), values)
			s.writes(r, listed)
		}
	}
}

// within checks that an access does not leave its variable, if that is asked for.
func (m *machine) within(s *state, p place, size int) {
	v := p.region.Variable
	if !m.config.Bounds || s.quiet || v == nil || v.Size() == 0 || p.region.Space == isa.Param {
		return
	}
	holds := m.Bool(false)
	if v.Size() >= size {
		holds = m.ULe(p.offset, m.Const(uint64(v.Size()-size), 64))
	}
	if !holds.True() {
		m.rec.Append(&Check{Point: m.point(s, p.when), What: "access outside of " + v.Name, Holds: holds})
	}
}

// record notes that an instruction accesses memory which threads share.
func (m *machine) record(s *state, op *instruction, p place, kind Kind, size int, values []*term.Term) *Access {
	return m.accessed(s, p, &Access{Kind: kind, Size: size, Unit: op.Unit(), Values: values, Strong: strong(op), Volatile: op.Volatile || op.MMIO, ReadOnly: op.ReadOnly()})
}

// accessed notes an access to a place.
func (m *machine) accessed(s *state, p place, a *Access) *Access {
	a.Point, a.Region, a.Offset, a.Epoch, a.Rounds = m.point(s, p.when), p.region, p.offset, s.passed(p.region), m.everyRound()
	a.Arrived = s.arrived
	switch {
	case a.Guard.False():
		return a
	case a.Kind != Load && m.table(p.region.Variable):
		m.refuse("", "a write to %s, a table of functions, is not modelled", p.region.Name)
	case len(m.trace.Accesses) == maxAccesses:
		m.tooLarge("more than %d accesses to memory that threads share", maxAccesses)
	}
	m.rec.Append(a)
	if h := m.config.Hooks; h != nil && h.Access != nil {
		h.Access(m.moment(s), a)
	}
	return a
}

// strong is the scope of a strong access: one that is volatile is relaxed in the scope of the system,
// and an atomic that says nothing in that of the GPU (PTX ISA, "Memory Consistency Model").
func strong(op *instruction) isa.Scope {
	switch {
	case op.Volatile || op.MMIO:
		return isa.ScopeSys
	case op.Scope == isa.NoScope && op.Class() == isa.ClassAtomic:
		return isa.ScopeGPU
	case op.Order >= isa.Relaxed || op.Class() == isa.ClassAtomic:
		return op.Scope
	}
	return isa.NoScope
}

// firstPage is how many addresses from 0 on no variable has.
const firstPage = 4096

// astray is an access to no array that is known. Where its address is a small number, or computed from the
// place of the thread alone and may be one, it fails; anything else is noted, and the thread goes on.
func (m *machine) astray(s *state, p place) {
	null := m.ULt(p.offset, m.Const(firstPage, 64))
	if m.placed(p.offset) && !null.False() {
		m.rec.Append(&Check{Point: m.point(s, p.when), What: "access through a null pointer", Holds: m.Not(null)})
		if null.True() {
			return
		}
	}
	known := func(r *Refusal) bool { return r.Instr == m.at }
	if slices.ContainsFunc(m.trace.Astray, known) {
		return
	}
	why := Refusal{
		Instr: m.at, Why: fmt.Sprintf("%s: which array this address points into is not known", m.at.Opcode),
		Help: "a pointer that is a parameter of the kernel, or the address of a variable",
	}
	if m.module.AddressSize == 32 {
		why.Why = fmt.Sprintf("%s: addresses of 32 bits are not followed", m.at.Opcode)
		why.Help = "to compile for addresses of 64 bits (.address_size 64)"
	}
	m.rec.Append(&why)
}

// placed reports that a term is computed from numbers and the place of the thread alone.
func (m *machine) placed(t *term.Term) bool {
	return !m.mentions(t, func(v *term.Term) bool { return !m.geometry[v] })
}

// escaped reports that others than its name may lead to memory of the thread's own.
func (m *machine) escaped(r *Region) bool { return r.Space == isa.Local || m.addressed[r] }

// fails notes what must not happen.
func (m *machine) fails(s *state, p place, what string) {
	m.rec.Append(&Check{Point: m.point(s, p.when), What: what, Holds: m.Bool(false)})
}

// note says something about the execution, once.
func (m *machine) note(text string) {
	if m.trace.Notes[text] == nil {
		put(m.rec, m.trace.Notes, text, m.at)
	}
}
