package exec

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A trap ends the whole launch (PTX ISA, "trap"): no thread waits at a barrier for a thread that
// has executed one. So the execution assumes that no thread executes a trap, and the verdict lists
// that assumption. It applies from the point where a thread would certainly reach a trap, such as
// after a branch out of a loop. What the thread does before is still checked.

// aborts assumes that the thread does not execute a trap. s is nil if it does not reach the trap.
func (m *loops) aborts(s *state, trap *kernel.Instr) {
	if s == nil {
		return
	}
	m.run.note(assume.NoTrap.Of(m.run.code.spot(trap)))
	m.run.rec.Know(m.terms.Not(m.run.guards.Term(s.guard)))
}

// spot returns where an instruction is: in the module, or in the source that it was compiled from.
func (m *code) spot(in *kernel.Instr) string {
	if p := in.Place; m.module.Compiled != "" && p != nil && p.Line > 0 {
		return fmt.Sprintf("%s:%d", m.module.Sources[p.File], p.Line)
	}
	return fmt.Sprintf("%s:%d", m.module.Name, in.At.Pos().Line)
}

// maxDoomed bounds the blocks that are looked at for a trap.
const maxDoomed = 4

// doomed returns the trap that every thread executes after it reaches a block, without a visible
// action in between, or nil.
func (m *code) doomed(fr *frame, id int) *kernel.Instr {
	first := fr.f.Instrs[fr.flow.Blocks[id].First]
	trap, known := m.dooms[first]
	if !known {
		trap = m.doom(fr, id)
		m.dooms[first] = trap
	}
	return trap
}

func (m *code) doom(fr *frame, id int) *kernel.Instr {
	for range maxDoomed {
		b := fr.flow.Blocks[id]
		last := fr.f.Instrs[b.End-1]
		for _, in := range fr.f.Instrs[b.First : b.End-1] {
			if !unseen(in) {
				return nil
			}
		}
		switch {
		case last.Guard == nil && traps(last):
			return last
		case last.Guard != nil, len(b.Next) != 1, last.Name() != "bra" && !unseen(last): // brx.idx may miss its table
			return nil
		}
		id = b.Next[0]
	}
	return nil
}

// traps reports whether an instruction is a trap.
func traps(in *kernel.Instr) bool {
	op, err := isa.Decode(in.Opcode)
	return err == nil && op.Code == isa.Trap
}

// unseen reports whether an instruction only computes.
func unseen(in *kernel.Instr) bool {
	op, err := isa.Decode(in.Opcode)
	if err != nil {
		return false
	}
	switch op.Class() {
	case isa.ClassArithmetic, isa.ClassConvert, isa.ClassFloat, isa.ClassMove:
		return true
	}
	return false
}
