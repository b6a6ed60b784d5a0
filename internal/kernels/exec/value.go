package exec

import (
	"math"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// register returns what a register holds. One that was never written holds anything.
func (m *run) register(s *state, r *kernel.Register) *term.Term {
	if r.Vector > 0 || trace.Width(r.Type) > 64 {
		m.refuse("", "register %s of more than 64 bits is not modelled", r.Name)
	}
	if s.regs[r.Index] == nil {
		s.regs[r.Index] = m.fresh("undefined", trace.Width(r.Type))
	}
	return s.regs[r.Index]
}

// fit returns a value in width bits: cut, or extended as its type says.
func fit(b *term.Builder, t *term.Term, width int, signed bool) *term.Term {
	switch {
	case t.Width() == width:
		return t
	case t.Width() > width:
		return b.Extract(t, 0, width)
	case signed:
		return b.SExt(t, width)
	}
	return b.ZExt(t, width)
}

// operand returns the value of a source in the bits of a type.
func (m *run) operand(s *state, o kernel.Operand, t arith.Type) *term.Term {
	v := m.source(s, o, t)
	if o.Negated {
		if t.Bits == 1 {
			return m.terms.Not(v)
		}
		m.refuse("", "a negated operand of %d bits is not modelled", t.Bits)
	}
	return v
}

func (m *run) source(s *state, o kernel.Operand, t arith.Type) *term.Term {
	b := m.terms
	switch o.Kind {
	case kernel.Reg:
		if o.Part != "" {
			m.refuse("", "the components of a vector register are not modelled")
		}
		return fit(b, m.register(s, o.Register), t.Bits, t.Signed)
	case kernel.Special:
		return fit(b, m.place.special(o.Name), t.Bits, false)
	case kernel.Integer:
		if t.Bits == 1 { // any but 0 is true (PTX ISA, "Predicate Constants")
			return b.Bool(o.Bits != 0)
		}
		return b.Const(o.Bits, t.Bits)
	case kernel.Float:
		bits := o.Bits
		if o.Size == 64 && t.Bits == 32 {
			bits = uint64(math.Float32bits(float32(math.Float64frombits(bits))))
		}
		return b.Const(bits, t.Bits)
	case kernel.Var:
		if t.Bits == 32 || t.Bits == 64 {
			base := m.addr.leaf(m.addr.region(o.Variable), t.Bits)
			return b.Add(base, b.Const(uint64(o.Offset), t.Bits))
		}
	case kernel.Func:
		if t.Bits == 64 {
			return m.addr.addressOf(o.Name)
		}
	}
	m.refuse("", "this operand of %s is not modelled", m.at.Opcode)
	return nil
}

// set writes a register: a value is extended to its bits as the type says.
func (m *run) set(s *state, o kernel.Operand, v *term.Term, signed bool) {
	switch {
	case o.Kind == kernel.Sink:
	case o.Kind != kernel.Reg || o.Part != "" || o.Register.Vector > 0:
		m.refuse("", "this result of %s is not modelled", m.at.Opcode)
	default:
		s.regs[o.Register.Index] = fit(m.terms, v, trace.Width(o.Register.Type), signed)
	}
}

// destinations are the results of an instruction and the sources after them.
func (m *run) destination(in *kernel.Instr) kernel.Operand {
	if len(in.Ops) == 0 {
		m.refuse("", "%s has no operands", in.Opcode)
	}
	return in.Ops[0]
}

// compute executes an instruction that has a formula.
func (m *run) compute(s *state, in *kernel.Instr, op *instruction) {
	d := m.destination(in)
	f, ops := m.formula(in, op)
	var sources []*term.Term
	for i, o := range ops {
		sources = append(sources, m.operand(s, o, f.Sources[i]))
	}
	if op.TakesCarry() {
		if s.carry == nil {
			s.carry = m.fresh("undefined", 1)
		}
		sources = append(sources, s.carry)
	}
	results, err := isa.Apply[*term.Term](domain{m, s}, f, sources...)
	if err != nil {
		m.refuse("", "%v", err)
	}
	if countsBits(op.Code) {
		results[0] = m.numbers.bits(op, sources[0], results[0])
	}
	m.numbers.computed(in, op, results[0], sources)
	m.numbers.ordered(op, results[0], sources)
	m.set(s, d, results[0], f.Results[0].Type.Signed)
	if op.SetsCarry {
		s.carry = results[1]
	}
	if d.Second != nil {
		if results[1] == nil {
			m.refuse("", "%s has no second result", in.Opcode)
		}
		s.regs[d.Second.Index] = results[1]
	}
}

// formula returns the formula of an instruction and its source operands. For lop3, the last operand
// is the table of the formula. A second destination of setp changes the formula.
func (m *run) formula(in *kernel.Instr, op *instruction) (*isa.Formula, []kernel.Operand) {
	f, ops, err := op.formula, in.Ops[1:], op.err
	switch {
	case op.Code == isa.Lop3 && len(ops) == 4 && ops[3].Kind == kernel.Integer:
		with := *op.Opcode
		with.Table, ops = uint8(ops[3].Bits), ops[:3]
		f, err = with.Formula()
	case op.Code == isa.Setp && in.Ops[0].Second != nil:
		with := *op.Opcode
		with.Pair = true
		f, err = with.Formula()
	}
	if err != nil {
		m.refuse("", "%v", err)
	}
	n := len(f.Sources)
	if op.TakesCarry() {
		n--
	}
	if len(ops) != n {
		m.refuse("", "%s with %d operands is not modelled", in.Opcode, len(in.Ops))
	}
	return f, ops
}

// move executes mov, which also packs and unpacks.
func (m *run) move(s *state, in *kernel.Instr, op *instruction) {
	if len(in.Ops) != 2 {
		m.refuse("", "%s has two operands", in.Opcode)
	}
	t := op.Type(0).Int()
	if t.Bits > 64 {
		m.refuse("", "%s of more than 64 bits is not modelled", in.Opcode)
	}
	d, o := in.Ops[0], in.Ops[1]
	switch {
	case d.Kind == kernel.Vector:
		v := m.operand(s, o, t)
		part := t.Bits / max(1, len(d.List))
		for i, x := range d.List {
			m.set(s, x, m.terms.Extract(v, i*part, part), false)
		}
	case o.Kind == kernel.Vector:
		part := arith.Type{Bits: t.Bits / max(1, len(o.List))}
		v := m.operand(s, o.List[0], part)
		for _, x := range o.List[1:] {
			v = concat(m.terms, m.operand(s, x, part), v)
		}
		m.set(s, d, v, false)
	default:
		m.set(s, d, m.operand(s, o, t), t.Signed)
	}
}

// address executes cvta, as which addresses are the same in each window, and isspacep.
func (m *run) address(s *state, in *kernel.Instr, op *instruction) {
	if len(in.Ops) != 2 {
		m.refuse("", "%s has two operands", in.Opcode)
	}
	if op.Code != isa.Cvta {
		m.set(s, in.Ops[0], m.addr.isIn(m.operand(s, in.Ops[1], arith.Type{Bits: 64}), op.Space), false)
		return
	}
	v := m.operand(s, in.Ops[1], op.Type(0).Int())
	for _, p := range m.addr.places(v) {
		if p.region.Variable == nil {
			p.region.Pointer = true
		}
	}
	m.set(s, in.Ops[0], v, false)
}

// isIn reports whether a generic address is in a space. It may be in any if its array is not known,
// or is one that a function is given.
func (m *addresses) isIn(address *term.Term, space isa.Space) *term.Term {
	all := m.places(address)
	unknown := func(p place) bool { return p.region.Space == isa.Generic || p.region.Variable == nil && !m.entry }
	if len(all) == 0 || slices.ContainsFunc(all, unknown) {
		return m.run.fresh("isspacep", 1)
	}
	in := m.terms.Bool(false)
	for _, p := range all {
		if p.region.Space == space {
			in = m.terms.Or(in, p.when)
		}
	}
	return in
}

// domain computes formulas over terms.
type domain struct {
	m *run
	s *state
}

func (d domain) Const(i int64, t arith.Type) *term.Term { return d.m.terms.Const(uint64(i), t.Bits) }

// Apply returns an operation. What PTX leaves open, a quotient by 0, may be anything.
func (d domain) Apply(op arith.Op, t arith.Type, args ...*term.Term) (*term.Term, error) {
	if op == arith.Extend && t.Bits == 32 {
		if v := d.m.numbers.extended(d.s, args[0], t.Signed); v != nil {
			return v, nil
		}
	}
	v := d.m.terms.Apply(op, t, args...)
	if op == arith.Div || op == arith.Rem {
		if zero := d.m.terms.Eq(args[1], d.m.terms.Const(0, t.Bits)); !zero.False() {
			v = d.m.terms.Ite(zero, d.m.fresh("by0", t.Bits), v)
		}
	}
	return v, nil
}
