package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/kernel"
)

// loopCode is what the code of a loop shows about it.
type loopCode struct {
	carried  []trace.Slot // written before it and in it
	compared []trace.Slot // compared with something in it, and not written
	limits   []uint64     // numbers that something is compared with
}

// eachLoop visits loops, and those within them.
func eachLoop(order []kernel.Loop, visit func(kernel.Loop)) {
	for _, l := range order {
		if l.Back {
			visit(l)
		}
		eachLoop(l.Body, visit)
	}
}

// codeOf returns the facts about a loop from its code, and from an execution in which it was cut.
func codeOf(f *kernel.Function, flow *kernel.Flow, l kernel.Loop, tr *trace.Trace) *loopCode {
	in := map[*kernel.Instr]bool{}
	var inside func(l kernel.Loop)
	inside = func(l kernel.Loop) {
		b := flow.Blocks[l.Head]
		for _, instr := range f.Instrs[b.First:b.End] {
			in[instr] = true
		}
		for _, inner := range l.Body {
			inside(inner)
		}
	}
	inside(l)
	here, before := map[*kernel.Register]bool{}, map[*kernel.Register]bool{}
	for _, instr := range f.Instrs {
		for _, r := range instr.Results() {
			if in[instr] {
				here[r] = true
			} else {
				before[r] = true
			}
		}
	}
	code := &loopCode{}
	for _, r := range f.Registers {
		if at := (trace.Slot{Register: r}); here[r] && before[r] && r.Type != "pred" && r.Vector == 0 && at.Width() <= 64 {
			code.carried = append(code.carried, at)
		}
	}
	code.carried = append(code.carried, tr.Carried[f.Instrs[flow.Blocks[l.Head].First]]...)
	loaded := map[*kernel.Register]trace.Slot{} // from cells, in the loop
	for _, instr := range f.Instrs {
		if at := tr.Loaded[instr]; at.Variable != nil && in[instr] && instr.Ops[0].Kind == kernel.Reg {
			loaded[instr.Ops[0].Register] = at
		}
	}
	for _, instr := range f.Instrs {
		if in[instr] && instr.Name() == "setp" {
			for _, o := range instr.Ops[1:] {
				code.compares(o, here, loaded)
			}
		}
	}
	return code
}

// compares records what something is compared with.
func (code *loopCode) compares(o kernel.Operand, here map[*kernel.Register]bool, loaded map[*kernel.Register]trace.Slot) {
	if o.Kind == kernel.Integer && !slices.Contains(code.limits, o.Bits) {
		code.limits = append(code.limits, o.Bits)
	}
	if o.Kind != kernel.Reg {
		return
	}
	at, ok := trace.Slot{Register: o.Register}, !here[o.Register]
	if !ok {
		at, ok = loaded[o.Register]
	}
	if ok && !slices.Contains(code.compared, at) && !slices.Contains(code.carried, at) {
		code.compared = append(code.compared, at)
	}
}
