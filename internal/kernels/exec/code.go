package exec

import (
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// code is the text of the kernel.
type code struct {
	run     *run
	module  *kernel.Module
	decoded map[string]*instruction
	dooms   map[*kernel.Instr]*kernel.Instr // what doomed has found, by first instructions of blocks
}

// instruction is an opcode with what it computes.
type instruction struct {
	*isa.Opcode
	formula *isa.Formula
	err     error // it has no formula
	unknown error // PTX has no such instruction
}

// decode returns an instruction's opcode.
func (m *code) decode(in *kernel.Instr) *instruction {
	m.run.at = in
	d := m.decoded[in.Opcode]
	if d == nil {
		op, err := isa.Decode(in.Opcode)
		d = &instruction{Opcode: op, unknown: err}
		if err == nil {
			d.formula, d.err = op.Formula()
		}
		m.decoded[in.Opcode] = d
	}
	if d.unknown != nil {
		m.run.refuse("", "%s is not known: %v", in.Opcode, d.unknown)
	}
	return d
}
