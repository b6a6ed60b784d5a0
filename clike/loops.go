package clike

import "slices"

// Code is the instructions of a thread.
type Code []Instr

// Successors returns where a thread may go on.
func (c Code) Successors(pc int) []int {
	switch in := c[pc].(type) {
	case *Jump:
		return []int{in.To}
	case *Branch:
		return []int{pc + 1, in.Otherwise}
	}
	return []int{pc + 1}
}

// Sets reports whether the instruction sets the register.
func (c Code) Sets(pc int, r Register) bool { return slices.Contains(c[pc].Defs(), r) }

// EachRead visits the registers in the expressions of the instruction.
func (c Code) EachRead(pc int, visit func(Register)) {
	for _, x := range c[pc].Uses() {
		x.Registers(visit)
	}
}

// Len returns the number of instructions.
func (t *Thread) Len() int { return len(t.Code) }

// Next returns the instructions that may follow.
func (t *Thread) Next(pc int) []int { return t.Code.Successors(pc) }

// Uses returns the registers that an instruction sets and reads.
func (t *Thread) Uses(pc int) (sets, reads []Register) {
	visit := func(r Register) { reads = append(reads, r) }
	t.Code.EachRead(pc, visit)
	if in, is := t.Code[pc].(*Operands); is && t.free != nil {
		t.eachOpen(in, pc, visit)
	}
	return t.Code[pc].Defs(), reads
}
