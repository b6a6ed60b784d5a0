package exec

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// accesses executes accesses to memory, and knows what memory holds for the thread.
type accesses struct {
	run   *run
	terms *term.Builder
}

// point returns where a thread is, where a condition holds, too.
func (m *run) point(s *state, when *term.Term) trace.Point {
	return m.rec.Stamp(trace.Point{
		Instr: m.at, Calls: slices.Clone(m.calls.stack),
		Guard: m.terms.And(m.guards.Term(s.guard), when),
	})
}

// target returns where an operand in brackets points to.
func (m *addresses) target(s *state, o kernel.Operand) []place {
	b := m.terms
	if o.Kind != kernel.Address || len(o.List) != 1 {
		m.run.refuse("", "this address of %s is not modelled", m.run.at.Opcode)
	}
	var t *term.Term
	switch base := o.List[0]; {
	case base.Kind == kernel.Var:
		offset := b.Const(uint64(o.Offset+base.Offset), 64)
		return []place{{b.Bool(true), m.region(base.Variable), offset}}
	case base.Kind == kernel.Integer:
		t = b.Const(base.Bits+uint64(o.Offset), 64)
	case base.Kind == kernel.Reg && base.Part == "":
		t = m.run.register(s, base.Register)
		t = b.Add(t, b.Const(uint64(o.Offset), t.Width()))
	default:
		m.run.refuse("", "this address of %s is not modelled", m.run.at.Opcode)
	}
	if all := m.places(t); len(all) > 0 {
		return all
	}
	return []place{{b.Bool(true), noArray, fit(b, t, 64, false)}}
}

// access executes ld and st. A third operand is a cache policy.
func (m *accesses) access(s *state, in *kernel.Instr, op *instruction) {
	if len(in.Ops) < 2 || len(op.Types) == 0 || op.Types[0].Bits > 64 {
		m.run.refuse("", "%s is not modelled", in.Opcode)
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
	values := m.load(s, op, m.run.addr.target(s, in.Ops[1]), t.Bits/8, len(list))
	for i, d := range list {
		m.run.set(s, d, values[i], t.Signed)
	}
}

// load returns the values of n elements of size bytes each.
func (m *accesses) load(s *state, op *instruction, from []place, size, n int) []*term.Term {
	var values []*term.Term
	for i, p := range from {
		got := m.loadPlace(s, op, p, size, n)
		if i == 0 {
			values = got
			continue
		}
		for j := range values {
			values[j] = m.terms.Ite(p.when, got[j], values[j])
		}
	}
	return values
}

func (m *accesses) loadPlace(s *state, op *instruction, p place, size, n int) []*term.Term {
	m.within(s, p, size*n)
	values := make([]*term.Term, n)
	shared := false
	for i := range values {
		offset := m.terms.Add(p.offset, m.terms.Const(uint64(i*size), 64))
		switch r := p.region; {
		case r.Entry:
			values[i] = m.run.addr.loadParameter(r, offset, size)
		case r.Private:
			values[i] = m.loadOwn(s, r, offset, size)
			m.loaded(r, offset, size)
		case r.Null:
			values[i] = m.run.fresh("null", 8*size)
		default:
			values[i] = m.loadShared(s, op, p, offset, size)
			shared = true
		}
	}
	if p.region.Null {
		m.astray(s, p)
	}
	if shared && !s.quiet && p.region.Space != isa.Const {
		m.record(s, op, p, trace.Load, n*size, nil)
	}
	return values
}

func (m *addresses) loadParameter(r *trace.Region, offset *term.Term, size int) *term.Term {
	at, ok := offset.Value()
	if !ok {
		m.run.refuse("", "a part of the parameter %s that is chosen at run time is not modelled", r.Name)
	}
	return m.parameter(r, int64(at), size)
}

// loadShared returns a value from memory that threads share: an initial value that no thread
// changes; a function of the offset if no thread writes to the array; one of the offset, the block
// and the barriers passed if the thread itself has not written to it since the last; else anything.
func (m *accesses) loadShared(s *state, op *instruction, p place, offset *term.Term, size int) *term.Term {
	r := p.region
	if v := m.run.addr.initial(r, offset, size); v != nil {
		return v
	}
	value := m.contents(s, r, m.steady(s, op, r), offset, size)
	m.run.rec.Append(&trace.Read{
		Point: m.run.point(s, p.when), Region: r, Offset: offset, Size: size, Value: value, Epoch: s.passed(r)[trace.Block],
	})
	return value
}

// steady reports whether a load returns the contents of the array at the last barrier, unless the
// thread itself has written: no other thread has written to the place, or there is a race. It is
// checked for loads of the kernel; for loads of annotations only if the thread has stored itself.
func (m *accesses) steady(s *state, op *instruction, r *trace.Region) bool {
	if s.wrote[anyRegion] != unwritten {
		return false
	}
	switch m.run.config.Contents(r.Name) {
	case Stable:
		return true
	case Calm:
		return !s.quiet
	case Met:
		return !s.quiet && strong(op) == isa.NoScope
	}
	return false
}

func (m *accesses) contents(s *state, r *trace.Region, steady bool, offset *term.Term, size int) *term.Term {
	if r.Space == isa.Const || m.run.config.Contents(r.Name) == Fixed || steady && !s.quiet && s.wrote[r] == unwritten {
		return m.held(r, offset, size, s.passed(r)[trace.Block])
	}
	if steady && s.wrote[r] == listed {
		if value, ok := m.forwarded(s, r, offset, size); ok {
			return value
		}
	}
	return m.run.fresh("read", 8*size)
}

// forwarded returns what an array holds for a thread that has written to it since the last barrier:
// what it has written there, and elsewhere what was there before. If another thread has written to
// either, there is a race.
func (m *accesses) forwarded(s *state, r *trace.Region, offset *term.Term, size int) (value *term.Term, ok bool) {
	if m.run.config.Hooks != nil {
		value, ok = m.current(s, r, offset, size)
		return value, ok && !s.quiet
	}
	here := m.run.guards.Term(s.guard)
	for _, a := range slices.Backward(m.run.rec.Trace.Accesses) {
		if a.Region != r || a.Kind == trace.Load {
			continue
		}
		when := m.since(s, a)
		switch same := m.terms.Eq(a.Offset, offset); {
		case when.False():
		case a.Kind == trace.Atomic || len(a.Values) != 1 || a.Size != size:
			return nil, false
		case same.True() && m.terms.Implies(here, when).True():
			return a.Values[0], true
		case !same.False() || !aligned(offset, size) || !aligned(a.Offset, size):
			return nil, false
		}
	}
	if s.quiet {
		return nil, false
	}
	return m.held(r, offset, size, s.passed(r)[trace.Block]), true
}

// anyRegion stands for all regions.
var anyRegion = &trace.Region{Name: "any"}

// choices returns the number of terms that t chooses from, at most bound.
func choices(t *term.Term, bound int) int {
	if args := t.Args(); t.Op() == term.Ite && bound > 1 {
		n := choices(args[1], bound-1)
		return n + choices(args[2], bound-n)
	}
	return 1
}

// maxChoices bounds the cells that an access at an unknown offset is tried against.
const maxChoices = 64

// loadOwn returns a value from memory of the thread's own.
func (m *accesses) loadOwn(s *state, r *trace.Region, offset *term.Term, size int) *term.Term {
	b := m.terms
	all := s.own[r]
	if at, ok := offset.Value(); ok {
		if v := all.read(b, int64(at), size); v != nil {
			return v
		}
		v := m.run.fresh("uninitialized", 8*size)
		s.own[r] = all.write(cell{int64(at), size, v})
		return v
	}
	if args := offset.Args(); offset.Op() == term.Ite && choices(offset, maxChoices) < maxChoices {
		return b.Ite(args[0], m.loadOwn(s, r, args[1], size), m.loadOwn(s, r, args[2], size))
	}
	value := m.run.fresh("chosen", 8*size)
	if len(all) > maxChoices {
		return value
	}
	for _, c := range all { // any cell that matches in full; for others the value may be anything
		if c.size == size {
			value = b.Ite(b.Eq(offset, b.Const(uint64(c.offset), 64)), c.value, value)
		}
	}
	return value
}

// storeOwn writes to memory of the thread's own.
func (m *accesses) storeOwn(s *state, p place, offset *term.Term, v *term.Term) {
	b := m.terms
	all, size := s.own[p.region], v.Width()/8
	at, ok := offset.Value()
	if ok && p.when.True() {
		s.own[p.region] = all.write(cell{int64(at), size, v})
		return
	}
	var kept cells
	if ok {
		if old := all.read(b, int64(at), size); old != nil {
			s.own[p.region] = all.write(cell{int64(at), size, b.Ite(p.when, v, old)})
			return
		}
	}
	for _, c := range all {
		start := b.Const(uint64(c.offset), 64)
		apart := b.Not(b.ULt(b.Add(b.Sub(start, offset), b.Const(uint64(c.size-1), 64)), b.Const(uint64(size+c.size-1), 64)))
		switch same := b.Eq(offset, start); {
		case apart.True():
			kept = append(kept, c)
		case c.size == size && b.Or(same, apart).True() || c.size == size && aligned(offset, size) && c.offset%int64(size) == 0:
			kept = append(kept, cell{c.offset, c.size, b.Ite(b.And(p.when, same), v, c.value)})
		case size > 1 && c.size != size && c.size == pointerSize && c.offset%pointerSize == 0 && m.run.addr.wholly(c.value):
			m.run.note(assume.PointersStay.Of())
			kept = append(kept, c)
		}
	}
	s.own[p.region] = kept
}

// pointerSize is the size of a pointer in memory, in bytes.
const pointerSize = 8

// wholly reports whether a term is a pointer rather than a number that is computed from one, such
// as half of it, or its distance from another.
func (m *addresses) wholly(t *term.Term) bool {
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

// aligned reports whether a term is a multiple of a size, a power of two.
func aligned(t *term.Term, size int) bool { return t.Ones()&uint64(size-1) == 0 }

// store executes st.
func (m *accesses) store(s *state, in *kernel.Instr, op *instruction, t arith.Type) {
	list := []kernel.Operand{in.Ops[1]}
	if in.Ops[1].Kind == kernel.Vector {
		list = in.Ops[1].List
	}
	var values []*term.Term
	for _, o := range list {
		values = append(values, m.run.operand(s, o, t))
	}
	size := t.Bits / 8
	for _, p := range m.run.addr.target(s, in.Ops[0]) {
		m.within(s, p, size*len(values))
		switch r := p.region; {
		case r.Entry:
			m.run.refuse("", "the parameter %s of the kernel is written to", r.Name)
		case r.Private:
			for i, v := range values {
				m.storeOwn(s, p, m.terms.Add(p.offset, m.terms.Const(uint64(i*size), 64)), v)
			}
		case r.Null:
			m.astray(s, p)
			maps.DeleteFunc(s.own, func(r *trace.Region, _ cells) bool { return m.run.addr.escaped(r) })
			s.writes(anyRegion, unlisted)
		case r.Space == isa.Const:
			m.fails(s, p, "write to constant memory")
		default:
			m.record(s, op, p, trace.Store, size*len(values), values)
			s.writes(r, listed)
		}
	}
}

// within checks that an access does not leave its variable, if that is asked for.
func (m *accesses) within(s *state, p place, size int) {
	b := m.terms
	v := p.region.Variable
	if !m.run.config.Bounds || s.quiet || v == nil || v.Size() == 0 || p.region.Space == isa.Param {
		return
	}
	holds := b.Bool(false)
	if v.Size() >= size {
		holds = b.ULe(p.offset, b.Const(uint64(v.Size()-size), 64))
	}
	if !holds.True() {
		m.run.rec.Append(&trace.Check{Point: m.run.point(s, p.when), What: "access outside of " + v.Name, Holds: holds})
	}
}

// record records an access of an instruction to memory that threads share.
func (m *accesses) record(s *state, op *instruction, p place, kind trace.Kind, size int, values []*term.Term) *trace.Access {
	return m.accessed(s, p, &trace.Access{Kind: kind, Size: size, Unit: op.Unit(), Values: values, Strong: strong(op), Volatile: op.Volatile || op.MMIO, ReadOnly: op.ReadOnly()})
}

// accessed records an access to a place.
func (m *accesses) accessed(s *state, p place, a *trace.Access) *trace.Access {
	a.Point, a.Region, a.Offset, a.Epoch, a.Rounds = m.run.point(s, p.when), p.region, p.offset, s.passed(p.region), m.run.loops.everyRound()
	a.Arrived = s.arrived
	switch {
	case a.Guard.False():
		return a
	case a.Kind != trace.Load && m.run.code.table(p.region.Variable):
		m.run.refuse("", "a write to %s, a table of functions, is not modelled", p.region.Name)
	case len(m.run.rec.Trace.Accesses) == maxAccesses:
		m.run.tooLarge("more than %d accesses to memory that threads share", maxAccesses)
	}
	m.run.rec.Append(a)
	if h := m.run.config.Hooks; h != nil && h.Access != nil {
		h.Access(m.run.moment(s), a)
	}
	return a
}

// strong returns the scope of a strong access: one that is volatile is relaxed in the scope of the
// system, and an atomic that says nothing in that of the GPU (PTX ISA, "Memory Consistency Model").
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

// firstPage is the number of addresses, from 0 on, that belong to no variable.
const firstPage = 4096

// astray is an access to no array that is known. Where its address is a small number, or computed
// from the place of the thread alone and may be one, it fails; anything else is noted, and the
// thread goes on.
func (m *accesses) astray(s *state, p place) {
	b := m.terms
	null := b.ULt(p.offset, b.Const(firstPage, 64))
	if m.run.place.placed(p.offset) && !null.False() {
		m.run.rec.Append(&trace.Check{Point: m.run.point(s, p.when), What: "access through a null pointer", Holds: b.Not(null)})
		if null.True() {
			return
		}
	}
	known := func(r *trace.Refusal) bool { return r.Instr == m.run.at }
	if slices.ContainsFunc(m.run.rec.Trace.Astray, known) {
		return
	}
	why := trace.Refusal{
		Instr: m.run.at, Why: fmt.Sprintf("%s: which array this address points into is not known", m.run.at.Opcode),
		Help: "a pointer that is a parameter of the kernel, or the address of a variable",
	}
	if m.run.code.module.AddressSize == 32 {
		why.Why = fmt.Sprintf("%s: addresses of 32 bits are not followed", m.run.at.Opcode)
		why.Help = "to compile for addresses of 64 bits (.address_size 64)"
	}
	m.run.rec.Append(&why)
}

// placed reports whether a term is computed from numbers and the place of the thread alone.
func (m *position) placed(t *term.Term) bool {
	return !term.Mentions(t, func(v *term.Term) bool { return !m.geometry[v] })
}

// escaped reports whether others than its name may lead to memory of the thread's own.
func (m *addresses) escaped(r *trace.Region) bool { return r.Space == isa.Local || m.taken[r] }

// fails records a violated requirement.
func (m *accesses) fails(s *state, p place, what string) {
	m.run.rec.Append(&trace.Check{Point: m.run.point(s, p.when), What: what, Holds: m.terms.Bool(false)})
}

// note adds a note about the execution, once.
func (m *run) note(text string) {
	if m.rec.Trace.Notes[text] == nil {
		trace.Put(m.rec, m.rec.Trace.Notes, text, m.at)
	}
}
