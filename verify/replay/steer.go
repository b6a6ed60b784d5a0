package replay

import (
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// steers reports whether the value that an instruction reads may decide where a thread goes or
// which memory it accesses. It follows registers only, in any order; a value that is stored to
// memory counts.
func steers(f *kernel.Function, in *kernel.Instr) bool {
	from := map[*kernel.Register]bool{}
	mark := func(o *kernel.Operand) bool {
		changed := false
		each(o, func(r *kernel.Register) {
			changed = changed || !from[r]
			from[r] = true
		})
		return changed
	}
	if len(in.Ops) == 0 {
		return false
	}
	mark(&in.Ops[0])
	for changed := true; changed; {
		changed = false
		for _, next := range f.Instrs {
			if next.Guard != nil && from[next.Guard] {
				return true
			}
			for i := range next.Ops {
				o := &next.Ops[i]
				used := false
				each(o, func(r *kernel.Register) { used = used || from[r] })
				switch {
				case !used || i == 0 && o.Kind != kernel.Address:
				case o.Kind == kernel.Address || hides(next):
					return true
				default:
					changed = mark(&next.Ops[0]) || changed
				}
			}
		}
	}
	return false
}

// hides reports whether an instruction stores to local memory or an argument of the thread, where
// the value is no longer followed.
func hides(in *kernel.Instr) bool {
	op, err := isa.Decode(in.Opcode)
	if err != nil || op.Code != isa.St || in.Ops[0].Kind != kernel.Address {
		return false
	}
	base := in.Ops[0].List[0]
	return base.Kind == kernel.Var && (base.Variable.Space == isa.Param || base.Variable.Space == isa.Local) ||
		base.Kind == kernel.Reg && (op.Space == isa.Local || op.Space == isa.Generic)
}

// each visits the registers of an operand.
func each(o *kernel.Operand, visit func(*kernel.Register)) {
	if o.Register != nil {
		visit(o.Register)
	}
	if o.Second != nil {
		visit(o.Second)
	}
	for i := range o.List {
		each(&o.List[i], visit)
	}
}
