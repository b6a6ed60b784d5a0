package kernel

import "github.com/muster-gpu/muster/ptx/isa"

// Results returns the registers that the instruction writes, in the order of its operands.
func (in *Instr) Results() []*Register {
	op, err := isa.Decode(in.Opcode)
	if err != nil || !op.HasResult() || len(in.Ops) == 0 {
		return nil
	}
	return in.Ops[0].registers(nil)
}

// registers appends the registers that a destination consists of.
func (o *Operand) registers(all []*Register) []*Register {
	if o.Kind == Reg {
		all = append(all, o.Register)
	}
	if o.Second != nil {
		all = append(all, o.Second)
	}
	if o.Kind == Vector {
		for i := range o.List {
			all = o.List[i].registers(all)
		}
	}
	return all
}
