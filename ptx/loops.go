package ptx

import (
	"github.com/muster-gpu/muster/ptx/isa"
)

// Len returns the number of instructions of the thread.
func (t *thread) Len() int { return len(t.code) }

// Uses returns the registers that an instruction reads and, if it has no guard, those that it sets.
func (t *thread) Uses(pc int) (sets, reads []string) {
	in := t.code[pc]
	if in.Dst != nil && in.Guard == nil {
		for _, o := range in.sets() {
			sets = append(sets, o.Text)
		}
	}
	for _, o := range in.reads() {
		if o.Kind == Register {
			reads = append(reads, o.Text)
		}
	}
	return sets, reads
}

// Next returns the instructions that may follow.
func (t *thread) Next(pc int) []int {
	in := t.code[pc]
	always := in.Guard == nil && in.Op.Cmp == isa.NoComparison
	switch {
	case in.Target != nil && always:
		return []int{in.TargetPC}
	case in.Target != nil:
		return []int{pc + 1, in.TargetPC}
	case in.Ends() && always:
		return []int{len(t.code)}
	case in.Ends():
		return []int{pc + 1, len(t.code)}
	}
	return nil
}

// reads returns the operands that an instruction reads.
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
