package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// other executes an instruction that has no formula and no class of its own. Where its results may
// be anything, it is executed; else it is refused.
func (m *run) other(s *state, in *kernel.Instr, op *instruction) {
	if t := op.Tile(); t != nil && len(in.Ops) > 1 {
		m.meet.tile(s, in, t)
		return
	}
	switch op.Effect() {
	case isa.Sampled:
		m.note(assume.Textures.Of())
	case isa.Together:
		m.meet.converge(s, m.terms.Const(everyLane, 32), false)
	case isa.Copies:
		m.copies.async(s, in, op)
		return
	case isa.Unknown:
		m.refuse(instead[op.Code], "%s is not modelled", in.Opcode)
	}
	if len(in.Ops) > 0 {
		m.anything(s, in.Ops[0])
	}
}

// instead are suggestions to replace instructions that are refused.
var instead = map[isa.Code]string{
	isa.Surface: "a pointer to the array instead of a surface",
	isa.Async:   "cp.async with groups, or ld and st; how other asynchronous copies are ordered is a question for a litmus test (muster run -m ptx)",
	isa.Matrix:  "ldmatrix and stmatrix of m8n8 and .b16, wmma and mma.sync, which are modelled",
	isa.Stack:   "arrays of the thread whose sizes are known",
	isa.Cluster: "shared memory of the thread's own block",
	isa.Discard: "a kernel without discard, which leaves memory undefined",
}

// anything gives a destination an unknown value.
func (m *run) anything(s *state, d kernel.Operand) {
	switch {
	case d.Kind == kernel.Vector:
		for _, x := range d.List {
			m.anything(s, x)
		}
	case d.Kind == kernel.Reg && d.Part == "" && d.Register.Vector == 0:
		m.set(s, d, m.unmodelled(d.Register), false)
	case d.Kind == kernel.Reg:
		m.refuse("", "this result of %s is not modelled", m.at.Opcode)
	}
	if d.Second != nil {
		s.regs[d.Second.Index] = m.unmodelled(d.Second)
	}
}

// unmodelled returns the unknown result of an instruction for a register. The contents of a texture
// may indeed be anything.
func (m *run) unmodelled(r *kernel.Register) *term.Term {
	name := trace.Unmodelled + m.at.Opcode
	if m.code.decode(m.at).Effect() == isa.Sampled {
		name = "sampled"
	}
	return m.fresh(name, trace.Width(r.Type))
}
