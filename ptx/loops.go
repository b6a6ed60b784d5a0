package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
)

// code is the instructions of a thread, as loops see them.
type code []*Instr

var _ unwind.Code[string] = code(nil)

// Len is the number of instructions.
func (c code) Len() int { return len(c) }

// Back is the target of a backward branch.
func (c code) Back(pc int) (head int, ok bool) {
	in := c[pc]
	return in.TargetPC, in.Target != nil && in.TargetPC <= pc
}

// Successors are the instructions that may follow.
func (c code) Successors(pc int) []int {
	in := c[pc]
	always := in.Guard == nil && in.Op.Cmp == isa.NoComparison
	switch {
	case in.Target != nil && always:
		return []int{in.TargetPC}
	case in.Target != nil:
		return []int{pc + 1, in.TargetPC}
	case in.Ends() && always:
		return []int{len(c)}
	case in.Ends():
		return []int{pc + 1, len(c)}
	}
	return []int{pc + 1}
}

// Sets reports that the instruction sets the register; under a guard it may leave it as it was.
func (c code) Sets(pc int, register string) bool {
	in := c[pc]
	more := func(o Operand) bool { return o.Text == register }
	return in.Dst != nil && in.Guard == nil && (in.Dst.Text == register || slices.ContainsFunc(in.More, more))
}

// EachRead visits the registers that the instruction looks at.
func (c code) EachRead(pc int, visit func(string)) {
	for _, o := range c[pc].reads() {
		if o.Kind == Register {
			visit(o.Text)
		}
	}
}

// reads lists the operands that an instruction looks at.
func (in *Instr) reads() []*Operand {
	var operands []*Operand
	if in.Guard != nil {
		operands = append(operands, &in.Guard.Reg)
	}
	if in.Addr != nil {
		operands = append(operands, in.Addr)
	}
	for i := range in.Places {
		operands = append(operands, &in.Places[i])
	}
	for i := range in.Srcs {
		operands = append(operands, &in.Srcs[i])
	}
	if in.Vote != nil {
		operands = append(operands, in.Vote)
	}
	return operands
}
