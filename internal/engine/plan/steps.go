package plan

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/internal/engine/relop"
)

// Step is the definition of a value, or a fixpoint of several, for those who do not run a plan but
// look at it.
type Step struct {
	Op   relop.Op
	Dst  Slot
	X, Y Slot // operands; of a choice, X is its number
	Set  bool // the value is a set

	// Of a fixpoint: Reached become Next, over and over, by the steps of Body.
	Body          []Step
	Reached, Next []Slot
}

// Steps are the definitions of all values but inputs, those of reports too: each comes after those
// of its operands, but for what a fixpoint has reached.
func (p *Plan) Steps() []Step { return p.steps }

// Def is the step that defines a value; nil of an input. What a fixpoint has reached is defined by
// an OpRecursive of the value that its body makes.
func (p *Plan) Def(s Slot) *Step { return p.defs[s] }

// define finds the steps of a plan that has all of its code.
func (p *Plan) define() {
	for i, s := range p.stages {
		if c := i - FirstChoice.Stage(); c >= 0 {
			p.steps = append(p.steps, Step{Op: OpChoice, Dst: p.Choices[c].Slot, X: Slot(c)})
		}
		p.steps = p.appendSteps(p.appendSteps(p.steps, s.code), s.reports)
	}
	p.defs, p.owners, p.inputs = make([]*Step, p.slots), make([]*Step, p.slots), make([]Input, p.slots)
	for _, in := range p.Inputs {
		p.inputs[in.Slot] = in
	}
	p.own(p.steps, nil)
}

// own notes which step defines which value. within is the outermost fixpoint around the steps, or
// nil.
func (p *Plan) own(steps []Step, within *Step) {
	for i := range steps {
		s := &steps[i]
		owner := cmp.Or(within, s)
		if s.Op != OpFixpoint {
			p.defs[s.Dst], p.owners[s.Dst] = s, owner
			continue
		}
		p.own(s.Body, owner)
		for j, r := range s.Reached {
			p.defs[r], p.owners[r] = &Step{Op: OpRecursive, Dst: r, X: s.Next[j]}, owner
		}
	}
}

// appendSteps appends the steps of code.
func (p *Plan) appendSteps(all []Step, code []instr) []Step {
	for i := 0; i < len(code); i++ {
		switch in := &code[i]; in.op {
		case opCheck:
		case OpFixpoint:
			l := &p.loops[in.fix]
			body := p.appendSteps(nil, code[i+1:i+1+int(in.inner)])
			all = append(all, Step{Op: OpFixpoint, Dst: none, Body: body, Reached: l.reached, Next: l.next})
			i += int(in.inner)
		default:
			all = append(all, Step{Op: in.op, Dst: in.dst, X: in.x, Y: in.y, Set: int(in.dst) >= p.rels})
		}
	}
	return all
}

// Slots is the number of values.
func (p *Plan) Slots() int { return p.slots }

// Parts are the inputs that each value is a union with, by slot: it contains them.
func (p *Plan) Parts() [][]Input {
	parts := make([][]Input, p.slots)
	for _, in := range p.Inputs {
		parts[in.Slot] = []Input{in}
	}
	for _, s := range p.steps {
		if s.Op == relop.Union {
			parts[s.Dst] = slices.Concat(parts[s.X], parts[s.Y])
		}
	}
	return parts
}
