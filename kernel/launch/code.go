package launch

import (
	"errors"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// code is a decoded function.
type code struct {
	f     *kernel.Function
	steps []step
	loops int // number of loops
}

// step is a decoded instruction.
type step struct {
	*kernel.Instr
	op       *isa.Opcode
	err      error // why it cannot execute; reported when a thread reaches it
	execute  execution
	computes *isa.Formula // nil if it has no formula
	head     int          // the loop that begins here, or -1
	within   []int        // the loops around it, outermost first
}

// execution executes an instruction. It reports whether the thread can go on.
type execution func(*machine, *thread, *step) (goes bool, err error)

func newCode(f *kernel.Function) *code {
	c := &code{f: f, steps: make([]step, len(f.Instrs))}
	for i, in := range f.Instrs {
		c.steps[i] = newStep(in)
	}
	flow := f.Flow()
	c.nest(flow, flow.Order, nil)
	return c
}

func newStep(in *kernel.Instr) step {
	op, err := isa.Decode(in.Opcode)
	s := step{Instr: in, op: op, head: -1}
	if bad := (*isa.Error)(nil); errors.As(err, &bad) {
		d := src.Errorf(in.At, "%s", bad.What)
		if bad.Hint != "" {
			d = d.WithHint("%s", bad.Hint)
		}
		s.err = d
		return s
	}
	s.execute = executions[op.Class()]
	switch {
	case s.execute == nil:
		s.err = refuse(in.At, "%s is not modelled", in.Opcode)
	case op.Class() == isa.ClassAtomic, op.Class() == isa.ClassArithmetic, op.Class() == isa.ClassConvert, op.Class() ==
		isa.ClassFloat:
		if s.computes, err = s.formula(); err != nil {
			s.err = refuse(in.At, "%v", err)
		}
	}
	return s
}

// nest records which loops contain each instruction.
func (c *code) nest(flow *kernel.Flow, order []kernel.Loop, within []int) {
	for _, l := range order {
		inner := within
		block := flow.Blocks[l.Head]
		if l.Back {
			inner = append(within[:len(within):len(within)], c.loops)
			c.steps[block.First].head = c.loops
			c.loops++
		}
		for i := block.First; i < block.End; i++ {
			c.steps[i].within = inner
		}
		c.nest(flow, l.Body, inner)
	}
}

// Refusal is an error about an unmodelled instruction. The launch is inconclusive.
type Refusal struct{ *src.Diagnostic }

// Unwrap returns the diagnostic.
func (r *Refusal) Unwrap() error { return r.Diagnostic }

// refuse returns the error that something is not modelled.
func refuse(at src.Span, format string, args ...any) error {
	return &Refusal{src.Errorf(at, format,
		args...).WithHint(
		"the machine runs what kernels compute, global, shared and local memory, barriers, atomics and calls")}
}
