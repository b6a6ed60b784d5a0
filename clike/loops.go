package clike

import (
	"slices"

	"github.com/muster-gpu/muster/internal/unwind"
)

// code is the instructions of a thread, as loops see them.
type code []instr

var _ unwind.Code[register] = code(nil)

// Len is the number of instructions.
func (c code) Len() int { return len(c) }

// Back is the target of a backward jump.
func (c code) Back(pc int) (head int, ok bool) {
	j, ok := c[pc].(*jump)
	if !ok {
		return 0, false
	}
	return j.to, j.to <= pc
}

// Successors are where a thread may go on.
func (c code) Successors(pc int) []int {
	switch in := c[pc].(type) {
	case *jump:
		return []int{in.to}
	case *branch:
		return []int{pc + 1, in.otherwise}
	}
	return []int{pc + 1}
}

// Sets reports that the instruction sets the register.
func (c code) Sets(pc int, r register) bool { return slices.Contains(c[pc].defs(), r) }

// EachRead visits the registers in the expressions of the instruction.
func (c code) EachRead(pc int, visit func(register)) {
	for _, x := range c[pc].uses() {
		x.registers(visit)
	}
}
