package clike

import (
	"slices"

	"github.com/muster-gpu/muster/internal/language/unwind"
)

// Code is the instructions of a thread, as loops see them.
type Code []Instr

var _ unwind.Code[Register] = Code(nil)

// Len is the number of instructions.
func (c Code) Len() int { return len(c) }

// Back is the target of a backward jump.
func (c Code) Back(pc int) (head int, ok bool) {
	j, ok := c[pc].(*Jump)
	if !ok {
		return 0, false
	}
	return j.To, j.To <= pc
}

// Successors are where a thread may go on.
func (c Code) Successors(pc int) []int {
	switch in := c[pc].(type) {
	case *Jump:
		return []int{in.To}
	case *Branch:
		return []int{pc + 1, in.Otherwise}
	}
	return []int{pc + 1}
}

// Sets reports that the instruction sets the register.
func (c Code) Sets(pc int, r Register) bool { return slices.Contains(c[pc].Defs(), r) }

// EachRead visits the registers in the expressions of the instruction.
func (c Code) EachRead(pc int, visit func(Register)) {
	for _, x := range c[pc].Uses() {
		x.Registers(visit)
	}
}
